package config

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

const base = `# Utter
[search]
engine = "google"  # or duckduckgo

  # what may run
[policy]
  enabled_ops = [ "terminal" ] # careful
  # confirm_ops = ["key"]
  require_confirm = [
    # with money
    "pay", # now
    "send"
    # the end
  ]

# the rest
[agent]
type_with = 'keyboard'
`

// editTests are changes of a file, and the one place that differs afterwards.
var editTests = []struct {
	name     string
	before   string
	change   Change
	old, new string // the one place that differs
}{
	{"a text", base, Change{"search", "engine", `a"b`}, `"google"`, `"a\"b"`},
	{"its quotes stay", base, Change{"agent", "type_with", "auto"}, `'keyboard'`, `'auto'`},
	{"a list in one line", base, Change{"policy", "enabled_ops", []string{}}, `[ "terminal" ]`, "[]"},
	{"its blanks stay", base, Change{"policy", "enabled_ops", []string{"terminal", "terminal"}},
		`"terminal"`, `"terminal", "terminal"`},
	{"a list in lines", base, Change{"policy", "require_confirm", []string{"send", "pay", "sell"}},
		"    # with money\n    \"pay\", # now\n    \"send\"\n",
		"    \"send\",\n    # with money\n    \"pay\", # now\n    \"sell\"\n"},
	{"an item less", base, Change{"policy", "require_confirm", []string{"pay"}},
		"\"pay\", # now\n    \"send\"", "\"pay\" # now"},
	{"the default again", base, Change{"policy", "enabled_ops", nil}, "  enabled_ops = [ \"terminal\" ] # careful\n", ""},
	{"and of a long list", base, Change{"policy", "require_confirm", nil},
		base[strings.Index(base, "  require"):strings.Index(base, "\n# the rest")], ""},
	{"what is not there", base, Change{"policy", "confirm_ops", nil}, "", ""},
	{"what is as wanted", base, Change{"agent", "type_with", "keyboard"}, "", ""},
	{"a new key", base, Change{"policy", "confirm_ops", []string{"key"}}, "  ]\n", "  ]\n  confirm_ops = [\"key\"]\n"},
	{"the last line goes", strings.TrimSuffix(base, "\n"), Change{"agent", "type_with", nil},
		"\ntype_with = 'keyboard'", ""},
	{"into an empty table", "[policy] # mine\n\n# next\n[agent]\n",
		Change{"policy", "enabled_ops", []string{"terminal"}}, "mine\n", "mine\nenabled_ops = [\"terminal\"]\n"},
	{"a new table", "[agent]\ntype_with = \"auto\"", Change{"search", "engine", "ddg"}, `"auto"`,
		"\"auto\"\n\n[search]\nengine = \"ddg\"\n"},
	{"an empty file", "", Change{"search", "engine", "ddg"}, "", "[search]\nengine = \"ddg\"\n"},
	{"comments alone", "# mine\n", Change{"search", "engine", "ddg"}, "mine\n", "mine\n\n[search]\nengine = \"ddg\"\n"},
	{"Windows line ends", "[agent]\r\ntype_with = \"auto\"\r\n", Change{"search", "engine", "ddg"}, "\"auto\"\r\n",
		"\"auto\"\r\n\r\n[search]\r\nengine = \"ddg\"\r\n"},
	{"dotted keys", "policy.enabled_ops = ['terminal'] # x\n\n[agent]\n",
		Change{"policy", "enabled_ops", []string{}}, "['terminal']", "[]"},
	{"a new dotted key", "policy . enabled_ops = [] # x\n\n[agent]\n", Change{"policy", "confirm_ops", []string{"key"}},
		"# x\n", "# x\npolicy.confirm_ops = [\"key\"]\n"},
	{"a dotted key goes", "policy.enabled_ops = [] # x\n[agent]\n", Change{"policy", "enabled_ops", nil},
		"policy.enabled_ops = [] # x\n", ""},
	{"a table in braces", "policy = {enabled_ops=[]} # x\n",
		Change{"policy", "enabled_ops", []string{"terminal"}}, "[]", `["terminal"]`},
	{"a new key in braces", "policy = {enabled_ops=[] } # x\n", Change{"policy", "confirm_ops", []string{"key"}}, "[]",
		`[], confirm_ops = ["key"]`},
	{"in empty braces", "policy = {} # x\n", Change{"policy", "confirm_ops", []string{"key"}},
		"{", `{confirm_ops = ["key"]`},
	{"the first in braces", "policy = { enabled_ops=[], confirm_ops=['key'] }\n",
		Change{"policy", "enabled_ops", nil}, "enabled_ops=[], ", ""},
	{"the last in braces", "policy = { enabled_ops=[], confirm_ops=['key'] }\n", Change{"policy", "confirm_ops", nil},
		", confirm_ops=['key']", ""},
	{"a text over lines", "[search]\nengine = \"\"\"\\\n  a # b\"\"\" # c\n", Change{"search", "engine", "ddg"},
		"\"\"\"\\\n  a # b\"\"\"", `"ddg"`},
	{"a quoted key", "[ 'search' ]\n\"engine\"\t=\t'a'\n", Change{"search", "engine", "it's"}, `'a'`, `"it's"`},
}

func TestEdit(t *testing.T) {
	for _, tt := range editTests {
		t.Run(tt.name, func(t *testing.T) {
			want := tt.before
			if tt.old != tt.new {
				want = strings.Replace(tt.before, tt.old, tt.new, 1)
			}
			after, err := Edit("c.toml", []byte(tt.before), tt.change)
			if err != nil || string(after) != want {
				t.Errorf("%v\n%s\nwant\n%s", err, after, want)
			}
		})
	}
}

// TestEditAndBack changes a key and changes it back.
func TestEditAndBack(t *testing.T) {
	for _, before := range []string{base, strings.ReplaceAll(base, "\n", "\r\n"),
		strings.ReplaceAll(base, `"send"`, `"send", # the last`)} {
		for _, c := range []struct{ there, back Change }{
			{Change{"search", "engine", "it's"}, Change{"search", "engine", "google"}},
			{Change{"agent", "type_with", "auto"}, Change{"agent", "type_with", "keyboard"}},
			{Change{"policy", "enabled_ops", []string{"terminal", "terminal"}},
				Change{"policy", "enabled_ops", []string{"terminal"}}},
			{Change{"policy", "require_confirm", []string{"pay", "send", "x"}},
				Change{"policy", "require_confirm", []string{"pay", "send"}}},
			{Change{"policy", "confirm_ops", []string{"key"}}, Change{"policy", "confirm_ops", nil}},
		} {
			there, err := Edit("c.toml", []byte(before), c.there)
			if err != nil || string(there) == before {
				t.Fatalf("%v: %v\n%s", c.there, err, there)
			}
			if back, err := Edit("c.toml", there, c.back); err != nil || string(back) != before {
				t.Errorf("%v\n%s\nwant\n%s", err, back, before)
			}
		}
	}
}

func TestEditRefuses(t *testing.T) {
	tests := []struct {
		before string
		change Change
		want   error
		text   string
	}{
		{"nonsense", Change{"agent", "type_with", "auto"}, ErrBroken, "c.toml:1:"},
		{"[agent]\ntype_with = \"magic\"\n", Change{"agent", "type_with", "auto"}, ErrBroken, "magic"},
		{base, Change{"agent", "type_with", "magic"}, ErrRefused, `agent.type_with is "magic"`},
		{base, Change{"agent", "type_wth", "auto"}, ErrRefused, "did you mean"},
		{base, Change{"policy", "confirm_ops", []string{"fly"}}, ErrRefused, "policy.confirm_ops has"},
		{base, Change{"policy", "enabled_ops", int64(3)}, ErrRefused, "c.toml:"},
		{base, Change{"agent.type_with", "x", "y"}, nil, "type_with is not a table"},
		{base, Change{"agent", "type_with", 3}, nil, "cannot be a int"},
		{base, Change{"", "type_with", "auto"}, nil, "needs a table"},
		{base, Change{"search", "engine", "\xff"}, ErrForm, ""},
	}
	for _, tt := range tests {
		after, err := Edit("c.toml", []byte(tt.before), Change{"search", "engine", "x"}, tt.change)
		if err == nil || after != nil || tt.want != nil && !errors.Is(err, tt.want) ||
			!strings.Contains(err.Error(), tt.text) {
			t.Errorf("%v: %q, %v; want %v, %q", tt.change, after, err, tt.want, tt.text)
		}
		if tt.want == ErrBroken || tt.want == ErrRefused {
			if e, ok := errors.AsType[*FieldError](err); !ok || e.File != "c.toml" {
				t.Errorf("%v has no FieldError", err)
			}
		}
	}
}

func FuzzEdit(f *testing.F) {
	for _, text := range []string{base, "", "# a", "policy = {enabled_ops=[ 'terminal', ], # x\n}",
		"policy.enabled_ops = [\"terminal\",\n\n'terminal']\r\n[agent]",
		"[search]\nengine = '''\na\n'''", "[policy]\nrequire_confirm = [\n'a' , # b\n\"\"\"c\nd\"\"\",\n]"} {
		for what := range uint8(6) {
			f.Add(text, what, "terminal")
		}
	}
	f.Fuzz(func(t *testing.T, text string, what uint8, s string) {
		d := Default()
		changes := []struct {
			change Change
			set    func(*Config)
		}{
			{Change{"policy", "enabled_ops", []string{s}}, func(c *Config) { c.Policy.EnabledOps = []string{s} }},
			{Change{"policy", "enabled_ops", nil}, func(c *Config) { c.Policy.EnabledOps = d.Policy.EnabledOps }},
			{Change{"search", "engine", s}, func(c *Config) { c.Search.Engine = s }},
			{Change{"search", "engine", nil}, func(c *Config) { c.Search.Engine = d.Search.Engine }},
			{Change{"policy", "require_confirm", []string{"x", s, s}},
				func(c *Config) { c.Policy.RequireConfirm = []string{"x", s, s} }},
			{Change{"policy", "confirm_ops", []string{}}, func(c *Config) { c.Policy.ConfirmOps = []string{} }},
		}
		tt := changes[int(what)%len(changes)]
		want, err := Decode("c", []byte(text))
		after, editErr := Edit("c", []byte(text), tt.change)
		if err != nil && editErr == nil {
			t.Fatalf("a broken file was edited: %q", text)
		}
		if editErr != nil {
			return
		}
		tt.set(&want)
		if got, err := Decode("c", after); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%v: %v\n%q\n%q\n%+v, want %+v", tt.change, err, text, after, got, want)
		}
	})
}
