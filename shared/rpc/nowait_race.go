//go:build race

package rpc

import "syscall"

// The race detector learns from these that what one goroutine did before it
// wrote comes before what another does after it has read.

func readNow(fd uintptr, b []byte) (int, error) { return syscall.Read(int(fd), b) }

func writeNow(fd uintptr, b []byte) (int, error) { return syscall.Write(int(fd), b) }
