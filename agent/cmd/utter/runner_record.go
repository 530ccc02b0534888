package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"utter/shared/atomicfile"
	"utter/shared/plugin/protocol"
)

// An installed plugin is noted, so that doctor can tell what has changed since.
type installed struct {
	Version string `json:"version"`
	Folder  string `json:"folder"`
}

// A record is the file of what was installed, and with which runner.
type record struct {
	Protocol string                `json:"protocol"`
	Version  string                `json:"version"`
	Plugins  map[string]*installed `json:"plugins"`
}

func (r *runnerCLI) recordFile() string { return filepath.Join(r.dirs.State, "utter", "install.json") }

func (r *runnerCLI) readRecord() (record, error) {
	var rec record
	data, err := os.ReadFile(r.recordFile())
	if errors.Is(err, fs.ErrNotExist) {
		return rec, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &rec)
	}
	if err != nil {
		return record{}, fmt.Errorf("%s: %w", r.recordFile(), err)
	}
	return rec, nil
}

// note notes a plugin, or forgets it.
func (r *runnerCLI) note(id string, what *installed) error {
	rec, err := r.readRecord()
	if err != nil {
		return &exitError{exitFailed, "failed", err.Error()}
	}
	if rec.Plugins == nil {
		rec.Plugins = map[string]*installed{}
	}
	rec.Protocol, rec.Version, rec.Plugins[id] = protocol.Version, version, what
	if what == nil {
		delete(rec.Plugins, id)
	}
	data, err := json.MarshalIndent(rec, "", "  ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(r.recordFile()), 0o700)
	}
	if err == nil {
		err = atomicfile.Write(r.recordFile(), append(data, '\n'), 0o600)
	}
	if err != nil {
		return &exitError{exitFailed, "failed", err.Error()}
	}
	return nil
}
