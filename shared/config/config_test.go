package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	c, err := Load(filepath.Join(dir, "missing.toml"))
	if err != nil || c.Search.Engine != "google" || len(c.Policy.EnableOps) != 0 {
		t.Errorf("a missing file: %+v, %v", c, err)
	}
	path := filepath.Join(dir, "config.toml")
	text := "[agent]\ntype_with = \"keyboard\"\n[policy]\nenable_ops = [\"terminal\"]\nrequire_confirm = []\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err = Load(path)
	if err != nil || c.Agent.TypeWith != "keyboard" || len(c.Policy.EnableOps) != 1 || len(c.Policy.RequireConfirm) != 0 {
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
		{"[policy]\nenable_ops = [\"key\"]\n", `policy.enable_ops has "key"`},
		{"[search]\nengine = \"\"\n", "search.engine is empty"},
		{"nonsense", "c.toml:1:"},
	}
	for _, tt := range tests {
		c, err := Decode("c.toml", []byte(tt.in))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q in it", tt.in, err, tt.want)
		}
		if c.Agent.TypeWith != "auto" || len(c.Policy.EnableOps) != 0 {
			t.Errorf("%q: a broken file gave %+v, want the defaults", tt.in, c)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add("[agent]\ntype_with = \"auto\"\n[policy]\nconfirm_ops = [\"key\"]\n")
	f.Fuzz(func(t *testing.T, text string) {
		if c, err := Decode("c", []byte(text)); err != nil && len(c.Policy.EnableOps) != 0 {
			t.Errorf("%q: a broken file switches %v on", text, c.Policy.EnableOps)
		}
	})
}
