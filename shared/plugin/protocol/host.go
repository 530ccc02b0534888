package protocol

import "encoding/json"

// Methods of the host: the runner calls the first on a client, a plugin calls
// the others on the runner.
const (
	MethodHostConfirm = "host.confirm"
	MethodHostContext = "host.context"
	MethodHostEmit    = "host.emit"
)

// EmitParams is host.emit; EventData is what runner.event carries of it.
type EmitParams struct {
	Event string          `json:"event"`
	Data  json.RawMessage `json:"data,omitempty"` // at most MaxEmit
}

// EventData is the data of a runner.event frame.
type EventData struct {
	Plugin string          `json:"plugin"`
	Event  string          `json:"event"`
	Data   json.RawMessage `json:"data,omitempty"`
}

// ConfirmParams asks the user: host.confirm. Nonce, digest and expiry are for a
// registered confirmer; see Digest.
type ConfirmParams struct {
	Op         string          `json:"op"`
	Args       json.RawMessage `json:"args"`
	Provenance Provenance      `json:"provenance"`
	Summary    string          `json:"summary"`
	Plugin     string          `json:"plugin"` // the plugin that would do it
	Yours      bool            `json:"yours"`  // whether the client that is asked requested the action
	Nonce      string          `json:"nonce,omitempty"`
	Digest     string          `json:"digest,omitempty"`
	ExpiresMS  int             `json:"expires_ms,omitempty"` // milliseconds from now
}

// ConfirmResult approves only if it says true, and with the nonce and digest
// asked where there were any.
type ConfirmResult struct {
	Approved bool   `json:"approved"`
	Nonce    string `json:"nonce,omitempty"`
	Digest   string `json:"digest,omitempty"`
}

// Approves reports whether r approves asked.
func (r ConfirmResult) Approves(asked ConfirmParams) bool {
	return r.Approved && r.Nonce == asked.Nonce && r.Digest == asked.Digest
}
