package plugin_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"utter/shared/plugin"
	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

// TestMain lets the test binary be a plugin.
func TestMain(m *testing.M) {
	if os.Getenv("PLUGIN_TEST") != "" {
		plugin.Main(chatty)
	}
	os.Exit(m.Run())
}

// chatty does on standard input and output what a plugin must not.
var chatty = plugin.Plugin{
	ID: "chatty",
	Ops: []plugin.Op{{Name: "chat", Do: plugin.Do(func(ctx context.Context, _ plugin.None) (string, error) {
		fmt.Println("from fmt")
		os.NewFile(1, "one").WriteString("from one\n")
		child := exec.Command("sh", "-c", "echo from a child; cat; ls -l /proc/self/fd")
		child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
		if err := child.Run(); err != nil {
			return "", err
		}
		log.Print("from log")
		slog.Debug("from slog")
		n, err := os.Stdin.Read(make([]byte, 1))
		return fmt.Sprint(n, err), nil
	})}},
	Start: func(context.Context) error {
		fmt.Println("from start")
		return nil
	},
}

// child is a plugin in a process of its own.
type child struct {
	*exec.Cmd
	stderr bytes.Buffer
	peer   *rpc.Peer
	ended  chan error // what peer.Run returned
	log    chan string
}

func spawn(t *testing.T, env ...string) *child {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	c := &child{Cmd: exec.CommandContext(ctx, os.Args[0], "and", "arguments")}
	c.Env = append(append(os.Environ(), "PLUGIN_TEST=1", "GORACE=atexit_sleep_ms=0"), env...)
	c.Stderr = &c.stderr
	return c
}

// serve makes the runner's end of the connection.
func (c *child) serve(s rpc.Stream) {
	c.ended, c.log = make(chan error, 1), make(chan string, 10)
	c.peer = rpc.NewPeer(s, rpc.Options{Notified: func(_ context.Context, method string, params json.RawMessage) {
		c.log <- method + " " + string(params)
	}})
	go func() { c.ended <- c.peer.Run(context.Background()) }()
}

func (c *child) hello(t *testing.T) {
	t.Helper()
	said, err := c.peer.Call(t.Context(), protocol.MethodHello,
		protocol.HelloParams{Protocol: protocol.Version, ABI: protocol.ABI})
	if err != nil || !strings.Contains(string(said), `"name":"chatty"`) {
		t.Fatalf("hello: %s, %v\n%s", said, err, c.stderr.String())
	}
}

func TestStandardOutputBelongsToTheWire(t *testing.T) {
	c := spawn(t, "UTTER_PLUGIN_COOKIE=x")
	in, _ := c.StdinPipe()
	out, _ := c.StdoutPipe()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var wire []string // what the kernel calls the two pipes
	for _, f := range []any{in, out} {
		var st syscall.Stat_t
		if err := syscall.Fstat(int(f.(interface{ Fd() uintptr }).Fd()), &st); err != nil {
			t.Fatal(err)
		}
		wire = append(wire, fmt.Sprintf("pipe:[%d]", st.Ino))
	}
	c.serve(rpc.Pipe(out, in))
	c.hello(t)
	said, err := c.peer.Call(t.Context(), protocol.MethodActionInvoke,
		protocol.InvokeParams{Op: "chat", Args: []byte("{}"), Provenance: protocol.FromUser})
	if err != nil || string(said) != `{"ok":true,"op":"chat","detail":"0 EOF"}` {
		t.Errorf("%s, %v", said, err)
	}
	for _, want := range []string{`$/log {"level":"info","message":"from log"}`,
		`$/log {"level":"debug","message":"from slog"}`} {
		if got := <-c.log; got != want {
			t.Errorf("log %s, want %s", got, want)
		}
	}
	in.Close()
	if err := <-c.ended; err != nil {
		t.Error(err)
	}
	if err := c.Wait(); err != nil {
		t.Errorf("%v\n%s", err, c.stderr.String())
	}
	printed, open, _ := strings.Cut(c.stderr.String(), "total")
	if printed != "from start\nfrom fmt\nfrom one\nfrom a child\n" || !strings.Contains(open, "0 -> /dev/null") {
		t.Errorf("standard error:\n%s", c.stderr.String())
	}
	for _, name := range wire {
		if strings.Contains(open, name) {
			t.Errorf("a child of the plugin has %s:\n%s", name, open)
		}
	}
}

func TestByHand(t *testing.T) {
	c := spawn(t, "UTTER_PLUGIN_COOKIE=")
	out, err := c.Output()
	if c.ProcessState.ExitCode() != 2 || len(out) > 0 {
		t.Errorf("%v, %q", err, out)
	}
	if !strings.Contains(c.stderr.String(), "chatty is a plugin of Utter") ||
		!strings.Contains(c.stderr.String(), "utter runner drive -- "+os.Args[0]+" and arguments\n") {
		t.Errorf("%s", c.stderr.String())
	}
}

func TestExit(t *testing.T) {
	for what, tt := range map[string]struct {
		do   func(c *child, in io.WriteCloser)
		code int
		says string
	}{
		"end of input": {func(_ *child, in io.WriteCloser) { in.Close() }, 0, ""},
		"SIGTERM":      {func(c *child, _ io.WriteCloser) { c.Process.Signal(syscall.SIGTERM) }, 0, ""},
		"no frames":    {func(_ *child, in io.WriteCloser) { io.WriteString(in, "nonsense\r\n\r\n") }, 1, "chatty: "},
	} {
		c := spawn(t, "UTTER_PLUGIN_COOKIE=x")
		in, _ := c.StdinPipe()
		out, _ := c.StdoutPipe()
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		c.serve(rpc.Pipe(out, in))
		c.hello(t)
		tt.do(c, in)
		<-c.ended
		c.Wait()
		if got := c.ProcessState.ExitCode(); got != tt.code || !strings.Contains(c.stderr.String(), tt.says) {
			t.Errorf("%s: exit status %d\n%s", what, got, c.stderr.String())
		}
	}
}

func TestSockets(t *testing.T) {
	for _, transport := range []string{"connect", "listen"} {
		path := filepath.Join(t.TempDir(), "s")
		c := spawn(t, "UTTER_PLUGIN_COOKIE=x", "UTTER_PLUGIN_TRANSPORT="+transport, "UTTER_PLUGIN_SOCKET="+path)
		var l net.Listener
		var err error
		if transport == "connect" {
			if l, err = net.Listen("unix", path); err != nil {
				t.Fatal(err)
			}
			defer l.Close()
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		var conn net.Conn
		if l != nil {
			conn, err = l.Accept()
		} else {
			for range 1000 {
				if conn, err = net.Dial("unix", path); err == nil {
					break
				}
				time.Sleep(10 * time.Millisecond)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		c.serve(conn)
		c.hello(t)
		conn.Close()
		<-c.ended
		if err := c.Wait(); err != nil {
			t.Errorf("%s: %v\n%s", transport, err, c.stderr.String())
		}
	}
}
