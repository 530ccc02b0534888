// Package layout remembers the window's size, page and filter.
package layout

import (
	"encoding/json"
	"os"

	"utter/shared/atomicfile"
)

// A Layout is how the window was when it closed.
type Layout struct {
	Width     int    `json:"width"` // in application pixels
	Height    int    `json:"height"`
	Maximized bool   `json:"maximized"`
	Page      string `json:"page"`
	Filter    string `json:"filter"`
}

// Load reads the file at path. What cannot be read, or makes no sense, is as it
// is at the first start: this file is nobody's work.
func Load(path string) Layout {
	l := Layout{Width: 940, Height: 680, Page: "apps", Filter: "main"}
	data, err := os.ReadFile(path)
	if err != nil {
		return l
	}
	read := l
	if json.Unmarshal(data, &read) != nil {
		return l
	}
	if read.Width < 300 || read.Width > 20000 || read.Height < 200 || read.Height > 20000 {
		read.Width, read.Height = l.Width, l.Height
	}
	return read
}

// Exists reports whether a window has been remembered.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Save writes the file.
func (l Layout) Save(path string) error {
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return atomicfile.Write(path, data, 0o600)
}
