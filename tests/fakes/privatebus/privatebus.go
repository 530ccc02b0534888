// Package privatebus gives a test a message bus of its own: a real dbus-daemon on
// which it may play any service.
package privatebus

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/godbus/dbus/v5"
)

// program is looked for before any test changes the path.
var program, _ = exec.LookPath("dbus-daemon")

// Start starts a bus that ends with the test and returns its address. services
// maps the names that it can start to command lines.
func Start(t testing.TB, services map[string]string) (address string) {
	t.Helper()
	address, _ = StartEnding(t, services)
	return address
}

// StartEnding is Start, with a function that ends the bus before the test does.
func StartEnding(t testing.TB, services map[string]string) (address string, end func()) {
	t.Helper()
	if program == "" {
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
	config := write("bus.conf",
		`<busconfig><type>session</type><listen>unix:dir=`+dir+`</listen><servicedir>`+dir+`</servicedir>`+
			`<policy context="default"><allow send_destination="*" eavesdrop="true"/>`+
			`<allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`)
	daemon := exec.Command(program, "--config-file="+config, "--nofork", "--nopidfile", "--print-address=1")
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

// Connect returns a connection that is closed at the end of the test.
func Connect(t testing.TB, address string) *dbus.Conn {
	t.Helper()
	conn, err := dbus.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// Own makes conn the owner of a name.
func Own(t testing.TB, conn *dbus.Conn, name string) {
	t.Helper()
	if reply, err := conn.RequestName(name, dbus.NameFlagDoNotQueue); err != nil ||
		reply != dbus.RequestNameReplyPrimaryOwner {
		t.Fatalf("RequestName(%s) = %v, %v", name, reply, err)
	}
}
