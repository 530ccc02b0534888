package wording

import "utter/ui/model/tr"

// Reason is why something was not done; "" for a reason without words.
func Reason(reason string) string {
	switch reason {
	case "no_plan":
		return tr.T("no phrase, application or site fits")
	case "ambiguous":
		return tr.T("it could mean several things")
	case "needs_confirmation":
		return tr.T("it needs your word first")
	case "missing":
		return tr.T("a part of the desktop that it needs is not there")
	case "not_found":
		return tr.T("what it names is not there")
	case "policy":
		return tr.T("it is not allowed")
	case "busy":
		return tr.T("too much is waiting already")
	case "not_supported":
		return tr.T("this desktop cannot do it")
	case "edge":
		return tr.T("there is nothing in that direction")
	case "timeout":
		return tr.T("it took too long")
	case "expired":
		return tr.T("the question is too old")
	case "cancelled":
		return tr.T("it was cancelled")
	}
	return ""
}
