package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"utter/shared/op"
)

func TestErrorsRoundTrip(t *testing.T) {
	e := Errorf(CodeUntrusted, "no").With(Data{Op: "x", Fields: []string{"a", "b"}})
	text, err := json.Marshal(e)
	if want := `{"code":-32006,"message":"no","data":{"op":"x","fields":["a","b"]}}`; err != nil || string(text) != want {
		t.Errorf("%s, %v", text, err)
	}
	var again Error
	if err := json.Unmarshal(text, &again); err != nil || !reflect.DeepEqual(&again, e) || !errors.Is(&again, e) {
		t.Errorf("%+v, %v", again, err)
	}
}

func TestHandle(t *testing.T) {
	h := HandleOf([]byte("x"))
	for _, s := range []string{h.String(), "handle://sha256/" + h.Hex()} {
		if got, err := ParseHandle(s); err != nil || got != h {
			t.Errorf("%s: %v, %v", s, got, err)
		}
	}
	for _, s := range []string{"", "handle://", h.Hex(), strings.ToUpper(h.String()), h.String() + "0",
		"handle://../" + h.Hex()[3:], h.String()[:72] + "G"} {
		if _, err := ParseHandle(s); err == nil || CodeOf(err) != CodeInvalidParams {
			t.Errorf("%s: %v", s, err)
		}
	}
}

func TestCanonical(t *testing.T) {
	tests := []struct{ in, want string }{
		{`{"b":1, "a":2}`, `{"a":2,"b":1}`},
		{`[333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001, -0, 1e21, 1e20, 0.0000001]`,
			`[333333333.3333333,1e+30,4.5,0.002,1e-27,0,1e+21,100000000000000000000,1e-7]`},
		{`"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/"`, `"€$\u000f\nA'B\"\\\\\"/"`},
		// The order of RFC 8785, by UTF-16 code units.
		{`{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}`,
			"{\"\\r\":2,\"1\":4,\"\u0080\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\ufb33\":3}"},
		{`9007199254740991`, `9007199254740991`},
		{`9007199254740992`, ``}, {`9007199254740993`, ``}, {`1e400`, ``}, {`{"a":1,"a":1}`, ``}, {`"\udead"`, ``},
	}
	for _, tt := range tests {
		got, err := Canonical([]byte(tt.in))
		if string(got) != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%s: %s, %v; want %s", tt.in, got, err, tt.want)
		}
	}
}

func TestDigest(t *testing.T) {
	a, err := Digest("x", json.RawMessage(`{"b":1,"a":"\u00fc"}`), FromUser)
	b, _ := Digest("x", json.RawMessage(`{ "a":"ü", "b":1.0}`), FromUser)
	c, _ := Digest("x", json.RawMessage(`{"a":"ü","b":2}`), FromUser)
	if err != nil || a != b || a == c || len(a) != 64 {
		t.Errorf("%s %s %s, %v", a, b, c, err)
	}
	empty, _ := Digest("x", nil, FromUser)
	if also, _ := Digest("x", json.RawMessage(`{}`), FromUser); empty != also {
		t.Error("absent args differ from empty ones")
	}
}

func TestConfirmResult(t *testing.T) {
	asked := ConfirmParams{Nonce: "n", Digest: "d"}
	for text, want := range map[string]bool{
		`{"approved":true,"nonce":"n","digest":"d"}`: true, `{"approved":true}`: false,
		`{"approved":true,"nonce":"n","digest":"e"}`: false,
		`{"approved":1,"nonce":"n","digest":"d"}`:    false, `{"approved":"yes"}`: false,
		`{"Approved":true,"nonce":"n","digest":"d"}`: false, `{"ok":true}`: false,
	} {
		var r ConfirmResult
		if got := DecodeParams(json.RawMessage(text), &r) == nil && r.Approves(asked); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestParseCapability(t *testing.T) {
	for s, ok := range map[string]bool{
		"action.open_url@1": true, "experimental/UiCustom@1": true, "a@0": true, "audio.rate.16000@12": true,
		"": false, "a": false, "a@": false, "@1": false, "a@x": false, "a@01": false, "a@-1": false, "a@+1": false,
		"A@1": false, "a/b/c@1": false, "a b@1": false, "a@1@1": false, "a\n@1": false,
		strings.Repeat("a", 200) + "@1": false, "a@99999999999999999999": false,
	} {
		c, err := ParseCapability(s)
		if (err == nil) != ok || ok && c.String() != s {
			t.Errorf("%q: %v, %v", s, c, err)
		}
	}
	for _, s := range Capabilities() {
		if _, err := ParseCapability(s); err != nil {
			t.Error(err)
		}
	}
}

func TestEveryCoreOpHasAKnownCapability(t *testing.T) {
	for _, spec := range op.Specs() {
		op := string(spec.Name)
		if c := ActionCapability(op); !KnownCapability(c) || !slices.Contains(Capabilities(), c) {
			t.Errorf("%s is not known", c)
		}
	}
	if KnownCapability("action.rm_rf@1") || KnownCapability("action.focus_app@2") {
		t.Error("what is not an op, or another version, is known")
	}
}

func TestNegotiate(t *testing.T) {
	a := Negotiate(
		HelloResult{Provides: []string{"context.live@1", "x.y@1"}, Requires: []string{"fs.tmp@1", "context.live@2"},
			Permissions: []string{"network", "keyring"}},
		Entry{Provides: []string{"action.open_url@1", "context.live@1"},
			Requires: []string{"experimental/Z@1", "context.live@1"}, Permissions: []string{"network"}})
	want := Agreement{
		Provides:   []string{"action.open_url@1", "context.live@1", "x.y@1"},
		Requires:   []string{"context.live@1", "context.live@2", "experimental/Z@1", "fs.tmp@1"},
		Unknown:    []string{"context.live@2", "x.y@1"},
		Granted:    []string{"network"},
		NotGranted: []string{"keyring"},
	}
	if !reflect.DeepEqual(a, want) {
		t.Errorf("%+v", a)
	}
	if got := a.Missing([]string{"experimental/Z@1"}); !slices.Equal(got, []string{"context.live@2"}) {
		t.Errorf("missing %v", got)
	}
	if got := a.Missing([]string{"experimental/Z@1", "context.live@2"}); len(got) > 0 {
		t.Errorf("missing %v", got)
	}
}

func TestResolve(t *testing.T) {
	p := func(provides, requires string) Agreement {
		return Agreement{Provides: strings.Fields(provides), Requires: strings.Fields(requires)}
	}
	got := Resolve(map[string]Agreement{
		"a": p("a@1", "b@1"), "b": p("b@1", "a@1 fs.tmp@1"), // a circle
		"c": p("c@1", "d@1"), "d": p("d@1", "none@1"), // d lacks, and so does c
		"self": p("s@1", "s@1"),
	})
	if want := map[string][]string{"c": {"d@1"}, "d": {"none@1"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v", got)
	}
}

func TestCheckHello(t *testing.T) {
	tests := []struct {
		in         string
		ok         bool
		negotiated any
	}{
		{`{"protocol":"1.0","abi":1,"provides":["a@1"],"more":true}`, true, nil},
		{`{"protocol":"2.0","abi":1}`, false, "2.0"},
		{`{"protocol":1.0,"abi":1}`, false, json.Number("1.0")},
		{`{"abi":1}`, false, ""},
		{`{"Protocol":"1.0","abi":1}`, false, ""},
		{`{"protocol":"1.0","abi":2}`, false, json.Number("2")},
		{`{"protocol":"1.0","abi":"1"}`, false, nil},
		{`{"protocol":"1.0","abi":1,"provides":"a@1"}`, false, nil},
		{`[]`, false, nil}, {`null`, false, nil}, {`"x"`, false, nil},
	}
	for _, tt := range tests {
		_, err := CheckHello(json.RawMessage(tt.in))
		if (err == nil) != tt.ok ||
			!tt.ok && (CodeOf(err) != CodeIncompatible || ErrorData(err).Negotiated != tt.negotiated) {
			t.Errorf("%s: %v %v", tt.in, err, ErrorData(err).Negotiated)
		}
	}
}

const minimal = `name = "hello"
version = "0.1.0"
kind = "bundle"
protocol = "1.0"
abi = 1
runtime = "subprocess"
transport = "stdio"
entrypoint = ["python3", "plugin.py"]
`

func TestManifest(t *testing.T) {
	full := strings.Replace(minimal, `["python3", "plugin.py"]`, `"./hello"`, 1) + `description = "d"
homepage = "https://example.org/x"
license = "MIT"
min_runner = "1.2.3-rc.1"
max_protocol = "1.0"
socket_path = "hello.sock"
provides = ["action.open_url@1"]
requires = ["fs.tmp@1"]
permissions = ["network", "filesystem.read"]
platforms = ["linux-x86_64"]
config_schema = "schema/config.json"
[env]
A = "b"
[settings]
any = { thing = 1 }
[[models]]
name = "m"
source = "https://example.org/m"
sha256 = "` + strings.Repeat("0a", 32) + `"
bytes = 12
path = "m.bin"
`
	m, err := DecodeManifest("f", []byte(full))
	if err != nil || !reflect.DeepEqual(m.Entrypoint, []string{"./hello"}) || m.Models[0].Bytes != 12 {
		t.Errorf("%+v, %v", m, err)
	}
	if m, err := DecodeManifest("f", []byte(minimal)); err != nil || len(m.Entrypoint) != 2 {
		t.Errorf("%+v, %v", m, err)
	}
}

// set returns minimal with another value of a key.
func set(key, value string) string {
	var out []string
	for line := range strings.Lines(minimal) {
		if strings.HasPrefix(line, key+" =") {
			line = key + " = " + value + "\n"
		}
		out = append(out, line)
	}
	return strings.Join(out, "")
}

var manifestFaults = []struct{ text, want string }{
	{set("name", `"Bad Name"`), `f:1: name is "Bad Name"`},
	{set("name", `"router"`), `f:1: name is "router"`},
	{set("name", `3`), `f:1: name`},
	{set("version", `"1.0"`), `f:2: version is "1.0"; write it like 1.2.3`},
	{set("version", `""`), `f:2: version`},
	{set("kind", `"bundel"`), `f:3: kind has "bundel"; write one of stt`},
	{set("kind", `"bundel"`), `did you mean "bundle"?`},
	{set("protocol", `"1"`), `f:4: protocol`},
	{set("abi", `0`), `f:5: abi is 0`},
	{set("abi", `"1"`), `f:5: abi`},
	{set("runtime", `"subproces"`), `f:6: runtime`},
	{set("transport", `"tcp"`), `f:7: transport`},
	{set("entrypoint", `[]`), `f:8: entrypoint does not name a program`},
	{set("entrypoint", `""`), `f:8: entrypoint does not name a program`},
	{set("entrypoint", `[1]`), `f:8: entrypoint is not a string`},
	{set("entrypoint", `{}`), `f:8: entrypoint is not a string`},
	{strings.Replace(minimal, "version = \"0.1.0\"\n", "", 1), `f: version is missing`},
	{minimal + "provide = []\n", `f:9: provide is unknown; did you mean "provides"?`},
	{minimal + "provides = [\"x\"]\n", `f:9: provides has an error`},
	{minimal + "permissions = [\"netwerk\"]\n", `f:9: permissions has "netwerk"`},
	{minimal + "permissions = \"network\"\n", `f:9: permissions`},
	{minimal + "platforms = [\"windows\"]\n", `f:9: platforms`},
	{minimal + "homepage = \"nowhere\"\n", `f:9: homepage`},
	{minimal + "socket_path = \"../x\"\n", `f:9: socket_path`},
	{minimal + "config_schema = \"/etc/x\"\n", `f:9: config_schema`},
	{minimal + "description = \"" + strings.Repeat("ü", 281) + "\"\n", `f:9: description`},
	{minimal + "env = { \"A B\" = \"\" }\n", `f:9: env.A B is not the name`},
	{minimal + "[env]\nA = 1\n", `f:10: env`},
	{minimal + "[[models]]\nname = \"a\"\nsha265 = \"\"\n", `f:11: models.sha265 is unknown; did you mean "sha256"?`},
	{minimal + "[[models]]\nname = \"a\"\n", `models.0.sha256 is missing`},
	{minimal + "[[models]]\nname = \"a\"\nsha256 = \"12\"\n", `f:11: models.0.sha256 is "12"`},
	{minimal + "models = [ { name = \"a\", path = \"/x\" } ]\n", `f:9: models.0.path`},
	{minimal + "x = = 1\n", `f:9`},
}

func TestManifestFaults(t *testing.T) {
	for _, tt := range manifestFaults {
		_, err := DecodeManifest("f", []byte(tt.text))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %v; want %s", err, tt.want)
			continue
		}
		if _, ok := errors.AsType[*FieldError](err); !ok {
			t.Errorf("%T", err)
		}
	}
}

func FuzzManifest(f *testing.F) {
	f.Add([]byte(minimal))
	f.Add([]byte(minimal + "[[models]]\nname='a'\n[env]\nA='b'"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := DecodeManifest("f", text)
		if err == nil && (CheckID(m.Name) != nil || len(m.Entrypoint) == 0 || m.ABI < 1) {
			t.Errorf("%q gave %+v", text, m)
		}
	})
}

func FuzzCanonical(f *testing.F) {
	f.Add([]byte(`{"b":[1,2.50,1e300],"a":"\u00fc\n"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		once, err := Canonical(text)
		if err != nil {
			return
		}
		if twice, err := Canonical(once); err == nil && !bytes.Equal(once, twice) {
			t.Errorf("%s, then %s", once, twice)
		}
		if !json.Valid(once) {
			t.Errorf("%s is not JSON", once)
		}
	})
}

func FuzzParseCapability(f *testing.F) {
	f.Add("action.open_url@1")
	f.Add("experimental/X@2")
	f.Fuzz(func(t *testing.T, s string) {
		if c, err := ParseCapability(s); err == nil && c.String() != s {
			t.Errorf("%q became %q", s, c)
		}
	})
}

// TestTheManifestOfTheDocumentIsValid keeps doc.go true.
func TestTheManifestOfTheDocumentIsValid(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(text), "The smallest:\n//\n")
	block, _, _ = strings.Cut(block, "package protocol")
	if _, err := DecodeManifest("doc.go", []byte(strings.ReplaceAll(block, "//\t", ""))); err != nil {
		t.Error(err)
	}
}
