package bus

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"
)

type object = map[string]any

// What is zero and may be absent is absent; all else is sent, an empty list too.
func TestKeysThatMayBeAbsentAre(t *testing.T) {
	for _, tt := range []struct {
		v    any
		want Dict
	}{
		{Step{}, Dict{}},
		{RunOptions{}, Dict{}},
		{RunOptions{Context: &Context{}, Window: new(uint64)},
			variants(object{"context": Dict{}, "window": uint64(0)})},
		{Plan{Steps: []Step{}}, variants(object{"utterance": "", "found": false, "steps": []Dict{}})},
		{Plan{NeedsPerception: new(bool), Micros: new(uint64(7))},
			variants(object{"utterance": "", "found": false, "needs_perception": false, "micros": uint64(7)})},
		{Problem{Line: 3},
			variants(object{"file": "", "line": uint32(3), "column": uint32(0), "severity": "", "message": ""})},
		{Part{}, variants(object{"name": "", "state": "", "detail": ""})},
	} {
		if got := Encode(tt.v); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%+v is sent as %v, want %v", tt.v, got, tt.want)
		}
	}
	for key, v := range Encode(App{}) {
		if v.Signature().String() == "as" && len(v.Value().([]string)) > 0 || v.Value() == nil {
			t.Errorf("%s of an empty application is %v", key, v)
		}
	}
	if got := EncodeList[Step](nil); got == nil || len(got) > 0 {
		t.Errorf("no steps are sent as %v", got)
	}
	if got := body(PlanStarted{}); !reflect.DeepEqual(got, []any{"", []Dict{}}) {
		t.Errorf("an empty signal is sent as %v", got)
	}
}

// What is sent arrives, arguments as plain Go values at any depth.
func TestWhatIsSentArrives(t *testing.T) {
	confidence, window := 0.5, uint64(1<<40)
	want := Plan{
		Utterance: "x", Found: true, Confidence: confidence, NeedsPerception: new(bool), Passed: []string{"a", "b"},
		Choices: []Choice{{"one", "here"}, {}},
		Steps: []Step{{Action: "key", Window: window, Confirm: true, Expires: 30, Args: object{
			"x": int64(-1), "list": []any{"s", int64(2), object{"deep": true}}, "as": []string{"a"},
			"nested": object{"d": 1.5},
		}}, {Args: object{}}},
	}
	var got Plan
	if err := decode(Encode(want), &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v arrived, want %+v", got, err, want)
	}
	d := variants(object{
		"utterance": uint32(7), "found": true, "later": "x", "steps": "none", "passed": []uint32{1},
		"message": "m", "choices": []Dict{{"label": dbus.MakeVariant(int32(1))}},
	})
	err := decode(d, &got)
	if err != nil || got.Utterance != "x" || got.Message != "m" || len(got.Steps) != 2 || len(got.Choices) != 1 {
		t.Errorf("of another version: %+v, %v", got, err)
	}
	args := variants(object{"v": dbus.MakeVariant(dbus.MakeVariant("deep")), "aa{sv}": []Dict{{}}})
	var step Step
	err = decode(variants(object{"args": args}), &step)
	if err != nil || !reflect.DeepEqual(step.Args, object{"v": "deep", "aa{sv}": []any{object{}}}) {
		t.Errorf("%+v, %v", step, err)
	}
}

// Arguments have the types of the contract: s, b, x, as and av, of a plugin also
// d and a{sv}; D-Bus has no null.
func TestArgumentsHaveTheTypesOfTheContract(t *testing.T) {
	d := encodeArgs(object{
		"s": "x", "b": true, "x": 3, "as": []string{"a"}, "av": []any{"--id", 3}, "empty": []any{}, "d": 1.5, "null": nil,
		"a{sv}": object{"n": 3, "null": nil, "bad\x00": []any{nil, object{"deep": "\xff"}}},
	})
	for name, want := range map[string]string{
		"s": "s", "b": "b", "x": "x", "as": "as", "av": "av", "empty": "av", "d": "d", "a{sv}": "a{sv}",
	} {
		if got := d[name].Signature().String(); got != want {
			t.Errorf("%s is written as %s", name, got)
		}
	}
	if items := d["av"].Value().([]dbus.Variant); items[1].Signature().String() != "x" {
		t.Errorf("a number in a list is written as %s", items[1].Signature())
	}
	got := fmt.Sprint(d["a{sv}"])
	if d["null"].Value() != nil || strings.Contains(got, "null") || !strings.Contains(got, "deep") {
		t.Errorf("an object is written as %q", got)
	}
}

// Every text is fit for the bus, wherever it stands.
func TestTextsAreFitForTheBus(t *testing.T) {
	bad, good := "a\xff\x00b", "a\ufffd\ufffdb"
	for _, v := range []any{
		Step{Message: bad, Choices: []Choice{{bad, bad}}},
		Step{Args: object{bad: bad, "l": []string{bad}, "m": []any{bad, object{bad: bad}}}},
		RunOptions{Context: &Context{Focused: &ContextWindow{Title: bad}}},
		App{Aliases: []string{"x", bad}},
	} {
		got := fmt.Sprintf("%q", Encode(v))
		if strings.Contains(got, `\xff`) || strings.Contains(got, `\x00`) || !strings.Contains(got, good) {
			t.Errorf("%q is sent as %s", v, got)
		}
	}
}

// Options are what they are said to be, or an error that names the one that is
// not.
func TestOptionsAreStrict(t *testing.T) {
	o := RunOptions{Provenance: "user"}
	window := variants(object{"app_id": "foot"})
	context := variants(object{"focused": window, "windows": []Dict{window}})
	err := DecodeOptions(variants(object{"dry_run": true, "window": uint64(7), "context": context}), &o)
	foot := ContextWindow{AppID: "foot"}
	want := RunOptions{
		DryRun: true, Provenance: "user", Window: new(uint64(7)), Context: &Context{&foot, []ContextWindow{foot}},
	}
	if err != nil || !reflect.DeepEqual(o, want) {
		t.Errorf("%+v, %v", o, err)
	}
	for _, tt := range []struct {
		given map[string]any
		want  string
	}{
		{object{"dryrun": true},
			`unknown option "dryrun"; there are context, dry_run, provenance, timeout_ms, window`},
		{object{"timeout_ms": int32(5)}, `option "timeout_ms": has the type i, not u`},
		{object{"context": "x"}, `option "context": has the type s, not a{sv}`},
		{object{"context": variants(object{"focused": variants(object{"appid": "x"})})},
			`option "context": key "focused": unknown key "appid"; there are app_id, title`},
		{object{"context": variants(object{"windows": []Dict{variants(object{"title": true})}})},
			`option "context": key "windows": key "title": has the type b, not s`},
	} {
		if err := DecodeOptions(variants(tt.given), &RunOptions{}); err == nil || err.Error() != tt.want {
			t.Errorf("%v: %v, want %s", tt.given, err, tt.want)
		}
	}
}
