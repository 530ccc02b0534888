package op

import "utter/shared/i18n"

// The arguments of the operations. A field must be given unless its tag says omitzero or it is a pointer; min and max
// bound a number, enum lists the texts that are allowed, doc explains a field that does not explain itself.
type (
	// OpenURL shows a page.
	OpenURL struct {
		URL    string `json:"url" doc:"http, https or mailto"`
		NewTab bool   `json:"new_tab,omitzero"`
	}
	// EnsureURL switches to a page that is open, or opens it.
	EnsureURL struct {
		URL       string `json:"url" doc:"http or https"`
		Site      string `json:"site,omitzero" doc:"what the window of a page that is already open is called"`
		MustExist bool   `json:"must_exist,omitzero" doc:"open nothing"`
	}
	// LaunchApp starts an application, or a program. App may name what Argv starts; one of them is given.
	LaunchApp struct {
		App  string   `json:"app,omitzero"`
		Argv []string `json:"argv,omitzero"`
	}
	// EnsureApp switches to an application, or starts it.
	EnsureApp struct {
		App  string   `json:"app"`
		Argv []string `json:"argv,omitzero"`
	}
	// FocusApp switches to an application that runs.
	FocusApp struct {
		App string `json:"app" doc:"the id of an application"`
	}
	// CloseApp closes a window of an application.
	CloseApp struct {
		App string `json:"app" doc:"the id of an application"`
	}
	// Search searches the web.
	Search struct {
		Query string `json:"query"`
	}
	// Key presses a chord, in the focused window unless a window or an application is named.
	Key struct {
		Chord    string `json:"chord" doc:"as in ctrl+shift+t"`
		App      string `json:"app,omitzero"`
		WindowID string `json:"window_id,omitzero"`
	}
	// TypeText types text, into the focused window unless a window or an application is named.
	TypeText struct {
		Text            string `json:"text"`
		App             string `json:"app,omitzero"`
		WindowID        string `json:"window_id,omitzero"`
		RequireReadBack bool   `json:"require_read_back,omitzero"`
	}
	// Terminal types a command into the focused terminal.
	Terminal struct {
		Command string `json:"command"`
		Enter   *bool  `json:"enter,omitzero" doc:"false leaves pressing Enter to the user"`
	}
	// Niri is a command of the compositor, in niri's words. Args are texts and whole numbers.
	Niri struct {
		Command  string `json:"command"`
		Args     []any  `json:"args,omitzero"`
		WindowID string `json:"window_id,omitzero"`
	}
	// Media is a command to a media player.
	Media struct {
		Command string `json:"command"`
		App     string `json:"app,omitzero"`
	}
	// ClickElement clicks an element by what it says.
	ClickElement struct {
		Description string `json:"description"`
	}
	// ClickPoint clicks at a point of the layout of all screens, in pixels.
	ClickPoint struct {
		X int `json:"x" doc:"in pixels of all screens together"`
		Y int `json:"y"`
	}
	// Scroll turns the wheel over the focused window. Amount 0 is DefaultScroll.
	Scroll struct {
		Direction string `json:"direction" enum:"up,down,left,right"`
		Amount    int    `json:"amount,omitzero" min:"1" max:"100" doc:"steps of the wheel"`
	}
	// Wait waits. MS nil is DefaultWait.
	Wait struct {
		MS *int `json:"ms,omitzero" min:"0" max:"10000" doc:"milliseconds"`
	}
	// Speak says something to the user.
	Speak struct {
		Text string `json:"text"`
	}
	// Done does nothing.
	Done struct{}
)

// What counts where an argument is left out.
const (
	DefaultScroll = 5   // steps of the wheel
	DefaultWait   = 300 // milliseconds
)

// Op returns the operation's name.
func (OpenURL) Op() Name      { return "open_url" }
func (EnsureURL) Op() Name    { return "ensure_url" }
func (LaunchApp) Op() Name    { return "launch_app" }
func (EnsureApp) Op() Name    { return "ensure_app" }
func (FocusApp) Op() Name     { return "focus_app" }
func (CloseApp) Op() Name     { return "close_app" }
func (Search) Op() Name       { return "search" }
func (Key) Op() Name          { return "key" }
func (TypeText) Op() Name     { return "type_text" }
func (Terminal) Op() Name     { return "terminal" }
func (Niri) Op() Name         { return "niri" }
func (Media) Op() Name        { return "media" }
func (ClickElement) Op() Name { return "click_element" }
func (ClickPoint) Op() Name   { return "click_point" }
func (Scroll) Op() Name       { return "scroll" }
func (Wait) Op() Name         { return "wait" }
func (Speak) Op() Name        { return "speak" }
func (Done) Op() Name         { return "done" }

// specs are all operations, in the order in which people read them.
var specs = []Spec{
	of[OpenURL](Spec{
		Doc: "shows a page", Contents: Address,
		Says: []Saying{{Text: i18n.Mark("Open {url}")}},
	}),
	of[EnsureURL](Spec{
		Doc: "switches to a page that is open, or opens it", Contents: Address,
		Says: []Saying{{Text: i18n.Mark("Go to {url} in an open or a new tab")}},
	}),
	of[LaunchApp](Spec{
		Doc: "starts an application, or a program: one of the two arguments is needed", Contents: Program,
		Says: []Saying{{"app", i18n.Mark("Start {app}")}, {"", i18n.Mark("Start {argv}")}},
	}),
	of[EnsureApp](Spec{
		Doc: "switches to an application, or starts it", Contents: Program,
		Says: []Saying{{Text: i18n.Mark("Switch to {app}, or start it if it isn’t running")}},
	}),
	of[FocusApp](Spec{
		Doc:  "switches to an application that is running",
		Says: []Saying{{Text: i18n.Mark("Go to {app}")}},
	}),
	of[CloseApp](Spec{
		Doc: "closes an application", Asks: true,
		Says: []Saying{{Text: i18n.Mark("Close {app}")}},
		Ask:  Switch{i18n.Mark("Closing applications"), i18n.Mark("Ask before an application is closed")},
	}),
	of[Search](Spec{
		Doc:  "searches the web",
		Says: []Saying{{Text: i18n.Mark("Search the web for “{query}”")}},
	}),
	of[Key](Spec{
		Doc: "presses keys, such as ctrl+t", Tier: TierKeyboard, Contents: Input, MovesFocus: true,
		Says: []Saying{{"app", i18n.Mark("Press {chord} in {app}")}, {"", i18n.Mark("Press {chord}")}},
		Ask:  Switch{i18n.Mark("Pressing keys"), i18n.Mark("Ask before keys are pressed in an application")},
	}),
	of[TypeText](Spec{
		Doc: "types text", Tier: TierKeyboard, Contents: Private | Input,
		Says: []Saying{{"app", i18n.Mark("Type “{text}” in {app}")}, {"", i18n.Mark("Type “{text}”")}},
		Ask:  Switch{i18n.Mark("Typing text"), i18n.Mark("Ask before anything is typed")},
	}),
	of[Terminal](Spec{
		Doc: "types a command into a terminal", Off: true, Contents: Private,
		Says: []Saying{{Text: i18n.Mark("Run “{command}” in the terminal")}},
		Allow: Switch{
			i18n.Mark("Run commands in a terminal"),
			i18n.Mark(
				"“Run make test” types the command into the focused terminal and runs it. You confirm each command first."),
		},
	}),
	of[Niri](Spec{
		Doc: "runs a command of the compositor in niri's words, such as focus-workspace", MovesFocus: true,
		Says: []Saying{{Text: i18n.Mark("Window command: {command}")}},
		Ask: Switch{i18n.Mark("Window and workspace commands"),
			i18n.Mark("Ask before windows are closed, moved or arranged")},
	}),
	of[Media](Spec{
		Doc:  "controls a media player: play-pause, next, …",
		Says: []Saying{{"app", i18n.Mark("Player: {command} {app}")}, {"", i18n.Mark("Player: {command}")}},
	}),
	of[ClickElement](Spec{
		Doc: "clicks an element by its label", Missing: true, Tier: TierVision,
		Says: []Saying{{Text: i18n.Mark("Click “{description}”")}},
	}),
	of[ClickPoint](Spec{
		Doc:  "clicks at a point",
		Says: []Saying{{Text: i18n.Mark("Click at {x}, {y}")}},
	}),
	of[Scroll](Spec{
		Doc: "scrolls", Tier: TierKeyboard,
		Says: []Saying{
			{"direction=up", i18n.Mark("Scroll up")}, {"direction=down", i18n.Mark("Scroll down")},
			{"direction=left", i18n.Mark("Scroll to the left")}, {"direction=right", i18n.Mark("Scroll to the right")},
			{"", i18n.Mark("Scroll")},
		},
	}),
	of[Wait](Spec{Doc: "waits", Says: []Saying{{Text: i18n.Mark("Wait")}}}),
	of[Speak](Spec{Doc: "speaks a text", Says: []Saying{{Text: i18n.Mark("Say “{text}”")}}}),
	of[Done](Spec{Doc: "does nothing", Says: []Saying{{Text: i18n.Mark("Nothing more")}}}),
	{Name: "input", Doc: "presses keys and buttons, in the plugin's own way", Off: true, Contents: Input},
}
