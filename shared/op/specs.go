package op

import "utter/shared/i18n"

// specs are all operations, in the order in which people read them.
var specs = []Spec{
	of[OpenURL](Spec{
		Doc: "shows a page", Contents: Address, MovesFocus: true,
		Says: []Saying{{Text: i18n.Mark("Open {url}")}},
	}),
	of[EnsureURL](Spec{
		Doc: "switches to a page that is open, or opens it", Contents: Address, MovesFocus: true,
		Says: []Saying{{Text: i18n.Mark("Go to {url} in an open or a new tab")}},
	}),
	of[LaunchApp](Spec{
		Doc: "starts an application, or a program: one of the two arguments is needed", Contents: Program, MovesFocus: true,
		Says: []Saying{{"app", i18n.Mark("Start {app}")}, {"", i18n.Mark("Start {argv}")}},
	}),
	of[EnsureApp](Spec{
		Doc: "switches to an application, or starts it", Contents: Program, MovesFocus: true,
		Says: []Saying{{Text: i18n.Mark("Switch to {app}, or start it if it isn’t running")}},
	}),
	of[FocusApp](Spec{
		Doc: "switches to an application that is running", MovesFocus: true,
		Says: []Saying{{Text: i18n.Mark("Go to {app}")}},
	}),
	of[CloseApp](Spec{
		Doc: "closes an application", Asks: true, MovesFocus: true,
		Says: []Saying{{Text: i18n.Mark("Close {app}")}},
		Ask:  Switch{i18n.Mark("Closing applications"), i18n.Mark("Ask before an application is closed")},
	}),
	of[Search](Spec{
		Doc: "searches the web", MovesFocus: true,
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
			i18n.Mark("“Run make test” types the command into the focused terminal and runs it. You confirm each command first."),
		},
	}),
	of[Niri](Spec{
		Doc: "runs a command of the compositor in niri's words, such as focus-workspace", MovesFocus: true,
		Says: []Saying{{Text: i18n.Mark("Window command: {command}")}},
		Ask:  Switch{i18n.Mark("Window and workspace commands"), i18n.Mark("Ask before windows are closed, moved or arranged")},
	}),
	of[Media](Spec{
		Doc:  "controls a media player: play-pause, next, …",
		Says: []Saying{{"app", i18n.Mark("Player: {command} {app}")}, {"", i18n.Mark("Player: {command}")}},
	}),
	of[ClickElement](Spec{
		Doc: "clicks an element by what it says", Tier: TierVision, MovesFocus: true,
		Says: []Saying{{Text: i18n.Mark("Click “{description}”")}},
	}),
	of[ClickPoint](Spec{
		Doc: "clicks at a point", MovesFocus: true,
		Says: []Saying{{Text: i18n.Mark("Click at {x}, {y}")}},
	}),
	of[Scroll](Spec{
		Doc: "turns the wheel", Tier: TierKeyboard,
		Says: []Saying{
			{"direction=up", i18n.Mark("Scroll up")}, {"direction=down", i18n.Mark("Scroll down")},
			{"direction=left", i18n.Mark("Scroll to the left")}, {"direction=right", i18n.Mark("Scroll to the right")},
			{"", i18n.Mark("Scroll")},
		},
	}),
	of[Wait](Spec{Doc: "waits", Says: []Saying{{Text: i18n.Mark("Wait")}}}),
	of[Speak](Spec{Doc: "says something", Says: []Saying{{Text: i18n.Mark("Say “{text}”")}}}),
	of[Done](Spec{Doc: "does nothing", Says: []Saying{{Text: i18n.Mark("Nothing more")}}}),
	{Name: "input", Doc: "presses keys and buttons, in the plugin's own way", Off: true, Contents: Input},
}
