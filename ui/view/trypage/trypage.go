// Package trypage shows what a phrase would do, and does it.
package trypage

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/diamondburned/gotk4-adwaita/pkg/adw"
	"github.com/diamondburned/gotk4/pkg/gtk/v4"

	"utter/shared/bus"
	"utter/ui/model/session"
	"utter/ui/model/tr"
	"utter/ui/model/try"
	"utter/ui/model/wording"
	"utter/ui/view/gtkx"
)

//go:embed trypage.ui
var ui string

// Doings are what the page asks of others.
type Doings struct {
	Start func()
	// Teach opens the dialog for a phrase said to an application.
	Teach func(phrase, app string)
	// Save appends the phrase and its plan to the file of tests.
	Save func()
}

// A Page shows one phrase at a time.
type Page struct {
	*gtkx.Page

	stack  *gtk.Stack            `ui:"stack"`
	start  *gtk.Button           `ui:"start"`
	say    *adw.EntryRow         `ui:"say"`
	target *adw.ComboRow         `ui:"target"`
	plan   *adw.PreferencesGroup `ui:"plan"`
	run    *gtk.Button           `ui:"run"`
	teach  *gtk.Button           `ui:"teach"`
	save   *gtk.Button           `ui:"save"`
	result *gtk.Label            `ui:"result"`
	recent *adw.PreferencesGroup `ui:"recents"`

	Model   *try.Model
	doings  Doings
	steps   *gtkx.List[*adw.ActionRow]
	recents *gtkx.List[*adw.ActionRow]
	why     *gtk.Label
	details *gtkx.Details // what is known in English only
	labels  []string
	told    string
	asked   *try.Question
	syncing bool
}

// New returns the page. ours is our own application id.
func New(agent try.Agent, ours string, d Doings) *Page {
	p := &Page{doings: d, why: gtk.NewLabel("")}
	gtkx.Bind(p, ui)
	p.Page = gtkx.NewPage(p.stack)
	p.Model = try.New(agent, session.Later(gtkx.Later), ours, p.show)
	p.steps = gtkx.NewList[*adw.ActionRow](tr.T("What Would Happen"))
	p.recents = gtkx.NewList[*adw.ActionRow](tr.T("Recent Phrases"))
	p.why.SetXAlign(0)
	gtkx.Wrap(p.why)
	p.why.AddCSSClass("dim-label")
	p.why.SetMarginTop(6)
	p.plan.Add(p.steps)
	p.plan.Add(p.why)
	p.details = gtkx.NewDetails()
	p.plan.Add(p.details.Boxed())
	p.recent.Add(p.recents)
	p.connect()
	p.show(p.Model.State())
	return p
}

func (p *Page) connect() {
	gtkx.Combo(p.target)
	p.start.ConnectClicked(p.doings.Start)
	p.say.ConnectChanged(func() { p.Model.Say(p.say.Text()) })
	p.say.ConnectEntryActivated(func() {
		if p.Model.State().CanRun {
			p.Model.Run()
		} else {
			p.Model.Missed()
		}
	})
	p.target.NotifyProperty("selected", func() {
		if !p.syncing {
			p.Model.SetTarget(int(p.target.Selected()))
		}
	})
	p.run.ConnectClicked(p.Model.Run)
	p.teach.ConnectClicked(func() {
		p.Model.Missed()
		p.doings.Teach(p.Model.State().Text, p.Model.Target().App)
	})
	p.save.ConnectClicked(p.doings.Save)
}

// Say fills the phrase in.
func (p *Page) Say(text string) {
	gtkx.SetText(p.say, text)
	p.say.GrabFocus()
}

// TakesUndo has the phrase take its own last change back, if it has the focus.
func (p *Page) TakesUndo() bool { return gtkx.UndoText(p.say) }

// SetRunning says whether there is an agent to ask.
func (p *Page) SetRunning(on bool) {
	if on {
		p.stack.SetVisibleChildName("page")
	} else {
		p.stack.SetVisibleChildName("down")
	}
}

func (p *Page) show(s try.State) {
	if p.recents == nil {
		return // still being built
	}
	p.showTargets(s)
	p.run.SetSensitive(s.CanRun)
	p.run.SetTooltipText(s.WhyNot)
	gtkx.Describe(p.run, s.WhyNot)
	p.teach.SetSensitive(s.CanTeach)
	p.save.SetSensitive(s.CanSave)
	p.showPlan(s)
	p.showRecents(s)
	p.result.SetText(s.Result)
	p.result.SetVisible(s.Result != "")
	p.details.Show(s.Detail)
	if s.Result != "" && s.Result != p.told {
		gtkx.Announce(p.run, s.Result)
	}
	p.told = s.Result
	asked := p.asked
	if p.asked = s.Question; s.Question != nil && s.Question != asked {
		p.ask(s.Question)
	}
}

// ask asks what the agent wants to know before it goes on.
func (p *Page) ask(q *try.Question) {
	var details gtk.Widgetter
	if q.Detail != "" {
		unfolds := gtkx.NewDetails()
		unfolds.Show(q.Detail)
		details = unfolds.Boxed()
	}
	if q.Choices == nil {
		gtkx.Ask(p, tr.T("Run This?"), q.Text, details, func(id string) { p.Model.Answer(q, id == "yes", 0) },
			[2]string{"yes", tr.T("Run")}, [2]string{"no", tr.T("No")})
		return
	}
	var answers [][2]string
	for i, c := range q.Choices {
		answers = append(answers, [2]string{strconv.Itoa(i), c})
	}
	answers = append(answers, [2]string{"none", tr.T("None of These")})
	gtkx.Ask(p, tr.T("Which One?"), q.Text, details, func(id string) {
		if i, err := strconv.Atoi(id); err == nil {
			p.Model.Answer(q, true, i)
		}
	}, answers...)
}

func (p *Page) showTargets(s try.State) {
	p.syncing = true
	defer func() { p.syncing = false }()
	var labels []string
	for _, w := range s.Windows {
		labels = append(labels, w.Label())
	}
	if !slices.Equal(labels, p.labels) || p.labels == nil {
		p.labels = append([]string{}, labels...)
		p.target.SetModel(gtk.NewStringList(labels))
	}
	p.target.SetSensitive(len(labels) > 0)
	if s.Target >= 0 {
		p.target.SetSubtitle("")
		p.target.SetSelected(uint(s.Target))
	} else {
		p.target.SetSubtitle(s.NoTarget)
		p.target.SetSelected(gtk.InvalidListPosition)
	}
}

func (p *Page) showPlan(s try.State) {
	var keys []string
	rows := map[string]*adw.ActionRow{}
	add := func(title, subtitle string, marks ...string) {
		key := fmt.Sprint(len(keys), title, subtitle, marks)
		keys = append(keys, key)
		if old, ok := p.steps.Row(key); ok {
			rows[key] = old
			return
		}
		row := gtkx.NewRow(title, subtitle)
		for _, m := range marks {
			label := gtk.NewLabel(m)
			label.AddCSSClass("caption")
			label.AddCSSClass("dim-label")
			row.AddSuffix(label)
		}
		rows[key] = row
	}
	switch {
	case s.Error != "":
		add(s.Error, "")
	case s.Plan == nil:
	case !s.Plan.Found:
		add(tr.T("Nothing would happen"), s.Why)
		for _, c := range s.Plan.Choices {
			add(tr.T("It could mean %s", c.Label), "")
		}
	default:
		for _, step := range s.Plan.Steps {
			add(p.Model.Words(step), wording.Reason(step.Reason), marksOf(step)...)
		}
		if s.Plan.Refusal != "" {
			add(tr.T("It would be refused"), s.Plan.Refusal)
		}
	}
	p.steps.Sync(keys, func(key string) *adw.ActionRow { return rows[key] })
	p.plan.SetVisible(len(keys) > 0 || s.Detail != "")
	p.why.SetText(strings.Join(s.Lines, "\n"))
	p.why.SetVisible(len(s.Lines) > 0)
}

// marksOf are the words at the end of a step's row.
func marksOf(s bus.Step) []string {
	var marks []string
	switch {
	case s.Author != "":
		marks = append(marks, tr.T("requested by the plugin %s", s.Author))
	case s.Plugin != "":
		marks = append(marks, tr.T("plugin %s", s.Plugin))
	}
	if s.Tier != "" && s.Plugin == "" {
		marks = append(marks, s.Tier)
	}
	if s.Confirm {
		marks = append(marks, tr.T("asks first"))
	}
	if s.Outcome != "" {
		marks = append(marks, wording.Outcome(s.Outcome))
	}
	return marks
}

func (p *Page) showRecents(s try.State) {
	var keys []string
	byKey := map[string]try.Recent{}
	for _, r := range s.Recents {
		key := r.Text + "\x00" + r.Outcome
		keys = append(keys, key)
		byKey[key] = r
	}
	p.recents.Sync(keys, func(key string) *adw.ActionRow {
		r := byKey[key]
		row := gtkx.NewRow(r.Text, r.Outcome)
		gtkx.Activatable(row, func() { p.Say(r.Text) })
		if r.Failed {
			teach := gtk.NewButtonWithLabel(tr.T("Teach…"))
			teach.SetVAlign(gtk.AlignCenter)
			gtkx.Name(teach, tr.T("Teach… %s", r.Text))
			teach.ConnectClicked(func() { p.doings.Teach(r.Text, p.Model.Target().App) })
			row.AddSuffix(teach)
		}
		return row
	})
	p.recent.SetVisible(len(keys) > 0)
}
