package rpc

import (
	"encoding/json"
	"errors"
)

// A message is one JSON-RPC message, its values compact and strict.
type message struct {
	id     json.RawMessage // nil if absent or null
	badID  bool            // neither a string nor a number
	method string
	kind   kind
	params json.RawMessage // an object; nil if it is something else
	result json.RawMessage
	failed json.RawMessage // the member "error", nil if absent or null
}

type kind int

const (
	unclear kind = iota // no request, notification or reply
	request
	notification
	reply
)

var errUnclear = errors.New("neither a method nor a result nor an error")

// parse reads a message. After an error, which is that of Members, m holds what
// came before it.
func parse(body []byte) (m message, err error) {
	var method, params json.RawMessage
	err = newScanner(body).document(func(name string, value json.RawMessage) {
		switch name {
		case "id":
			m.id, m.badID = identity(value)
		case "method":
			method = value
		case "params":
			params = value
		case "result":
			m.result = value
		case "error":
			if string(value) != "null" {
				m.failed = value
			}
		}
	})
	if strict, ok := errors.AsType[*StrictError](err); ok && strict.Name == "id" {
		m.id = nil
	}
	m.classify(method)
	m.params = object(params)
	return m, err
}

// identity returns an id as it must be echoed.
func identity(value json.RawMessage) (id json.RawMessage, bad bool) {
	switch c := value[0]; {
	case c == '"' || c == '-' || c >= '0' && c <= '9':
		return value, false
	case c == 'n':
		return nil, false
	}
	return nil, true
}

func (m *message) classify(method json.RawMessage) {
	switch {
	case method == nil && (m.result != nil || m.failed != nil):
		m.kind = reply
	case method == nil || json.Unmarshal(method, &m.method) != nil || method[0] != '"':
		m.kind = unclear
	case m.id == nil && !m.badID:
		m.kind = notification
	default:
		m.kind = request
	}
}

// object returns params as an object: absent ones are empty, others nil.
func object(params json.RawMessage) json.RawMessage {
	switch {
	case params == nil:
		return json.RawMessage("{}")
	case params[0] != '{':
		return nil
	}
	return params
}

// text returns the id if it is a string, as our own are.
func (m *message) text() string {
	var s string
	if len(m.id) == 0 || m.id[0] != '"' || json.Unmarshal(m.id, &s) != nil {
		return ""
	}
	return s
}

// failure reads the error of a reply.
func (m *message) failure() *Error {
	var e Error
	if m.failed[0] != '{' || Unmarshal(m.failed, &e) != nil {
		return &Error{codePlugin, "the peer replied with a malformed error", m.failed}
	}
	return &e
}

// The messages that we send. Their order of members is the usual one.
type (
	outRequest struct {
		Version string          `json:"jsonrpc"`
		ID      string          `json:"id,omitempty"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params"`
	}
	outResult struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  json.RawMessage `json:"result"`
	}
	outError struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   *Error          `json:"error"`
	}
)

const version = "2.0"

// encodeParams writes params, which must come out as an object.
func encodeParams(params any) (json.RawMessage, error) {
	if params == nil {
		return json.RawMessage("{}"), nil
	}
	text, err := Marshal(params)
	if err == nil && text[0] != '{' {
		err = errors.New("params are no object")
	}
	return text, err
}

// encode frames one of the messages above.
func encode(m any) ([]byte, error) {
	body, err := Marshal(m)
	if err != nil {
		return nil, err
	}
	return AppendFrame(make([]byte, 0, len(body)+32), body), nil
}
