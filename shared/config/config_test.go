package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	c, err := Load(filepath.Join(dir, "missing.toml"))
	if err != nil || c.Search.Engine != "google" || len(c.Policy.EnabledOps) != 0 {
		t.Errorf("a missing file: %+v, %v", c, err)
	}
	path := filepath.Join(dir, "config.toml")
	text := "[agent]\ntype_with = \"keyboard\"\n[policy]\nenabled_ops = [\"terminal\"]\nrequire_confirm = []\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err = Load(path)
	if err != nil || c.Agent.TypeWith != "keyboard" || len(c.Policy.EnabledOps) != 1 || len(c.Policy.RequireConfirm) != 0 {
		t.Errorf("Load = %+v, %v", c, err)
	}
	if _, err := Load(dir); err == nil {
		t.Error("a folder was read as configuration")
	}
}

func TestDecodeSaysWhereAndWhat(t *testing.T) {
	tests := []struct{ in, want string }{
		{"[agent]\ntype_wth = \"auto\"\n", `c.toml:2:1: agent.type_wth is unknown; did you mean "agent.type_with"?`},
		{"[agnt]\n", `agnt is unknown; did you mean "agent"?`},
		{"[agent]\ntype_with = 3\n", "c.toml:2:"},
		{"[agent]\ntype_with = \"magic\"\n", `agent.type_with is "magic"; write one of auto, input-method`},
		{"[policy]\nenable_ops = [\"key\"]\nconfirm_ops = [\"fly\"]\n", `policy.confirm_ops has "fly"`},
		{"[policy]\nenabled_ops = \"terminal\"\n", "policy.enabled_ops is a TOML string; write a list"},
		{"[policy]\nenable_ops = [\"key\"]\n", `policy.enable_ops has "key"`},
		{"[search]\nengine = \"\"\n", "search.engine is empty"},
		{"nonsense", "c.toml:1:"},
	}
	for _, tt := range tests {
		c, err := Decode("c.toml", []byte(tt.in))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q in it", tt.in, err, tt.want)
		}
		if c.Agent.TypeWith != "auto" || len(c.Policy.EnabledOps) != 0 {
			t.Errorf("%q: a broken file gave %+v, want the defaults", tt.in, c)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add("[agent]\ntype_with = \"auto\"\n[policy]\nconfirm_ops = [\"key\"]\n")
	f.Fuzz(func(t *testing.T, text string) {
		if c, err := Decode("c", []byte(text)); err != nil && len(c.Policy.EnabledOps) != 0 {
			t.Errorf("%q: a broken file switches %v on", text, c.Policy.EnabledOps)
		}
	})
}

// TestAnOldNameIsReadAndSaid: enable_ops counts, and its notice says how it is called now; an edit writes the new name
// alone.
func TestAnOldNameIsReadAndSaid(t *testing.T) {
	text := "[policy]\nenable_ops = [\"terminal\"] # mine\nenabled_ops = [\"action.input\", \"kye\"]\n"
	c, err := Decode("c.toml", []byte(text))
	if err != nil || !slices.Equal(c.Policy.EnabledOps, []string{"action.input", "kye", "terminal"}) {
		t.Fatalf("%v, %v", c.Policy.EnabledOps, err)
	}
	var said []string
	for _, n := range c.Notices {
		said = append(said, n.Error())
	}
	if got := strings.Join(said, "\n"); len(said) != 2 ||
		!strings.Contains(got, `c.toml:3:1: policy.enabled_ops has "kye"`) ||
		!strings.Contains(got, "c.toml:2:1: policy.enable_ops is the old name of enabled_ops") {
		t.Errorf("notices %q", said)
	}
	after, err := Edit("c.toml", []byte(text), Change{"policy", "enabled_ops", []string{"terminal"}})
	if err != nil || string(after) != "[policy]\nenabled_ops = [\"terminal\"]\n" {
		t.Errorf("%q, %v", after, err)
	}
}
