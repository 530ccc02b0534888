package protocol

import "encoding/json"

// A Provenance says who authored arguments. The zero Provenance is an absent
// one: what it means depends on where it is absent. From JSON it is "user" or
// "screen" and nothing else; null and "" are errors.
type Provenance string

// The values on the wire. Only FromUser is trusted. Screen is what comes from
// the accessibility tree, OCR, window titles, the clipboard and web pages.
const (
	FromUser   Provenance = "user"
	FromScreen Provenance = "screen"
)

// ParseProvenance reads s. The error is -32602.
func ParseProvenance(s string) (Provenance, error) {
	switch p := Provenance(s); p {
	case FromUser, FromScreen:
		return p, nil
	}
	return "", Errorf(CodeInvalidParams, "provenance %.40q is neither user nor screen", s)
}

// UnmarshalJSON is strict; an absent member never gets here.
func (p *Provenance) UnmarshalJSON(text []byte) error {
	switch string(text) { // as nearly everybody writes it
	case `"user"`:
		*p = FromUser
		return nil
	case `"screen"`:
		*p = FromScreen
		return nil
	}
	var s *string
	if json.Unmarshal(text, &s) != nil || s == nil {
		return Errorf(CodeInvalidParams, "provenance is neither \"user\" nor \"screen\"")
	}
	parsed, err := ParseProvenance(*s)
	*p = parsed
	return err
}

// OfCommand returns what p means on runner.command: absent is the user.
func (p Provenance) OfCommand() Provenance {
	if p == "" {
		return FromUser
	}
	return p
}

// OfStep returns the effective provenance of a step that says p in a command
// that says command: whoever says less trust wins. A plugin can lower trust,
// never raise it.
func (p Provenance) OfStep(command Provenance) Provenance {
	if command.OfCommand() == FromScreen || p == FromScreen {
		return FromScreen
	}
	return FromUser
}

// OfInvoke returns p for an acting method of runner.invoke, where it must not
// be absent: that is -32003.
func (p Provenance) OfInvoke() (Provenance, error) {
	if p == "" {
		return "", Denied(ReasonProvenance, "provenance is missing; say user or screen")
	}
	return p, nil
}
