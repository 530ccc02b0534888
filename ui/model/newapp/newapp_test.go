package newapp

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"utter/ui/model/session/sessiontest"
	"utter/ui/model/try"
)

func TestWindows(t *testing.T) {
	got := Windows([]try.Window{
		{ID: 1, AppID: "firefox", App: "firefox", Title: "known"},
		{ID: 2, AppID: "odd", Title: "One"},
		{ID: 3, AppID: "odd", Title: "Two"},
		{ID: 4, Title: "of nothing"},
		{ID: 5, AppID: "Other App"},
		{ID: 6, AppID: "b\xe4d", Title: "\xff"},
	})
	want := []Source{
		{ID: "odd", Name: "odd", AppID: "odd", Label: "odd · One", Detail: "odd"},
		{ID: "Other App", Name: "Other App", AppID: "Other App", Label: "Other App", Detail: "Other App"},
		{ID: "b\uFFFDd", Name: "b\uFFFDd", AppID: "b\uFFFDd", Label: "b\uFFFDd · \uFFFD", Detail: "b\uFFFDd"},
	}
	if len(got) != 3 || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestProcesses(t *testing.T) {
	const mine, other = "Name:\tx\nUid:\t1000\t0\t0\t0\n", "Name:\tx\nUid:\t0\t1000\t0\t0\n"
	proc := fstest.MapFS{"self/status": {Data: []byte(mine)}, "self/cmdline": {Data: []byte("self\x00")}}
	add := func(pid int, status, line string) {
		proc[fmt.Sprintf("%d/status", pid)] = &fstest.MapFile{Data: []byte(status)}
		proc[fmt.Sprintf("%d/cmdline", pid)] = &fstest.MapFile{Data: []byte(line)}
	}
	add(1, other, "/sbin/init\x00")
	add(2, mine, "/usr/bin/zathura\x00/home/u/secret.pdf\x00")
	add(3, mine, "/usr/bin/zathura\x00")
	add(4, mine, "") // of the kernel
	add(5, mine, "-bash\x00")
	add(6, mine, "/usr/bin/python3.12\x00/usr/bin/meld\x00--x\x00")
	add(7, mine, "/usr/bin/python3\x00-m\x00http.server\x00")
	add(8, mine, "/opt/My App/chrome --type=renderer --x")
	add(9, "no uid", "x\x00")
	add(10, mine, "/\x00")
	add(13, mine, "/opt/caf\xe9\x00\xff\x00")
	add(11, "Uid:\n", "y\x00")
	proc["12/status"] = &fstest.MapFile{Data: []byte(mine)} // it has ended
	var got []string
	for _, s := range Processes(proc, 1000) {
		if s.ID != s.Name || s.Label != s.Name || s.AppID != "" {
			t.Errorf("%+v", s)
		}
		got = append(got, s.Name+" = "+strings.Join(s.Launch, "|"))
	}
	want := []string{
		"caf\uFFFD = /opt/caf\uFFFD", "chrome = /opt/My App/chrome", "meld = /usr/bin/python3.12|/usr/bin/meld",
		"zathura = /usr/bin/zathura",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Processes(fstest.MapFS{}, 1000); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	if got := Processes(os.DirFS("/proc"), os.Getuid()); len(got) == 0 {
		t.Error("this very test does not run")
	}
}

func TestCreate(t *testing.T) {
	tests := []struct {
		name   string
		source Source
		id     string // "" for none
		file   string // that is written, "" for none
		want   string
	}{
		{"nothing but a name", Empty("  My  own App "), "my-own-app", "other_my-own-app.yaml",
			"id: my-own-app\nname: My own App\n"},
		{"a window", Source{ID: "Odd", Name: "Odd", AppID: "Odd"}, "Odd", "other_Odd.yaml",
			"id: Odd\nname: Odd\napp_ids: [Odd]\n"},
		{"a program", Source{ID: "meld", Name: "meld", Launch: []string{"python3", "/usr/bin/meld"}}, "meld",
			"other_meld.yaml",
			"id: meld\nname: meld\nlaunch: [python3, /usr/bin/meld]\n"},
		{"one that is there", Empty("Note"), "note", "", ""},
		{"one that is built in", Empty("Firefox"), "firefox", "", ""},
		{"all of them", Empty("Everywhere"), "everywhere", "", ""},
		{"no name", Empty(" "), "", "", ""},
	}
	for _, tt := range tests {
		d := sessiontest.New(t, func(d *sessiontest.Desk) { d.Install("note", "Note") })
		made := ""
		Create(d.Session, tt.source, func(id string) {
			made = id
			if tt.file != "" && d.InForce(id).Name != tt.source.Name {
				t.Errorf("%s: not in force: %+v", tt.name, d.InForce(id))
			}
		})
		if made != tt.id || len(d.Files()) > 0 != (tt.file != "") || d.Files()[tt.file] != tt.want {
			t.Errorf("%s: made %q, files %q", tt.name, made, d.Files())
		}
		if tt.file != "" && d.LastToast() != "Added "+tt.source.Name {
			t.Errorf("%s: toast %q", tt.name, d.LastToast())
		}
		d.Session.Undo()
		if len(d.Files()) != 0 {
			t.Errorf("%s: undone, but %q", tt.name, d.Files())
		}
	}
	d := sessiontest.New(t, nil)
	d.Full = syscall.ENOSPC
	Create(d.Session, Empty("x"), func(string) { t.Error("made though it was not written") })
}
