package protocol

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
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
