package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// An edition changes one rule in the source of the runner. Its text must stand in
// the file exactly once: a rule that has moved must not pass for one that is
// caught.
type edition struct{ file, old, new string }

// An overlay is a broken runner that is built from changed sources. Each check
// in caught must fail with it, and pass with the sources as they are.
type overlay struct {
	name   string
	edits  []edition
	caught []string
}

const (
	frameGo   = "shared/plugin/rpc/frame.go"
	jsonGo    = "shared/plugin/rpc/json.go"
	serveGo   = "shared/plugin/rpc/serve.go"
	requestGo = "agent/internal/policy/request.go"
	opGo      = "shared/op/op.go"
	specsGo   = "shared/op/specs.go"
	pluginGo  = "shared/plugin/protocol/plugin.go"
	flowGo    = "agent/runner/stream/flow.go"
	confirmGo = "agent/runner/confirm.go"
	actGo     = "agent/runner/act.go"
	lineGo    = "shared/turnstile/turnstile.go"
	clientGo  = "agent/runner/client.go"
)

var overlays = []overlay{
	// Frames and JSON.
	{"one-spelling-of-the-header",
		[]edition{{frameGo, `bytes.EqualFold(bytes.Trim(name, " \t"), []byte("Content-Length"))`,
			`(string(bytes.Trim(name, " \t")) == "Content-Length")`}}, []string{"2.3"}},
	{"signed-lengths",
		[]edition{{frameGo, `strings.Trim(s, "0123456789") != ""`, `strings.Trim(s, "+0123456789") != ""`}}, []string{"2.5"}},
	{"two-lengths", []edition{{frameGo, `if length >= 0 && n != length {`, `if false {`}}, []string{"2.5"}},
	{"no-cap", []edition{{frameGo, `case length > limit:`, `case length > 1<<40:`}}, []string{"2.8", "2.11"}},
	{"names-twice",
		[]edition{{jsonGo, `strict = jsontext.AllowDuplicateNames(false)`, `strict = jsontext.AllowDuplicateNames(true)`}},
		[]string{"3.9"}},
	{"no-depth", []edition{{jsonGo, `const MaxDepth = 64`, `const MaxDepth = 640`}}, []string{"3.10"}},
	{"deaf-to-cancel", []edition{{serveGo, `cancel(ErrCancelled)`, `_ = ErrCancelled`}}, []string{"3.20", "3.21"}},

	// Policy.
	{"one-argument-is-fine",
		[]edition{{requestGo, `r.From == plan.FromScreen && len(r.Args) > 0`,
			`r.From == plan.FromScreen && len(r.Args) > 1`}},
		[]string{"11.8", "11.18"}},
	{"terminal-is-on",
		[]edition{{specsGo, `Doc: "types a command into a terminal", Off: true,`,
			`Doc: "types a command into a terminal", Asks: true,`}},
		[]string{"11.3", "11.25"}},
	{"closing-is-not-confirmed",
		[]edition{{specsGo, `Doc: "closes an application", Asks: true,`, `Doc: "closes an application",`}},
		[]string{"11.16", "11.30"}},
	{"the-step-decides",
		[]edition{{"shared/plugin/protocol/provenance.go", `if command.OfCommand() == FromScreen || p == FromScreen {`,
			`if p == FromScreen || p == "" && command.OfCommand() == FromScreen {`}}, []string{"11.23"}},
	{"absent-is-trusted",
		[]edition{{"shared/plugin/protocol/provenance.go",
			`return "", Denied(ReasonProvenance, "provenance is missing; say user or screen")`, `return FromUser, nil`}},
		[]string{"11.24", "8.11"}},
	{"files-may-be-opened", []edition{{opGo, `var Schemes = []string{"http", "https", "mailto"}`,
		`var Schemes = []string{"http", "https", "mailto", "file"}`}}, []string{"11.21"}},
	{"enabled-wins",
		[]edition{{requestGo, `names(p.Disabled, n) || op.Off(n) && !p.Allows(n)`,
			`names(p.Disabled, n) && !p.Allows(n) || op.Off(n) && !p.Allows(n)`}},
		[]string{"11.20"}},
	{"a-shell-behind-the-launcher", []edition{{requestGo, `(has("argv") || has("command"))`, `has("argv")`}},
		[]string{"11.26"}},
	{"any-op-will-do", []edition{{requestGo, `!core && !r.Advertised:`, `!core && false:`}}, []string{"11.19"}},
	{"handles-through-invoke", []edition{{pluginGo, `prefix("stream.") || prefix("handle.") ||`, `prefix("stream.") ||`}},
		[]string{"8.9"}},

	// Confirmation.
	{"yes-is-yes",
		[]edition{{"shared/plugin/protocol/host.go",
			`return r.Approved && r.Nonce == asked.Nonce && r.Digest == asked.Digest`, `return r.Approved`}},
		[]string{"12.6", "12.13"}},
	{"confirmer-ignored", []edition{{confirmGo, `if who == nil {`, `if true {`}}, []string{"12.5"}},
	{"bidi-shown", []edition{{"shared/visible/visible.go", `unicode.In(c, unicode.Cf, `, `unicode.In(c, `}},
		[]string{"12.9"}},
	{"digest-in-the-order-that-came",
		[]edition{{"shared/plugin/protocol/canonical.go", `(*jsontext.Value)(&text).Canonicalize()`,
			`(*jsontext.Value)(&text).Format(jsontext.CanonicalizeRawFloats(true))`}}, []string{"12.7"}},
	{"many-questions", []edition{{"agent/runner/runner.go", `prompts: make(chan struct{}, 1)`,
		`prompts: make(chan struct{}, 9)`}}, []string{"12.10"}},

	// Routing and acting.
	{"two-hands", []edition{{lineGo, "\tif len(l.places) > 0 && !l.places[0].admitted {\n",
		"\tfor _, p := range l.places[:min(2, len(l.places))] {\n" +
			"\t\tif !p.admitted {\n\t\t\tp.admitted = true\n\t\t\tclose(p.turn)\n\t\t}\n\t}\n\tif false {\n"}},
		[]string{"9.12"}},
	{"an-endless-queue", []edition{{lineGo, `const MaxWaiting = 8`, `const MaxWaiting = 800`}}, []string{"9.13"}},
	{"advertising-is-enough",
		[]edition{{actGo, `if !protocol.IsCoreOp(name) || provides(l.Plugin.Entry.Provides, name) {`, `if true {`}},
		[]string{"9.5"}},
	{"goes-on-after-a-failure", []edition{{"agent/runner/route.go", `if failed != "" {`, `if false {`}}, []string{"8.4"}},
	{"everybody-sees-titles",
		[]edition{{"agent/runner/desktop.go", `all := slices.Contains(granted, protocol.PermissionAccessibility)`,
			`all := granted != nil || granted == nil`}}, []string{"9.8", "7.2"}},
	{"no-limit-of-steps", []edition{{"agent/runner/route.go", `if len(said.Steps) > protocol.MaxSteps {`, `if false {`}},
		[]string{"8.6"}},

	// Streams.
	{"a-frame-too-many", []edition{{flowGo, `return !f.reliable || len(f.sent) < f.window`,
		`return !f.reliable || len(f.sent) <= f.window`}}, []string{"13.6", "13.7"}},
	{"acks-below", []edition{{flowGo, `f.sent[n] <= seq`, `f.sent[n] < seq`}}, []string{"13.6", "13.9"}},
	{"seq-may-stand", []edition{{flowGo, `f.begun && next.seq <= f.last`, `f.begun && next.seq < f.last`}},
		[]string{"13.13"}},
	{"frames-without-bound",
		[]edition{{flowGo, `case uncredited > protocol.MaxHeldFrames, uncredited > 0 &&`, `case uncredited > 0 &&`}},
		[]string{"13.11"}},
	{"bytes-without-bound",
		[]edition{{flowGo,
			`case uncredited > protocol.MaxHeldFrames, uncredited > 0 && f.bytes+next.size() > protocol.MaxHeldBytes:`,
			`case uncredited > protocol.MaxHeldFrames:`}}, []string{"13.12"}},
	{"lossy-keeps-the-oldest",
		[]edition{{flowGo, "func (f *flow) shift(next frame, room int) {\n",
			"func (f *flow) shift(next frame, room int) {\n\tif len(f.queue) >= f.lossy {\n\t\treturn\n\t}\n"}},
		[]string{"13.14"}},

	// Handles, the socket.
	{"inline-bound-beside-the-mark",
		[]edition{{"agent/runner/handle/owner.go", `if size > protocol.MaxInline {`, `if size >= protocol.MaxInline {`}},
		[]string{"14.2"}},
	{"writable-descriptors",
		[]edition{{"agent/runner/handle/memfd.go", `sealAll  = sealSize | unix.F_SEAL_WRITE | unix.F_SEAL_SEAL`,
			`sealAll  = sealSize | unix.F_SEAL_SEAL`}}, []string{"14.9"}},
	{"no-owners-limit", []edition{{"agent/runner/handle/owner.go", "case o.used+e.cost() > s.opts.MaxOwner:\n",
		"case false:\n"}}, []string{"14.6"}},
	{"everybody-comes-in", []edition{{"agent/runner/admission.go", `needsToken: true, token: r.clients.token("client")`,
		`needsToken: false`}}, []string{"15.2"}},
	{"silence-is-kept", []edition{{clientGo, `silence       = 10 * time.Second`, `silence       = 100 * time.Second`}},
		[]string{"15.9"}},
	{"twice-the-rate", []edition{{clientGo, `rateLimit     = 1000 // requests`, `rateLimit     = 2000 // requests`}},
		[]string{"15.8"}},
	{"too-many-connections", []edition{{clientGo, `if s.places >= maxClients {`, `if s.places >= 10*maxClients {`}},
		[]string{"15.16"}},
	{"bodies-without-bound", []edition{{clientGo, `if s.pending+int64(bytes) > maxBodies {`, `if false {`}},
		[]string{"15.17"}},

	// The life of plugins.
	{"the-whole-environment",
		[]edition{{"agent/runner/supervisor/environment.go", `if slices.Contains(passed, name) ||`, `if name != "" ||`}},
		[]string{"16.3"}},
	{"no-waiting-for-late-replies", []edition{{"agent/runner/supervisor/call.go", `if late == nil {`, `if true {`}},
		[]string{"16.12"}},
	{"no-back-off", []edition{{"agent/runner/supervisor/plugin.go", `pace.FirstPause<<min(crashes-1, 20)`,
		`pace.FirstPause`}}, []string{"16.18"}},
	// The sandbox, where there is one.
	{"network-for-all", []edition{{"agent/runner/sandbox/command.go", `a.add("--unshare-net")`, `_ = a`}},
		[]string{"19.4"}},
	{"the-runtime-folder-inside", []edition{{"agent/runner/sandbox/command.go", `a.add("--ro-bind", "/usr", "/usr")`,
		`a.add("--ro-bind", "/usr", "/usr", "--bind", os.Getenv("XDG_RUNTIME_DIR"), os.Getenv("XDG_RUNTIME_DIR"))`}},
		[]string{"19.5"}},
	{"wishful-enforcement",
		[]edition{{"agent/runner/sandbox/permissions.go", `p.Enforced, p.Reason = enforced(name, granted, r, mode)`,
			`p.Enforced = enforced != nil && r.Claims != nil || true`}}, []string{"19.1", "19.3"}},
	{"reload-restarts-all",
		[]edition{{"agent/runner/registry.go", `if old != nil && !anew && sameEntry(old.entry, entry) {`, `if false {`}},
		[]string{"17.10", "17.12"}},
}

// edited returns the sources that the edits change, by their paths.
func edited(t *testing.T, edits []edition) map[string]string {
	t.Helper()
	text := map[string]string{}
	for _, e := range edits {
		source, err := filepath.Abs(filepath.Join(built.suite.repo, e.file))
		if err != nil {
			t.Fatal(err)
		}
		if _, read := text[source]; !read {
			bytes, err := os.ReadFile(source)
			if err != nil {
				t.Fatal(err)
			}
			text[source] = string(bytes)
		}
		if n := strings.Count(text[source], e.old); n != 1 {
			t.Fatalf("the rule to break stands %d times in %s, must be once: %s", n, e.file, e.old)
		}
		text[source] = strings.Replace(text[source], e.old, e.new, 1)
	}
	return text
}

// TestEditsMatchTheSources is the part of TestOverlaysAreCaught that needs no
// time.
func TestEditsMatchTheSources(t *testing.T) {
	for _, o := range overlays {
		t.Run(o.name, func(t *testing.T) { edited(t, o.edits) })
	}
}

// buildOverlay builds the runner with the edits.
func buildOverlay(t *testing.T, o overlay) string {
	dir := t.TempDir()
	replace := map[string]string{}
	for source, changed := range edited(t, o.edits) {
		file := filepath.Join(dir, filepath.Base(source))
		if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
		replace[source] = file
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlayFile, program := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "runner")
	if err := os.WriteFile(overlayFile, list, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "build", "-overlay", overlayFile, "-o", program, "./agent/cmd/utter-runner")
	cmd.Dir = built.suite.repo
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build it: %v\n%s", err, out)
	}
	return program
}

// passes tells, once for each check, whether our runner as it is passes it.
var passes = struct {
	sync.Mutex
	known map[string]func() outcome
}{known: map[string]func() outcome{}}

func passesUnchanged(t *testing.T, k check) outcome {
	passes.Lock()
	f := passes.known[k.ID]
	if f == nil {
		s := against(t, filepath.Join(built.bin, "runner"), 20*time.Second)
		f = sync.OnceValue(func() outcome { return s.run(k) })
		passes.known[k.ID] = f
	}
	passes.Unlock()
	return f()
}

// TestOverlaysAreCaught proves that the suite notices a rule that is broken in
// the runner itself.
func TestOverlaysAreCaught(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the runner many times")
	}
	t.Parallel()
	for _, o := range overlays {
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			slots <- struct{}{}
			defer func() { <-slots }()
			if built.err != nil {
				t.Fatal(built.err)
			}
			s := against(t, buildOverlay(t, o), brokenPatience)
			for _, k := range pick(t, o.caught...) {
				switch before := passesUnchanged(t, k); before.verdict {
				case skipped:
					t.Skipf("%s: %s", k.ID, before.reason)
				case failed, blocked:
					t.Errorf("check %s is %s with the runner as it is: %s", k.ID, before.verdict, before.reason)
				}
				after := s.run(k)
				if after.verdict != failed {
					t.Errorf("check %s (%s) is %s, must fail: %s\n%s", k.ID, k.Title, after.verdict, after.reason, after.talk)
				} else {
					t.Logf("%s: %s", k.ID, after.reason)
				}
			}
		})
	}
}
