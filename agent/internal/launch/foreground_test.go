package launch

import (
	"errors"
	"math"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// Which program reads what is typed into a terminal. 10 is the terminal emulator,
// itself started from the terminal 5; its own terminal is 7.
func TestForeground(t *testing.T) {
	emulator := procStat{pid: 10, parent: 1, group: 10, tty: 5, foreground: 10, name: "foot"}
	shell := procStat{pid: 20, parent: 10, group: 20, tty: 7, foreground: 20, name: "bash"}
	busy := shell
	busy.foreground = 30
	program := func(pid, parent int, name string) procStat {
		return procStat{pid: pid, parent: parent, group: 30, tty: 7, foreground: 30, name: name}
	}
	for _, tt := range []struct {
		what      string
		processes []procStat
		name      string
		isShell   bool
		err       error
	}{
		{"a shell", []procStat{emulator, shell}, "bash", true, nil},
		{"a program in the shell", []procStat{emulator, busy, program(30, 20, "vim")}, "vim", false, nil},
		{"a shell in the shell", []procStat{emulator, busy, program(30, 20, "fish")}, "fish", true, nil},
		{"the first of a pipe counts", []procStat{emulator, busy, program(30, 20, "less"), program(31, 20, "sh")},
			"less", false, nil},
		{"a program that is called like a shell and more",
			[]procStat{emulator, busy, program(30, 20, "shell")}, "shell", false, nil},
		{"a program whose parent has ended", []procStat{emulator, busy, program(30, 1, "vim")}, "vim", false, nil},
		{"the group's leader has ended", []procStat{emulator, busy, program(31, 20, "less")}, "", false, ErrNoTerminal},
		{"two terminals", []procStat{emulator, shell, {pid: 40, parent: 10, group: 40, tty: 8, foreground: 40, name: "zsh"}},
			"", false, ErrSeveral},
		{"another emulator's terminal", []procStat{emulator, shell,
			{pid: 40, parent: 11, group: 40, tty: 8, foreground: 40, name: "zsh"}}, "bash", true, nil},
		{"the emulator's own terminal does not count",
			[]procStat{emulator, {pid: 40, parent: 10, group: 10, tty: 5, foreground: 10, name: "bash"}}, "", false,
			ErrNoTerminal},
		{"no terminal", []procStat{emulator, {pid: 20, parent: 10, group: 20, name: "bash"}}, "", false, ErrNoTerminal},
		{"no emulator", nil, "", false, ErrNoTerminal},
		{"a circle", []procStat{emulator, {pid: 20, parent: 21, tty: 7}, {pid: 21, parent: 20, tty: 7}}, "", false,
			ErrNoTerminal},
	} {
		all := map[int]procStat{}
		for _, p := range tt.processes {
			all[p.pid] = p
		}
		name, isShell, err := foreground(all, emulator.pid)
		if name != tt.name || isShell != tt.isShell || !errors.Is(err, tt.err) {
			t.Errorf("%s: %q, shell %v, %v; want %q, %v, %v", tt.what, name, isShell, err, tt.name, tt.isShell, tt.err)
		}
	}
}

func TestParseStat(t *testing.T) {
	for _, tt := range []struct {
		text string
		want procStat
		ok   bool
	}{
		{"7 (bash) S 6 7 7 34816 9 4194304 1 2", procStat{7, 6, 7, 34816, 9, "bash"}, true},
		{"7 (a) (b) S 1 2) R 6 7 7 0 -1 4194304", procStat{7, 6, 7, 0, -1, "a) (b) S 1 2"}, true},
		{"7 (bash) S 6 7 7 34816", procStat{}, false},
		{"7 (bash) S x 7 7 34816 9 1", procStat{}, false},
		{"7 )bash( S 6 7 7 34816 9 1", procStat{}, false},
		{"", procStat{}, false},
	} {
		if got, ok := parseStat(tt.text); ok != tt.ok || ok && got != tt.want {
			t.Errorf("parseStat(%q) = %+v, %v; want %+v", tt.text, got, ok, tt.want)
		}
	}
}

// The same of a real terminal, in which the test binary runs: it is not a shell.
func TestForegroundOfARealTerminal(t *testing.T) {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	defer master.Close()
	fd := int(master.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	slave, err := unix.IoctlRetInt(fd, unix.TIOCGPTPEER)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	tty := os.NewFile(uintptr(slave), "tty")
	s := newStage(t)
	cmd := exec.Command(self(), s.argv()[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	tty.Close()
	p := s.enter(t)
	defer p.leave(0)
	p.tell(t, "call-yourself a vi")
	if name, isShell, err := Foreground(os.Getpid()); name != "a vi" || isShell || err != nil {
		t.Errorf("Foreground = %q, %v, %v", name, isShell, err)
	}
	p.tell(t, "call-yourself zsh")
	if name, isShell, err := Foreground(os.Getpid()); name != "zsh" || !isShell || err != nil {
		t.Errorf("Foreground = %q, %v, %v", name, isShell, err)
	}
	if _, _, err := Foreground(math.MaxInt32); !errors.Is(err, ErrNoTerminal) {
		t.Errorf("of no process: %v", err)
	}
}
