package plugin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

// Exit statuses of Main.
const (
	exitOK     = 0
	exitFailed = 1
	exitByHand = 2 // also a Plugin with errors in it
)

// Main is all that func main of a plugin needs: it serves p to the runner that
// started this process, and exits. Standard output belongs to the protocol; what
// the plugin or a child of it prints goes to standard error, and so to its log.
//
// It exits with 0 when the runner stops the plugin, with 1 and a line on standard
// error after a failure, and with 2 if it was not started by a runner.
func Main(p Plugin) { os.Exit(run(p, os.Args, os.Stderr)) }

func run(p Plugin, argv []string, stderr io.Writer) int {
	if err := p.check(); err != nil {
		fmt.Fprintln(stderr, err)
		return exitByHand
	}
	if os.Getenv(protocol.EnvPluginCookie) == "" {
		fmt.Fprintf(stderr,
			"%s is a plugin of Utter and must be started by its runner. To try it by hand, run\n\n"+
				"    utter runner drive -- %s\n",
			p.ID, strings.Join(argv, " "))
		return exitByHand
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	transport := os.Getenv(protocol.EnvPluginTransport)
	if transport == "" {
		transport = protocol.TransportStdio
	}
	s, err := connection(transport)
	if err == nil {
		start := p.Start
		p.Start = func(ctx context.Context) error {
			slog.SetDefault(Log(context.WithValue(context.Background(), sessionKey{}, sessionOf(ctx))))
			if start == nil {
				return nil
			}
			return start(ctx)
		}
		err = Serve(ctx, p, s, transport)
	}
	if err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", p.ID, err)
		return exitFailed
	}
	return exitOK
}

// connection returns the way to the runner.
func connection(transport string) (rpc.Stream, error) {
	path := os.Getenv(protocol.EnvPluginSocket)
	switch transport {
	case protocol.TransportStdio:
		return ownStdio()
	case protocol.TransportConnect:
		return net.Dial("unix", path)
	case protocol.TransportListen:
		l, err := net.Listen("unix", path)
		if err != nil {
			return nil, err
		}
		defer l.Close()
		return l.Accept()
	}
	return nil, fmt.Errorf("there is no transport %q", transport)
}

// ownStdio takes standard input and output away from the rest of the process:
// it moves them to other descriptors, which children do not inherit. In their
// places are an empty input and standard error.
func ownStdio() (rpc.Stream, error) {
	in, err := move(unix.Stdin, "runner's requests")
	if err != nil {
		return nil, fmt.Errorf("standard input: %w", err)
	}
	out, err := move(unix.Stdout, "replies to the runner")
	if err != nil {
		return nil, fmt.Errorf("standard output: %w", err)
	}
	empty, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	defer empty.Close()
	err = errors.Join(unix.Dup3(int(empty.Fd()), unix.Stdin, 0), unix.Dup3(unix.Stderr, unix.Stdout, 0))
	if err != nil {
		return nil, fmt.Errorf("standard input and output: %w", err)
	}
	return rpc.Pipe(in, out), nil
}

// move duplicates a descriptor to one that closes on exec and, where it can,
// waits in the runtime's poller, so that Close ends a waiting Read.
func move(fd int, name string) (*os.File, error) {
	moved, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, err
	}
	var st unix.Stat_t
	if err := unix.Fstat(moved, &st); err != nil {
		return nil, err
	}
	if kind := st.Mode & unix.S_IFMT; kind == unix.S_IFIFO || kind == unix.S_IFSOCK {
		if err := unix.SetNonblock(moved, true); err != nil {
			return nil, err
		}
	}
	return os.NewFile(uintptr(moved), name), nil
}
