package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/godbus/dbus/v5"
)

// dbusDaemon is looked for before any test changes the path.
var dbusDaemon, _ = exec.LookPath("dbus-daemon")

// privateBus starts a bus of its own and returns its address, and a function that
// ends it before the test does.
func privateBus(t *testing.T) (address string, end func()) {
	t.Helper()
	if dbusDaemon == "" {
		t.Skip("dbus-daemon is not installed; scripts/dev go test has it")
	}
	dir, err := os.MkdirTemp("", "b") // short: paths of sockets are limited
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	config := filepath.Join(dir, "bus.conf")
	text := `<busconfig><type>session</type><listen>unix:dir=` + dir + `</listen><policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	daemon := exec.Command(dbusDaemon, "--config-file="+config, "--nofork", "--nopidfile", "--print-address=1")
	out, err := daemon.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	end = sync.OnceFunc(func() {
		daemon.Process.Kill()
		daemon.Wait()
	})
	t.Cleanup(end)
	address, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("dbus-daemon: %v", err)
	}
	return strings.TrimSpace(address), end
}

func dialBus(t *testing.T, address string) *dbus.Conn {
	t.Helper()
	conn, err := dbus.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}
