package main

import (
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

// playFake is a runner that starts no plugin and does one thing for all
// requests. It shows that no check passes by itself.
func playFake(kind string) int {
	for _, arg := range os.Args[1:] {
		if arg == "--check-config" {
			fmt.Println("perhaps")
			return 3
		}
	}
	dir := filepath.Join(runtimeFolder(), "utter")
	if os.MkdirAll(dir, 0o750) != nil {
		return 3
	}
	socket := filepath.Join(dir, "runner.sock")
	os.Remove(socket)
	for _, name := range []string{"token", "confirm-token"} {
		if os.WriteFile(filepath.Join(dir, name), []byte("token\n"), 0o640) != nil {
			return 3
		}
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket})
	if err != nil {
		return 3
	}
	listener.SetUnlinkOnClose(false)
	stopped := make(chan os.Signal, 1)
	signal.Notify(stopped, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		for {
			conn, err := listener.AcceptUnix()
			if err != nil {
				return
			}
			go fakeClient(kind, conn)
		}
	}()
	<-stopped
	return 5
}

// runtimeFolder is $XDG_RUNTIME_DIR. A check that gives none, or one that is not
// absolute, must not make a runner of ours leave files where the tests run.
func runtimeFolder() string {
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(os.TempDir(), fmt.Sprintf("utter-%d", os.Getuid()))
}

func fakeClient(kind string, conn *net.UnixConn) {
	for {
		p, err := readParcel(socketEnd{conn})
		if err != nil {
			return // and never hang up
		}
		id := at(p.value(), "id")
		answer := obj{"jsonrpc": "2.0", "id": id, "result": obj{}}
		auth := strings.HasPrefix(text(at(p.value(), "method")), "runner.auth")
		switch {
		case kind == "mute" && !auth:
			continue
		case kind == "polite" && !auth:
			answer = obj{"jsonrpc": "2.0", "id": id,
				"error": obj{"code": -32000, "message": "not today", "data": obj{"reason": "none"}}}
		}
		_, _ = conn.Write(frame(toJSON(answer)))
	}
}
