// Package profiles holds the curated application profiles that are built in,
// and nothing else.
package profiles

import "embed"

// FS holds the profile files.
//
//go:embed *.yaml
var FS embed.FS
