package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

var handleChecks = []check{
	{ID: "14.1", Title: "handle.create makes a handle of the bytes' SHA-256",
		Catches: "another digest, another order of data_b64, data and size", Run: handleCreate},
	{ID: "14.2", Title: "handle.fetch gives up to 65,536 bytes inline, more is -32007 and says how much",
		Catches: "a bound beside the mark", Run: handleInline},
	{ID: "14.3", Title: "handle.stat tells size, times and references",
		Catches: "a stat that is made up", Run: handleStat},
	{ID: "14.4", Title: "a malformed handle is -32602, never a path; an unknown one -32000",
		Catches: "a handle that reads files", Run: handleMalformed},
	{ID: "14.5", Title: "a handle belongs to its connection; others read scope shared only",
		Catches: "any client that reads another's bytes", Run: handleOwners},
	{ID: "14.6", Title: "16 MiB an owner, 64 MiB in all, free again when the owner leaves",
		Catches: "a store without bounds, or one that never forgets", Run: handleLimits, Alone: true},
	{ID: "14.7", Title: "a handle is gone after handle_ttl", Catches: "handles for ever", Run: handleExpires},
	{ID: "14.8", Title: "a scope never leaves the store", Catches: "a scope that is a path", Run: handleScopes},
	{ID: "14.9", Title: "fd.pass handle: the descriptor comes with the first byte of its reply, sealed and right",
		Catches: "a late, missing or writable descriptor; wrong bytes", Run: fdHandle},
	{ID: "14.10", Title: "fd.pass memfd: data at 0, the rest zero, size kept by seals",
		Catches: "a memfd that shrinks under its reader", Run: fdMemfd},
	{ID: "14.11", Title: "fd.pass memfd.ring: two descriptors and the header of the ring",
		Catches: "one descriptor, another layout", Run: fdRing},
	{ID: "14.12", Title: "fd.pass of what is not there or malformed is refused, without a descriptor",
		Catches: "a descriptor with an error", Run: fdRefused},
	{ID: "14.13", Title: "under load every descriptor comes with its own frame, and frames stay whole",
		Catches: "a writer for descriptors beside the one for bytes", Run: fdUnderLoad},
	{ID: "14.14", Title: "a foreign handle cannot be had as a descriptor",
		Catches: "ownership checked on fetch alone", Run: fdForeign},
	{ID: "14.15", Title: "passing descriptors leaves none behind",
		Catches: "a runner that runs out of descriptors", Run: fdLeak},
	{ID: "14.16", Title: "a memfd without bounds is refused", Catches: "a client that fills the memory", Run: fdTooLarge},
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func b64(data []byte) string { return base64.StdEncoding.EncodeToString(data) }

// created makes a handle and checks what is said of it.
func created(l *link, params obj, want []byte) string {
	got := l.ok("handle.create", params)
	l.c.equal("what is said of "+clip(toJSON(params), 100), got,
		obj{"handle": "handle://" + digest(want), "sha256": digest(want), "size": len(want)})
	return text(at(got, "handle"))
}

func handleCreate(c *C) {
	a := c.start(config{}).client()
	bytes := []byte("\x00\xff binary é")
	for _, tt := range []struct {
		params obj
		want   []byte
	}{
		{obj{"data": "héllo"}, []byte("héllo")}, {obj{"data_b64": b64(bytes)}, bytes},
		{obj{"size": 5000}, make([]byte, 5000)},
		{obj{"data_b64": b64(bytes), "data": "x", "size": 3}, bytes}, {obj{"data": "y", "size": 3}, []byte("y")},
	} {
		h := created(a, tt.params, tt.want)
		for _, spelling := range []string{h, strings.Replace(h, "handle://", "handle://sha256/", 1)} {
			c.equal("the bytes", a.ok("handle.fetch", obj{"handle": spelling}),
				obj{"size": len(tt.want), "sha256": digest(tt.want), "data_b64": b64(tt.want)})
		}
	}
	for _, bad := range []obj{{}, {"data_b64": "%%%"}, {"data_b64": 7}, {"data": 7}, {"size": -1},
		{"size": "5"}, {"size": 1.5}} {
		a.refused(-32602, "handle.create", bad)
	}
}

func handleInline(c *C) {
	a := c.start(config{}).client()
	most := created(a, obj{"size": 65536}, make([]byte, 65536))
	c.equal("size", at(a.ok("handle.fetch", obj{"handle": most}), "size"), 65536)
	more := created(a, obj{"size": 65537}, make([]byte, 65537))
	e := a.refused(-32007, "handle.fetch", obj{"handle": more})
	c.equal("data", at(e, "data"), obj{"size": 65537, "max_inline": 65536, "handle": more})
}

func handleStat(c *C) {
	a := c.start(config{runner: "handle_ttl = 50"}).client()
	before := float64(time.Now().Unix())
	h := created(a, obj{"data": "x"}, []byte("x"))
	got := a.ok("handle.stat", obj{"handle": h})
	c.equal("handle", at(got, "handle"), h)
	c.equal("sha256", at(got, "sha256"), digest([]byte("x")))
	c.equal("size", at(got, "size"), 1)
	c.equal("ttl", at(got, "ttl"), 50)
	c.equal("refcount", at(got, "refcount"), 1)
	number := func(name string) float64 {
		var f float64
		_, err := fmt.Sscan(toJSON(at(got, name)), &f)
		c.want(err == nil, "%s is no number: %s", name, toJSON(got))
		return f
	}
	c.want(number("created") >= before-1 && number("created") <= before+60,
		"created is %v, the time was %v", number("created"), before)
	life := number("expires") - number("created")
	c.want(life > 49 && life < 51, "it expires %v s after it was created, must be 50", life)
	created(a, obj{"data": "x"}, []byte("x"))
	c.equal("refcount of the same bytes again", at(a.ok("handle.stat", obj{"handle": h}), "refcount"), 2)
}

func handleMalformed(c *C) {
	r := c.start(config{})
	a := r.client()
	h := created(a, obj{"data": "x"}, []byte("x"))
	for _, method := range []string{"handle.fetch", "handle.stat"} {
		for _, bad := range []any{"", nil, 7, "x", strings.TrimPrefix(h, "handle://"), strings.ToUpper(h),
			"HANDLE://" + h[9:], h + "0", h[:len(h)-1], h + "/", h[:len(h)-1] + "g",
			"handle://../../../../etc/passwd", "handle:///etc/passwd", "handle://md5/" + h[9:], "file://" + r.config, r.config} {
			a.refused(-32602, method, obj{"handle": bad})
		}
		a.refused(-32602, method, obj{})
		a.refused(-32000, method, obj{"handle": "handle://" + strings.Repeat("0", 64)})
	}
}

func handleOwners(c *C) {
	r := c.start(config{})
	a, b := r.client(), r.client()
	private := created(a, obj{"data": "mine"}, []byte("mine"))
	shared := created(a, obj{"data": "ours", "scope": "shared"}, []byte("ours"))
	for _, method := range []string{"handle.fetch", "handle.stat"} {
		b.refused(-32000, method, obj{"handle": private})
		b.refused(-32000, method, obj{"handle": private, "scope": "runner"})
		b.ok(method, obj{"handle": shared})
		b.ok(method, obj{"handle": shared, "scope": "shared"})
		a.ok(method, obj{"handle": private})
	}
}

func handleLimits(c *C) {
	r := c.start(config{})
	const mib = 1 << 20
	a := r.client()
	m := a.call("handle.create", obj{"size": 16*mib + 1})
	c.want(has(m.value, "error"), "a handle of over 16 MiB is made: %s", m.body)
	a.ok("handle.create", obj{"size": 16 * mib})
	m = a.call("handle.create", obj{"size": 4096})
	c.want(has(m.value, "error"), "one owner has over 16 MiB: %s", m.body)
	others := []*link{a}
	for n := range 3 {
		l := r.client()
		l.ok("handle.create", obj{"size": 16*mib - 1 - n}) // other bytes each time
		others = append(others, l)
	}
	last := r.client()
	m = last.call("handle.create", obj{"size": 15 * mib})
	c.want(has(m.value, "error"), "all owners have over 64 MiB: %s", m.body)
	for _, l := range others {
		l.close()
	}
	c.within(c.patience, "the bytes of clients that left are free",
		func() bool { return has(last.call("handle.create", obj{"size": 15 * mib}).value, "result") })
}

func handleExpires(c *C) {
	a := c.start(config{runner: "handle_ttl = 1"}).client()
	h := created(a, obj{"data": "x"}, []byte("x"))
	a.ok("handle.fetch", obj{"handle": h})
	time.Sleep(1500 * time.Millisecond)
	a.refused(-32000, "handle.fetch", obj{"handle": h})
	a.refused(-32000, "handle.stat", obj{"handle": h})
	created(a, obj{"data": "x"}, []byte("x")) // and can be made again
	a.ok("handle.fetch", obj{"handle": h})
}

func handleScopes(c *C) {
	r := c.start(config{})
	a := r.client()
	for _, scope := range []string{"my-own_scope.1", "shared"} {
		h := created(a, obj{"data": scope, "scope": scope}, []byte(scope))
		c.equal("the bytes in scope "+scope, at(a.ok("handle.fetch", obj{"handle": h, "scope": scope}), "data_b64"),
			b64([]byte(scope)))
	}
	for _, scope := range []string{"../../../escaped", "/tmp/escaped", "..", ".", "a/b", "é\x00x",
		strings.Repeat("s", 500), "shared/../x"} {
		m := a.call("handle.create", obj{"data": "x", "scope": scope})
		if h := text(m.at("result", "handle")); h != "" {
			a.ok("handle.fetch", obj{"handle": h, "scope": scope})
		}
	}
	store := filepath.Join(r.runtime, "utter")
	err := filepath.Walk(c.dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && strings.Contains(filepath.Base(path), "escaped") &&
			!strings.HasPrefix(path, filepath.Join(store, "handles")+"/") {
			c.fail("a scope made %s", path)
		}
		return nil
	})
	c.must(err)
	if info, err := os.Stat(filepath.Join(store, "handles")); err == nil {
		c.want(info.Mode().Perm() == 0o700, "the store has mode %v", info.Mode().Perm())
	}
	if _, err := os.Stat("/tmp/escaped"); err == nil {
		c.fail("a scope made /tmp/escaped")
	}
}

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
