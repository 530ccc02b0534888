package rpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestCompact(t *testing.T) {
	many := func(last string) string {
		var b strings.Builder
		for i := range 40 {
			fmt.Fprintf(&b, `"k%d":0,`, i)
		}
		return "{" + b.String() + last + "}"
	}
	tests := []struct{ in, want string }{ // want begins with "!" for the kind of error
		{` { "b" : [ 1 , -0.50e+07 , true,false , null ] , "a" : {} , "c":[]}`,
			`{"b":[1,-0.50e+07,true,false,null],"a":{},"c":[]}`},
		{`"\u0041\/\u00fc\ud83d\ude00\b\t\u000b<>&"`, `"A/ü😀\b\t\u000b<>&"`},
		{`12345678901234567890123`, `12345678901234567890123`},
		{`{"a":1,"A":2}`, `{"a":1,"A":2}`},
		{many(`"k40":1`), many(`"k40":1`)},
		{many(`"k7":1`), `!strict`},
		{`{"a":1,"\u0061":2}`, `!strict`},
		{`{"x":[{"a":1,"a":2}]}`, `!strict`},
		{`"\ud800"`, `!strict`}, {`"\udc00\ud800"`, `!strict`}, {`"\ud800\u0041"`, `!strict`},
		{strings.Repeat("[", 64) + strings.Repeat("]", 64), strings.Repeat("[", 64) + strings.Repeat("]", 64)},
		{strings.Repeat("[", 65) + strings.Repeat("]", 65), `!strict`},
		{strings.Repeat("[", 1<<20), `!strict`},
		{``, `!syntax`}, {`{`, `!syntax`}, {`{"a"}`, `!syntax`}, {`{"a":}`, `!syntax`},
		{`{"a":1,}`, `!syntax`}, {`[1,]`, `!syntax`},
		{`{a:1}`, `!syntax`}, {`'a'`, `!syntax`}, {`01`, `!syntax`}, {`1.`, `!syntax`}, {`.5`, `!syntax`}, {`+1`, `!syntax`},
		{`1e`, `!syntax`}, {`-`, `!syntax`},
		{`NaN`, `!syntax`}, {`Infinity`, `!syntax`}, {`tru`, `!syntax`}, {`"a`, `!syntax`}, {`"\`, `!syntax`},
		{`"\x"`, `!syntax`}, {`"\u12"`, `!syntax`}, {`"\u+123"`, `!syntax`},
		{"\"\n\"", `!syntax`}, {"\"a\\n\x01\"", `!syntax`}, {"\"\xff\"", `!syntax`}, {`{} {}`, `!syntax`},
		{`1 2`, `!syntax`}, {"\ufeff{}", `!syntax`}, {"{}\x00", `!syntax`}, {"\x00", `!syntax`}, {"[\x00", `!syntax`},
	}
	for _, tt := range tests {
		got, err := Compact([]byte(tt.in))
		_, syntax := errors.AsType[*SyntaxError](err)
		_, strict := errors.AsType[*StrictError](err)
		switch tt.want {
		case "!syntax":
			if !syntax {
				t.Errorf("%.60q: %s, %v; want a SyntaxError", tt.in, got, err)
			}
		case "!strict":
			if !strict {
				t.Errorf("%.60q: %s, %v; want a StrictError", tt.in, got, err)
			}
		default:
			if err != nil || string(got) != tt.want {
				t.Errorf("%.60q: %s, %v; want %s", tt.in, got, err, tt.want)
			}
		}
	}
}

func TestUnmarshalMatchesNamesInCase(t *testing.T) {
	type inner struct {
		X int `json:"x"`
	}
	type base struct {
		B string `json:"b"`
	}
	type target struct {
		base
		Name  string           `json:"name"`
		Inner *inner           `json:"inner"`
		List  []inner          `json:"list"`
		Map   map[string]inner `json:"map"`
		Any   any              `json:"any"`
		Raw   json.RawMessage  `json:"raw"`
		Plain int
		No    int `json:"-"`
	}
	var got target
	err := Unmarshal([]byte(`{"NAME":"bad","name":"good","Name":"bad","inner":{"X":1,"x":2},"list":[{"X":3},{"x":4}],
		"map":{"K":{"X":5,"x":6}},"any":{"N":1.50,"n":12345678901234567890},"raw":{"X":1, "x":[]},"B":"bad","b":"base","plain":1,"Plain":2,"No":3,"unknown":{"deep":[1]}}`), &got)
	want := target{
		base: base{"base"}, Name: "good", Inner: &inner{2}, List: []inner{{0}, {4}}, Map: map[string]inner{"K": {6}},
		Any: map[string]any{"N": json.Number("1.50"), "n": json.Number("12345678901234567890")},
		Raw: json.RawMessage(`{"X":1, "x":[]}`), Plain: 2,
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	if err := Unmarshal([]byte(`{"skipped":{"a":1,"a":2}}`), &got); err == nil {
		t.Error("a name twice in what is skipped")
	}
	type picky struct {
		Small  int8   `json:"small"`
		Bytes  []byte `json:"bytes"`
		Nested target `json:"nested"`
	}
	for text, want := range map[string]string{
		`{"small":"secret"}`:               "json: cannot unmarshal string into Go struct field .small of type int8",
		`{"small":300}`:                    "json: cannot unmarshal number 300 into Go struct field .small of type int8",
		`{"nested":{"list":[{"x":true}]}}`: "json: cannot unmarshal bool into Go struct field .nested.list.0.x of type int",
		`{"bytes":"secret"}`:               "illegal base64 data at input byte 4",
	} {
		if err := Unmarshal([]byte(text), new(picky)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestMembers(t *testing.T) {
	got, err := Members([]byte(`{"b": [1, 2], "a":{"x" : 1}}`))
	want := []Member{{"b", json.RawMessage(`[1,2]`)}, {"a", json.RawMessage(`{"x":1}`)}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%s, %v", got, err)
	}
	for _, s := range []string{`[]`, `null`, `1`, `"x"`} {
		if _, err := Members([]byte(s)); err == nil {
			t.Errorf("%s has members", s)
		}
	}
}

func FuzzCompact(f *testing.F) {
	f.Add([]byte(`{"a":[1,-2.5e+3,"\u00fc\n"],"b":{"c":null}}`))
	f.Add([]byte(`[1,[2,{}],"x\n",null,true,false,[],{"a":{"b":[true]},"A":-1.50e3}]`))
	f.Add([]byte(`{"a":1,"\u0061":2}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		got, err := Compact(in)
		if _, syntax := errors.AsType[*SyntaxError](err); syntax {
			if json.Valid(in) && bytes.Equal(bytes.ToValidUTF8(in, nil), in) {
				t.Errorf("%q: %v, but it is JSON", in, err)
			}
			return
		}
		if err != nil {
			return
		}
		again, err := Compact(got)
		if err != nil || !bytes.Equal(got, again) {
			t.Errorf("%q: %q, then %q, %v", in, got, again, err)
		}
		var tree, decoded any
		d := json.NewDecoder(bytes.NewReader(got))
		d.UseNumber()
		if Unmarshal(in, &tree) != nil || d.Decode(&decoded) != nil || !reflect.DeepEqual(tree, decoded) {
			t.Errorf("%q: %v, want %v", in, tree, decoded)
		}
		var a, b any
		if json.Unmarshal(in, &a) == nil && (json.Unmarshal(got, &b) != nil || !reflect.DeepEqual(a, b)) {
			t.Errorf("%q became %q", in, got)
		}
	})
}

func FuzzMessage(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"m","params":{}}`))
	f.Add([]byte(`{"id":"0:1","error":{"code":-1,"message":""}}`))
	f.Add([]byte(`[{}]`))
	f.Fuzz(func(t *testing.T, in []byte) {
		m, err := parse(in)
		if err != nil {
			return
		}
		if m.kind == reply && m.failed != nil && m.failure() == nil {
			t.Errorf("%q: no error", in)
		}
		if m.params != nil && !json.Valid(m.params) || m.id != nil && !json.Valid(m.id) {
			t.Errorf("%q: %q %q", in, m.id, m.params)
		}
		m.text()
	})
}

func BenchmarkCompact(b *testing.B) {
	text := []byte(`{"steps":[` +
		strings.Repeat(`{"op":"ensure_url","args":{"url":"https://www.youtube.com","n":[1,2,3]},"provenance":"user"},`,
			100) + `{}]}`)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := Compact(text); err != nil {
			b.Fatal(err)
		}
	}
}
