package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/godbus/dbus/v5/prop"

	"utter/agent/internal/router"
	"utter/data"
	"utter/shared/bus"
	"utter/shared/plan"
	"utter/shared/profile"
)

// ErrTaken means that another agent has the name.
var ErrTaken = errors.New("another utter-agent is running")

// A Facade answers on the session bus as data/dbus/org.utter.Agent.xml says.
type Facade struct {
	agent *Agent
	conn  *dbus.Conn
	log   *slog.Logger
	props *prop.Properties
	ctx   context.Context // ends with the service
}

// Serve exports a on conn, claims the name and answers until ctx ends. It
// returns ErrTaken if the name is another's.
func Serve(ctx context.Context, conn *dbus.Conn, a *Agent, version string, log *slog.Logger) error {
	f := &Facade{agent: a, conn: conn, log: log, ctx: ctx}
	if err := f.export(version); err != nil {
		return err
	}
	a.Listen(f) // the first call may come with the name
	reply, err := conn.RequestName(bus.Agent, dbus.NameFlagDoNotQueue)
	if err != nil {
		return fmt.Errorf("session bus: claim %s: %w", bus.Agent, err)
	}
	if reply != dbus.RequestNameReplyPrimaryOwner {
		return ErrTaken
	}
	log.Info("ready", "name", bus.Agent)
	err = f.follow(ctx)
	a.Cancel()
	return err
}

// follow keeps the Compositor property true until ctx or the bus ends.
func (f *Facade) follow(ctx context.Context) error {
	shown := ""
	for {
		changed := f.agent.parts.Desktop.Changed()
		if now := f.compositor(); now != shown {
			f.setProperty("Compositor", now)
			shown = now
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		case <-f.conn.Context().Done():
			return errors.New("the session bus has gone")
		}
	}
}

func (f *Facade) compositor() string {
	info, ok := f.agent.parts.Desktop.Info()
	if !ok {
		return ""
	}
	if info.Version == "" {
		return info.Name
	}
	return info.Name + " " + info.Version
}

func (f *Facade) export(version string) error {
	xml, err := data.FS.ReadFile("dbus/org.utter.Agent.xml")
	if err != nil {
		return fmt.Errorf("D-Bus interface: %w", err)
	}
	properties := map[string]*prop.Prop{
		"Version":    {Value: version, Emit: prop.EmitConst},
		"State":      {Value: "ready", Emit: prop.EmitTrue},
		"Compositor": {Value: f.compositor(), Emit: prop.EmitTrue},
		"Head":       {Value: "off", Emit: prop.EmitTrue},
		"Problems":   {Value: encodeProblems(f.agent.Problems()), Emit: prop.EmitTrue},
	}
	f.props, err = prop.Export(f.conn, bus.Path, prop.Map{bus.Interface: properties})
	if err != nil {
		return fmt.Errorf("session bus: export properties: %w", err)
	}
	if err := f.conn.ExportMethodTable(f.methods(), bus.Path, bus.Interface); err != nil {
		return fmt.Errorf("session bus: export %s: %w", bus.Interface, err)
	}
	introspect := map[string]any{"Introspect": func() (string, *dbus.Error) { return string(xml), nil }}
	if err := f.conn.ExportMethodTable(introspect, bus.Path, "org.freedesktop.DBus.Introspectable"); err != nil {
		return fmt.Errorf("session bus: export introspection: %w", err)
	}
	return nil
}

func (f *Facade) methods() map[string]any {
	return map[string]any{
		"Run": func(utterance string) (string, string, []dict, *dbus.Error) {
			return f.answer(f.agent.Run(f.ctx, utterance, Options{Provenance: plan.FromUser}), nil)
		},
		"RunWithOptions":  f.runWithOptions,
		"Plan":            func(u string) (dict, *dbus.Error) { return f.plan(u, dict{}) },
		"PlanWithOptions": f.plan,
		"Choose": func(token string, index uint32) (string, string, []dict, *dbus.Error) {
			return f.answer(f.agent.Choose(f.ctx, token, int(index)))
		},
		"Confirm": func(token string, approve bool) (string, string, []dict, *dbus.Error) {
			return f.answer(f.agent.Confirm(f.ctx, token, approve))
		},
		"Suggest": func(prefix string, limit uint32) ([]dict, *dbus.Error) {
			return encodeSuggestions(f.agent.Suggest("", prefix, int(min(limit, mostSuggestions)))), nil
		},
		"SuggestFor": func(app, prefix string, limit uint32) ([]dict, *dbus.Error) {
			return encodeSuggestions(f.agent.Suggest(app, prefix, int(min(limit, mostSuggestions)))), nil
		},
		"Cancel":      func() (uint32, *dbus.Error) { return uint32(f.agent.Cancel()), nil },
		"ListApps":    func() ([]dict, *dbus.Error) { return f.agent.ListApps(), nil },
		"ListWindows": func() ([]dict, *dbus.Error) { return f.agent.ListWindows(f.ctx), nil },
		"Reload":      f.reload,
		"Doctor":      f.doctor,
		"Ping":        func() *dbus.Error { return nil },
	}
}

func (f *Facade) answer(a Answer, err error) (string, string, []dict, *dbus.Error) {
	if err != nil {
		return "", "", nil, f.dbusError(err)
	}
	outcome, message, steps := encodeAnswer(a)
	return outcome, message, steps, nil
}

// dbusError is where Go's errors become D-Bus errors.
func (f *Facade) dbusError(err error) *dbus.Error {
	name := bus.ErrFailed
	switch {
	case errors.Is(err, errNoToken):
		name = bus.ErrNotFound
	case errors.Is(err, errExpired):
		name = bus.ErrExpired
	case errors.Is(err, errNoChoice), errors.Is(err, errArgs):
		name = bus.ErrInvalidArgs
	}
	return dbus.NewError(name, []any{err.Error()})
}

func (f *Facade) runWithOptions(utterance string, options dict) (string, string, []dict, *dbus.Error) {
	o, err := parseOptions(options, "dry_run", "provenance", "timeout_ms", "context")
	if err != nil {
		return "", "", nil, f.dbusError(err)
	}
	return f.answer(f.agent.Run(f.ctx, utterance, o), nil)
}

func (f *Facade) plan(utterance string, options dict) (dict, *dbus.Error) {
	o, err := parseOptions(options, "app", "explain")
	if err != nil {
		return nil, f.dbusError(err)
	}
	decision := f.agent.Plan(f.ctx, utterance, o)
	d := encodeDecision(utterance, decision)
	if o.Explain && decision.Name != "" {
		set(d, "name", decision.Name)
		set(d, "claims", f.agent.encodeClaims(decision.Name))
	}
	return d, nil
}

func (f *Facade) reload() *dbus.Error {
	if err := f.agent.Reload(); err != nil {
		return f.dbusError(err)
	}
	return nil
}

func (f *Facade) doctor() ([]dict, *dbus.Error) {
	ctx, cancel := context.WithTimeout(f.ctx, 5*time.Second)
	defer cancel()
	all := []dict{}
	for _, p := range f.agent.Doctor(ctx) {
		d := dict{}
		set(d, "name", p.Name)
		set(d, "state", p.State)
		set(d, "detail", p.Detail)
		all = append(all, d)
	}
	return all, nil
}

// mostSuggestions bounds an answer.
const mostSuggestions = 1000

var errArgs = errors.New("invalid arguments")

// parseOptions reads an a{sv} of which only the keys known are allowed.
func parseOptions(options dict, known ...string) (Options, error) {
	o := Options{Provenance: plan.FromUser}
	for name, v := range options {
		ok := false
		for _, k := range known {
			ok = ok || k == name
		}
		if !ok {
			return o, fmt.Errorf("%w: unknown option %q; there are %v", errArgs, name, known)
		}
		if err := o.set(name, v.Value()); err != nil {
			return o, fmt.Errorf("%w: option %q: %w", errArgs, name, err)
		}
	}
	if o.Context != nil && !o.DryRun {
		return o, fmt.Errorf("%w: a context is for dry runs only", errArgs)
	}
	return o, nil
}

func (o *Options) set(name string, v any) (err error) {
	ok := false
	switch name {
	case "dry_run":
		o.DryRun, ok = v.(bool)
	case "explain":
		o.Explain, ok = v.(bool)
	case "app":
		o.App, ok = v.(string)
	case "timeout_ms":
		var ms uint32
		ms, ok = v.(uint32)
		o.Timeout = time.Duration(ms) * time.Millisecond
	case "provenance":
		var s string
		if s, ok = v.(string); ok {
			o.Provenance, err = plan.ParseProvenance(s)
		}
	case "context":
		var d dict
		if d, ok = v.(dict); ok {
			o.Context, err = parseContext(d)
		}
	}
	if !ok {
		return fmt.Errorf("has the wrong type %T", v)
	}
	return err
}

// parseContext reads focused a{sv} and windows aa{sv}, each of app_id and title.
func parseContext(d dict) (*router.Context, error) {
	c := &router.Context{}
	for name := range d {
		if name != "focused" && name != "windows" {
			return nil, fmt.Errorf("unknown key %q; there are focused and windows", name)
		}
	}
	if v, ok := d["focused"]; ok {
		w, ok := v.Value().(dict)
		if !ok {
			return nil, fmt.Errorf("focused has the wrong type %T", v.Value())
		}
		focused, err := parseWindow(w)
		if err != nil {
			return nil, fmt.Errorf("focused: %w", err)
		}
		c.Focused = &focused
	}
	if v, ok := d["windows"]; ok {
		list, ok := v.Value().([]dict)
		if !ok {
			return nil, fmt.Errorf("windows has the wrong type %T", v.Value())
		}
		for _, w := range list {
			window, err := parseWindow(w)
			if err != nil {
				return nil, fmt.Errorf("windows: %w", err)
			}
			c.Windows = append(c.Windows, window)
		}
	}
	return c, nil
}

func parseWindow(d dict) (router.Window, error) {
	var w router.Window
	for name, v := range d {
		ok := false
		switch name {
		case "app_id":
			w.AppID, ok = v.Value().(string)
		case "title":
			w.Title, ok = v.Value().(string)
		default:
			return w, fmt.Errorf("unknown key %q; there are app_id and title", name)
		}
		if !ok {
			return w, fmt.Errorf("%s has the wrong type %T", name, v.Value())
		}
	}
	return w, nil
}

// setProperty sets a property and tells its change. A bus that is going away
// loses it.
func (f *Facade) setProperty(name string, value any) {
	defer func() {
		if err := recover(); err != nil { // the library panics where it cannot send
			f.log.Debug("property", "name", name, "error", err)
		}
	}()
	f.props.SetMust(bus.Interface, name, sendable(value))
}

// emit sends a signal; a bus that is going away loses it.
func (f *Facade) emit(name string, args ...any) {
	if err := f.conn.Emit(bus.Path, bus.Interface+"."+name, args...); err != nil {
		f.log.Debug("signal", "name", name, "error", err)
	}
}

// PlanStarted sends the signal of that name.
func (f *Facade) PlanStarted(p *plan.Plan) {
	all := []dict{}
	for _, s := range p.Steps {
		all = append(all, encodeStep(withoutText(s)))
	}
	f.emit("PlanStarted", withoutTyped(p.Utterance, p.Steps), all)
}

// withoutText removes what is typed: every program on the bus sees signals.
func withoutText(s plan.Step) plan.Step {
	if types(s) {
		s.Args = plan.Args{}
	}
	return s
}

// types reports whether the user's own text is in s's arguments.
func types(s plan.Step) bool { return s.Op == plan.TypeText || s.Op == plan.Terminal }

// withoutTyped removes an utterance that has text to be typed in it.
func withoutTyped(utterance string, steps []plan.Step) string {
	for _, s := range steps {
		if types(s) {
			return ""
		}
	}
	return utterance
}

// StepFinished sends the signal of that name.
func (f *Facade) StepFinished(index int, r plan.Result) {
	r.Step = withoutText(r.Step)
	f.emit("StepFinished", uint32(index), encodeResult(r))
}

// PlanFinished sends the signal of that name.
func (f *Facade) PlanFinished(p *plan.Plan, outcome plan.Outcome, message string) {
	f.emit("PlanFinished", withoutTyped(p.Utterance, p.Steps), outcome.String(), message)
}

// publicText is the text of a question without what would be typed.
func publicText(w Waiting) string {
	if w.Plan == nil {
		return w.Text
	}
	for _, s := range w.Plan.Steps {
		if types(s) {
			return "confirm: " + s.Description
		}
	}
	return w.Text
}

// ConfirmationRequested sends the signal of that name.
func (f *Facade) ConfirmationRequested(w Waiting) {
	f.emit("ConfirmationRequested", w.Token, cleanText(publicText(w)), uint32(w.Expires.Seconds()))
}

// ChoiceRequested sends the signal of that name.
func (f *Facade) ChoiceRequested(w Waiting) {
	f.emit("ChoiceRequested", w.Token, w.Text, encodeChoices(w.Choices), uint32(w.Expires.Seconds()))
}

// ProfilesChanged sets the property Problems and sends the signal.
func (f *Facade) ProfilesChanged(problems []profile.Problem) {
	f.setProperty("Problems", encodeProblems(problems))
	f.emit("ProfilesChanged")
}

// StateChanged sets the property State.
func (f *Facade) StateChanged(state string) { f.setProperty("State", state) }
