// Package status holds the structs in which the runner reports its own state.
package status

import (
	"utter/agent/runner/sandbox"
	"utter/shared/plugin/protocol"
)

// An About is what runner.status says of the runner itself, besides its plugins.
type About struct {
	Protocol string         `json:"protocol"`
	ABI      int            `json:"abi"`
	Version  string         `json:"version"`
	Enforce  string         `json:"enforce"`
	Config   string         `json:"config"` // the file that it reads
	Sandbox  sandbox.Report `json:"sandbox"`
}

// A Status is the answer to runner.status.
type Status struct {
	protocol.PluginsResult
	Runner About `json:"runner"`
}
