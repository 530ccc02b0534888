package rpc

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
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

// parse reads a message. With a *StrictError, m holds what can be read of it.
func parse(body []byte) (m message, err error) {
	text, err := Compact(body)
	refused, ok := errors.AsType[*StrictError](err)
	if ok && jsontext.Value(body).IsValid(loose) {
		text, _ = jsontext.AppendFormat(nil, body, loose)
	}
	if err == nil && text[0] != '{' {
		err = errNoObject
	}
	if len(text) == 0 || text[0] != '{' {
		return m, err
	}
	var method, params json.RawMessage
	for name, value := range members(text) {
		switch string(name) {
		case `"id"`:
			m.id, m.badID = identity(value)
		case `"method"`:
			method = value
		case `"params"`:
			params = value
		case `"result"`:
			m.result = value
		case `"error"`:
			if string(value) != "null" {
				m.failed = value
			}
		}
	}
	if refused != nil && refused.Twice == "/id" {
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
	name, ok := unquote(method)
	m.method = name
	switch {
	case method == nil && (m.result != nil || m.failed != nil):
		m.kind = reply
	case !ok:
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
	s, _ := unquote(m.id)
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

const version = "2.0"

// encodeParams writes params, which must come out as an object.
func encodeParams(params any) (json.RawMessage, error) {
	if params == nil {
		return json.RawMessage("{}"), nil
	}
	text, err := Marshal(params)
	if err == nil && text[0] != '{' {
		err = errors.New("params are not an object")
	}
	return text, err
}

// A member of an outgoing message. Its value is JSON already.
type outMember struct {
	name  string
	value json.RawMessage
}

// requestFrame is a request, or without an id a notification.
func requestFrame(id, method string, params json.RawMessage) []byte {
	name := outMember{"method", AppendString(nil, strings.ToValidUTF8(method, "\ufffd"))}
	if id == "" {
		return messageFrame(name, outMember{"params", params})
	}
	return messageFrame(outMember{"id", AppendString(nil, id)}, name, outMember{"params", params})
}

func resultFrame(id, result json.RawMessage) []byte {
	return messageFrame(outMember{"id", id}, outMember{"result", result})
}

// errorFrame is a reply. A nil id is null; data that is not JSON is left out.
func errorFrame(id json.RawMessage, said *Error) []byte {
	text, err := Marshal(said)
	if err != nil {
		text, err = Marshal(&Error{said.Code, said.Message, nil})
	}
	if err != nil {
		panic(err) // a number and a text have a form in JSON
	}
	if id == nil {
		id = json.RawMessage("null")
	}
	return messageFrame(outMember{"id", id}, outMember{"error", text})
}

// messageFrame writes a message as a frame.
func messageFrame(members ...outMember) []byte {
	const (
		room  = 32 // of the header, whose number is known last
		begin = `{"jsonrpc":"` + version + `"`
	)
	size := room + len(begin) + len("}")
	for _, m := range members {
		size += len(`,"":`) + len(m.name) + len(m.value)
	}
	b := append(make([]byte, room, size), begin...)
	for _, m := range members {
		b = append(append(append(b, `,"`...), m.name...), `":`...)
		b = append(b, m.value...)
	}
	b = append(b, '}')
	var header [room]byte
	text := appendHeader(header[:0], len(b)-room)
	copy(b[room-len(text):], text)
	return b[room-len(text):]
}
