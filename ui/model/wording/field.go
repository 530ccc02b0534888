package wording

import (
	"strings"

	"utter/shared/chord"
	"utter/ui/model/tr"
)

// About says something of a field: "Launch command: Found on this computer".
func About(field, text string) string {
	// Translators: %[1]s is a field, %[2]s a remark about it.
	return tr.T("%[1]s: %[2]s", field, text)
}

// Field is what a field of a profile is called.
func Field(field string) string {
	switch field {
	case "name":
		return tr.T("Name")
	case "aliases":
		return tr.T("Names you can say")
	case "launch":
		return tr.T("Launch command")
	case "new_window":
		return tr.T("New window command")
	case "search_url":
		return tr.T("Search address")
	case "app_ids":
		return tr.T("Window IDs")
	case "mime_types":
		return tr.T("File types")
	case "kind":
		return tr.T("Kind")
	case "terminal":
		return tr.T("Runs in a terminal")
	case "enabled":
		return tr.T("Respond to its name")
	}
	return field
}

// Path is what a value of a file is called, by its path in it: a field or setting,
// or an action or phrase as it is said.
func Path(path []string) string {
	switch {
	case len(path) < 2:
		return Field(strings.Join(path, ""))
	case path[0] == "policy" && path[1] == "require_confirm":
		return tr.T("Words that need confirmation")
	case path[0] == "search" && path[1] == "engine":
		return tr.T("Search engine")
	case path[0] == "shortcuts":
		return tr.T("“%s”", strings.ReplaceAll(path[1], "_", " "))
	}
	return tr.T("“%s”", path[1])
}

// Value is a value of a profile field, in words.
func Value(v any) string {
	switch v := v.(type) {
	case nil:
		// Translators: a field that a file does not set.
		return tr.T("nothing")
	case []string:
		if len(v) > 0 {
			return List(v)
		}
	case bool:
		if v {
			return tr.T("on")
		}
		return tr.T("off")
	case map[string]string:
		return strings.ReplaceAll(v["action"], "_", " ")
	case chord.Sequence:
		if len(v) > 0 {
			return v.String()
		}
	case string:
		if v != "" {
			return v
		}
	}
	// Translators: an empty list or text.
	return tr.T("none")
}

// List joins things to a list in a sentence or label.
func List(items []string) string {
	// Translators: separates the items of a list.
	return strings.Join(items, tr.C("list", ", "))
}
