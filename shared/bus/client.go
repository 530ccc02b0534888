package bus

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/godbus/dbus/v5"
)

var (
	// ErrNoBus means that there is no session bus to talk on.
	ErrNoBus = errors.New("no session bus")
	// ErrNoAgent means that no agent is running and none can be started.
	ErrNoAgent = errors.New("the agent is not running and cannot be started")
	// ErrLost means that the agent or the bus went away during a call.
	ErrLost = errors.New("the agent went away before it answered; what it was doing may have had its effect")
)

// A Dict is an a{sv} with plain Go values: variants are unpacked, lists of
// dictionaries are []Dict.
type Dict map[string]any

// A Client talks to the agent.
type Client struct {
	conn  *dbus.Conn
	agent dbus.BusObject
}

// Connect connects to the session bus until ctx ends. Where there is none it
// starts none, but returns ErrNoBus, wrapped.
func Connect(ctx context.Context) (*dbus.Conn, error) {
	address := os.Getenv("DBUS_SESSION_BUS_ADDRESS")
	if address == "" || address == "autolaunch:" {
		dir := os.Getenv("XDG_RUNTIME_DIR")
		if !filepath.IsAbs(dir) {
			dir = filepath.Join("/run/user", strconv.Itoa(os.Getuid()))
		}
		address = "unix:path=" + dbus.EscapeBusAddressValue(filepath.Join(dir, "bus"))
	}
	conn, err := dbus.Connect(address, dbus.WithContext(ctx))
	if err != nil {
		return nil, fmt.Errorf("%w: %w; is DBUS_SESSION_BUS_ADDRESS set?", ErrNoBus, err)
	}
	return conn, nil
}

// Dial connects to the session bus. The agent is started by the first call.
func Dial(ctx context.Context) (*Client, error) {
	conn, err := Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &Client{conn, conn.Object(Agent, Path)}, nil
}

// Close ends the connection.
func (c *Client) Close() error { return c.conn.Close() }

// A Reply is the answer to Run and its kin.
type Reply struct {
	Outcome string
	Message string
	Steps   []Dict
}

// Run carries out an utterance.
func (c *Client) Run(ctx context.Context, utterance string) (Reply, error) {
	return c.reply(ctx, "Run", utterance)
}

// RunWithOptions is Run with the options that the interface describes.
func (c *Client) RunWithOptions(ctx context.Context, utterance string, options map[string]any) (Reply, error) {
	variants := map[string]dbus.Variant{}
	for name, v := range options {
		variants[name] = dbus.MakeVariant(v)
	}
	return c.reply(ctx, "RunWithOptions", utterance, variants)
}

// Confirm approves or turns down a plan.
func (c *Client) Confirm(ctx context.Context, token string, approve bool) (Reply, error) {
	return c.reply(ctx, "Confirm", token, approve)
}

// Choose carries out one of the choices of an ambiguous utterance, from 0.
func (c *Client) Choose(ctx context.Context, token string, index uint32) (Reply, error) {
	return c.reply(ctx, "Choose", token, index)
}

func (c *Client) reply(ctx context.Context, method string, args ...any) (Reply, error) {
	var r Reply
	var steps []map[string]dbus.Variant
	if err := c.call(ctx, method, args...).Store(&r.Outcome, &r.Message, &steps); err != nil {
		return Reply{}, translate(ctx, method, err)
	}
	r.Steps = plainList(steps)
	return r, nil
}

// Plan returns what Run would do.
func (c *Client) Plan(ctx context.Context, utterance string) (Dict, error) {
	var d map[string]dbus.Variant
	if err := c.call(ctx, "Plan", utterance).Store(&d); err != nil {
		return nil, translate(ctx, "Plan", err)
	}
	return plainDict(d), nil
}

// PlanWithOptions is Plan with the options that the interface describes.
func (c *Client) PlanWithOptions(ctx context.Context, utterance string, options map[string]any) (Dict, error) {
	variants := map[string]dbus.Variant{}
	for name, v := range options {
		variants[name] = dbus.MakeVariant(v)
	}
	var d map[string]dbus.Variant
	if err := c.call(ctx, "PlanWithOptions", utterance, variants).Store(&d); err != nil {
		return nil, translate(ctx, "PlanWithOptions", err)
	}
	return plainDict(d), nil
}

// Suggest returns what can be said now and begins with prefix.
func (c *Client) Suggest(ctx context.Context, prefix string, limit uint32) ([]Dict, error) {
	var l []map[string]dbus.Variant
	if err := c.call(ctx, "Suggest", prefix, limit).Store(&l); err != nil {
		return nil, translate(ctx, "Suggest", err)
	}
	return plainList(l), nil
}

// Cancel ends the running plan and empties the queue. It returns how many plans
// that were.
func (c *Client) Cancel(ctx context.Context) (uint32, error) {
	var n uint32
	err := c.call(ctx, "Cancel").Store(&n)
	return n, translate(ctx, "Cancel", err)
}

// ListApps returns every application that can be named.
func (c *Client) ListApps(ctx context.Context) ([]Dict, error) { return c.list(ctx, "ListApps") }

// ListWindows returns the open windows.
func (c *Client) ListWindows(ctx context.Context) ([]Dict, error) { return c.list(ctx, "ListWindows") }

// Doctor returns the parts of the desktop.
func (c *Client) Doctor(ctx context.Context) ([]Dict, error) { return c.list(ctx, "Doctor") }

// Problems returns what is wrong with files.
func (c *Client) Problems(ctx context.Context) ([]Dict, error) {
	var v dbus.Variant
	if err := c.agent.CallWithContext(ctx, "org.freedesktop.DBus.Properties.Get", 0, Interface, "Problems").Store(&v); err != nil {
		return nil, translate(ctx, "Problems", err)
	}
	list, _ := v.Value().([]map[string]dbus.Variant)
	return plainList(list), nil
}

func (c *Client) list(ctx context.Context, method string) ([]Dict, error) {
	var l []map[string]dbus.Variant
	if err := c.call(ctx, method).Store(&l); err != nil {
		return nil, translate(ctx, method, err)
	}
	return plainList(l), nil
}

func (c *Client) call(ctx context.Context, method string, args ...any) *dbus.Call {
	return c.agent.CallWithContext(ctx, Interface+"."+method, 0, args...)
}

// translate makes an error of a call say what it means. It keeps the D-Bus error.
func translate(ctx context.Context, method string, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil { // then the connection may have ended as well
		return fmt.Errorf("%s: %w", method, ctx.Err())
	}
	var e dbus.Error
	switch {
	case broken(err), errors.As(err, &e) && e.Name == "org.freedesktop.DBus.Error.NoReply":
		return fmt.Errorf("%w (%w)", ErrLost, err)
	case errors.As(err, &e) && cannotStart(e.Name):
		return fmt.Errorf("%w (%w)", ErrNoAgent, err)
	}
	return fmt.Errorf("%s: %w", method, err)
}

// broken reports whether err means that the connection has ended.
func broken(err error) bool {
	_, network := errors.AsType[*net.OpError](err)
	return network || errors.Is(err, dbus.ErrClosed)
}

// cannotStart reports whether the bus answers with the error name for a service
// that it cannot start.
func cannotStart(name string) bool {
	switch name {
	case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner", "org.freedesktop.DBus.Error.TimedOut":
		return true
	}
	return strings.HasPrefix(name, "org.freedesktop.DBus.Error.Spawn.") || strings.HasPrefix(name, "org.freedesktop.systemd1.")
}

// IsError reports whether err is the D-Bus error called name.
func IsError(err error, name string) bool {
	var e dbus.Error
	return errors.As(err, &e) && e.Name == name
}

func plainList(l []map[string]dbus.Variant) []Dict {
	all := make([]Dict, len(l))
	for i, d := range l {
		all[i] = plainDict(d)
	}
	return all
}

func plainDict(d map[string]dbus.Variant) Dict {
	plain := Dict{}
	for name, v := range d {
		plain[name] = plainValue(v.Value())
	}
	return plain
}

func plainValue(v any) any {
	switch v := v.(type) {
	case dbus.Variant:
		return plainValue(v.Value())
	case map[string]dbus.Variant:
		return plainDict(v)
	case []map[string]dbus.Variant:
		return plainList(v)
	case []dbus.Variant:
		all := make([]any, len(v))
		for i, item := range v {
			all[i] = plainValue(item)
		}
		return all
	}
	return v
}
