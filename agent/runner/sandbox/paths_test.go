package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPathsNoPluginMayHave(t *testing.T) {
	d := newDesk(t)
	d.link(d.root, "read/up")
	d.link(d.path("run/bus"), "elsewhere")
	d.link("elsewhere2", "elsewhere1")
	d.link("elsewhere1", "elsewhere2")
	home := "all of " + d.host.Home
	for _, tt := range []struct {
		path  string
		write bool
		want  string // in the error, or "" where the path is fine
	}{
		{"/", false, "contains /run"},
		{"/run", false, "no plugin sees"},
		{"/run/dbus", false, "no plugin sees"},
		{"/var/run", false, "no plugin sees"},
		{"/var", false, "no plugin sees"},
		{"/proc/1", false, "no plugin sees"},
		{"/sys", false, "no plugin sees"},
		{"/dev/snd", false, "no plugin sees"},
		{"/home", false, "all of /home"},
		{"/home/", false, "all of /home"},
		{"/tmp", false, "no plugin sees"},
		{"/tmp/.X11-unix", false, "no plugin sees"},
		{d.host.Runtime, false, "no plugin sees"},
		{d.path("run/bus"), false, "no plugin sees"},
		{d.path("run/utter"), true, "no plugin sees"},
		{d.root, false, "contains " + d.host.Runtime},
		{d.host.Home, false, home},
		{d.path("read/up"), false, "which contains"},
		{d.path("elsewhere"), false, "neither a file nor a folder"},
		{d.path("elsewhere1"), false, "too many levels"},
		{d.path("home/.config"), false, "Utter's own"},
		{d.path("home/.config/utter"), true, "Utter's own"},
		{d.path("home/.config/utter/config.toml"), true, "Utter's own"},
		{d.path("nothing"), false, "does not exist"},
		{"plugin", false, "is not absolute"},

		{d.path("home/.profile"), false, ""},
		{d.path("home/.config/utter/config.toml"), false, ""},
		{d.path("read"), false, ""},
		{d.path("write"), true, ""},
		{"/usr/share", false, ""},
	} {
		m, err := d.box.mount("read path", tt.path, tt.write, nil)
		if err == nil {
			m.file.Close()
		}
		if (err == nil) != (tt.want == "") ||
			err != nil && (!strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), tt.path)) {
			t.Errorf("%s (write %v): %v, want %q", tt.path, tt.write, err, tt.want)
		}
	}
	if _, err := d.box.mount("read path", "/run", false, nil); !errors.As(err, new(*PathError)) {
		t.Errorf("the error is %T", err)
	}
}

// A device or a socket is not a path to give, wherever it lies.
func TestOnlyFilesAndFolders(t *testing.T) {
	d := newDesk(t)
	d.listen("unix", d.path("read/socket"))
	if _, err := d.box.mount("read path", d.path("read/socket"), false, nil); err == nil ||
		!strings.Contains(err.Error(), "neither a file nor a folder") {
		t.Errorf("err = %v", err)
	}
}

// Where the plugin writes, or what came with it, it may have laid a link.
func TestLinksOfThePluginDoNotLeadOut(t *testing.T) {
	d := newDesk(t)
	d.mkdir("home/.ssh")
	d.mkdir("write/inner")
	d.link(d.path("home/.ssh"), "write/out")
	d.link(d.path("home/.ssh"), "plugin/out")
	d.link("inner", "write/in")
	d.link(d.path("write"), "way") // the user's own link
	for _, tt := range []struct {
		path string
		ok   bool
	}{
		{"write/out", false},
		{"plugin/out", false},
		{"way/out", false},
		{"write/in", true},
		{"way/in", true},
		{"way", true},
	} {
		spec := d.spec()
		spec.Program = "/bin/sh"
		spec.ReadPaths = []string{d.path(tt.path)}
		mounts, err := d.box.mounts(spec)
		closeMounts(mounts)
		if (err == nil) != tt.ok || err != nil && !strings.Contains(err.Error(), "leads out of") {
			t.Errorf("%s: %v", tt.path, err)
		}
	}
}

// What was checked is what is mounted, though the plugin exchanges it meanwhile.
func TestAPathExchangedAfterTheCheck(t *testing.T) {
	d := boxed(t)
	if tool, err := d.box.bwrap(); err != nil || !tool.byFD {
		t.Skip("this bubblewrap mounts paths only")
	}
	d.mkdir("home/.ssh")
	d.write("home/.ssh/key", "the key")
	d.mkdir("write/sub")
	d.write("write/sub/mine", "mine")
	spec := d.spec()
	spec.ReadPaths = []string{d.path("write/sub")}
	cmd, out := d.python(true, spec, "import os; print(sorted(os.listdir('"+d.path("write/sub")+"')))")
	if err := os.Rename(d.path("write/sub"), d.path("write/was")); err != nil {
		t.Fatal(err)
	}
	d.link(d.path("home/.ssh"), "write/sub")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	if strings.Contains(out.String(), "key") {
		t.Errorf("it sees the key: %s", out)
	}
	t.Logf("it ended with %v and says %s", err, out)
}

// A path given through the user's own link answers to both names.
func TestAPathByItsLink(t *testing.T) {
	for _, byFD := range []bool{true, false} {
		d := boxed(t)
		tool, err := d.box.bwrap()
		if err != nil || byFD && !tool.byFD {
			continue
		}
		changed := *tool
		changed.byFD = byFD
		d.box.tool = &changed
		d.mkdir("disk/music")
		d.write("disk/music/song", "la")
		d.link(d.path("disk"), "mnt")
		spec := d.spec()
		spec.ReadPaths = []string{d.path("mnt/music")}
		got := d.probe(spec,
			attempt{Kind: tryRead, Path: d.path("mnt/music/song"), Want: "la"},
			attempt{Kind: tryRead, Path: d.path("disk/music/song"), Want: "la"},
			attempt{Kind: tryWrite, Path: d.path("mnt/music/song"), Want: "lo"})
		if got.Errors[0] != "" || got.Errors[1] != "" || got.Errors[2] == "" {
			t.Errorf("by descriptor %v: %q", byFD, got.Errors)
		}
	}
}

func TestWalkFollowsAsTheKernelDoes(t *testing.T) {
	d := newDesk(t)
	d.mkdir("a/b")
	d.link("../a/./b", "a/rel")
	d.link("rel/..", "a/up")
	for _, name := range []string{"a/rel", "a/up/rel", "a/up/../a/b", "a//b/."} {
		got, _, err := walk(d.root + "/" + name)
		want, wantErr := filepath.EvalSymlinks(d.root + "/" + filepath.Clean(name))
		if got != want || (err == nil) != (wantErr == nil) {
			t.Errorf("walk(%s) = %s, %v; want %s, %v", name, got, err, want, wantErr)
		}
	}
}
