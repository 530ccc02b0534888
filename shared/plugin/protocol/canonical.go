package protocol

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"utter/shared/plugin/rpc"
)

// Canonical returns the RFC 8785 form of data, which must be strict JSON. A
// number whose digits a float64 cannot tell apart from others (a whole number
// from 2^53 on, or one over its range) is an error: two different arguments must
// never look the same.
func Canonical(data []byte) ([]byte, error) {
	var v any
	if err := rpc.Unmarshal(data, &v); err != nil {
		return nil, err
	}
	return appendCanonical(nil, v)
}

// Digest binds an approval to what was approved: the SHA-256, in lower-case
// hex, of the canonical form of {op, args, provenance}.
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

func appendCanonical(dst []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...), nil
	case bool:
		return strconv.AppendBool(dst, v), nil
	case string:
		return rpc.AppendString(dst, v), nil
	case json.Number:
		return appendNumber(dst, string(v))
	case []any:
		return appendArray(dst, v)
	}
	return appendObject(dst, v.(map[string]any))
}

func appendArray(dst []byte, items []any) (_ []byte, err error) {
	dst = append(dst, '[')
	for i, item := range items {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = appendCanonical(dst, item); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

func appendObject(dst []byte, members map[string]any) (_ []byte, err error) {
	type member struct {
		name  string
		units []uint16
	}
	order := make([]member, 0, len(members))
	for name := range members {
		order = append(order, member{name, utf16.Encode([]rune(name))})
	}
	slices.SortFunc(order, func(a, b member) int { return slices.Compare(a.units, b.units) })
	dst = append(dst, '{')
	for i, m := range order {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(rpc.AppendString(dst, m.name), ':')
		if dst, err = appendCanonical(dst, members[m.name]); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

// appendNumber writes a number as ECMAScript does.
func appendNumber(dst []byte, digits string) ([]byte, error) {
	f, err := strconv.ParseFloat(digits, 64)
	whole := strings.Trim(digits, "-0123456789") == ""
	if err != nil || whole && math.Abs(f) >= 1<<53 {
		return nil, errors.New("the number " + digits[:min(len(digits), 40)] + " is too large to be told from its neighbours")
	}
	if f == 0 {
		return append(dst, '0'), nil
	}
	if a := math.Abs(f); a >= 1e-6 && a < 1e21 {
		return strconv.AppendFloat(dst, f, 'f', -1, 64), nil
	}
	text := strconv.FormatFloat(f, 'e', -1, 64)
	mantissa, exponent, _ := strings.Cut(text, "e")
	sign := exponent[:1]
	return append(dst, mantissa+"e"+sign+strings.TrimLeft(exponent[1:], "0")...), nil
}
