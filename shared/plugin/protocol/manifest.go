package protocol

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"utter/shared/spell"
)

// ManifestName is the file that ships with a plugin.
const ManifestName = "utter-plugin.toml"

// maxManifest bounds the file, in bytes.
const maxManifest = 256 << 10

// A Manifest describes a plugin package. One from LoadManifest is valid.
type Manifest struct {
	Name       string   `toml:"name"`
	Version    string   `toml:"version"` // semver
	Kind       string   `toml:"kind"`
	Protocol   string   `toml:"protocol"` // "major.minor"
	ABI        int      `toml:"abi"`
	Runtime    string   `toml:"runtime"`
	Transport  string   `toml:"transport"`
	Entrypoint []string `toml:"-"` // argv; a single text is an argv of one

	Description  string            `toml:"description"`
	Homepage     string            `toml:"homepage"`
	License      string            `toml:"license"`
	MinRunner    string            `toml:"min_runner"`   // semver
	MaxProtocol  string            `toml:"max_protocol"` // "major.minor"
	Env          map[string]string `toml:"env"`
	SocketPath   string            `toml:"socket_path"` // relative to the plugins' folder
	Provides     []string          `toml:"provides"`
	Requires     []string          `toml:"requires"`
	Permissions  []string          `toml:"permissions"`
	Platforms    []string          `toml:"platforms"`
	Models       []Model           `toml:"models"`
	ConfigSchema string            `toml:"config_schema"` // relative to the manifest
	Settings     map[string]any    `toml:"settings"`

	Entry any `toml:"entrypoint"` // as written; use Entrypoint
}

// A Model is a file that a plugin needs in addition to its own.
type Model struct {
	Name   string `toml:"name"`
	Source string `toml:"source"`
	SHA256 string `toml:"sha256"` // 64 hex digits
	Bytes  int64  `toml:"bytes"`
	Path   string `toml:"path"` // relative to the manifest
}

// Platforms are those that a manifest may name.
var Platforms = []string{"linux-x86_64", "linux-aarch64"}

// A FieldError describes an error in a manifest.
type FieldError struct {
	File    string
	Line    int    // from 1; 0 where there is none, as for a missing key
	Key     string // "models.0.sha256", or ""
	Reason  string
	Nearest string // of an unknown key or value: the known one that was probably meant, or ""
}

func (e *FieldError) Error() string {
	where := e.File
	if e.Line > 0 {
		where = fmt.Sprintf("%s:%d", where, e.Line)
	}
	if e.Key != "" {
		where += ": " + e.Key
	}
	text := where + " " + e.Reason
	if e.Nearest != "" {
		text += fmt.Sprintf("; did you mean %q?", e.Nearest)
	}
	return text
}

// LoadManifest reads the manifest in the file at path.
func LoadManifest(path string) (Manifest, error) {
	info, err := os.Stat(path)
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxManifest) {
		err = &fs.PathError{Op: "read", Path: path,
			Err: fmt.Errorf("is not a regular file of at most %d KiB", maxManifest>>10)}
	}
	if err != nil {
		return Manifest{}, fmt.Errorf("manifest: %w", err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return Manifest{}, fmt.Errorf("manifest: %w", err)
	}
	return DecodeManifest(path, text)
}

// DecodeManifest reads a manifest whose file is called name. It reports every
// error, joined; each is a *FieldError.
func DecodeManifest(name string, text []byte) (Manifest, error) {
	var m Manifest
	c := &checker{file: name, lines: linesOf(text)}
	if err := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(&m); err != nil {
		return Manifest{}, c.decodeErrors(err)
	}
	c.manifest(&m)
	if err := errors.Join(c.errs...); err != nil {
		return Manifest{}, err
	}
	return m, nil
}

// A checker collects the errors of one manifest.
type checker struct {
	file  string
	lines map[string]int // by dotted key
	errs  []error
}

func (c *checker) bad(key, format string, args ...any) {
	c.errs = append(c.errs, &FieldError{File: c.file, Line: c.lines[key], Key: key, Reason: fmt.Sprintf(format, args...)})
}

// decodeErrors turns what the TOML library says into FieldErrors.
func (c *checker) decodeErrors(err error) error {
	if unknown, ok := errors.AsType[*toml.StrictMissingError](err); ok {
		for _, e := range unknown.Errors {
			line, _ := e.Position()
			key := e.Key()
			near := spell.Nearest(key[len(key)-1], tomlKeys(len(key) > 1 && key[0] == "models"))
			c.errs = append(c.errs, &FieldError{c.file, line, strings.Join(key, "."), "is unknown", near})
		}
		return errors.Join(c.errs...)
	}
	if wrong, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, _ := wrong.Position()
		return &FieldError{File: c.file, Line: line, Key: strings.Join(wrong.Key(), "."),
			Reason: strings.TrimPrefix(wrong.Error(), "toml: ")}
	}
	return &FieldError{File: c.file, Reason: err.Error()}
}

func tomlKeys(ofModel bool) (keys []string) {
	t := reflect.TypeFor[Manifest]()
	if ofModel {
		t = reflect.TypeFor[Model]()
	}
	for f := range t.Fields() {
		if key := f.Tag.Get("toml"); key != "-" {
			keys = append(keys, key)
		}
	}
	return keys
}

var (
	semver = pattern(
		`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$`)
	majorMinor   = pattern(`^(0|[1-9]\d*)\.(0|[1-9]\d*)$`)
	sha256Hex    = pattern(`^[0-9a-fA-F]{64}$`)
	variableName = pattern(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

func (c *checker) manifest(m *Manifest) {
	c.given("name", "version", "kind", "protocol", "abi", "runtime", "transport", "entrypoint")
	c.is("name", m.Name, func() bool { return CheckID(m.Name) == nil }, "is %.80q: %v", m.Name, CheckID(m.Name))
	c.matches("version", m.Version, semver(), "1.2.3")
	c.matches("protocol", m.Protocol, majorMinor(), Version)
	c.matches("min_runner", m.MinRunner, semver(), "1.2.3")
	c.matches("max_protocol", m.MaxProtocol, majorMinor(), Version)
	c.oneOf("kind", m.Kind, Kinds)
	c.oneOf("runtime", m.Runtime, Runtimes)
	c.oneOf("transport", m.Transport, Transports)
	c.is("abi", "x", func() bool { return c.lines["abi"] == 0 || m.ABI >= 1 }, "is %d; write 1 or more", m.ABI)
	m.Entrypoint = c.argv("entrypoint", m.Entry)
	c.is("description", m.Description, func() bool { return len([]rune(m.Description)) <= 280 },
		"is longer than 280 characters")
	c.is("homepage", m.Homepage, func() bool { return isAddress(m.Homepage) },
		"is %.80q, which is not an address", m.Homepage)
	c.local("socket_path", m.SocketPath)
	c.local("config_schema", m.ConfigSchema)
	for name := range m.Env {
		if !variableName().MatchString(name) {
			c.bad("env."+name, "is not the name of a variable")
		}
	}
	c.capabilities("provides", m.Provides)
	c.capabilities("requires", m.Requires)
	for _, p := range m.Permissions {
		c.oneOf("permissions", p, Permissions)
	}
	for _, p := range m.Platforms {
		c.oneOf("platforms", p, Platforms)
	}
	for i, model := range m.Models {
		c.model(fmt.Sprintf("models.%d.", i), model)
	}
}

func (c *checker) model(key string, m Model) {
	c.given(key+"name", key+"source", key+"sha256", key+"bytes", key+"path")
	c.matches(key+"sha256", m.SHA256, sha256Hex(), "64 hexadecimal digits")
	c.is(key+"source", m.Source, func() bool { return isAddress(m.Source) }, "is %.80q, which is not an address", m.Source)
	c.is(key+"bytes", "x", func() bool { return c.lines[key+"bytes"] == 0 || m.Bytes > 0 },
		"is %d; write the size of the file", m.Bytes)
	c.local(key+"path", m.Path)
}

// given reports keys that are missing, and texts that are empty.
func (c *checker) given(keys ...string) {
	for _, key := range keys {
		if c.lines[key] == 0 {
			c.bad(key, "is missing")
		}
	}
}

// is reports the value at key if it is there and ok says no.
func (c *checker) is(key, value string, ok func() bool, format string, args ...any) {
	if (value != "" || c.lines[key] > 0) && !ok() {
		c.bad(key, format, args...)
	}
}

func (c *checker) matches(key, value string, form *regexp.Regexp, example string) {
	c.is(key, value, func() bool { return form.MatchString(value) }, "is %.80q; write it like %s", value, example)
}

func (c *checker) oneOf(key, value string, known []string) {
	if c.lines[key] > 0 && !slices.Contains(known, value) {
		c.errs = append(c.errs, &FieldError{c.file, c.lines[key], key,
			fmt.Sprintf("has %.80q; write one of %s", value, strings.Join(known, ", ")), spell.Nearest(value, known)})
	}
}

// local reports a path that leaves its folder.
func (c *checker) local(key, path string) {
	c.is(key, path, func() bool { return filepath.IsLocal(path) }, "is %.80q; write a path inside the folder", path)
}

func (c *checker) capabilities(key string, list []string) {
	for _, s := range list {
		if _, err := ParseCapability(s); err != nil {
			c.bad(key, "has an error: %v", err)
		}
	}
}

// argv reads a text or a list of texts.
func (c *checker) argv(key string, value any) (argv []string) {
	switch v := value.(type) {
	case nil:
		return nil
	case string:
		argv = []string{v}
	case []any:
		for _, item := range v {
			s, ok := item.(string)
			if !ok {
				c.bad(key, "is not a string or list of strings")
				return nil
			}
			argv = append(argv, s)
		}
	default:
		c.bad(key, "is not a string or list of strings")
		return nil
	}
	if len(argv) == 0 || argv[0] == "" ||
		slices.ContainsFunc(argv, func(s string) bool { return strings.Contains(s, "\x00") }) {
		c.bad(key, "does not name a program")
	}
	return argv
}

func isAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && slices.Contains([]string{"http", "https"}, u.Scheme) && u.Host != ""
}
