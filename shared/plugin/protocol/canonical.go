package protocol

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"utter/shared/plugin/rpc"
)

// Canonical returns the RFC 8785 form of data, which must be strict JSON. A
// number whose digits a float64 cannot tell apart from others (a whole number
// from 2^53 on, or one over its range) is an error: two different arguments must
// never look the same.
func Canonical(data []byte) ([]byte, error) {
	text, err := rpc.Compact(data)
	if err != nil {
		return nil, err
	}
	d := jsontext.NewDecoder(bytes.NewReader(text))
	for {
		t, err := d.ReadToken()
		if err == io.EOF {
			break
		}
		if err == nil && t.Kind() == '0' {
			err = exact(t.String())
		}
		if err != nil {
			return nil, err
		}
	}
	err = (*jsontext.Value)(&text).Canonicalize()
	return text, err
}

// exact refuses a number that a float64 cannot tell from its neighbours.
func exact(digits string) error {
	f, err := strconv.ParseFloat(digits, 64)
	whole := strings.Trim(digits, "-0123456789") == ""
	if err != nil || whole && math.Abs(f) >= 1<<53 {
		return fmt.Errorf("the number %.40s is too large to be represented exactly", digits)
	}
	return nil
}

// Digest returns the SHA-256, in lower-case hex, of the canonical form of {op,
// args, provenance}. It binds an approval to what was approved.
func Digest(op string, args json.RawMessage, p Provenance) (string, error) {
	text, err := rpc.Marshal(map[string]any{"op": op, "args": orEmpty(args), "provenance": p})
	if err == nil {
		text, err = Canonical(text)
	}
	if err != nil {
		return "", fmt.Errorf("digest of %s: %w", op, err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

func orEmpty(args json.RawMessage) json.RawMessage {
	if len(bytes.TrimSpace(args)) == 0 {
		return json.RawMessage("{}")
	}
	return args
}
