package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"utter/shared/config"
	"utter/shared/plugin/protocol"
)

// manifest reads and checks what lies in a folder.
func (r *runnerCLI) manifest(folder string) (protocol.Manifest, error) {
	m, err := protocol.LoadManifest(filepath.Join(folder, protocol.ManifestName))
	refuse := func(format string, args ...any) (protocol.Manifest, error) {
		return m, &exitError{exitRefused, "not_supported", m.Name + ": " + fmt.Sprintf(format, args...)}
	}
	here := "linux-" + map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return m, &exitError{exitUnknown, "not_found", "there is no " + protocol.ManifestName + " in " + folder}
	case err != nil:
		return m, &exitError{exitFailed, "invalid", err.Error()}
	case m.Protocol != protocol.Version || m.ABI != protocol.ABI:
		return refuse("it uses protocol %s, abi %d; this is %s, %d", m.Protocol, m.ABI, protocol.Version, protocol.ABI)
	case m.Runtime != protocol.RuntimeSubprocess:
		return refuse("runtime %s is not supported", m.Runtime)
	case len(m.Platforms) > 0 && !slices.Contains(m.Platforms, here):
		return refuse("it is for %s, not %s", strings.Join(m.Platforms, ", "), here)
	case m.MinRunner != "" && older(version, m.MinRunner):
		return refuse("it needs a runner of version %s; this is %s", m.MinRunner, version)
	}
	for _, model := range m.Models {
		if err := checkModel(filepath.Join(folder, model.Path), model); err != nil {
			return refuse("model %s: %v; it comes from %s", model.Name, err, model.Source)
		}
	}
	return m, nil
}

// older compares the numbers of two versions.
func older(a, b string) bool {
	var x, y [3]int
	fmt.Sscanf(a, "%d.%d.%d", &x[0], &x[1], &x[2])
	fmt.Sscanf(b, "%d.%d.%d", &y[0], &y[1], &y[2])
	return slices.Compare(x[:], y[:]) < 0
}

func checkModel(path string, m protocol.Model) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)) != m.SHA256 {
		return fmt.Errorf("%s is not the file that the manifest describes", path)
	}
	return nil
}

// entryOf is the entry of a plugin that runs in its folder.
func entryOf(m protocol.Manifest, folder string) config.Plugin {
	argv := slices.Clone(m.Entrypoint)
	if strings.Contains(argv[0], "/") && !filepath.IsAbs(argv[0]) {
		argv[0] = filepath.Join(folder, argv[0])
	}
	return config.Plugin{
		ID: m.Name, Kind: m.Kind, Runtime: m.Runtime, Transport: m.Transport, Entrypoint: argv, Dir: folder, Env: m.Env,
		Provides: m.Provides, Requires: m.Requires, Permissions: m.Permissions, Settings: m.Settings,
	}
}

// absolute makes paths of the command line those of a configuration.
func absolute(paths []string) (list []string, err error) {
	for _, path := range paths {
		if !strings.HasPrefix(path, "~/") {
			if path, err = filepath.Abs(path); err != nil {
				return nil, err
			}
		}
		list = append(list, path)
	}
	return list, nil
}
