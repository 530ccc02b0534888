package catalog

import (
	"slices"
	"testing"

	"utter/shared/desktopentry"
	"utter/shared/profile"
)

// owners are the applications of windows, "?" behind a guess.
func owners(x *profile.Index, appID string) string {
	p, guess := x.Owner(appID)
	switch {
	case p == nil:
		return ""
	case guess:
		return p.ID + "?"
	}
	return p.ID
}

func TestWhoseWindowAnAppIDIs(t *testing.T) {
	for name, tt := range map[string]struct {
		entries [][2]string // id, lines
		user    string
		want    map[string]string
	}{
		"a game behind its host": {
			entries: [][2]string{{"Portal", "Exec=steam steam://rungameid/400"}, {"Other", "Exec=steam -applaunch 70"}},
			want:    map[string]string{"steam": "", "steam_app_400": "Portal", "steam_app_70": "Other", "portal": "Portal"},
		},
		"a user file takes over no guess": {
			entries: [][2]string{{"sysmon", "Exec=foot -T sysmon sleep 100"}, {"foot", "Exec=foot"}, {"top", "Exec=foot htop"}},
			user:    "id: sysmon\naliases: [my monitor]\n",
			want:    map[string]string{"foot": "foot", "sysmon": "sysmon", "top": "top"},
		},
		"a user file makes no guess of a web app": {
			entries: [][2]string{{"webmail", "Exec=chromium --app=https://mail.example"}},
			user:    "id: webmail\nshortcuts: {send: ctrl+return}\n",
			want:    map[string]string{"chromium": "", "webmail": "webmail"},
		},
		"web apps of a profile": {
			entries: [][2]string{{"mail", `Exec=chromium "--profile-directory=Profile 1" --app-id=abc`}},
			want:    map[string]string{"chrome-abc-Profile_1": "mail", "chromium": ""},
		},
		"one entry starts the program": {
			entries: [][2]string{{"debian-tool", "Exec=tool %U"}}, want: map[string]string{"tool": "debian-tool?"},
		},
		"two entries start the program": {
			entries: [][2]string{{"a", "Exec=tool --calc"}, {"b", "Exec=tool --write"}}, want: map[string]string{"tool": "", "a": "a"},
		},
		"two entries of one class": {
			entries: [][2]string{{"a", "Exec=x\nStartupWMClass=Same"}, {"b", "Exec=y\nStartupWMClass=Same"}, {"same-tool", "Exec=Same"}},
			want:    map[string]string{"Same": "", "SAME": ""},
		},
		"a hidden entry of the same class": {
			entries: [][2]string{{"a", "Exec=x\nStartupWMClass=Same\nNoDisplay=true"}, {"b", "Exec=y\nStartupWMClass=Same"}},
			want:    map[string]string{"Same": "b", "same": "b"},
		},
		"profile, id, class, package, program": {
			entries: [][2]string{
				{"five", "Exec=one"}, {"four", "Exec=x4\nX-Flatpak=two"}, {"three", "Exec=x3\nStartupWMClass=two"},
				{"two", "Exec=x2\nStartupWMClass=one"}, {"one", "Exec=x1"}, {"six", "Exec=x6\nX-Flatpak=x3"},
				{"seven", "Exec=x7\nStartupWMClass=pack"}, {"eight", "Exec=x8\nX-Flatpak=pack"},
			},
			user: "id: one\napp_ids: [five]\n",
			want: map[string]string{"five": "one", "one": "one", "two": "two", "pack": "seven", "x3": "six", "X3": "six", "x1": "one?"},
		},
		"scripts and runtimes": {
			entries: [][2]string{{"a", "Exec=electron /opt/a/app.asar"}, {"b", "Exec=java -jar b.jar"}, {"c", "Exec=wrap /opt/x.sh"}},
			want:    map[string]string{"electron": "", "java": "", "wrap": ""},
		},
	} {
		var entries []desktopentry.Entry
		for _, e := range tt.entries {
			entries = append(entries, parse(t, e[0], e[1]))
		}
		patches := Patches(entries, none)
		if tt.user != "" {
			user, problems := profile.Decode("user.yaml", profile.User, []byte(tt.user))
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			patches = append(patches, user...)
		}
		index := profile.NewIndex(profile.Merge(patches, nil))
		for appID, want := range tt.want {
			if got := owners(index, appID); got != want {
				t.Errorf("%s: windows of %q are those of %q, want %q", name, appID, got, want)
			}
		}
	}
}

func TestWhatIsBehindWrappers(t *testing.T) {
	for exec, want := range map[string]desktopentry.Start{
		"env -u LD_PRELOAD app2 --x":                 {Program: "app2"},
		"env --unset=X -i A=b nice -n 5 app2":        {Program: "app2"},
		"flatpak run --command=x --branch=a org.a.B": {AppID: "org.a.B"},
		"env X=/snap/a /snap/bin/snap run code":      {AppID: "code"},
		"gtk-launch org.a.B.desktop":                 {AppID: "org.a.B"},
		"systemd-run --user --scope -p A=b -- app2":  {Program: "app2"},
		"uwsm app -- app2":                           {Program: "app2"},
		"A=b app2":                                   {Program: "app2"},
		"'flatpak' 'run' '--branch=x' org.a.B":       {AppID: "org.a.B"},
	} {
		got := parse(t, "x", "Exec="+exec).Start()
		if got.Program != want.Program || got.AppID != want.AppID {
			t.Errorf("%s: %+v, want %+v", exec, got, want)
		}
	}
}

func TestExecAsItWasMeant(t *testing.T) {
	t.Setenv("HOME", "/home/u")
	for exec, want := range map[string][]string{
		`wine C:\\\\users\\\\Start\\ Menu\\\\a.lnk`: {"wine", `C:\users\Start Menu\a.lnk`},
		`'flatpak' 'run' '--command=a b' org.a.B`:   {"flatpak", "run", "--command=a b", "org.a.B"},
		"K=V app x":             {"env", "K=V", "app", "x"},
		"$HOME/x y":             {"/home/u/x", "y"},
		"./start.sh":            {"/home/u/My Game/start.sh"},
		"app --app='https://x'": {"app", "--app='https://x'"},
	} {
		got, err := parse(t, "x", "Path=/home/u/My Game\nExec="+exec).Argv()
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v; want %q", exec, got, err, want)
		}
	}
}

// A user's file and the desktop file that it describes are one application.
func TestAUsersFileJoinsWhatItDescribes(t *testing.T) {
	entries := []desktopentry.Entry{
		parse(t, "signal-desktop", "Name=Signal\nExec=signal-desktop\nStartupWMClass=signal"),
		parse(t, "chromium", "Name=Chromium\nExec=chromium\nStartupWMClass=Chromium-browser"),
	}
	for text, want := range map[string]int{
		"id: signal\nname: Signal\napp_ids: [signal]\n":                            2,
		"id: signal\nname: Signal\nlaunch: [signal]\n":                             2,
		"id: chat\nname: Chat\napp_ids: [SIGNAL]\n":                                2,
		"id: mail\nname: Mail\nlaunch: [chromium, --app=x]\napp_ids: [chromium]\n": 3,
		"id: other\nname: Other\n":                                                 3,
	} {
		user, problems := profile.Decode("user.yaml", profile.User, []byte(text))
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		index := profile.NewIndex(profile.Merge(append(Patches(entries, none), user...), nil))
		if got := len(index.All()); got != want {
			t.Errorf("%q: %d applications, want %d", text, got, want)
		}
		here := func(*profile.Profile) bool { return true }
		if m := index.ResolveExact(user[0].ID, here); m.One() == nil || m.Layer != profile.User {
			t.Errorf("%q: %q means %v", text, user[0].ID, m.Profiles)
		}
	}
}

// A role goes before what is only the last part of an id.
func TestARoleBeatsAGuessedName(t *testing.T) {
	entries := []desktopentry.Entry{parse(t, "org.x.Terminal", "Name=Xterminator\nExec=x")}
	role, problems := profile.Decode("r.yaml", profile.Curated, []byte("id: generic-terminal\nname: Terminal\nkind: terminal\n"))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	index := profile.NewIndex(profile.Merge(append(Patches(entries, none), role...), nil))
	if m := index.Resolve("terminal", func(*profile.Profile) bool { return true }); !m.Role {
		t.Errorf("terminal means %v", m.Profiles)
	}
}
