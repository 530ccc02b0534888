package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// passed asks for a descriptor and returns the reply with its files.
func passedFiles(l *link, params obj, count int) (*message, []*os.File) {
	m := l.call("fd.pass", params)
	l.result(m, "fd.pass "+toJSON(params))
	l.c.want(len(m.files) == count && m.late == 0,
		"%d descriptors came with the first byte of the reply and %d later, must be %d and 0", len(m.files), m.late, count)
	for _, f := range m.files {
		l.c.later(func() { f.Close() })
	}
	return m, m.files
}

func contents(c *C, f *os.File) []byte {
	data, err := io.ReadAll(io.NewSectionReader(f, 0, 1<<30))
	c.must(err)
	return data
}

func fdHandle(c *C) {
	a := c.start(config{}).client()
	data := []byte(strings.Repeat("0123456789é", 10_000))
	h := created(a, obj{"data": string(data)}, data)
	m, files := passedFiles(a, obj{"kind": "handle", "meta": obj{"handle": h}}, 1)
	f := files[0]
	c.equal("the result", m.at("result"), obj{})
	c.want(digest(contents(c, f)) == digest(data), "the descriptor holds other bytes: %d of %d",
		len(contents(c, f)), len(data))
	seals, err := unix.FcntlInt(f.Fd(), unix.F_GET_SEALS, 0)
	c.want(err == nil && seals&unix.F_SEAL_WRITE != 0, "the descriptor is not sealed against writing: %#x, %v", seals, err)
	if again, err := os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", f.Fd()), os.O_RDWR, 0); err == nil {
		_, err = again.WriteAt([]byte("evil"), 0)
		again.Close()
		c.want(err != nil, "the descriptor can be opened again and written")
	}
	c.want(f.Truncate(0) != nil, "the descriptor can be truncated")
	c.want(digest(contents(c, f)) == digest(data), "the bytes were changed")
}

func fdMemfd(c *C) {
	a := c.start(config{}).client()
	for _, tt := range []struct {
		meta obj
		data string
		size int
	}{{obj{}, "", 4096}, {obj{"size": 10_000}, "", 10_000}, {obj{"data": "héllo"}, "héllo", 4096},
		{obj{"data": "héllo", "size": 5000}, "héllo", 5000},
		{obj{"data": strings.Repeat("x", 9000), "size": 10}, strings.Repeat("x", 9000), 9000}} {
		m, files := passedFiles(a, obj{"kind": "memfd", "meta": tt.meta}, 1)
		c.equal("the result", m.at("result"), obj{"kind": "memfd", "size": tt.size})
		offset, err := files[0].Seek(0, io.SeekCurrent)
		c.want(err == nil && offset == 0, "its position is %d, %v", offset, err)
		got := contents(c, files[0])
		c.want(len(got) == tt.size && strings.TrimRight(string(got), "\x00") == tt.data,
			"the memfd for %s holds %d bytes, %q", clip(toJSON(tt.meta), 60), len(got), clip(string(got), 20))
		seals, err := unix.FcntlInt(files[0].Fd(), unix.F_GET_SEALS, 0)
		c.want(err == nil && seals&(unix.F_SEAL_SHRINK|unix.F_SEAL_GROW) == unix.F_SEAL_SHRINK|unix.F_SEAL_GROW,
			"the seals are %#x, %v", seals, err)
		c.want(files[0].Truncate(0) != nil && files[0].Truncate(1<<20) != nil, "the size can be changed")
	}
}

func fdRing(c *C) {
	a := c.start(config{}).client()
	m := a.call("fd.pass", obj{"kind": "memfd.ring", "meta": obj{"size": 10_000}})
	a.result(m, "fd.pass memfd.ring")
	c.want(len(m.files) == 2 && m.late == 0, "%d descriptors came with the first byte and %d later, must be 2 and 0",
		len(m.files), m.late)
	ring, bell := m.files[0], m.files[1]
	defer ring.Close()
	defer bell.Close()
	data := contents(c, ring)
	c.want(len(data) > 4096, "the ring has %d bytes, its header alone has 4096", len(data))
	little := binary.LittleEndian
	capacity := little.Uint64(data[16:])
	c.want(string(data[:8]) == "UTRRING1", "it begins with %q", data[:8])
	c.equal("the version", little.Uint32(data[8:]), 1)
	c.equal("the size of the header", little.Uint32(data[12:]), 4096)
	c.want(capacity >= 10_000 && capacity&(capacity-1) == 0 && uint64(len(data)) == 4096+capacity,
		"the capacity is %d in a file of %d bytes, must be a power of two", capacity, len(data))
	c.want(little.Uint64(data[64:]) >= little.Uint64(data[128:]), "the write cursor is behind the read cursor")
	seals, err := unix.FcntlInt(ring.Fd(), unix.F_GET_SEALS, 0)
	c.want(err == nil && seals&(unix.F_SEAL_SHRINK|unix.F_SEAL_GROW) == unix.F_SEAL_SHRINK|unix.F_SEAL_GROW,
		"the seals are %#x, %v", seals, err)
	link, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", bell.Fd()))
	c.want(err == nil && strings.Contains(link, "eventfd"), "the second descriptor is %q, must be an eventfd", link)
}

func fdRefused(c *C) {
	a := c.start(config{}).client()
	for _, tt := range []struct {
		code   int64
		params obj
	}{
		{-32602, obj{}}, {-32602, obj{"kind": "socket", "meta": obj{}}}, {-32602, obj{"kind": 7}},
		{-32602, obj{"kind": "handle", "meta": arr{}}}, {-32602, obj{"kind": "handle", "meta": obj{}}},
		{-32602, obj{"kind": "handle", "meta": obj{"handle": "handle:///etc/passwd"}}},
		{-32602, obj{"kind": "memfd", "meta": obj{"size": "x"}}}, {-32602, obj{"kind": "memfd", "meta": obj{"size": -5}}},
		{-32000, obj{"kind": "handle", "meta": obj{"handle": "handle://" + strings.Repeat("0", 64)}}},
	} {
		m := a.call("fd.pass", tt.params)
		a.failure(tt.code, m, "fd.pass "+toJSON(tt.params))
		c.want(len(m.files) == 0, "a descriptor came with an error")
	}
}

func fdUnderLoad(c *C) {
	a := c.start(config{}).client()
	const rounds, perRound = 10, 20
	handles := make([]string, perRound)
	for n := range handles {
		data := fmt.Sprintf("content %d", n)
		handles[n] = created(a, obj{"data": data}, []byte(data))
	}
	for range rounds {
		kind := map[string]int{}
		for n, h := range handles {
			kind[a.ask("fd.pass", obj{"kind": "handle", "meta": obj{"handle": h}})] = n
			kind[a.ask("handle.fetch", obj{"handle": h})] = -1
		}
		for range 2 * perRound {
			m := a.await("a reply", func(m *message) bool { return m.isReply() && has(m.value, "result") })
			n, known := kind[m.id()]
			c.want(known, "a reply to %s", m.id())
			if n < 0 {
				c.want(len(m.files) == 0, "a descriptor came with the reply to handle.fetch")
				continue
			}
			c.want(len(m.files) == 1, "%d descriptors came with the reply to fd.pass", len(m.files))
			got := string(contents(c, m.files[0]))
			m.files[0].Close()
			c.want(got == fmt.Sprintf("content %d", n), "the descriptor of another request came: %q for %d", got, n)
		}
	}
}

func fdForeign(c *C) {
	r := c.start(config{})
	a, b := r.client(), r.client()
	h := created(a, obj{"data": "mine"}, []byte("mine"))
	m := b.call("fd.pass", obj{"kind": "handle", "meta": obj{"handle": h}})
	b.failure(-32000, m, "fd.pass of a foreign handle")
	c.want(len(m.files) == 0, "a descriptor came with an error")
	shared := created(a, obj{"data": "ours", "scope": "shared"}, []byte("ours"))
	passedFiles(b, obj{"kind": "handle", "meta": obj{"handle": shared}}, 1)
}

func fdLeak(c *C) {
	r := c.start(config{})
	a := r.client()
	h := created(a, obj{"data": "x"}, []byte("x"))
	round := func() {
		for _, params := range []obj{{"kind": "handle", "meta": obj{"handle": h}}, {"kind": "memfd", "meta": obj{}},
			{"kind": "memfd.ring", "meta": obj{}}} {
			for _, f := range a.call("fd.pass", params).files {
				f.Close()
			}
		}
		b := r.client() // one that asks and leaves
		b.ask("fd.pass", obj{"kind": "memfd", "meta": obj{}})
		b.close()
	}
	round()
	time.Sleep(200 * time.Millisecond)
	before := c.descriptors(r.cmd.Process.Pid)
	for range 50 {
		round()
	}
	c.within(c.patience, fmt.Sprintf("the runner has again about the %d descriptors it had", before),
		func() bool { return c.descriptors(r.cmd.Process.Pid) <= before+8 })
}

func fdTooLarge(c *C) {
	r := c.start(config{})
	a := r.client()
	for _, kind := range []string{"memfd", "memfd.ring"} {
		for _, size := range []any{int64(1) << 40, int64(1) << 62, fromJSON("99999999999999999999999")} {
			m := a.call("fd.pass", obj{"kind": kind, "meta": obj{"size": size}})
			c.want(has(m.value, "error") && len(m.files) == 0, "a %s of %v bytes is made: %s", kind, size, m.body)
		}
	}
	a.served()
}
