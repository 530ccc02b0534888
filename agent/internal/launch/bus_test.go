package launch

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"
)

// privateBus starts a bus of its own and returns its address. services maps the
// names that it can start to command lines.
func privateBus(t *testing.T, services map[string]string) string {
	t.Helper()
	program, err := exec.LookPath("dbus-daemon")
	if err != nil {
		t.Skip("dbus-daemon is not installed; scripts/dev go test has it")
	}
	dir, err := os.MkdirTemp("", "b") // short: paths of sockets are limited
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, command := range services {
		write(name+".service", fmt.Sprintf("[D-BUS Service]\nName=%s\nExec=%s\n", name, command))
	}
	config := write("bus.conf", `<busconfig><type>session</type><listen>unix:dir=`+dir+`</listen><servicedir>`+dir+`</servicedir>`+
		`<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`)
	daemon := exec.Command(program, "--config-file="+config, "--nofork", "--nopidfile", "--print-address=1")
	out, err := daemon.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		daemon.Process.Kill()
		daemon.Wait()
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("dbus-daemon: %v", err)
	}
	return strings.TrimSpace(address)
}

func connect(t *testing.T, address string) *dbus.Conn {
	t.Helper()
	conn, err := dbus.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// own makes conn the owner of a name.
func own(t *testing.T, conn *dbus.Conn, name string) {
	t.Helper()
	if reply, err := conn.RequestName(name, dbus.NameFlagDoNotQueue); err != nil || reply != dbus.RequestNameReplyPrimaryOwner {
		t.Fatalf("RequestName(%s) = %v, %v", name, reply, err)
	}
}

func busLauncher(t *testing.T, address string) *Launcher {
	t.Helper()
	l, err := New(connect(t, address))
	if err != nil {
		t.Fatal(err)
	}
	return l
}
