package fakeniri

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
)

// An object is a JSON object.
type object = map[string]any

var errRequest = errors.New("error parsing request")

// A request is one that niri can read.
type request struct {
	name    string
	play    func(*desktop) // nil where it only asks
	reply   object         // nil where the desktop knows it
	changes string         // the output that it changes
}

// questions are the requests without fields. niri does not answer the two that
// wait for the mouse, before somebody uses it.
var questions = []string{
	"Version", "Outputs", "Workspaces", "Windows", "Layers", "KeyboardLayouts", "FocusedOutput", "FocusedWindow",
	"PickWindow", "PickColor", "OverviewState", "Casts", "EventStream", "ReturnError",
}

// newer are the questions that older niris do not know.
var newer = []string{"OverviewState", "Casts"}

func parse(line []byte, older bool) (request, error) {
	var name string
	if json.Unmarshal(line, &name) == nil {
		if !slices.Contains(questions, name) || older && slices.Contains(newer, name) {
			return request{}, errRequest
		}
		return request{name: name}, nil
	}
	body, err := variant(line)
	if err != nil {
		return request{}, err
	}
	switch body.name {
	case "Action":
		name, play, err := parseAction(body.value)
		return request{name: name, play: play, reply: object{"Ok": "Handled"}}, err
	case "Output":
		return parseOutput(body.value)
	}
	return request{}, errRequest
}

type named struct {
	name  string
	value json.RawMessage
}

// variant reads an object of one field.
func variant(raw []byte) (named, error) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil || len(fields) != 1 {
		return named{}, errRequest
	}
	for name, value := range fields {
		return named{name, value}, nil
	}
	panic("unreachable")
}

func parseAction(raw json.RawMessage) (name string, play func(*desktop), err error) {
	v, err := variant(raw)
	if err != nil {
		return "", nil, err
	}
	a, ok := actions[v.name]
	if !ok {
		return "", nil, fmt.Errorf("%w: no action %s", errRequest, v.name)
	}
	args, err := a.fields.read(v.value)
	return v.name, func(d *desktop) { a.play(d, args) }, err
}

// fields are the fields of an action and their kinds.
type fields map[string]kind

// A kind says what a field holds; one that ends in "?" may be null or missing.
type kind string

// args are the fields that came: uint64, bool, string, []string, length or
// reference.
type args map[string]any

func (f fields) read(raw json.RawMessage) (args, error) {
	var came map[string]json.RawMessage
	if json.Unmarshal(raw, &came) != nil || came == nil {
		return nil, errRequest
	}
	a := args{}
	for name, k := range f {
		value, ok := came[name]
		optional := k[len(k)-1] == '?'
		if !ok || bytes.Equal(value, []byte("null")) {
			if optional {
				continue
			}
			return nil, fmt.Errorf("%w: no %s", errRequest, name)
		}
		if optional {
			k = k[:len(k)-1]
		}
		read, err := k.read(value)
		if err != nil {
			return nil, fmt.Errorf("%w: %s", err, name)
		}
		a[name] = read
	}
	return a, nil
}

func (k kind) read(raw json.RawMessage) (any, error) {
	switch k {
	case "id":
		return whole(raw, math.MaxUint64)
	case "byte":
		return whole(raw, math.MaxUint8)
	case "short":
		return whole(raw, math.MaxUint16)
	case "bool":
		return read[bool](raw)
	case "text":
		return read[string](raw)
	case "texts":
		return read[[]string](raw)
	case "display":
		text, err := read[string](raw)
		return text, only(err, text, "Normal", "Tabbed")
	case "reference":
		return readReference(raw)
	case "layout":
		if text, err := read[string](raw); err == nil {
			return text, only(nil, text, "Next", "Prev")
		}
		v, err := variant(raw)
		if err != nil {
			return nil, err
		}
		n, err := whole(v.value, math.MaxUint8)
		return n, only(err, v.name, "Index")
	case "size", "place":
		return readLength(raw, k == "size")
	}
	panic("fakeniri: no kind " + string(k))
}

func read[T any](raw json.RawMessage) (value T, err error) {
	if json.Unmarshal(raw, &value) != nil || bytes.Equal(raw, []byte("null")) {
		return value, errRequest
	}
	return value, nil
}

func whole(raw json.RawMessage, most uint64) (uint64, error) {
	n, err := read[uint64](raw)
	if err != nil || n > most {
		return 0, errRequest
	}
	return n, nil
}

func only(err error, text string, words ...string) error {
	if err != nil || !slices.Contains(words, text) {
		return errRequest
	}
	return nil
}

// A reference names a workspace; one of the fields counts.
type reference struct {
	id, index *uint64
	name      *string
}

func readReference(raw json.RawMessage) (reference, error) {
	v, err := variant(raw)
	if err != nil {
		return reference{}, err
	}
	switch v.name {
	case "Id":
		id, err := whole(v.value, math.MaxUint64)
		return reference{id: &id}, err
	case "Index":
		index, err := whole(v.value, math.MaxUint8)
		return reference{index: &index}, err
	case "Name":
		name, err := read[string](v.value)
		return reference{name: &name}, err
	}
	return reference{}, errRequest
}

// A length is a change of a size or of a place.
type length struct {
	amount            float64
	percent, relative bool
}

func readLength(raw json.RawMessage, pixelsAreWhole bool) (length, error) {
	v, err := variant(raw)
	if err != nil {
		return length{}, err
	}
	l := length{}
	switch v.name {
	case "SetFixed":
	case "SetProportion":
		l.percent = true
	case "AdjustFixed":
		l.relative = true
	case "AdjustProportion":
		l.percent, l.relative = true, true
	default:
		return length{}, errRequest
	}
	if l.amount, err = read[float64](v.value); err != nil {
		return length{}, err
	}
	if pixelsAreWhole && !l.percent {
		n, err := read[int32](v.value)
		return length{float64(n), false, l.relative}, err
	}
	return l, nil
}
