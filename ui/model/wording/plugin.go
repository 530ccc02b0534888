package wording

import (
	"encoding/json"
	"strings"

	"utter/shared/plugin/protocol"
	"utter/shared/visible"
	"utter/ui/model/tr"
)

// pluginStep is what a plugin is to do, with what it is told: "note buy milk",
// else the arguments as JSON.
func pluginStep(action string, args map[string]any) string {
	if len(args) == 0 {
		return visible.Text(action)
	}
	for _, value := range args {
		if text, ok := value.(string); ok && len(args) == 1 {
			return visible.Text(action + " " + text)
		}
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(args); err != nil {
		return visible.Text(action) // the bus has no value that JSON lacks but infinities
	}
	return visible.Text(action + " " + strings.TrimSpace(b.String()))
}

// PluginKind is what a plugin is for.
func PluginKind(kind string) string {
	switch kind {
	case protocol.KindSTT:
		return tr.T("Speech recognition")
	case protocol.KindRouter:
		return tr.T("Phrases")
	case protocol.KindKnowledge:
		return tr.T("Knowledge")
	case protocol.KindLLM:
		return tr.T("Language model")
	case protocol.KindPerceive:
		return tr.T("Perception")
	case protocol.KindAction:
		return tr.T("Actions")
	case protocol.KindInput:
		return tr.T("Input")
	case protocol.KindTTS:
		return tr.T("Speech output")
	case protocol.KindContext:
		return tr.T("Context")
	case protocol.KindUI:
		return tr.T("Interface")
	case protocol.KindBundle:
		return tr.T("Bundle")
	}
	return kind
}

// PluginStatus is the state of a plugin, as the runner says; "" for a state that
// has no words.
func PluginStatus(status string) string {
	switch status {
	case protocol.StatusCreated:
		return tr.T("Not started yet")
	case protocol.StatusStarting:
		return tr.T("Starting")
	case protocol.StatusOK:
		return tr.T("Running")
	case protocol.StatusDegraded:
		return tr.T("Running with limitations")
	case protocol.StatusError:
		return tr.T("Not running")
	case protocol.StatusStopped:
		return tr.T("Stopped")
	}
	return ""
}

// Permission is what a permission allows.
func Permission(name string) string {
	switch name {
	case protocol.PermissionMicrophone:
		return tr.T("Listen with the microphone")
	case protocol.PermissionScreenshot:
		return tr.T("See the screen")
	case protocol.PermissionAccessibility:
		return tr.T("Read titles and texts of all windows")
	case protocol.PermissionInputInjection:
		return tr.T("Type and click")
	case protocol.PermissionProcessSpawn:
		return tr.T("Start programs")
	case protocol.PermissionNetwork:
		return tr.T("Use the network")
	case protocol.PermissionFilesystemRead:
		return tr.T("Read the configured files")
	case protocol.PermissionFilesystemWrite:
		return tr.T("Write the configured files")
	case protocol.PermissionClipboard:
		return tr.T("Read the clipboard")
	case protocol.PermissionNotifications:
		return tr.T("Show notifications")
	case protocol.PermissionKeyring:
		return tr.T("Use the keyring")
	}
	return name
}

// PermissionState says whether a permission is granted, and what is behind
// that.
func PermissionState(p protocol.PermissionState) string {
	switch {
	case p.Granted && p.Enforced:
		return tr.T("Granted, enforced: without the grant, the sandbox would block it")
	case p.Granted:
		return tr.T("Granted, not enforced: the plugin could do this anyway")
	case p.Enforced:
		return tr.T("Not granted, enforced: the sandbox blocks it")
	}
	return tr.T("Not granted, not enforced: the plugin could do this anyway")
}
