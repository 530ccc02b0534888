// Package handle stores bytes under their digest and creates the descriptors that
// leave the runner: sealed memory files and rings. It trusts neither its folder,
// which every program of the user can write to, nor the other side of a descriptor.
//
// A handle belongs to the Owner, a connection, that created it, and ends with it.
// Only handles with the scope "shared" can be read by others and outlive their
// owner, until they expire. To everyone else a handle is unknown.
//
// The core uses it like this:
//
//	store, err := handle.Open(handle.Options{...})  one for the runner; go store.Run(ctx)
//	owner := store.NewOwner()                       for each connection; Close when it has ended
//
//	handle.create, handle.fetch, handle.stat   owner.Create, owner.Fetch, owner.Stat
//	fd.pass                                    owner.Pass, whose Reply goes back as it is
//	a handle in the result of a plugin         owner.Adopt with the data_b64 of its handle.fetch
//
// # The ring
//
// memfd.ring sends a memory file and an eventfd, in this order. The file begins
// with a header of 4,096 bytes, little-endian:
//
//	  0  "UTRRING1"
//	  8  u32  version, 1
//	 12  u32  size of the header, 4096
//	 16  u64  capacity in bytes, a power of two
//	 64  u64  write cursor: bytes ever written
//	128  u64  read cursor: bytes ever read
//
// and goes on with the data: byte n of what was written is at n modulo the
// capacity. The runner writes, the client reads and then moves the read cursor.
// The eventfd is readable after there was something new. A cursor that is out of
// range (write less read is more than the capacity) ends the ring; the runner
// sets the write cursor to 2^64-1 when it has seen one.
package handle
