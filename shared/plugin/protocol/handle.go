package protocol

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Methods of handles. A client calls them on the runner, and the runner calls
// handle.fetch on a plugin.
const (
	MethodHandleCreate = "handle.create"
	MethodHandleFetch  = "handle.fetch"
	MethodHandleStat   = "handle.stat"
	MethodFDPass       = "fd.pass"
)

// The kinds of fd.pass.
const (
	FDHandle    = "handle"
	FDMemfd     = "memfd"
	FDMemfdRing = "memfd.ring"
)

// A Handle names bytes by their SHA-256. It is never a path.
type Handle [sha256.Size]byte

// HandleOf returns the handle of data.
func HandleOf(data []byte) Handle { return sha256.Sum256(data) }

// ParseHandle reads "handle://<64 lower-case hex>" and
// "handle://sha256/<hex>". The error is -32602.
func ParseHandle(s string) (h Handle, err error) {
	digits, ok := strings.CutPrefix(s, "handle://")
	digits = strings.TrimPrefix(digits, "sha256/")
	if !ok || len(digits) != 2*len(h) || strings.Trim(digits, "0123456789abcdef") != "" {
		return Handle{}, Errorf(CodeInvalidParams, "malformed handle %.100q", s)
	}
	_, err = hex.Decode(h[:], []byte(digits))
	return h, err
}

// String returns the text form that ParseHandle reads.
func (h Handle) String() string { return "handle://" + h.Hex() }

// Hex returns the digest.
func (h Handle) Hex() string { return hex.EncodeToString(h[:]) }

// HandleCreateParams creates a handle from the first member that is given.
type HandleCreateParams struct {
	DataB64 *string `json:"data_b64,omitempty"`
	Data    *string `json:"data,omitempty"` // UTF-8 text
	Size    *int64  `json:"size,omitempty"` // that many zero bytes
	Scope   string  `json:"scope,omitempty"`
}

// HandleParams names a handle: handle.fetch and handle.stat.
type HandleParams struct {
	Handle string `json:"handle"`
	Scope  string `json:"scope,omitempty"`
}

// HandleResult is the answer to handle.create.
type HandleResult struct {
	Handle string `json:"handle"`
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
}

// HandleFetchResult is the answer to handle.fetch.
type HandleFetchResult struct {
	Size    int64  `json:"size"`
	SHA256  string `json:"sha256"`
	DataB64 string `json:"data_b64"`
}

// HandleStatResult is the answer to handle.stat. Times are seconds since 1970.
type HandleStatResult struct {
	Handle   string  `json:"handle"`
	SHA256   string  `json:"sha256"`
	Size     int64   `json:"size"`
	Created  float64 `json:"created"`
	TTL      float64 `json:"ttl"`
	Expires  float64 `json:"expires"`
	RefCount int     `json:"refcount"`
}

// FDPassParams is fd.pass.
type FDPassParams struct {
	Kind string `json:"kind"`
	Meta FDMeta `json:"meta,omitzero"`
}

// FDMeta describes the contents of the descriptor.
type FDMeta struct {
	Handle string  `json:"handle,omitempty"`
	Scope  string  `json:"scope,omitempty"`
	Data   *string `json:"data,omitempty"`
	Size   *int64  `json:"size,omitempty"`
}
