package handle

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

const (
	minMemfd = 4096
	maxMemfd = protocol.MaxHandlesAll

	sealSize = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW
	sealAll  = sealSize | unix.F_SEAL_WRITE | unix.F_SEAL_SEAL
)

// A passed is the result of fd.pass for what is not a handle.
type passed struct {
	Kind     string `json:"kind"`
	Size     int64  `json:"size"`               // bytes of the file
	Capacity int64  `json:"capacity,omitempty"` // of a ring, bytes
}

// Pass returns a descriptor, as the Reply to fd.pass. Over anything but a Unix
// socket package rpc answers -32005 instead.
//
// A handle is a copy that nobody can change. A memfd has a fixed size; with data
// it cannot be written either. A ring has room for size bytes at least; the
// data, or those of a handle, are written to it, waiting for the reader where
// they do not fit.
func (o *Owner) Pass(p protocol.FDPassParams) (rpc.Reply, error) {
	switch p.Kind {
	case protocol.FDHandle:
		return o.passHandle(p.Meta)
	case protocol.FDMemfd:
		return passMemfd(p.Meta)
	case protocol.FDMemfdRing:
		return o.passRing(p.Meta)
	}
	return rpc.Reply{}, protocol.Errorf(protocol.CodeInvalidParams, "kind is %.40q, not %s, %s or %s",
		p.Kind, protocol.FDHandle, protocol.FDMemfd, protocol.FDMemfdRing)
}

func (o *Owner) passHandle(m protocol.FDMeta) (rpc.Reply, error) {
	data, err := o.bytes(m)
	if err != nil {
		return rpc.Reply{}, err
	}
	f, err := sealed("utter handle", data, int64(len(data)), sealAll)
	if err != nil {
		return rpc.Reply{}, err
	}
	return rpc.Reply{Result: struct{}{}, Files: []*os.File{f}}, nil
}

// bytes returns all that a handle names.
func (o *Owner) bytes(m protocol.FDMeta) ([]byte, error) {
	f, h, size, err := o.open(m.Handle, m.Scope)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return read(f, h, size)
}

func passMemfd(m protocol.FDMeta) (rpc.Reply, error) {
	size, data, err := wanted(m)
	if err != nil {
		return rpc.Reply{}, err
	}
	seals := sealSize
	if m.Data != nil {
		seals = sealAll
	}
	f, err := sealed("utter memfd", data, size, seals)
	if err != nil {
		return rpc.Reply{}, err
	}
	return rpc.Reply{Result: passed{Kind: protocol.FDMemfd, Size: size}, Files: []*os.File{f}}, nil
}

// wanted reads how large a memory file must be, and what is in it.
func wanted(m protocol.FDMeta) (size int64, data []byte, err error) {
	if m.Size != nil {
		size = *m.Size
	}
	if m.Data != nil {
		data = []byte(*m.Data)
	}
	if size < 0 || size > maxMemfd {
		return 0, nil, protocol.Errorf(protocol.CodeInvalidParams, "size is not between 0 and %d", maxMemfd)
	}
	return max(size, int64(len(data)), minMemfd), data, nil
}

// sealed returns a memory file of size bytes that begins with data. If its
// content is sealed too it comes read-only.
func sealed(name string, data []byte, size int64, seals int) (*os.File, error) {
	f, err := memfd(name, size)
	if err != nil {
		return nil, err
	}
	if err := fill(f, data, seals); err != nil {
		f.Close()
		return nil, fmt.Errorf("make a memory file: %w", err)
	}
	if seals&unix.F_SEAL_WRITE == 0 {
		return f, nil
	}
	defer f.Close()
	return os.Open(fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
}

// memfd returns an empty memory file that cannot be executed.
func memfd(name string, size int64) (*os.File, error) {
	const flags = unix.MFD_CLOEXEC | unix.MFD_ALLOW_SEALING
	fd, err := unix.MemfdCreate(name, flags|unix.MFD_NOEXEC_SEAL)
	if errors.Is(err, unix.EINVAL) { // before Linux 6.3
		fd, err = unix.MemfdCreate(name, flags)
	}
	if err != nil {
		return nil, fmt.Errorf("make a memory file: %w", err)
	}
	f := os.NewFile(uintptr(fd), name)
	if err := f.Truncate(size); err != nil {
		f.Close()
		return nil, fmt.Errorf("make a memory file: %w", err)
	}
	return f, nil
}

func fill(f *os.File, data []byte, seals int) error {
	if _, err := f.WriteAt(data, 0); err != nil {
		return err
	}
	mode := os.FileMode(0o600)
	if seals&unix.F_SEAL_WRITE != 0 {
		mode = 0o400
	}
	if err := f.Chmod(mode); err != nil {
		return err
	}
	_, err := unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, seals)
	return err
}
