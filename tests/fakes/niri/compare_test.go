package fakeniri_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

type object = map[string]any

// decode reads a line as far as two niris can agree on it: lists of windows and
// workspaces have no order, and times and versions differ.
func decode(text string) any {
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		return text
	}
	return agreed(value)
}

func encode(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(data)
}

func agreed(value any) any {
	switch v := value.(type) {
	case object:
		for key, field := range v {
			v[key] = agreed(field)
		}
		if v["focus_timestamp"] != nil {
			v["focus_timestamp"] = "some time"
		}
		if v["Version"] != nil {
			v["Version"] = "some version"
		}
	case []any:
		for i := range v {
			v[i] = agreed(v[i])
		}
		slices.SortStableFunc(v, func(a, b any) int { return cmp.Compare(id(a), id(b)) })
	}
	return value
}

// id returns the id of a window, a workspace or a pair of id and layout.
func id(value any) float64 {
	switch v := value.(type) {
	case object:
		n, _ := v["id"].(float64)
		return n
	case []any:
		if n, ok := v[0].(float64); ok && len(v) == 2 {
			if _, pair := v[1].(object); pair {
				return n
			}
		}
	}
	return 0
}

// compare checks the events of a step: the same ones in the same order, but for
// those that come when a window has had the focus for a while; see noted.
func compare(t *testing.T, s step, came []line) {
	t.Helper()
	want, got := collapse(s.events), collapse(came)
	if !slices.Equal(got, want) {
		t.Errorf("%d: after %s the events are\n\t%s\nwant\n\t%s", s.lines[0].T, s.lines[0].Line,
			strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// collapse makes one of all WindowLayoutsChanged, with the last layout of each
// window, and leaves WindowFocusTimestampChanged out.
func collapse(events []line) (order []string) {
	layouts, at := object{}, -1
	for _, e := range events {
		event, _ := decode(e.Line).(object)
		body, _ := event["WindowLayoutsChanged"].(object)
		switch {
		case event["WindowFocusTimestampChanged"] != nil:
		case body != nil:
			if at < 0 {
				at = len(order)
				order = append(order, "")
			}
			for _, change := range body["changes"].([]any) {
				pair := change.([]any)
				layouts[fmt.Sprint(pair[0])] = pair[1]
			}
		default:
			order = append(order, encode(event))
		}
	}
	if at >= 0 {
		order[at] = "layouts " + encode(layouts)
	}
	return order
}

// noted returns the WindowFocusTimestampChanged alone. They come 750 ms after a
// focus, which may be just before or after the next step.
func noted(events []line) (noted []string) {
	for _, e := range events {
		if strings.Contains(e.Line, "WindowFocusTimestampChanged") {
			noted = append(noted, encode(decode(e.Line)))
		}
	}
	return noted
}
