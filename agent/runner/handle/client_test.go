package handle

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"time"

	"golang.org/x/sys/unix"

	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

// A sight is what a client finds out about what it was passed.
type sight struct {
	Result   map[string]any
	Failure  string
	Files    int
	Seals    int
	ReadOnly bool   // by the mode of the descriptor
	Position int64  // of the descriptor
	Content  string // all of it

	// What each attempt to change it came to: "" if it worked.
	Write, Reopen, Map, Shrink, Grow, Exec string
}

// playClient asks fd.pass with the params on its standard input and prints what
// it sees. In the part "ring" it reads the ring instead, in "hostile" breaks it.
func playClient(part string) {
	conn, err := net.Dial("unix", os.Getenv("HANDLE_TEST_SOCKET"))
	must(err)
	params, err := io.ReadAll(os.Stdin)
	must(err)
	must(rpc.WriteFrame(conn, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":"fd.pass","params":%s}`, params)))
	body, files := receive(conn.(*net.UnixConn))
	var reply struct {
		Result map[string]any
		Error  *protocol.Error
	}
	must(json.Unmarshal(body, &reply))
	s := sight{Result: reply.Result, Files: len(files)}
	switch {
	case reply.Error != nil:
		s.Failure = reply.Error.Error()
	case part == "ring":
		s.Content = readRing(files, int(reply.Result["size"].(float64)))
	case part == "hostile":
		r, err := mapReader(files[0], files[1])
		must(err)
		r.cursor(atRead).Store(1 << 40)
		_, err = io.ReadAll(conn) // until the runner hangs up
		must(err)
	default:
		s.look(files[0])
	}
	must(json.NewEncoder(os.Stdout).Encode(s))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// receive reads one frame by recvmsg and the descriptors that came with its first
// byte. It knows nothing of how they were sent.
func receive(conn *net.UnixConn) (body []byte, files []*os.File) {
	first, oob := make([]byte, 1), make([]byte, 256)
	n, oobn, _, _, err := conn.ReadMsgUnix(first, oob)
	must(err)
	messages, err := unix.ParseSocketControlMessage(oob[:oobn])
	must(err)
	for _, m := range messages {
		fds, err := unix.ParseUnixRights(&m)
		must(err)
		for _, fd := range fds {
			files = append(files, os.NewFile(uintptr(fd), "passed"))
		}
	}
	body, err = rpc.ReadFrame(bufio.NewReader(io.MultiReader(bytes.NewReader(first[:n]), conn)), 1<<20)
	must(err)
	return body, files
}

func (s *sight) look(f *os.File) {
	said := func(err error) string {
		if err != nil {
			return err.Error()
		}
		return ""
	}
	fd := int(f.Fd())
	var err error
	s.Seals, err = unix.FcntlInt(f.Fd(), unix.F_GET_SEALS, 0)
	must(err)
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	must(err)
	s.ReadOnly = flags&unix.O_ACCMODE == unix.O_RDONLY
	s.Position, err = f.Seek(0, io.SeekCurrent)
	must(err)
	content, err := io.ReadAll(f)
	must(err)
	s.Content = string(content)

	_, err = unix.Pwrite(fd, []byte("!"), 0)
	s.Write = said(err)
	again, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", fd), unix.O_RDWR, 0)
	if err == nil {
		_, err = unix.Pwrite(again, []byte("!"), 0)
		_, mapErr := unix.Mmap(again, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
		s.Map, s.Shrink, s.Grow = said(mapErr), said(unix.Ftruncate(again, 0)), said(unix.Ftruncate(again, 1<<20))
	} else {
		s.Map, s.Shrink, s.Grow = said(err), said(err), said(err)
	}
	s.Reopen = said(err)
	s.Exec = said(exec.Command(fmt.Sprintf("/proc/self/fd/%d", fd)).Run())
	after := make([]byte, len(content))
	_, err = f.ReadAt(after, 0)
	must(err)
	if s.Write != "" && s.Reopen != "" && !bytes.Equal(after, content) {
		s.Content = "it changed"
	}
}

// readRing reads size bytes, or until the ring ends, and then says so. The size
// comes as meta.size of the request for a ring that a handle is fed to.
func readRing(files []*os.File, size int) string {
	want, err := os.ReadFile(os.Getenv("HANDLE_TEST_WANT"))
	must(err)
	r, err := mapReader(files[0], files[1])
	must(err)
	must(r.SetDeadline(time.Now().Add(20 * time.Second)))
	into := make([]byte, 3000)
	var got []byte
	for len(got) < len(want) {
		n, err := r.Read(into)
		must(err)
		if got = append(got, into[:n]...); n == 0 {
			if err := r.Wait(); err != nil {
				return fmt.Sprintf("after %d bytes of %d, %d of memory: %v", len(got), len(want), size, err)
			}
		}
	}
	if !bytes.Equal(got, want) {
		return "other bytes"
	}
	return fmt.Sprintf("all %d", len(got))
}
