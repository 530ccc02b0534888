package docs

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// verify runs scripts/verify.sh in an empty environment.
func verify(t *testing.T, bin string) (out string, err error) {
	t.Helper()
	cmd := exec.Command("env", "-i", "PATH="+os.Getenv("PATH"), filepath.Join(root, "scripts/verify.sh"), bin)
	cmd.WaitDelay = 10 * time.Second
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	err = cmd.Run()
	return said.String(), err
}

const verified = `ok       "open youtube" is ensure_url for YouTube
ok       "tile right" is move-column-right
not yet  "pull up youtube" is for the decision head, which does not exist yet
ok       terminal from the screen is -32006
ok       terminal of the user is -32003, it is disabled
ok       nothing is left running
`

func TestVerify(t *testing.T) {
	bin := build(t)
	if out, err := verify(t, bin); err != nil || out != verified {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestVerifySeesWhatIsWrong gives it an agent that is another.
func TestVerifySeesWhatIsWrong(t *testing.T) {
	bin := build(t)
	agent := filepath.Join(bin, "real")
	if err := os.Rename(filepath.Join(bin, "utter-agent"), agent); err != nil {
		t.Fatal(err)
	}
	config := t.TempDir()
	write(t, filepath.Join(config, "utter/data/niri_phrases.yaml"), "\"tile right\": move-column-left\n")
	for _, tt := range []struct {
		agent string
		want  []string
	}{
		{fmt.Sprintf("XDG_CONFIG_HOME=%s exec %s \"$@\"", config, agent),
			[]string{`FAIL     "tile right"`, "command=move-column-left", `ok       "open youtube"`,
				"ok       nothing is left"}},
		{"exit 3", []string{`FAIL     "open youtube"`, `FAIL     "pull up youtube"`, "FAIL     nothing is left running",
			"The plugins were:\nutter-agent  bundle"}},
	} {
		path := filepath.Join(bin, "utter-agent")
		write(t, path, "#!/bin/sh\n"+tt.agent+"\n")
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
		out, err := verify(t, bin)
		if err == nil || !strings.Contains(err.Error(), "exit status 1") {
			t.Errorf("%s: %v", tt.agent, err)
		}
		for _, want := range tt.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s: it does not say %q:\n%s", tt.agent, want, out)
			}
		}
	}
}

// TestVerifyWithoutPrograms gives it folders that are of no use.
func TestVerifyWithoutPrograms(t *testing.T) {
	empty := t.TempDir()
	for folder, want := range map[string]string{
		empty:           "verify.sh: there is no program utter in " + empty,
		empty + "/gone": "verify.sh: there is no folder " + empty + "/gone",
	} {
		out, err := verify(t, folder)
		if err == nil || !strings.Contains(err.Error(), "exit status 2") || !strings.HasPrefix(out, want) ||
			strings.Count(out, "\n") != 1 {
			t.Errorf("%s: %v\n%s", folder, err, out)
		}
	}
}
