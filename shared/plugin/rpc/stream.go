package rpc

import (
	"errors"
	"io"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// A Stream carries the bytes of one connection. Close must end a Read and a
// Write that wait, as it does for sockets, net.Pipe and os.Pipe.
type Stream interface {
	io.Reader
	io.Writer
	io.Closer
}

// Pipe joins the two halves of a connection, such as the stdout and the stdin
// of a plugin.
func Pipe(r io.ReadCloser, w io.WriteCloser) Stream { return &pipe{r, w} }

type pipe struct {
	io.ReadCloser
	w io.WriteCloser
}

func (p *pipe) Write(b []byte) (int, error) { return p.w.Write(b) }

func (p *pipe) Close() error { return errors.Join(p.w.Close(), p.ReadCloser.Close()) }

// fdWriter is the part of net.UnixConn that sends descriptors.
type fdWriter interface {
	WriteMsgUnix(b, oob []byte, addr *net.UnixAddr) (n, oobn int, err error)
}

// SendFiles writes b to a Unix socket by one sendmsg that carries the files
// with its first byte. The rest of a short write follows without them.
func SendFiles(w io.Writer, b []byte, files ...*os.File) error {
	socket, ok := w.(fdWriter)
	if !ok {
		return ErrNoFiles
	}
	fds := make([]int, len(files))
	for i, f := range files {
		fds[i] = int(f.Fd())
	}
	n, _, err := socket.WriteMsgUnix(b, unix.UnixRights(fds...), nil)
	if err == nil && n < len(b) {
		_, err = w.Write(b[n:])
	}
	return err
}
