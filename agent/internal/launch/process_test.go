package launch

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// odd is a name that looks like the fields behind it in /proc/PID/stat.
const odd = ") T 1 (a) T"

func TestStopped(t *testing.T) {
	s := newStage(t)
	_, p := start(t, s, Command{Argv: s.argv()})
	p.tell(t, "call-yourself "+odd)
	if comm, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.PID), "comm")); string(comm) != odd+"\n" {
		t.Fatalf("it is called %q, %v", comm, err)
	}
	for _, tt := range []struct {
		signal syscall.Signal
		await  int
		want   bool
	}{{syscall.SIGSTOP, unix.WSTOPPED, true}, {syscall.SIGCONT, unix.WCONTINUED, false}} {
		if Stopped(p.PID) == tt.want {
			t.Errorf("before %v: Stopped = %v", tt.signal, tt.want)
		}
		if err := syscall.Kill(p.PID, tt.signal); err != nil {
			t.Fatal(err)
		}
		if err := unix.Waitid(unix.P_PID, p.PID, nil, tt.await, nil); err != nil {
			t.Fatal(err)
		}
		if Stopped(p.PID) != tt.want {
			t.Errorf("after %v: Stopped = %v", tt.signal, !tt.want)
		}
	}
	for _, pid := range []int{0, -1, math.MaxInt32} {
		if Stopped(pid) {
			t.Errorf("Stopped(%d)", pid)
		}
	}
}

func TestDescends(t *testing.T) {
	s := newStage(t)
	launched, child := start(t, s, Command{Argv: s.argv()})
	child.tell(t, "call-yourself "+odd)
	child.tell(t, "start")
	grandchild := s.enter(t)
	me := os.Getpid()
	stranger := exec.Command(self(), s.argv()[1:]...)
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	s.enter(t)
	defer stranger.Wait()
	defer stranger.Process.Kill()

	for _, tt := range []struct {
		what          string
		pid, ancestor int
		want          bool
	}{
		{"itself", child.PID, child.PID, true},
		{"a child", child.PID, me, true},
		{"a grandchild", grandchild.PID, me, true},
		{"a child of a program with an odd name", grandchild.PID, child.PID, true},
		{"a parent", child.PID, grandchild.PID, false},
		{"a brother", stranger.Process.Pid, child.PID, false},
		{"of init", child.PID, 1, true},
		{"init", 1, me, false},
		{"no process", math.MaxInt32, me, false},
		{"an unknown one", 0, 0, false},
		{"of an unknown one", child.PID, 0, false},
		{"negative", -1, -1, false},
	} {
		if got := Descends(tt.pid, tt.ancestor); got != tt.want {
			t.Errorf("%s: Descends(%d, %d) = %v", tt.what, tt.pid, tt.ancestor, got)
		}
	}

	// As after a launcher script that puts its program into the background.
	child.leave(0)
	end(t, launched)
	if !Descends(grandchild.PID, child.PID) {
		t.Error("a grandchild whose parent has ended is forgotten")
	}
}

func TestCgroupAppID(t *testing.T) {
	const app = "0::/user.slice/user-1000.slice/user@1000.service/app.slice/"
	for _, tt := range []struct{ cgroup, want string }{
		{app + "app-flatpak-org.mozilla.firefox-12345.scope\n", "org.mozilla.firefox"},
		{app + "app-gnome-org.gnome.Nautilus-4711.scope\n", "org.gnome.Nautilus"},
		{app + `app-gnome-firefox\x2desr-4711.scope` + "\n", "firefox-esr"},
		{app + `app-gnome-google\x2dchrome-1f2e3d4c5b6a.scope` + "\n", "google-chrome"},
		{app + "app-org.kde.dolphin-0af3.scope\n", "org.kde.dolphin"},
		{app + "app-org.kde.kate@0af3b1c2d4e5.service\n", "org.kde.kate"},
		{app + `app-foo\x2dbar@autostart.service` + "\n", "foo-bar"},
		{app + "app-gnome-cafe-12.scope\n", "cafe"},
		{app + "app-glib-cafe.service\n", "cafe"}, // a service has its random part behind @
		{app + "app-org.kde.konsole-12.scope/tab(34).scope\n", "org.kde.konsole"},
		{app + `app-utter-` + escapeUnit("firefox-esr") + "-12.scope\n", "firefox-esr"},
		{app + `app-utter-` + escapeUnit("/opt/My Äpp/x_y") + "-12.scope\n", "/opt/My Äpp/x_y"},
		{"12:pids:/user.slice\n1:name=systemd:/x\n" + app + "app-gnome-foot-1.scope\n", "foot"},
		{app + "app-utter-x\\xzz\\x2-1.scope\n", `x\xzz\x2`},
		{app + `app-utter-\x-1.scope`, `\x`},
		{app + "foot-server.service\n", ""},
		{app + "app-gnome.slice\n", ""},
		{app + "app-.scope\n", ""},
		{"0::/user.slice/user-1000.slice/session-2.scope\n", ""},
		{"0::/user.slice/user-1000.slice/user@1000.service/init.scope\n", ""},
		{"0::/\n", ""},
		{"", ""},
	} {
		if got := cgroupAppID(tt.cgroup); got != tt.want {
			t.Errorf("cgroupAppID(%q) = %q, want %q", tt.cgroup, got, tt.want)
		}
	}
	for _, pid := range []int{0, -1, math.MaxInt32} {
		if got := AppID(pid); got != "" {
			t.Errorf("AppID(%d) = %q", pid, got)
		}
	}
}

// A unit's name may have letters, digits and few other characters, and 255
// bytes at most.
func TestUnitNamesAreValid(t *testing.T) {
	for _, name := range []string{"firefox", "org.gnome.Text-Editor", "/usr/bin/x y", "ü", "", `a\b`, "a@b", "%h"} {
		for _, r := range escapeUnit(name) {
			if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_' || r == '\\') {
				t.Errorf("escapeUnit(%q) = %q, which has %q", name, escapeUnit(name), r)
			}
		}
	}
}
