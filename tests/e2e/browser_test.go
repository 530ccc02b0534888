package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// realFirefox is where Debian keeps the real one.
const realFirefox = "/usr/lib/firefox-esr/firefox-esr"

// quietFirefox keeps a new Firefox from showing pages of its own and from
// leaving the machine: everything but the loopback goes to a closed port.
const quietFirefox = `
user_pref("app.normandy.enabled", false);
user_pref("app.update.enabled", false);
user_pref("browser.aboutwelcome.enabled", false);
user_pref("browser.download.alwaysOpenPanel", false);
user_pref("browser.newtabpage.enabled", false);
user_pref("browser.newtabpage.activity-stream.feeds.topsites", false);
user_pref("browser.sessionstore.resume_from_crash", false);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("browser.startup.homepage", "about:blank");
user_pref("browser.startup.homepage_override.mstone", "ignore");
user_pref("browser.startup.page", 0);
user_pref("browser.tabs.warnOnClose", false);
user_pref("browser.termsofuse.bypassNotification", true);
user_pref("browser.urlbar.suggest.searches", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("extensions.update.enabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("network.proxy.type", 1);
user_pref("network.proxy.http", "127.0.0.1");
user_pref("network.proxy.http_port", 9);
user_pref("network.proxy.ssl", "127.0.0.1");
user_pref("network.proxy.ssl_port", 9);
user_pref("network.proxy.no_proxies_on", "localhost, 127.0.0.1");
user_pref("termsofuse.bypassNotification", true);
user_pref("signon.rememberSignons", false);
user_pref("toolkit.telemetry.enabled", false);
user_pref("trailhead.firstrun.didSeeAboutWelcome", true);
`

// installFirefoxWrapper puts a firefox into the session that writes down exactly
// what it was given and becomes the real one. It is the default browser.
func (s *Session) installFirefoxWrapper() {
	profile := s.folder("fx")
	s.write("fx/user.js", quietFirefox)
	// JSON by hand: Python is there, but slow to start. An argument ends with
	// NUL, a call with an empty argument more.
	script := fmt.Sprintf(`#!/bin/sh
{ printf '%%s\0' "$@"; printf '\036'; } >>%s
exec %s --profile %s "$@"
`, s.file("firefox.argv"), realFirefox, profile)
	for _, name := range []string{"firefox", "firefox-esr"} {
		s.writeMode("bin/"+name, script, 0o700)
	}
	s.write("d/applications/firefox-esr.desktop", fmt.Sprintf(`[Desktop Entry]
Type=Application
Name=Firefox ESR
GenericName=Web Browser
Exec=%s %%u
Icon=firefox-esr
Categories=Network;WebBrowser;
MimeType=text/html;x-scheme-handler/http;x-scheme-handler/https;
StartupWMClass=firefox-esr
StartupNotify=true
`, s.file("bin/firefox-esr")))
}

// firefoxCalls returns the arguments of every call of the wrapper.
func (s *Session) firefoxCalls() (calls [][]string) {
	data, _ := os.ReadFile(s.file("firefox.argv"))
	for call := range strings.SplitSeq(strings.TrimSuffix(string(data), "\036"), "\036") {
		if len(data) == 0 {
			return nil
		}
		calls = append(calls, strings.Split(strings.TrimSuffix(call, "\x00"), "\x00"))
	}
	return calls
}

func isFirefox(w Window) bool { return w.AppID == "firefox-esr" || w.AppID == "firefox" }

// firefox opens url in the real Firefox and waits for a window with that title.
func (s *Session) firefox(url, title string) Window {
	s.t.Helper()
	needPrograms(s.t, "firefox-esr")
	s.start("firefox", "firefox-esr", url)
	w := s.awaitWindow(title+" in Firefox", 60*time.Second, func(w Window) bool {
		return isFirefox(w) && strings.HasPrefix(w.Title, title)
	})
	s.await("focus on Firefox", 5*time.Second, func() bool { return s.focused().ID == w.ID })
	settle(w.PID)
	return w
}

// chromium opens url in Chromium, which as root runs without its sandbox.
func (s *Session) chromium(url, title string) Window {
	s.t.Helper()
	needPrograms(s.t, "chromium")
	s.start("chromium", "chromium", "--no-sandbox", "--ozone-platform=wayland", "--user-data-dir="+s.folder("cr"),
		"--no-first-run", "--no-default-browser-check", "--disable-gpu",
		"--autoplay-policy=no-user-gesture-required", "--password-store=basic",
		"--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--proxy-server=127.0.0.1:9", "--proxy-bypass-list=localhost", url)
	w := s.awaitWindow(title+" in Chromium", 60*time.Second, func(w Window) bool {
		return strings.Contains(strings.ToLower(w.AppID), "chrom") && strings.HasPrefix(w.Title, title)
	})
	s.await("focus on Chromium", 5*time.Second, func() bool { return s.focused().ID == w.ID })
	settle(w.PID)
	return w
}

// desktopFile installs an application in the session's home.
func (s *Session) desktopFile(id, name, exec string) {
	s.t.Helper()
	s.write(filepath.Join("d/applications", id+".desktop"),
		fmt.Sprintf("[Desktop Entry]\nType=Application\nName=%s\nExec=%s\n", name, exec))
}

// readable writes argv for messages.
func readable(argv [][]string) string {
	data, _ := json.Marshal(argv)
	return string(data)
}
