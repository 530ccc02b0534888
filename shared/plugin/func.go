package plugin

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"

	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

// None is for a function without arguments, or without a result.
type None = struct{}

// A Func is a Go function that can be called over the protocol.
type Func struct {
	args *schema
	err  error
	call func(ctx context.Context, args json.RawMessage) (any, error)
}

// Do makes a function callable. A is a struct; its fields are the arguments, with
// their JSON names. A field is required unless its tag contains omitzero or
// omitempty, or it is a pointer. The tag doc describes it, and the tag enum lists
// its allowed values, separated by commas:
//
//	type order struct {
//		Item  string   `json:"item" doc:"what to buy"`
//		Size  string   `json:"size" enum:"small,large"`
//		Count int      `json:"count,omitzero"`
//		Tags  []string `json:"tags,omitempty"`
//	}
//
// The runner gets all this as a JSON Schema. Invalid or unknown arguments never
// reach the function. A can also be a map from strings, which accepts anything.
//
// The result R is a string for the user, or a struct or map whose members the
// caller gets. The function must return soon after its ctx ends, because nobody is
// waiting for the result any more.
func Do[A, R any](do func(context.Context, A) (R, error)) Func {
	return DoAs(reflect.TypeFor[A](), func(ctx context.Context, args any) (R, error) { return do(ctx, args.(A)) })
}

// DoAs is Do for arguments whose type is known only at run time, a struct; do gets a value of that type.
func DoAs[R any](args reflect.Type, do func(ctx context.Context, args any) (R, error)) Func {
	f := Func{call: func(ctx context.Context, raw json.RawMessage) (any, error) {
		v := reflect.New(args)
		if err := protocol.DecodeParams(raw, v.Interface()); err != nil {
			return nil, err
		}
		return do(ctx, v.Elem().Interface())
	}}
	f.args, f.err = argsOf(args)
	if f.err == nil {
		f.err = resultOf(reflect.TypeFor[R]())
	}
	return f
}

func (f Func) check() error {
	if f.call == nil {
		return errors.New("has no function; make one with plugin.Do")
	}
	return f.err
}

// A Feeder produces the frames of a stream.
type Feeder struct {
	args *schema
	err  error
	feed func(ctx context.Context, args json.RawMessage, to *Subscriber) error
}

// Feed makes a function feed a stream. It is called for every subscriber in its own
// goroutine, with arguments as for Do; ctx ends when the subscriber is gone. When
// the function returns, the stream ends, with its error if there is one.
func Feed[A any](feed func(ctx context.Context, args A, to *Subscriber) error) Feeder {
	f := Feeder{feed: func(ctx context.Context, raw json.RawMessage, to *Subscriber) error {
		var args A
		if err := protocol.DecodeParams(raw, &args); err != nil {
			return err
		}
		return feed(ctx, args, to)
	}}
	f.args, f.err = argsOf(reflect.TypeFor[A]())
	return f
}

func (f Feeder) check() error {
	if f.feed == nil {
		return errors.New("has no function; make one with plugin.Feed")
	}
	return f.err
}

func argsOf(t reflect.Type) (*schema, error) {
	if t.Kind() != reflect.Struct && !isTextMap(t) {
		return nil, errors.New("its arguments are " + t.String() + "; take a struct")
	}
	return schemaOf(t)
}

func resultOf(t reflect.Type) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.String || t.Kind() == reflect.Struct || isTextMap(t) {
		return nil
	}
	return errors.New("its result is " + t.String() + "; return a string, a struct or a map")
}

func isTextMap(t reflect.Type) bool {
	return t.Kind() == reflect.Map && t.Key().Kind() == reflect.String
}

// invoked makes the answer to action.invoke of what an op returned: ok and op,
// a detail, or the members of its result.
func invoked(op string, result any) (any, error) {
	if v := reflect.ValueOf(result); v.IsValid() && v.Kind() == reflect.String {
		return protocol.InvokeResult{OK: new(true), Op: op, Detail: v.String()}, nil
	}
	all := map[string]any{"ok": true, "op": op}
	text, err := rpc.Marshal(result)
	if err != nil || string(text) == "null" {
		return all, err
	}
	members, err := rpc.Members(text)
	for _, m := range members {
		all[m.Name] = m.Value
	}
	return all, err
}
