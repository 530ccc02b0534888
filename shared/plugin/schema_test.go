package plugin

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"utter/shared/plugin/rpc"
)

type inner struct {
	At   time.Time      `json:"at,omitzero"`
	Any  any            `json:"any,omitempty"`
	More map[string]int `json:"more,omitempty"`
}

type everything struct {
	inner
	Text  string      `json:"text" enum:"a,b"`
	Bytes []byte      `json:"bytes,omitempty"`
	Small int8        `json:"small,omitzero"`
	Ratio float64     `json:"ratio,omitzero"`
	Flag  *bool       `json:"flag"`
	Deep  []inner     `json:"deep,omitempty"`
	Self  *everything `json:"self"`

	Skipped string `json:"-"`
}

func TestSchemaOf(t *testing.T) {
	s, err := schemaOf(reflect.TypeFor[everything]())
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"type":"object","properties":{"any":{},"at":{},"bytes":{"type":"string","contentEncoding":"base64"},` +
		`"deep":{"type":"array","items":{"type":"object","properties":{"any":{},"at":{},"more":{"type":"object","additionalProperties":{"type":"integer"}}},"additionalProperties":false}},` +
		`"flag":{"type":"boolean"},"more":{"type":"object","additionalProperties":{"type":"integer"}},"ratio":{"type":"number"},"self":{"type":"object"},` +
		`"small":{"type":"integer"},"text":{"type":"string","enum":["a","b"]}},"required":["text"],"additionalProperties":false}`
	if string(text) != want {
		t.Errorf("got\n%s, want\n%s", text, want)
	}
}

// FuzzFits: what fits can be decoded, but for numbers and texts that are no
// schema's business; what does not is Invalid.
func FuzzFits(f *testing.F) {
	for _, seed := range []string{`{"text":"a"}`, `{"text":"b","small":300}`,
		`{"text":"a","deep":[{"more":{"x":1}}],"self":{"text":7}}`,
		`{"text":"a","flag":null}`, `{"text":"a","at":5}`, `{"Text":"a"}`, `[]`, `{"text":"a","text":"b"}`,
		`{"text":"a","bytes":"%"}`} {
		f.Add([]byte(seed))
	}
	s, err := schemaOf(reflect.TypeFor[everything]())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		err := s.fits(data)
		if _, ok := errors.AsType[*codedError](err); err != nil && !ok {
			t.Fatalf("%s: %v", data, err)
		}
		if err != nil || len(data) == 0 {
			return
		}
		var v everything
		err = rpc.Unmarshal(data, &v)
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && !strings.HasPrefix(wrong.Value, "number") &&
			!strings.HasPrefix(wrong.Field, "self") {
			t.Errorf("%s fits, but: %v", data, err)
		}
	})
}
