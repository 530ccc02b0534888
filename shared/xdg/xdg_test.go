package xdg

import (
	"slices"
	"testing"
)

func env(vars map[string]string) func(string) string {
	return func(name string) string { return vars[name] }
}

func TestDefaults(t *testing.T) {
	d := New(env(map[string]string{"HOME": "/home/u", "XDG_CONFIG_HOME": "relative"}), 1000)
	if d.Config != "/home/u/.config" || d.Runtime != "/run/user/1000" || d.Data != "/home/u/.local/share" {
		t.Errorf("New = %+v", d)
	}
	if !slices.Equal(d.DataDirs, []string{"/usr/local/share", "/usr/share"}) {
		t.Errorf("DataDirs = %v", d.DataDirs)
	}
}

func TestApplicationsListsEachFolderOnce(t *testing.T) {
	d := New(env(map[string]string{"HOME": "/h", "XDG_DATA_DIRS": "/usr/share:/opt/share:/usr/share"}), 0)
	want := []string{
		"/h/.local/share/applications", "/usr/share/applications", "/opt/share/applications",
		"/h/.local/share/flatpak/exports/share/applications", "/var/lib/flatpak/exports/share/applications",
		"/usr/local/share/applications",
	}
	if got := d.Applications(); !slices.Equal(got, want) {
		t.Errorf("Applications = %v, want %v", got, want)
	}
}

func TestRunnerFolder(t *testing.T) {
	for _, tt := range []struct{ dir, tmp, want string }{
		{"/run/user/7", "/tmp", "/run/user/7/utter"},
		{"", "/var/tmp", "/var/tmp/utter-7/utter"},
		{"relative", "/tmp", "/tmp/utter-7/utter"},
		{".", "tmp", "/tmp/utter-7/utter"},
		{"", "", "/tmp/utter-7/utter"},
	} {
		if got := RunnerFolder(func(string) string { return tt.dir }, 7, tt.tmp); got != tt.want {
			t.Errorf("RunnerFolder(%q, %q) = %q, want %q", tt.dir, tt.tmp, got, tt.want)
		}
	}
}
