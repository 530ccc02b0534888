package apps_test

import (
	"testing"
	"testing/synctest"

	"utter/agent/internal/compositor"
	"utter/shared/op"
	"utter/shared/plan"
)

// Field bug 8: windows come under ids that are not what the desktop file is
// called. Each example of the row, with every id that its windows have.
var fieldBug8 = shelf{
	entries: map[string]string{
		"md.obsidian.Obsidian":             "Name=Obsidian\nExec=/usr/bin/flatpak run --branch=stable --command=obsidian.sh md.obsidian.Obsidian @@u %U @@\nStartupWMClass=obsidian\nX-Flatpak=md.obsidian.Obsidian",
		"io.podman_desktop.PodmanDesktop":  "Name=Podman Desktop\nExec=/usr/bin/flatpak run io.podman_desktop.PodmanDesktop\nStartupWMClass=Podman Desktop\nX-Flatpak=io.podman_desktop.PodmanDesktop",
		"com.protonvpn.www":                "Name=Proton VPN\nExec=flatpak run com.protonvpn.www\nStartupWMClass=protonvpn-app\nX-Flatpak=com.protonvpn.www",
		"firefox_firefox":                  "Name=Firefox Snap\nExec=env BAMF_DESKTOP_FILE_HINT=x /snap/bin/firefox %u\nX-SnapInstanceName=firefox",
		"chrome-hnpfjngllnobngcg-Default":  "Name=A web app\nExec=chromium --profile-directory=Default --app-id=hnpfjngllnobngcg\nStartupWMClass=crx_hnpfjngllnobngcg",
		"chromium":                         "Name=Chromium\nExec=chromium %U",
		"aaa-terminal-thing":               "Name=Thing\nExec=foot -e thing",
		"foot":                             "Name=Foot\nExec=foot",
		"com.jetbrains.IntelliJ-IDEA-Comm": "Name=IDEA\nExec=\"/opt/My Apps/idea\" %f\nStartupWMClass=jetbrains-idea-ce",
	},
	user: map[string]string{"proton.yaml": "id: com.protonvpn.www\napp_ids: [proton.vpn.app.gtk]\n"},
}

func TestAppOfAWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, fieldBug8)
		for _, tt := range []struct{ appID, want string }{
			{"md.obsidian.Obsidian", "md.obsidian.Obsidian"}, // the desktop id
			{"obsidian", "md.obsidian.Obsidian"},             // the class
			{"Obsidian", "md.obsidian.Obsidian"},             // in another case
			{"MD.OBSIDIAN.OBSIDIAN", "md.obsidian.Obsidian"},
			{"Podman Desktop", "io.podman_desktop.PodmanDesktop"}, // a class with a space
			{"podman desktop", "io.podman_desktop.PodmanDesktop"},
			{"io.podman_desktop.PodmanDesktop", "io.podman_desktop.PodmanDesktop"},
			{"com.protonvpn.www", "com.protonvpn.www"},
			{"protonvpn-app", "com.protonvpn.www"},
			{"proton.vpn.app.gtk", "com.protonvpn.www"}, // the user's own app_ids
			{"firefox_firefox", "firefox_firefox"},
			{"firefox", "firefox_firefox"}, // the program, and the snap's name
			{"jetbrains-idea-ce", "com.jetbrains.IntelliJ-IDEA-Comm"},
			{"idea", "com.jetbrains.IntelliJ-IDEA-Comm"},
			// What a desktop file is called goes before what another one starts.
			{"chromium", "chromium"},
			{"crx_hnpfjngllnobngcg", "chrome-hnpfjngllnobngcg-Default"},
			{"foot", "foot"},
			{"flatpak", ""},
			{"env", ""},
			{"", ""},
		} {
			got := ""
			if p := b.AppOf(compositor.Window{ID: 1, AppID: tt.appID}); p != nil {
				got = p.ID
			}
			if got != tt.want {
				t.Errorf("a window of %q belongs to %q, want %q", tt.appID, got, tt.want)
			}
		}
	})
}

// The row's first example: its windows are called as nothing says. Our own launch
// teaches it, and offers to have it written down.
func TestAnIDThatNothingTellsIsLearned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, fieldBug8)
		b.starts(me, 0, func() { b.screen.Open(compositor.Window{ID: 5, AppID: "md.Obsidian", PID: me}) })
		_, message := b.do(op.EnsureApp{App: "md.obsidian.Obsidian"}, plan.Completed, "")
		contains(t, message, `"md.Obsidian"`, "app_ids")
		if p := b.AppOf(window(9, "md.Obsidian")); p == nil || p.ID != "md.obsidian.Obsidian" {
			t.Errorf("it belongs to %v", p)
		}
	})
}

// An id without a profile is the windows' app id itself.
func TestAnAppWithoutAProfile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, viewer, window(1, "Xyz"), window(2, "xyzzy"), window(3, ""))
		if done, _ := b.do(op.FocusApp{App: "xyz"}, plan.Completed, ""); done.Window != 1 {
			t.Errorf("window %d", done.Window)
		}
		b.do(op.FocusApp{App: "xy"}, plan.Refused, plan.NotFound)
		b.do(op.FocusApp{App: ""}, plan.Refused, plan.NotFound)
	})
}
