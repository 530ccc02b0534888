// Package arch holds the tests of the project's shape. It has no other code.
package arch

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	root   = "../.."
	module = "utter/"
)

// layers says what each layer may import besides itself and the standard
// library. The longest matching prefix wins; what is not listed is forbidden.
var layers = map[string][]string{
	"data":     {},
	"profiles": {},
	"shared": {"golang.org/x/", "github.com/godbus/", "gopkg.in/yaml.v3", "github.com/pelletier/go-toml/",
		"github.com/fsnotify/", "github.com/go-json-experiment/json", "utter/data", "utter/profiles"},

	"agent/cmd": {"utter/agent/internal/", "utter/agent/runner", "utter/shared/", "utter/data",
		"golang.org/x/", "github.com/godbus/", "github.com/spf13/cobra", "gopkg.in/yaml.v3"},
	"agent/internal": {"utter/agent/internal/", "utter/shared/", "utter/data", "utter/profiles", "golang.org/x/",
		"github.com/godbus/", "gopkg.in/yaml.v3"},
	"agent/internal/dialogue": {"utter/agent/internal/", "utter/shared/"}, // no D-Bus
	"agent/runner": {"utter/agent/internal/policy", "utter/shared/", "utter/data", "golang.org/x/",
		"github.com/godbus/", "github.com/santhosh-tekuri/jsonschema/"},

	"ui/model": {"utter/shared/", "golang.org/x/", "github.com/kballard/go-shellquote"},
	"ui/view":  {"utter/ui/model/", "utter/shared/", "golang.org/x/", "github.com/diamondburned/"},
	"app":      {"utter/ui/", "utter/shared/", "golang.org/x/", "github.com/diamondburned/"},

	"scripts":     {"utter/shared/", "github.com/godbus/"},
	"tests":       {"golang.org/x/", "github.com/godbus/", "utter/shared/wayland", "utter/tests/fakes/"}, // black box
	"tests/fakes": {"utter/shared/", "github.com/godbus/", "golang.org/x/sys/"},
	"tests/arch":  {},
	// The protocol as others see it: nothing of ours, so that no error is made
	// on both sides.
	"tests/conformance":    {"golang.org/x/sys/"},
	"tests/plugins/unruly": {},
	// What the author of a plugin may use.
	"tests/plugins": {"utter/shared/", "golang.org/x/"},

	"scripts/po/testdata":      {"utter/ui/model/tr", "utter/shared/i18n"},
	"scripts/uicheck/testdata": {"github.com/diamondburned/"},

	// An empty window, as the settings app is measured against one. In testdata,
	// no test or check compiles it.
	"scripts/benchmark/testdata": {"github.com/diamondburned/"},
}

// cgo are the layers that may have C in them: all else is one static program, or
// runs without a toolkit.
var cgo = []string{"ui/view", "app"}

// inTests is what the tests of a layer may import besides.
var inTests = map[string][]string{
	"shared":         {"utter/tests/fakes/"},
	"agent/internal": {"utter/tests/fakes/"},
	"agent/runner":   {"utter/tests/fakes/"},
	"agent/cmd":      {"utter/tests/fakes/"},
}

// alone are packages that know no sibling but those listed: what drives a part
// of the desktop must not reach for another, and who uses a part declares what
// it needs of it and imports no implementation.
var alone = map[string][]string{
	"agent/internal/compositor": {},
	"agent/internal/input":      {},
	"agent/internal/launch":     {},
	"agent/internal/notify":     {},
	"agent/internal/mpris":      {},
	"agent/internal/policy":     {},
	"agent/internal/router":     {},
	"agent/internal/executor":   {"agent/internal/compositor", "agent/internal/input"},
	"agent/internal/knowledge":  {"agent/internal/policy", "agent/internal/router"},
	"agent/internal/service":    {"agent/internal/dialogue", "agent/internal/launch", "agent/internal/router"},
	"agent/internal/act/apps":   {"agent/internal/compositor", "agent/internal/executor", "agent/internal/launch"},

	"agent/internal/compositor/sway":           {"agent/internal/compositor"},
	"agent/internal/compositor/niri":           {"agent/internal/compositor"},
	"agent/internal/compositor/memory":         {"agent/internal/compositor"},
	"agent/internal/compositor/compositortest": {"agent/internal/compositor"},
	"agent/internal/input/xkb":                 {},
	"agent/runner/sandbox":                     {},
}

// leaves may import nothing of ours, or only what is listed.
var leaves = map[string][]string{
	"shared/xdg": {}, "shared/atomicfile": {}, "shared/spell": {}, "shared/wayland": {}, "shared/op": {"shared/i18n"},
	"shared/plan":         {"shared/op"},
	"shared/desktopentry": {"shared/filestamp"}, "shared/filestamp": {}, "shared/bus": {"shared/op", "shared/plan"}, "shared/watch": {},
	"shared/visible": {}, "shared/peercred": {},
	"shared/chord":     {"shared/spell", "shared/i18n"},
	"shared/i18n":      {"shared/visible"},
	"shared/utterance": {"data"},
	"shared/turnstile": {},
	"shared/terminal":  {"data"},

	"ui/model/tr":              {},
	"shared/plugin":            {"shared/plugin/protocol", "shared/plugin/rpc", "shared/spell"},
	"shared/plugin/rpc":        {},
	"shared/plugin/protocol":   {"shared/op", "shared/plugin/rpc", "shared/spell"},
	"shared/plugin/plugintest": {"shared/plugin", "shared/plugin/protocol", "shared/plugin/rpc"},
}

// TestLayers reads the imports itself. A test that asked the go command would
// be cached: cmd/go sees only the files that the test opens.
func TestLayers(t *testing.T) {
	local := 0 // imports within the module, to prove that there was work
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(file) != ".go" {
			return err
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		dir := path.Dir(filepath.ToSlash(rel))
		layer := layerOf(dir)
		if layer == "" {
			t.Errorf("%s is in no layer", rel)
			return nil
		}
		isTest := strings.HasSuffix(rel, "_test.go")
		for _, imp := range imports(t, file) {
			if strings.HasPrefix(imp, module) {
				local++
			}
			if imp == "C" && !slices.Contains(cgo, layer) {
				t.Errorf("%s (layer %s) must not have C in it", rel, layer)
			}
			if !allowed(layer, imp, isTest) {
				t.Errorf("%s (layer %s) must not import %s", rel, layer, imp)
			}
			if !isTest && !knows(dir, imp) {
				t.Errorf("%s must not know %s", rel, imp)
			}
		}
		return nil
	})
	if err != nil || local == 0 {
		t.Errorf("walk: %v; saw %d imports within the module", err, local)
	}
}

func imports(t *testing.T, file string) (paths []string) {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range f.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, p)
	}
	return paths
}

func layerOf(dir string) (layer string) {
	for prefix := range layers {
		if (dir == prefix || strings.HasPrefix(dir, prefix+"/")) && len(prefix) > len(layer) {
			layer = prefix
		}
	}
	return layer
}

func allowed(layer, imp string, isTest bool) bool {
	first, _, _ := strings.Cut(imp, "/")
	if !strings.Contains(first, ".") && !strings.HasPrefix(imp, module) {
		return true // standard library
	}
	if layerOf(strings.TrimPrefix(imp, module)) == layer {
		return true
	}
	may := layers[layer]
	if isTest {
		may = slices.Concat(may, inTests[layer])
	}
	return slices.ContainsFunc(may, func(prefix string) bool { return strings.HasPrefix(imp, prefix) })
}

// knows checks the rules within a layer.
func knows(dir, imp string) bool {
	ours, ok := strings.CutPrefix(imp, module)
	if !ok || ours == dir {
		return true
	}
	if may, isLeaf := leaves[dir]; isLeaf {
		return slices.Contains(may, ours)
	}
	may, isAlone := alone[dir]
	if !isAlone || !strings.HasPrefix(ours, "agent/internal/") && !strings.HasPrefix(ours, "agent/runner/") {
		return true
	}
	return slices.Contains(may, ours) || strings.HasPrefix(ours, dir+"/")
}

// TestBackendsStayBehindTheirInterface keeps concrete compositors out of
// everything but the place where concrete types meet.
func TestBackendsStayBehindTheirInterface(t *testing.T) {
	seen := 0
	err := filepath.WalkDir(filepath.Join(root, "agent"), func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			return err
		}
		for _, imp := range imports(t, file) {
			if !strings.HasPrefix(imp, "utter/agent/internal/compositor/") || strings.HasSuffix(imp, "test") {
				continue
			}
			seen++
			if !strings.Contains(filepath.ToSlash(file), "agent/cmd/") {
				t.Errorf("%s must not import %s", file, imp)
			}
		}
		return nil
	})
	if err != nil || seen == 0 {
		t.Errorf("walk: %v; saw %d imports of backends", err, seen)
	}
}
