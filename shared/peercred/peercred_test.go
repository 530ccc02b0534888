package peercred

import (
	"net"
	"os"
	"path/filepath"
	"testing"
)

// TestOf: both ends are this process, and a closed one is nobody.
func TestOf(t *testing.T) {
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	one, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	two, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer two.Close()
	for _, end := range []net.Conn{one, two} {
		who, err := Of(end.(*net.UnixConn))
		if err != nil || int(who.Pid) != os.Getpid() || int(who.Uid) != os.Getuid() {
			t.Errorf("%+v, %v", who, err)
		}
	}
	one.Close()
	if who, err := Of(one.(*net.UnixConn)); err == nil {
		t.Errorf("of a closed connection: %+v", who)
	}
}
