// Package data holds the tables and documents that are built into the
// binaries, and nothing else.
package data

import "embed"

// FS holds the files of this folder by their paths in it.
//
//go:embed *.json languages dbus
var FS embed.FS
