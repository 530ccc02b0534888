package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
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
		c.want(err == nil, "%s is not a number: %s", name, toJSON(got))
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
