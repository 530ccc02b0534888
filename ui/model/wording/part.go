package wording

import (
	"utter/shared/typing"
	"utter/ui/model/tr"
)

// Part is what a part of the desktop is called.
func Part(name string) string {
	if m, ok := typing.MethodOfPart(name); ok {
		return tr.T(m.Title)
	}
	switch name {
	case "compositor":
		return tr.T("Windows and Workspaces")
	case "virtual pointer":
		return tr.T("Pointer")
	case "terminal":
		return tr.T("Terminal")
	case "browser":
		return tr.T("Browser")
	case "filemanager":
		return tr.T("File manager")
	case "editor":
		return tr.T("Editor")
	case "notifications":
		return tr.T("Notifications")
	case "systemd user session":
		return tr.T("systemd user session")
	}
	return name
}

// PartState is the state of a part.
func PartState(state string) string {
	switch state {
	case "ok":
		return tr.T("Works")
	case "broken":
		return tr.T("Broken")
	}
	return tr.T("Missing")
}

// PartFix is what follows from a part that is not there, and what to do.
func PartFix(name string) string {
	if m, ok := typing.MethodOfPart(name); ok {
		return tr.T(m.Without)
	}
	switch name {
	case "compositor":
		return tr.T("Utter cannot see windows. Log in to a compositor that Utter supports, such as niri or sway.")
	case "virtual pointer":
		return tr.T("Utter cannot scroll or click.")
	case "terminal", "browser", "filemanager", "editor":
		return tr.T("None is installed. Install one, or choose your default.")
	case "notifications":
		return tr.T(
			"Utter can ask questions only in this window and on the command line. Install a notification service, such as mako.")
	case "systemd user session":
		return tr.T("Programs start in sessions of their own.")
	}
	return ""
}
