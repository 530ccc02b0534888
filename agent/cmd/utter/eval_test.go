package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// evalFile runs utter eval on a corpus of two profiles whose cases are given.
func evalFile(t *testing.T, cases string, flags ...string) (status int, stdout, stderr string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "corpus.json")
	text := `{"format": "utter-router-corpus/1",
		"profiles": {"two": {"order": ["firefox", "foot"], "by_id": {
			"firefox": {"id": "firefox", "name": "Firefox", "kind": "browser", "launch": ["firefox"], "shortcuts": {"new_tab": "ctrl+t"}},
			"foot": {"id": "foot", "name": "Foot", "kind": "terminal", "app_ids": ["foot"], "launch": []}}}},
		"contexts": {"none": {"profiles": "two", "focused": null, "windows": []},
			"browser": {"profiles": "two", "focused": {"app_id": "firefox", "title": "x"}, "windows": [{"app_id": "firefox", "title": "x"}]}},
		"cases": [` + cases + `]}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs strings.Builder
	status = run(t.Context(), append([]string{"eval", file}, flags...), strings.NewReader(""), &out, &errs)
	return status, out.String(), errs.String()
}

const (
	evalRight   = `{"id": "right", "utterance": "new tab", "context": "browser", "expect": [{"action": "key", "args": {"chord": "Ctrl+T"}}]}`
	evalNoPlan  = `{"id": "no-plan", "utterance": "new tab", "context": "none", "expect": null}`
	evalEmpty   = `{"id": "empty", "utterance": "new tab", "context": "none", "expect": []}`
	evalRouted  = `{"id": "routed", "utterance": "open firefox", "context": "none"}`
	evalLess    = `{"id": "less", "utterance": "open firefox", "context": "none", "expect": [{"action": "ensure_app", "args": {}}]}`
	evalWrong   = `{"id": "wrong", "utterance": "new tab", "context": "browser", "expect": [{"action": "key", "args": {"chord": "ctrl+n"}}]}`
	evalMissing = `{"id": "missing", "utterance": "new tab", "context": "browser", "expect": [{"action": "key", "args": {"chord": "ctrl+t", "app": "x"}}]}`
	evalOther   = `{"id": "other", "utterance": "new tab", "context": "browser", "expect": [{"action": "niri"}]}`
	evalTooMuch = `{"id": "too-much", "utterance": "new tab", "context": "browser", "expect": null}`
	evalTooFew  = `{"id": "too-few", "utterance": "zzz zzz", "context": "none", "expect": [{"action": "key"}]}`
	evalWeak    = `{"id": "weak", "utterance": "zzz zzz", "context": "none", "expect": [{"action": "key"}], "weak": "seldom said"}`
	evalGap     = `{"id": "gap", "utterance": "zzz zzz", "context": "none", "expect": [{"action": "key"}], "gap": true}`
)

func TestEvalComparesPlans(t *testing.T) {
	for _, tt := range []struct {
		cases  []string
		status int
		last   string
		says   []string
	}{
		{[]string{evalRight, evalNoPlan, evalEmpty, evalRouted, evalLess}, exitDone,
			"5 passed, 0 failed, 0 differ but are marked weak or gap", nil},
		{[]string{evalRight, evalWeak, evalGap}, exitDone, "1 passed, 0 failed, 2 differ but are marked weak or gap",
			[]string{"differs weak", "differs gap"}},
		{[]string{evalWrong}, exitFailed, "0 passed, 1 failed, 0 differ",
			[]string{`FAILED wrong "new tab"`, `"chord":"ctrl+t"`, `"chord":"ctrl+n"`}},
		{[]string{evalMissing, evalOther, evalTooMuch, evalTooFew, evalWeak}, exitFailed, "0 passed, 4 failed, 1 differ",
			[]string{"FAILED missing", "FAILED other", "FAILED too-much", "FAILED too-few"}},
		{nil, exitDone, "0 passed, 0 failed", nil},
	} {
		status, out, errs := evalFile(t, strings.Join(tt.cases, ","))
		lines := strings.Split(strings.TrimSpace(out), "\n")
		if status != tt.status || !strings.HasPrefix(lines[len(lines)-1], tt.last) || errs != "" {
			t.Errorf("%d cases: status %d, want %d; %s%s", len(tt.cases), status, tt.status, out, errs)
		}
		for _, s := range tt.says {
			if !strings.Contains(out, s) {
				t.Errorf("%q is not in\n%s", s, out)
			}
		}
	}
}

func TestEvalPrintsALineACase(t *testing.T) {
	status, out, _ := evalFile(t, strings.Join([]string{evalRight, evalWrong, evalWeak, evalNoPlan}, ","), "--json")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if status != exitFailed || len(lines) != 4 {
		t.Fatalf("status %d, %d lines:\n%s", status, len(lines), out)
	}
	for i, want := range []struct {
		id     string
		ok     bool
		steps  int
		source string
	}{{"right", true, 1, "rule"}, {"wrong", false, 1, "rule"}, {"weak", false, 0, ""}, {"no-plan", true, 0, ""}} {
		var r evalResult
		if err := json.Unmarshal([]byte(lines[i]), &r); err != nil {
			t.Fatal(err)
		}
		if r.ID != want.id || r.OK != want.ok || len(r.Plan) != want.steps || r.Micros <= 0 ||
			(r.Source == "") != (want.source == "") {
			t.Errorf("%s: %+v", lines[i], r)
		}
		if !strings.Contains(lines[i], `"plan":`) {
			t.Errorf("%s has no plan", lines[i])
		}
	}
}

func TestEvalRefusesWhatItCannotRead(t *testing.T) {
	for cases, want := range map[string]string{
		`{"id": "a", "utterance": "x", "context": "nowhere"}`: `case 0 (a): unknown context "nowhere"`,
		`{"id": 5}`: "corpus.json: ",
		`{`:         "corpus.json: ",
	} {
		if status, out, errs := evalFile(t, cases); status != exitFailed || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%s: status %d, %s%s", cases, status, out, errs)
		}
	}
	if status, _, errs := evalFile(t, evalRight, "--head", "big"); status != exitUsage || !strings.Contains(errs, "big") {
		t.Errorf("a head: status %d, %s", status, errs)
	}
	var out, errs strings.Builder
	if status := run(t.Context(), []string{"eval", "/nonexistent"}, strings.NewReader(""), &out,
		&errs); status != exitFailed || !strings.Contains(errs.String(), "/nonexistent") {
		t.Errorf("no file: status %d, %s", status, &errs)
	}
	if status := run(t.Context(), []string{"eval"}, strings.NewReader(""), &out, &errs); status != exitUsage {
		t.Errorf("without a file: status %d", status)
	}
}

// FuzzEval: a corpus may be anything; it is read or refused.
func FuzzEval(f *testing.F) {
	f.Add([]byte(`{"profiles": {"a": {"order": ["x"], "by_id": {"x": {"id": "x", "name": "X", "launch": ["x"]}}}}, "contexts": {"c": {"profiles": "a"}}, "cases": [{"id": "1", "utterance": "open x", "context": "c", "expect": [{"action": "ensure_app", "args": {"app": "x"}}]}]}`))
	f.Add([]byte(`{"profiles": {"a": {"order": ["x", "x"], "by_id": {"x": {"id": "y", "generated": true}}}}}`))
	f.Add([]byte(`{"cases": [{"context": ""}], "contexts": {"": {}}}`))
	f.Add([]byte(`{"profiles": {"": {"order": [], "by_id": null}}, "contexts": {"": {"windows": [{}]}}, "cases": [{"expect": {}}, {"expect": 3, "utterance": "close and then close"}]}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := newEvaluator(data)
		if err != nil {
			return
		}
		for i, cs := range e.corpus.Cases {
			if i == 20 || len(cs.Utterance) > 200 {
				break
			}
			r := e.route(cs)
			if cs.Expect == nil && !r.OK {
				t.Errorf("%+v: %+v", cs, r)
			}
			if _, err := json.Marshal(r); err != nil {
				t.Errorf("%+v: %v", r, err)
			}
		}
	})
}

// TestEvalReadsWhatTheSettingsAppSaves: the file is the one that its own test
// writes. There are actions and names of the user's in it.
func TestEvalReadsWhatTheSettingsAppSaves(t *testing.T) {
	var out, errs strings.Builder
	status := run(t.Context(), []string{"eval", "../../../ui/model/cases/testdata/saved.json"},
		strings.NewReader(""), &out, &errs)
	if status != exitDone || !strings.HasPrefix(out.String(), "10 passed, 0 failed") || errs.String() != "" {
		t.Errorf("status %d:\n%s%s", status, &out, &errs)
	}
}

func TestEvalRefusesAProfileThatIsWrong(t *testing.T) {
	for _, own := range []string{`"x"`, `{"shortcuts": {"a": "nonsense+key"}}`} {
		file := filepath.Join(t.TempDir(), "corpus.json")
		text := `{"profiles": {"p": {"order": ["a"], "by_id": {"a": {"id": "a", "own": ` + own + `}}}}}`
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, errs strings.Builder
		if status := run(t.Context(), []string{"eval", file}, strings.NewReader(""), &out, &errs); status != exitFailed ||
			!strings.Contains(errs.String(), "profiles p: a") {
			t.Errorf("%s: status %d, %s%s", own, status, &out, &errs)
		}
	}
}
