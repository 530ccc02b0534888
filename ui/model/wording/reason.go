package wording

import "utter/ui/model/tr"

// Reason is why something was not done; "" for a reason without words.
func Reason(reason string) string {
	switch reason {
	case "no_plan":
		return tr.T("no phrase, application or site matches")
	case "ambiguous":
		return tr.T("it could mean several things")
	case "needs_confirmation":
		return tr.T("it needs your confirmation")
	case "missing":
		return tr.T("a required part of the desktop is missing")
	case "not_found":
		return tr.T("its target does not exist")
	case "policy":
		return tr.T("it is not allowed")
	case "busy":
		return tr.T("too many requests are waiting")
	case "not_supported":
		return tr.T("this desktop does not support it")
	case "edge":
		return tr.T("there is nothing in that direction")
	case "timeout":
		return tr.T("it took too long")
	case "expired":
		return tr.T("the question has expired")
	case "cancelled":
		return tr.T("it was cancelled")
	}
	return ""
}
