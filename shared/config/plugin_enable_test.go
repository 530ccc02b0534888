package config

import (
	"errors"
	"strings"
	"testing"
)

const twoPlugins = `# mine
[plugins]
disabled = ["two", "other"] # for now

[[plugin]] # the first
  id = "one" # it
  entrypoint = ["x"]
  [plugin.env]
  enabled = "no switch"

[[plugin]]
entrypoint = 'y'
enabled = true # today
id = "two"

# the end
[policy]
`

func TestEnablePlugin(t *testing.T) {
	off := strings.Replace(twoPlugins, "id = \"one\" # it\n", "id = \"one\" # it\n  enabled = false\n", 1)
	tests := []struct {
		name, before, id string
		on               bool
		want             string
	}{
		{"off", twoPlugins, "one", false, off},
		{"on again", off, "one", true, strings.Replace(off, "enabled = false", "enabled = true", 1)},
		{"what is so already", twoPlugins, "one", true, twoPlugins},
		{"off by the list is off", twoPlugins, "two", false, twoPlugins},
		{"out of the list", twoPlugins, "two", true, strings.Replace(twoPlugins, `["two", "other"]`, `["other"]`, 1)},
		{"out of the list and on", strings.Replace(twoPlugins, "enabled = true", "enabled = false", 1), "two", true,
			strings.Replace(twoPlugins, `["two", "other"]`, `["other"]`, 1)},
		{"in the place of the key", strings.Replace(twoPlugins, `"two", `, "", 1), "two", false,
			strings.Replace(strings.Replace(twoPlugins, `"two", `, "", 1), "enabled = true", "enabled = false", 1)},
		{"Windows line ends, no last one", "[[plugin]]\r\nentrypoint = \"x\"\r\nid = \"one\"", "one", false,
			"[[plugin]]\r\nentrypoint = \"x\"\r\nid = \"one\"\r\nenabled = false"},
		{"one with a mistake", "[[plugin]]\nid = \"one\"\nentrypont = \"x\"\n", "one", false,
			"[[plugin]]\nid = \"one\"\nenabled = false\nentrypont = \"x\"\n"},
		{"the first of two of one id", "[[plugin]]\nid = \"one\"\n[[plugin]]\nid = \"one\"\nenabled = true\n", "one", false,
			"[[plugin]]\nid = \"one\"\nenabled = false\n[[plugin]]\nid = \"one\"\nenabled = true\n"},
	}
	for _, tt := range tests {
		got, err := EnablePlugin("c.toml", []byte(tt.before), tt.id, tt.on)
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", tt.name, err, got, tt.want)
			continue
		}
		c, err := Decode("c.toml", got)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range c.Plugin {
			if p.ID == tt.id {
				if p.Enabled != tt.on {
					t.Errorf("%s: reads as %v", tt.name, p.Enabled)
				}
				break
			}
		}
	}
	for _, tt := range []struct {
		in   string
		want error
	}{
		{twoPlugins, ErrNoPlugin}, {"", ErrNoPlugin}, {twoPlugins + "x = 1\n", ErrBroken}, {"[[plugin]\n", ErrBroken},
	} {
		if got, err := EnablePlugin("c.toml", []byte(tt.in), "three", true); !errors.Is(err, tt.want) || got != nil {
			t.Errorf("%q: %q, %v, want %v", tt.in, got, err, tt.want)
		}
	}
}

func FuzzEnablePlugin(f *testing.F) {
	f.Add(twoPlugins, "one", false)
	f.Add(twoPlugins, "two", true)
	f.Add("[[plugin]]\nid=\"one\"\n[plugin.\"enabled\"]\n", "one", false)
	f.Fuzz(func(t *testing.T, text, id string, on bool) {
		before, err := Decode("c", []byte(text))
		if err != nil {
			return
		}
		got, err := EnablePlugin("c", []byte(text), id, on)
		if err != nil {
			return
		}
		after, err := Decode("c", got)
		if err != nil || len(after.Plugin) != len(before.Plugin) {
			t.Fatalf("%q became %q: %v", text, got, err)
		}
		seen := false
		for i, p := range after.Plugin {
			want := before.Plugin[i].Enabled
			if p.ID == id && !seen {
				want, seen = on, true
			}
			if p.ID != before.Plugin[i].ID || p.Enabled != want && p.ID != id {
				t.Errorf("%q became %q: %+v", text, got, p)
			}
		}
	})
}

func TestMistakesAndWarnings(t *testing.T) {
	c, err := Decode("c.toml",
		[]byte(
			"[[plugin]]\nid = \"one\"\nentrypont = \"x\"\n[[plugin]]\nid = \"two\"\nkind = \"actoin\"\nentrypoint = \"x\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	all := Mistakes(errors.Join(err, c.Faults()))
	if len(all) != 2 || all[0].Line != 3 || all[0].Field != "plugin.entrypont" || all[1].Line != 6 ||
		all[1].Field != "plugin.kind" {
		t.Errorf("mistakes %v", all)
	}
	_, err = Load(t.TempDir())
	if all := Mistakes(err); len(all) != 1 || all[0].Line != 0 || !strings.Contains(all[0].Reason, "not a regular file") {
		t.Errorf("mistakes %v of %v", all, err)
	}
	if all := Mistakes(nil); all != nil {
		t.Errorf("mistakes %v of nothing", all)
	}
	for in, want := range map[string]Warning{
		"": {0, "there are no plugins"},
		"[[plugin]]\nid = \"one\"\nentrypoint = \"x\"\nruntime = \"wasm\"\n":         {1, "runtime wasm is not supported"},
		"\n[[plugin]]\nid = \"one\"\nentrypoint = \"x\"\ncwd = \"/no/such\"\n":       {2, "/no/such is not a folder"},
		"\n[[plugin]]\nid = \"one\"\nentrypoint = \"x\"\ncwd = \"plug\"\n":           {2, "write an absolute path"},
		"[[plugin]]\nid = \"one\"\nentrypoint = \"x\"\nrequires = [\"made.up@7\"]\n": {1, "unknown capability made.up@7"},
		"[[plugin]]\nid = \"one\"\nentrypoint = \"x\"\nread_paths = [\"/usr\"]\n": {1,
			"read_paths has no effect without the permission filesystem.read"},
		"[[plugin]]\nid = \"one\"\nentrypoint = \"x\"\npermissions = [\"filesystem.read\"]\nread_paths = [\"/usr\"]\n" +
			"write_paths = [\"~/x\"]\n": {1, "write_paths has no effect without the permission filesystem.write"},
		"[[plugin]]\nid = \"one\"\nentrypoint = \"x\"\npermissions = [\"filesystem.write\"]\n": {1,
			"plugin one: it may write files, but no path is set: use --write-path FOLDER"},
		"[[plugin]]\nid = \"one\"\nentrypoint = \"x\"\npermissions = [\"filesystem.read\"]\n": {1,
			"it may read files, but no path is set: use --read-path FOLDER"},
		"[[plugin]]\nid = \"one\"\nentrypoint = \"python3 plugin.py\"\n": {1,
			`write a list: ["python3", "plugin.py"]`},
		"[socket]\n[[plugin]]\nid = \"one\"\nentrypoint = \"x\"\n": {0, "admits no one"},
		"[socket]\nallow_binaries = [\"x\"]\n[[plugin]]\nid = \"one\"\nentrypoint = \"x\"\n": {0,
			"every program of that name"},
	} {
		c, err := Decode("c.toml", []byte(in))
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Warnings(); len(got) != 1 || got[0].Line != want.Line || !strings.Contains(got[0].Text, want.Text) {
			t.Errorf("%q: %+v, want %+v", in, got, want)
		}
	}
	const granted = "[[plugin]]\nid = \"one\"\nentrypoint = \"x\"\npermissions = [\"filesystem.write\"]\n"
	for in, want := range map[string]int{
		granted:                               1,
		granted + "write_paths = [\"~/x\"]\n": 0,
		granted + "[security]\nenforce = false\n":    0, // then nothing keeps it from any path
		granted + "[security]\nenforce = \"auto\"\n": 1,
	} {
		c, err := Decode("c.toml", []byte(in))
		if got := c.WarningsOf("one"); err != nil || len(got) != want || c.WarningsOf("two") != nil {
			t.Errorf("%q: %v, %q, want %d", in, err, got, want)
		}
	}
}
