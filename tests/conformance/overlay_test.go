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

// An edition changes one rule in the source of the runner. Its text must appear
// in the package exactly once: a rule that has gone must not pass for one that is
// caught.
type edition struct{ pkg, old, new string }

// An overlay is a broken runner that is built from changed sources. Each check
// in caught must fail with it, and pass with the sources as they are.
type overlay struct {
	name   string
	edits  []edition
	caught []string
}

// The packages of the runner that are changed.
const (
	policyPkg     = "agent/internal/policy"
	runnerPkg     = "agent/runner"
	handlePkg     = "agent/runner/handle"
	sandboxPkg    = "agent/runner/sandbox"
	streamPkg     = "agent/runner/stream"
	supervisorPkg = "agent/runner/supervisor"
	opPkg         = "shared/op"
	protocolPkg   = "shared/plugin/protocol"
	rpcPkg        = "shared/plugin/rpc"
	turnstilePkg  = "shared/turnstile"
	visiblePkg    = "shared/visible"
)

var overlays = []overlay{
	// Frames and JSON.
	{"one-spelling-of-the-header",
		[]edition{{rpcPkg, `bytes.EqualFold(bytes.Trim(name, " \t"), []byte("Content-Length"))`,
			`(string(bytes.Trim(name, " \t")) == "Content-Length")`}}, []string{"2.3"}},
	{"signed-lengths",
		[]edition{{rpcPkg, `strings.Trim(s, "0123456789") != ""`, `strings.Trim(s, "+0123456789") != ""`}}, []string{"2.5"}},
	{"two-lengths", []edition{{rpcPkg, `if length >= 0 && n != length {`, `if false {`}}, []string{"2.5"}},
	{"no-cap", []edition{{rpcPkg, `case length > limit:`, `case length > 1<<40:`}}, []string{"2.8", "2.11"}},
	{"names-twice",
		[]edition{{rpcPkg, `strict = jsontext.AllowDuplicateNames(false)`, `strict = jsontext.AllowDuplicateNames(true)`}},
		[]string{"3.9"}},
	{"no-depth", []edition{{rpcPkg, `const MaxDepth = 64`, `const MaxDepth = 640`}}, []string{"3.10"}},
	{"deaf-to-cancel", []edition{{rpcPkg, `cancel(ErrCancelled)`, `_ = ErrCancelled`}}, []string{"3.20", "3.21"}},

	// Policy.
	{"one-argument-is-fine",
		[]edition{{policyPkg, `r.From == plan.FromScreen && len(r.Args) > 0`,
			`r.From == plan.FromScreen && len(r.Args) > 1`}},
		[]string{"11.8", "11.18"}},
	{"terminal-is-on",
		[]edition{{opPkg, `Doc: "types a command into a terminal", Off: true,`,
			`Doc: "types a command into a terminal", Asks: true,`}},
		[]string{"11.3", "11.25"}},
	{"closing-is-not-confirmed",
		[]edition{{opPkg, `Doc: "closes an application", Asks: true,`, `Doc: "closes an application",`}},
		[]string{"11.16", "11.30"}},
	{"the-step-decides",
		[]edition{{protocolPkg, `if command.OfCommand() == FromScreen || p == FromScreen {`,
			`if p == FromScreen || p == "" && command.OfCommand() == FromScreen {`}}, []string{"11.23"}},
	{"absent-is-trusted",
		[]edition{{protocolPkg,
			`return "", Denied(ReasonProvenance, "provenance is missing; say user or screen")`, `return FromUser, nil`}},
		[]string{"11.24", "8.11"}},
	{"files-may-be-opened", []edition{{opPkg, `var Schemes = []string{"http", "https", "mailto"}`,
		`var Schemes = []string{"http", "https", "mailto", "file"}`}}, []string{"11.21"}},
	{"enabled-wins",
		[]edition{{policyPkg, `names(p.Disabled, n) || op.Off(n) && !p.Allows(n)`,
			`names(p.Disabled, n) && !p.Allows(n) || op.Off(n) && !p.Allows(n)`}},
		[]string{"11.20"}},
	{"a-shell-behind-the-launcher", []edition{{policyPkg, `(has("argv") || has("command"))`, `has("argv")`}},
		[]string{"11.26"}},
	{"any-op-will-do", []edition{{policyPkg, `!core && !r.Advertised:`, `!core && false:`}}, []string{"11.19"}},
	{"handles-through-invoke",
		[]edition{{protocolPkg, `prefix("stream.") || prefix("handle.") ||`, `prefix("stream.") ||`}},
		[]string{"8.9"}},

	// Confirmation.
	{"yes-is-yes",
		[]edition{{protocolPkg,
			`return r.Approved && r.Nonce == asked.Nonce && r.Digest == asked.Digest`, `return r.Approved`}},
		[]string{"12.6", "12.13"}},
	{"confirmer-ignored", []edition{{runnerPkg, `if who == nil {`, `if true {`}}, []string{"12.5"}},
	{"bidi-shown", []edition{{visiblePkg, `unicode.In(c, unicode.Cf, `, `unicode.In(c, `}},
		[]string{"12.9"}},
	{"digest-in-the-order-that-came",
		[]edition{{protocolPkg, `(*jsontext.Value)(&text).Canonicalize()`,
			`(*jsontext.Value)(&text).Format(jsontext.CanonicalizeRawFloats(true))`}}, []string{"12.7"}},
	{"many-questions", []edition{{runnerPkg, `prompts: make(chan struct{}, 1)`,
		`prompts: make(chan struct{}, 9)`}}, []string{"12.10"}},

	// Routing and acting.
	{"two-hands", []edition{{turnstilePkg, "\tif len(l.places) > 0 && !l.places[0].admitted {\n",
		"\tfor _, p := range l.places[:min(2, len(l.places))] {\n" +
			"\t\tif !p.admitted {\n\t\t\tp.admitted = true\n\t\t\tclose(p.turn)\n\t\t}\n\t}\n\tif false {\n"}},
		[]string{"9.12"}},
	{"an-endless-queue", []edition{{turnstilePkg, `const MaxWaiting = 8`, `const MaxWaiting = 800`}}, []string{"9.13"}},
	{"advertising-is-enough",
		[]edition{{runnerPkg, `if !protocol.IsCoreOp(name) || provides(l.Plugin.Entry.Provides, name) {`, `if true {`}},
		[]string{"9.5"}},
	{"goes-on-after-a-failure", []edition{{runnerPkg, `if failed != "" {`, `if false {`}}, []string{"8.4"}},
	{"everybody-sees-titles",
		[]edition{{runnerPkg, `all := slices.Contains(granted, protocol.PermissionAccessibility)`,
			`all := granted != nil || granted == nil`}}, []string{"9.8", "7.2"}},
	{"no-limit-of-steps", []edition{{runnerPkg, `if len(said.Steps) > protocol.MaxSteps {`, `if false {`}},
		[]string{"8.6"}},

	// Streams.
	{"a-frame-too-many", []edition{{streamPkg, `return !f.reliable || len(f.sent) < f.window`,
		`return !f.reliable || len(f.sent) <= f.window`}}, []string{"13.6", "13.7"}},
	{"acks-below", []edition{{streamPkg, `f.sent[n] <= seq`, `f.sent[n] < seq`}}, []string{"13.6", "13.9"}},
	{"seq-may-stand", []edition{{streamPkg, `f.begun && next.seq <= f.last`, `f.begun && next.seq < f.last`}},
		[]string{"13.13"}},
	{"frames-without-bound",
		[]edition{{streamPkg, `case uncredited > protocol.MaxHeldFrames, uncredited > 0 &&`, `case uncredited > 0 &&`}},
		[]string{"13.11"}},
	{"bytes-without-bound",
		[]edition{{streamPkg,
			`case uncredited > protocol.MaxHeldFrames, uncredited > 0 && f.bytes+next.size() > protocol.MaxHeldBytes:`,
			`case uncredited > protocol.MaxHeldFrames:`}}, []string{"13.12"}},
	{"lossy-keeps-the-oldest",
		[]edition{{streamPkg, "func (f *flow) shift(next frame, room int) {\n",
			"func (f *flow) shift(next frame, room int) {\n\tif len(f.queue) >= f.lossy {\n\t\treturn\n\t}\n"}},
		[]string{"13.14"}},

	// Handles, the socket.
	{"inline-bound-beside-the-mark",
		[]edition{{handlePkg, `if size > protocol.MaxInline {`, `if size >= protocol.MaxInline {`}},
		[]string{"14.2"}},
	{"writable-descriptors",
		[]edition{{handlePkg, `sealAll  = sealSize | unix.F_SEAL_WRITE | unix.F_SEAL_SEAL`,
			`sealAll  = sealSize | unix.F_SEAL_SEAL`}}, []string{"14.9"}},
	{"no-owners-limit", []edition{{handlePkg, "case o.used+e.cost() > s.opts.MaxOwner:\n",
		"case false:\n"}}, []string{"14.6"}},
	{"everybody-comes-in", []edition{{runnerPkg, `needsToken: true, token: r.clients.token("client")`,
		`needsToken: false`}}, []string{"15.2"}},
	{"silence-is-kept", []edition{{runnerPkg, `silence       = 10 * time.Second`, `silence       = 100 * time.Second`}},
		[]string{"15.9"}},
	{"twice-the-rate", []edition{{runnerPkg, `rateLimit     = 1000 // requests`, `rateLimit     = 2000 // requests`}},
		[]string{"15.8"}},
	{"too-many-connections", []edition{{runnerPkg, `if s.places >= maxClients {`, `if s.places >= 10*maxClients {`}},
		[]string{"15.16"}},
	{"bodies-without-bound", []edition{{runnerPkg, `if s.pending+int64(bytes) > maxBodies {`, `if false {`}},
		[]string{"15.17"}},

	// The life of plugins.
	{"the-whole-environment",
		[]edition{{supervisorPkg, `if slices.Contains(passed, name) ||`, `if name != "" ||`}},
		[]string{"16.3"}},
	{"no-waiting-for-late-replies", []edition{{supervisorPkg, `if late == nil {`, `if true {`}},
		[]string{"16.12"}},
	{"no-back-off", []edition{{supervisorPkg, `pace.FirstPause<<min(crashes-1, 20)`,
		`pace.FirstPause`}}, []string{"16.18"}},
	// The sandbox, where there is one.
	{"network-for-all", []edition{{sandboxPkg, `a.add("--unshare-net")`, `_ = a`}},
		[]string{"19.4"}},
	{"the-runtime-folder-inside", []edition{{sandboxPkg, `a.add("--ro-bind", "/usr", "/usr")`,
		`a.add("--ro-bind", "/usr", "/usr", "--bind", os.Getenv("XDG_RUNTIME_DIR"), os.Getenv("XDG_RUNTIME_DIR"))`}},
		[]string{"19.5"}},
	{"wishful-enforcement",
		[]edition{{sandboxPkg, `p.Enforced, p.Reason = enforced(name, granted, r, mode)`,
			`p.Enforced = enforced != nil && r.Claims != nil || true`}}, []string{"19.1", "19.3"}},
	{"reload-restarts-all",
		[]edition{{runnerPkg, `if old != nil && !anew && sameEntry(old.entry, entry) {`, `if false {`}},
		[]string{"17.10", "17.12"}},
}

// edited returns the sources that the edits change, by their paths.
func edited(t *testing.T, edits []edition) map[string]string {
	t.Helper()
	changed := map[string]string{}
	for _, e := range edits {
		file, text := ruled(t, e)
		if already, ok := changed[file]; ok {
			text = already
		}
		changed[file] = strings.Replace(text, e.old, e.new, 1)
	}
	return changed
}

// ruled returns the one file of the package that has the rule.
func ruled(t *testing.T, e edition) (file, text string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(built.suite.repo, e.pkg, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(source), e.old); n > 0 {
			file, text, found = path, string(source), found+n
		}
	}
	if found != 1 {
		t.Fatalf("the rule to break appears %d times in %s, must be once: %s", found, e.pkg, e.old)
	}
	return file, text
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
