package e2e

import (
	"os"
	"testing"
	"time"
)

func TestScratchNiriEditor(t *testing.T) {
	for range 40 {
		ok := t.Run("", func(t *testing.T) {
			s := NewSession(t, Options{Layouts: "de", Agent: forced("input-method"), Env: map[string]string{"WAYLAND_DEBUG": "client"}})
			_, file := s.editor()
			s.mustType(rich)
			s.MustRun("press control s")
			if !eventually(4*time.Second, func() bool { return contents(file) != "" }) {
				s.MustRun("press control f")
				time.Sleep(time.Second)
				data, _ := os.ReadFile(s.file("log/editor.log"))
				os.WriteFile("scratch.log", data, 0o644)
				t.Errorf("not saved; second try %v", contents(file) != "")
			}
		})
		if !ok {
			return
		}
	}
}
