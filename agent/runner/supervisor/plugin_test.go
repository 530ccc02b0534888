package supervisor

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"utter/shared/config"
	"utter/shared/plugin/protocol"
)

func TestReadLines(t *testing.T) {
	long := strings.Repeat("x", 3*maxLine)
	var got []string
	readLines(strings.NewReader("one\n\x1b[2Jtwo\r\n"+long+"\nlast"), func(line string) { got = append(got, line) })
	want := []string{"one", `\x1b[2Jtwo`, long[:maxLine], "last"}
	if !slices.Equal(got, want) {
		t.Errorf("lines %.80q, want %.80q", got, want)
	}
	var l Lines
	for range maxLines + 5 {
		l.Add("x")
	}
	if n := len(l.All()); n != maxLines {
		t.Errorf("%d lines are kept, want %d", n, maxLines)
	}
}

func FuzzEscaped(f *testing.F) {
	f.Add("\x1b]0;title\a\u202e\xff\n")
	f.Fuzz(func(t *testing.T, s string) {
		if got := escaped(s); strings.ContainsAny(got, "\x00\x1b\n\r\a\u202e") {
			t.Errorf("escaped(%q) = %q", s, got)
		}
	})
}

func TestMeter(t *testing.T) {
	m := meter{limit: 2}
	now := time.Now()
	for i, want := range []bool{true, true, false, false} {
		if ok, _ := m.admit(now); ok != want {
			t.Errorf("%d: %v", i, ok)
		}
	}
	if ok, lost := m.admit(now.Add(time.Second)); !ok || lost != 2 {
		t.Errorf("a second later: %v, %d lost; want 2", ok, lost)
	}
}

func TestSchemas(t *testing.T) {
	tests := []struct {
		schema, args string
		bad          bool // the schema
		code         protocol.Code
	}{
		{"", `{"a":1}`, false, 0},
		{"null", `{"a":1}`, false, 0},
		{"true", `{}`, false, 0},
		{`{"type":"object","required":["text"],"properties":{"text":{"type":"string"}},"additionalProperties":false}`,
			`{"text":"x"}`, false, 0},
		{`{"type":"object","required":["text"]}`, ``, false, protocol.CodeInvalidParams},
		{`{"properties":{"n":{"maximum":9007199254740993}}}`, `{"n":9007199254740994}`, false, protocol.CodeInvalidParams},
		{`{"$ref":"https://example.org/x.json"}`, `{}`, true, protocol.CodeUnavailable},
		{`{"$ref":"file:///etc/passwd"}`, `{}`, true, protocol.CodeUnavailable},
		{`{"$schema":"https://example.org/draft"}`, `{}`, true, protocol.CodeUnavailable},
		{`{"type":7}`, `{}`, true, protocol.CodeUnavailable},
		{`{"$ref":"#/$defs/a","$defs":{"a":{"type":"object"}}}`, `{}`, false, 0},
		{`{"$ref":"#"}`, `{}`, true, protocol.CodeUnavailable},
		{`{"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}]}},"$ref":"#/$defs/a"}`, `{}`,
			true, protocol.CodeUnavailable},
		{doubling(20), `{}`, true, protocol.CodeUnavailable},
		{doubling(3), `{}`, false, 0},
		{`{"$ref":"#/no/such"}`, `{}`, true, protocol.CodeUnavailable},
		{`{"$dynamicRef":"#x"}`, `{}`, true, protocol.CodeUnavailable},
		{`{"description":"` + strings.Repeat("x", protocol.MaxSchema) + `"}`, `{}`, true, protocol.CodeUnavailable},
	}
	for _, tt := range tests {
		op := AdvertisedOp{OpInfo: protocol.OpInfo{Op: "note"}}
		op.schema, op.Fault = compile(json.RawMessage(tt.schema))
		if (op.Fault != nil) != tt.bad {
			t.Errorf("compile(%.60s) = %v", tt.schema, op.Fault)
		}
		err := op.Check(json.RawMessage(tt.args))
		if err == nil && tt.code != 0 || err != nil && protocol.CodeOf(err) != tt.code {
			t.Errorf("%.60s with %s: %v, want code %d", tt.schema, tt.args, err, tt.code)
		}
	}
}

// doubling is a small schema that takes 2^n steps to check.
func doubling(n int) string {
	var defs []string
	for i := range n {
		defs = append(defs, fmt.Sprintf(`"a%d":{"allOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]}`, i, i+1, i+1))
	}
	return fmt.Sprintf(`{"$ref":"#/$defs/a0","$defs":{%s,"a%d":{}}}`, strings.Join(defs, ","), n)
}

func FuzzSchema(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"pattern":"^a+$"}}}`, `{"a":"b"}`)
	f.Fuzz(func(t *testing.T, schema, args string) {
		op := AdvertisedOp{}
		if op.schema, op.Fault = compile(json.RawMessage(schema)); op.Fault == nil && json.Valid([]byte(args)) {
			_ = op.Check(json.RawMessage(args))
		}
	})
}

func TestSpec(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, mode os.FileMode) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	program, python := write("own/program", 0o700), write("path/python3", 0o700)
	write("scripts/main.py", 0o600)
	config1 := write("config/config.toml", 0o600)
	shared := &Shared{Dir: dir, Environ: []string{"PATH=" + filepath.Dir(python) + ":relative", "HOME=" + dir},
		Guarded: []string{config1}}
	writes := []string{protocol.PermissionFilesystemWrite}
	tests := []struct {
		entry           config.Plugin
		program, folder string
		fails           string
	}{
		{config.Plugin{Entrypoint: []string{program}}, program, dir + "/own", ""},
		{config.Plugin{Entrypoint: []string{"own/program"}}, program, dir + "/own", ""},
		{config.Plugin{Entrypoint: []string{"python3", "-u", "scripts/main.py"}}, python, dir + "/scripts", ""},
		{config.Plugin{Entrypoint: []string{"python3", "main.py"}, Dir: "scripts"}, python, dir + "/scripts", ""},
		{config.Plugin{Entrypoint: []string{"python3", "-m", "thing"}, Dir: "scripts"}, python, dir + "/scripts", ""},
		{config.Plugin{Entrypoint: []string{"python3", "-m", "thing"}}, python, "", ""},
		{config.Plugin{Entrypoint: []string{"own/program"}, Permissions: writes, WritePaths: []string{"~/own"}},
			program, dir + "/own", ""},
		{config.Plugin{Entrypoint: []string{"python"}}, "", "", `write entrypoint = ["python3", ...]`},
		{config.Plugin{Entrypoint: []string{"nothing"}}, "", "", "there is no program"},
		{config.Plugin{Entrypoint: []string{"./nothing"}}, "", "", "does not exist"},
		{config.Plugin{Entrypoint: []string{"scripts/main.py"}}, "", "", "is not executable"},
		{config.Plugin{Entrypoint: []string{"own"}}, "", "", "there is no program"},
		{config.Plugin{Entrypoint: []string{"./own"}}, "", "", "is a folder"},
		{config.Plugin{Entrypoint: []string{"python3"}, Dir: "nowhere"}, "", "", "is not a folder"},
		{config.Plugin{Entrypoint: []string{"python3"}, Permissions: writes, WritePaths: []string{"~/config"}}, "",
			"", "which grants the permissions"},
		{config.Plugin{Entrypoint: []string{"python3"}, Permissions: writes, WritePaths: []string{config1}}, "", "",
			"which grants the permissions"},
		{config.Plugin{Entrypoint: []string{"python3"}, Permissions: writes, WritePaths: []string{dir}}, "", "",
			"which grants the permissions"},
	}
	for _, tt := range tests {
		p := &Plugin{Entry: tt.entry, shared: shared}
		s, err := p.spec("", "")
		if tt.fails != "" {
			if entry, ok := errors.AsType[*EntryError](err); !ok || !strings.Contains(entry.Reason, tt.fails) {
				t.Errorf("%q: %v, want %q in it", tt.entry.Entrypoint, err, tt.fails)
			}
			continue
		}
		if err != nil || s.Program != tt.program || s.Folder != tt.folder {
			t.Errorf("%q in %q: %s in %s, %v; want %s in %s", tt.entry.Entrypoint, tt.entry.Dir, s.Program, s.Folder,
				err, tt.program, tt.folder)
		}
	}
}

// TestPathsNeedTheirPermission: what an entry lists is given with the grant only.
func TestPathsNeedTheirPermission(t *testing.T) {
	home := t.TempDir()
	shared := &Shared{Dir: home, Environ: []string{"PATH=/usr/bin:/bin", "HOME=" + home}}
	for _, tt := range []struct{ permissions, read, write []string }{
		{nil, nil, nil},
		{[]string{protocol.PermissionNetwork}, nil, nil},
		{[]string{protocol.PermissionFilesystemRead}, []string{home + "/in", "/usr/share"}, nil},
		{[]string{protocol.PermissionFilesystemWrite}, nil, []string{home}},
		{[]string{protocol.PermissionFilesystemRead, protocol.PermissionFilesystemWrite},
			[]string{home + "/in", "/usr/share"}, []string{home}},
	} {
		p := &Plugin{shared: shared, Entry: config.Plugin{
			Entrypoint: []string{"sh"}, Permissions: tt.permissions, ReadPaths: []string{"~/in", "/usr/share"},
			WritePaths: []string{home},
		}}
		s, err := p.spec("", "")
		if err != nil || !slices.Equal(s.ReadPaths, tt.read) || !slices.Equal(s.WritePaths, tt.write) {
			t.Errorf("with %v: read %v, write %v, %v", tt.permissions, s.ReadPaths, s.WritePaths, err)
		}
	}
}

func TestEscapedKeepsTheMargin(t *testing.T) {
	const in, want = "\t  a" + "            ^\u3164^\u202e \u00e9", "\t  a" + `            ^\u3164^\u202e é`
	if got := escaped(in); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestProgramsThatAreNotThere(t *testing.T) {
	shared := &Shared{Dir: t.TempDir(), Environ: []string{"PATH=/usr/bin:/bin"}}
	for _, tt := range []struct {
		argv []string
		want string
	}{
		{[]string{"no-such"}, `entrypoint: there is no program "no-such" in PATH; write its path`},
		{[]string{"no such", "x"}, `entrypoint: there is no program "no such" in PATH; write its path`},
		{[]string{"python3 plugin.py"},
			`entrypoint: there is no program "python3 plugin.py" in PATH; write a list: entrypoint = ["python3", "plugin.py"]`},
		{[]string{"./plugin.py --x"},
			fmt.Sprintf(`entrypoint %s/plugin.py --x: does not exist; write a list: entrypoint = ["./plugin.py", "--x"]`,
				shared.Dir)},
	} {
		p := &Plugin{Entry: config.Plugin{Entrypoint: tt.argv}, shared: shared}
		if _, err := p.program(shared.Environ); err == nil || err.Error() != tt.want {
			t.Errorf("%q: %v, want %s", tt.argv, err, tt.want)
		}
	}
}
