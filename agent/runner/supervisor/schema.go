package supervisor

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"utter/shared/plugin/protocol"
)

// compile reads the schema of an op's arguments; none, null or true takes all.
func compile(text json.RawMessage) (*jsonschema.Schema, error) {
	if len(text) == 0 || string(text) == "null" {
		return nil, nil
	}
	if len(text) > protocol.MaxSchema {
		return nil, fmt.Errorf("its schema has %d bytes, more than %d", len(text), protocol.MaxSchema)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("its schema is not JSON: %w", err)
	}
	if err := (&expansion{root: value}).walk(value, nil, 0); err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(noLoader{})
	const name = "plugin:///args"
	if err := c.AddResource(name, value); err != nil {
		return nil, fmt.Errorf("its schema: %w", err)
	}
	schema, err := c.Compile(name)
	if err != nil {
		return nil, fmt.Errorf("its schema: %w", err)
	}
	return schema, nil
}

// noLoader refuses every schema that is somewhere else.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("a schema may not refer to another (%.80s)", url)
}

// maxExpansion bounds a schema whose references are written out, in values.
const maxExpansion = 10_000

// An expansion writes the references of a schema out, without keeping the
// result: a few that refer to each other twice would take for ever to check.
type expansion struct {
	root any
	size int
}

// walk counts value. within are the references that it is in, depth is how
// deep it stands.
func (e *expansion) walk(value any, within []string, depth int) error {
	if e.size++; e.size > maxExpansion {
		return errors.New("its schema is too large, with its references expanded")
	}
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			if err := e.walk(item, within, depth+1); err != nil {
				return err
			}
		}
	case map[string]any:
		for key, item := range v {
			if err := e.member(key, item, within, depth); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *expansion) member(key string, item any, within []string, depth int) error {
	to, isText := item.(string)
	switch {
	case !isText:
		return e.walk(item, within, depth+1)
	case key == "$dynamicRef" || key == "$recursiveRef" || key == "$id" && depth > 0:
		return fmt.Errorf("its schema has %s, which is not supported", key)
	case key != "$ref":
		return e.walk(item, within, depth+1)
	case slices.Contains(within, to):
		return fmt.Errorf("its schema refers to itself by %.80q, which is not supported", to)
	}
	target, ok := e.find(to)
	if !ok {
		return fmt.Errorf("its schema refers to %.80q, which is not a place in it", to)
	}
	return e.walk(target, append(slices.Clone(within), to), depth+1)
}

// find returns what a reference such as "#/$defs/note" means.
func (e *expansion) find(ref string) (any, bool) {
	pointer, ok := strings.CutPrefix(ref, "#")
	if pointer == "" {
		return e.root, ok
	}
	pointer, err := url.PathUnescape(pointer)
	if !ok || err != nil || !strings.HasPrefix(pointer, "/") {
		return nil, false
	}
	at := e.root
	for part := range strings.SplitSeq(pointer[1:], "/") {
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		switch v := at.(type) {
		case map[string]any:
			if at, ok = v[part]; !ok {
				return nil, false
			}
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(v) {
				return nil, false
			}
			at = v[i]
		default:
			return nil, false
		}
	}
	return at, true
}
