//go:build !race

package rpc

import (
	"syscall"
	"unsafe"
)

// readNow reads from a descriptor that does not wait.
func readNow(fd uintptr, b []byte) (int, error) { return direct(syscall.SYS_READ, fd, b) }

// writeNow writes to a descriptor that does not wait.
func writeNow(fd uintptr, b []byte) (int, error) { return direct(syscall.SYS_WRITE, fd, b) }

func direct(call, fd uintptr, b []byte) (int, error) {
	n, _, errno := syscall.RawSyscall(call, fd, uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}
