package bus

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/godbus/dbus/v5"
)

var (
	// ErrNoBus means that there is no session bus to talk on.
	ErrNoBus = errors.New("no session bus")
	// ErrNotRunning means that no agent is running, and none was started.
	ErrNotRunning = errors.New("the agent is not running")
	// ErrNoAgent means that none can be started either. It is ErrNotRunning too.
	ErrNoAgent = fmt.Errorf("%w and cannot be started", ErrNotRunning)
	// ErrLost means that the agent or the bus went away during a call.
	ErrLost = errors.New("the agent went away before it answered; what it was doing may have had its effect")
)

// A Dict is an a{sv} with plain Go values: variants are unpacked, lists of
// dictionaries are []Dict.
type Dict map[string]any

// A Client talks to the agent that has the name at the time of a call, so it
// outlives any of them. It is safe for concurrent use.
type Client struct {
	conn  *dbus.Conn
	agent dbus.BusObject
	flags dbus.Flags // of every call
}

// Connect connects to the session bus until ctx ends. Where there is none it
// starts none, but returns ErrNoBus, wrapped.
func Connect(ctx context.Context) (*dbus.Conn, error) { return connect(dbus.WithContext(ctx)) }

func connect(options ...dbus.ConnOption) (*dbus.Conn, error) {
	address := os.Getenv("DBUS_SESSION_BUS_ADDRESS")
	if address == "" || address == "autolaunch:" {
		dir := os.Getenv("XDG_RUNTIME_DIR")
		if !filepath.IsAbs(dir) {
			dir = filepath.Join("/run/user", strconv.Itoa(os.Getuid()))
		}
		address = "unix:path=" + dbus.EscapeBusAddressValue(filepath.Join(dir, "bus"))
	}
	conn, err := dbus.Connect(address, options...)
	if err != nil {
		return nil, fmt.Errorf("%w: %w; is DBUS_SESSION_BUS_ADDRESS set?", ErrNoBus, err)
	}
	return conn, nil
}

// Dial connects to the session bus until ctx ends. The agent is started by the
// first call.
func Dial(ctx context.Context) (*Client, error) {
	// Signals stay in their order, however long one is looked at.
	conn, err := connect(dbus.WithContext(ctx), dbus.WithSignalHandler(dbus.NewSequentialSignalHandler()))
	if err != nil {
		return nil, err
	}
	return &Client{conn: conn, agent: conn.Object(Agent, Path)}, nil
}

// Passive returns a client of the same connection whose calls start no agent:
// without one they return ErrNotRunning.
func (c *Client) Passive() *Client {
	passive := *c
	passive.flags = dbus.FlagNoAutoStart
	return &passive
}

// Close ends the connection, that of Passive clients as well.
func (c *Client) Close() error { return c.conn.Close() }

// Running reports whether an agent has the name now. It starts none.
func (c *Client) Running(ctx context.Context) bool {
	var owned bool
	err := c.conn.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.NameHasOwner", 0, Agent).Store(&owned)
	return err == nil && owned
}

// Start has the bus start the agent, if it does not run, and returns when it
// answers.
func (c *Client) Start(ctx context.Context) error {
	active := *c
	active.flags = 0
	err := c.conn.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.StartServiceByName", 0, Agent, uint32(0)).Err
	return active.translate(ctx, "start the agent", err)
}

// A Reply is the answer to Run and its kin.
type Reply struct {
	Outcome string
	Message string
	Steps   []Dict
}

// Run carries out an utterance.
func (c *Client) Run(ctx context.Context, utterance string) (Reply, error) {
	return c.reply(ctx, "Run", utterance)
}

// RunWithOptions is Run with the options that the interface describes.
func (c *Client) RunWithOptions(ctx context.Context, utterance string, options map[string]any) (Reply, error) {
	return c.reply(ctx, "RunWithOptions", utterance, wrap(options))
}

func wrap(options map[string]any) map[string]dbus.Variant {
	variants := map[string]dbus.Variant{}
	for name, v := range options {
		variants[name] = dbus.MakeVariant(v)
	}
	return variants
}

// Confirm approves or turns down a plan.
func (c *Client) Confirm(ctx context.Context, token string, approve bool) (Reply, error) {
	return c.reply(ctx, "Confirm", token, approve)
}

// Choose carries out one of the choices of an ambiguous utterance, from 0.
func (c *Client) Choose(ctx context.Context, token string, index uint32) (Reply, error) {
	return c.reply(ctx, "Choose", token, index)
}

func (c *Client) reply(ctx context.Context, method string, args ...any) (Reply, error) {
	var r Reply
	var steps []map[string]dbus.Variant
	if err := c.call(ctx, method, args...).Store(&r.Outcome, &r.Message, &steps); err != nil {
		return Reply{}, c.translate(ctx, method, err)
	}
	r.Steps = plainList(steps)
	return r, nil
}

// Plan returns what Run would do.
func (c *Client) Plan(ctx context.Context, utterance string) (Dict, error) {
	return c.dict(ctx, "Plan", utterance)
}

// PlanWithOptions is Plan with the options that the interface describes.
func (c *Client) PlanWithOptions(ctx context.Context, utterance string, options map[string]any) (Dict, error) {
	return c.dict(ctx, "PlanWithOptions", utterance, wrap(options))
}

// A Suggestion is something that can be said, as the interface describes it.
type Suggestion struct {
	Text   string `json:"text"`
	Kind   string `json:"kind"`
	App    string `json:"app"`
	Group  string `json:"group"`
	Detail string `json:"detail"`
}

// Suggest returns what can be said now and begins with prefix.
func (c *Client) Suggest(ctx context.Context, prefix string, limit uint32) ([]Suggestion, error) {
	return c.suggestions(ctx, "Suggest", prefix, limit)
}

// SuggestFor is Suggest as if a window of app had the focus.
func (c *Client) SuggestFor(ctx context.Context, app, prefix string, limit uint32) ([]Suggestion, error) {
	return c.suggestions(ctx, "SuggestFor", app, prefix, limit)
}

func (c *Client) suggestions(ctx context.Context, method string, args ...any) ([]Suggestion, error) {
	list, err := c.list(ctx, method, args...)
	if err != nil {
		return nil, err
	}
	all := make([]Suggestion, len(list))
	for i, d := range list {
		all[i] = Suggestion{d.text("text"), d.text("kind"), d.text("app"), d.text("group"), d.text("detail")}
	}
	return all, nil
}

// A LaunchCheck tells what the agent would start for an argument list.
type LaunchCheck struct {
	Found      bool   `json:"found"`
	Executable bool   `json:"executable"`
	Path       string `json:"path"`  // of the program, or ""
	State      string `json:"state"` // "found", "not_found", "not_executable" or "empty"
}

// CheckLaunch looks for the program of an argument list and starts nothing.
func (c *Client) CheckLaunch(ctx context.Context, argv []string) (LaunchCheck, error) {
	d, err := c.dict(ctx, "CheckLaunch", argv)
	if err != nil {
		return LaunchCheck{}, err
	}
	found, _ := d["found"].(bool)
	executable, _ := d["executable"].(bool)
	return LaunchCheck{found, executable, d.text("path"), d.text("state")}, nil
}

// Reload has the agent read its files again.
func (c *Client) Reload(ctx context.Context) error {
	return c.translate(ctx, "Reload", c.call(ctx, "Reload").Err)
}

// Cancel ends the running plan and empties the queue. It returns how many plans
// that were.
func (c *Client) Cancel(ctx context.Context) (uint32, error) {
	var n uint32
	err := c.call(ctx, "Cancel").Store(&n)
	return n, c.translate(ctx, "Cancel", err)
}

// ListApps returns every application that can be named.
func (c *Client) ListApps(ctx context.Context) ([]Dict, error) { return c.list(ctx, "ListApps") }

// ListWindows returns the open windows.
func (c *Client) ListWindows(ctx context.Context) ([]Dict, error) { return c.list(ctx, "ListWindows") }

// Doctor returns the parts of the desktop.
func (c *Client) Doctor(ctx context.Context) ([]Dict, error) { return c.list(ctx, "Doctor") }

// Problems returns what is wrong with files.
func (c *Client) Problems(ctx context.Context) ([]Dict, error) {
	var v dbus.Variant
	if err := c.agent.CallWithContext(ctx, "org.freedesktop.DBus.Properties.Get", c.flags, Interface, "Problems").Store(&v); err != nil {
		return nil, c.translate(ctx, "Problems", err)
	}
	list, _ := v.Value().([]map[string]dbus.Variant)
	return plainList(list), nil
}

func (c *Client) list(ctx context.Context, method string, args ...any) ([]Dict, error) {
	var l []map[string]dbus.Variant
	if err := c.call(ctx, method, args...).Store(&l); err != nil {
		return nil, c.translate(ctx, method, err)
	}
	return plainList(l), nil
}

func (c *Client) dict(ctx context.Context, method string, args ...any) (Dict, error) {
	var d map[string]dbus.Variant
	if err := c.call(ctx, method, args...).Store(&d); err != nil {
		return nil, c.translate(ctx, method, err)
	}
	return plainDict(d), nil
}

func (c *Client) call(ctx context.Context, method string, args ...any) *dbus.Call {
	return c.agent.CallWithContext(ctx, Interface+"."+method, c.flags, args...)
}

// translate makes an error of a call say what it means. It keeps the D-Bus error.
func (c *Client) translate(ctx context.Context, method string, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil { // then the connection may have ended as well
		return fmt.Errorf("%s: %w", method, ctx.Err())
	}
	var e dbus.Error
	switch {
	case broken(err), errors.As(err, &e) && e.Name == "org.freedesktop.DBus.Error.NoReply":
		return fmt.Errorf("%w (%w)", ErrLost, err)
	case errors.As(err, &e) && cannotStart(e.Name) && c.flags&dbus.FlagNoAutoStart != 0:
		return fmt.Errorf("%w (%w)", ErrNotRunning, err)
	case errors.As(err, &e) && cannotStart(e.Name):
		return fmt.Errorf("%w (%w)", ErrNoAgent, err)
	}
	return fmt.Errorf("%s: %w", method, err)
}

// broken reports whether err means that the connection has ended.
func broken(err error) bool {
	_, network := errors.AsType[*net.OpError](err)
	return network || errors.Is(err, dbus.ErrClosed)
}

// cannotStart reports whether the bus answers with the error name for a service
// that it cannot start.
func cannotStart(name string) bool {
	switch name {
	case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner", "org.freedesktop.DBus.Error.TimedOut":
		return true
	}
	return strings.HasPrefix(name, "org.freedesktop.DBus.Error.Spawn.") || strings.HasPrefix(name, "org.freedesktop.systemd1.")
}

// IsError reports whether err is the D-Bus error called name.
func IsError(err error, name string) bool {
	var e dbus.Error
	return errors.As(err, &e) && e.Name == name
}

// text returns the text called name, or "".
func (d Dict) text(name string) string { s, _ := d[name].(string); return s }

func plainList(l []map[string]dbus.Variant) []Dict {
	all := make([]Dict, len(l))
	for i, d := range l {
		all[i] = plainDict(d)
	}
	return all
}

func plainDict(d map[string]dbus.Variant) Dict {
	plain := Dict{}
	for name, v := range d {
		plain[name] = plainValue(v.Value())
	}
	return plain
}

func plainValue(v any) any {
	switch v := v.(type) {
	case dbus.Variant:
		return plainValue(v.Value())
	case map[string]dbus.Variant:
		return plainDict(v)
	case []map[string]dbus.Variant:
		return plainList(v)
	case []dbus.Variant:
		all := make([]any, len(v))
		for i, item := range v {
			all[i] = plainValue(item)
		}
		return all
	}
	return v
}
