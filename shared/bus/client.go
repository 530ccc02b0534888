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
	// ErrNotRunning means that no agent is running, and none was started.
	ErrNotRunning = errors.New("the agent is not running")
	// ErrNoAgent means that none can be started either. It is ErrNotRunning too.
	ErrNoAgent = fmt.Errorf("%w and cannot be started", ErrNotRunning)
	// ErrLost means that the agent or the bus went away during a call.
	ErrLost = errors.New("the agent went away before it answered; what it was doing may have taken effect")
)

// A Client talks to the agent that has the name at the time of a call, so it
// outlives any of them. It is safe for concurrent use.
type Client struct {
	conn  *dbus.Conn
	agent dbus.BusObject
	flags dbus.Flags // of every call
}

// Connect connects to the session bus until ctx ends. Where there is none it
// starts none, but returns ErrNoBus, wrapped.
func Connect(ctx context.Context) (*dbus.Conn, error) { return connect(dbus.WithContext(ctx)) }

func connect(options ...dbus.ConnOption) (*dbus.Conn, error) {
	address := os.Getenv("DBUS_SESSION_BUS_ADDRESS")
	if address == "" || address == "autolaunch:" {
		dir := os.Getenv("XDG_RUNTIME_DIR")
		if !filepath.IsAbs(dir) {
			dir = filepath.Join("/run/user", strconv.Itoa(os.Getuid()))
		}
		address = "unix:path=" + dbus.EscapeBusAddressValue(filepath.Join(dir, "bus"))
	}
	conn, err := dbus.Connect(address, options...)
	if err != nil {
		return nil, fmt.Errorf("%w: %w; is DBUS_SESSION_BUS_ADDRESS set?", ErrNoBus, err)
	}
	return conn, nil
}

// Dial connects to the session bus until ctx ends. The agent is started by the
// first call.
func Dial(ctx context.Context) (*Client, error) {
	// Signals stay in their order, however long one is looked at.
	conn, err := connect(dbus.WithContext(ctx), dbus.WithSignalHandler(dbus.NewSequentialSignalHandler()))
	if err != nil {
		return nil, err
	}
	return &Client{conn: conn, agent: conn.Object(Agent, Path)}, nil
}

// Passive returns a client of the same connection whose calls start no agent:
// without one they return ErrNotRunning.
func (c *Client) Passive() *Client {
	passive := *c
	passive.flags = dbus.FlagNoAutoStart
	return &passive
}

// Close ends the connection, that of Passive clients as well.
func (c *Client) Close() error { return c.conn.Close() }

// Start has the bus start the agent, if it does not run, and returns when it
// answers.
func (c *Client) Start(ctx context.Context) error {
	active := *c
	active.flags = 0
	err := c.conn.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.StartServiceByName", 0, Agent, uint32(0)).Err
	return active.translate(ctx, "start the agent", err)
}

// RunWithOptions carries out an utterance.
func (c *Client) RunWithOptions(ctx context.Context, utterance string, o RunOptions) (Reply, error) {
	return c.reply(ctx, "RunWithOptions", utterance, Encode(o))
}

// Confirm approves or turns down a plan.
func (c *Client) Confirm(ctx context.Context, token string, approve bool) (Reply, error) {
	return c.reply(ctx, "Confirm", token, approve)
}

// Choose carries out one of the choices of an ambiguous utterance, from 0.
func (c *Client) Choose(ctx context.Context, token string, index uint32) (Reply, error) {
	return c.reply(ctx, "Choose", token, index)
}

func (c *Client) reply(ctx context.Context, method string, args ...any) (r Reply, err error) {
	call := c.call(ctx, method, args...)
	if call.Err == nil {
		call.Err = decodeBody(call.Body, &r)
	}
	return r, c.translate(ctx, method, call.Err)
}

// PlanWithOptions returns what RunWithOptions would do.
func (c *Client) PlanWithOptions(ctx context.Context, utterance string, o PlanOptions) (Plan, error) {
	return ask[Plan](ctx, c, "PlanWithOptions", utterance, Encode(o))
}

// SuggestFor returns what can be said and begins with prefix, as if a window of app
// were focused; if app is "", what can be said now.
func (c *Client) SuggestFor(ctx context.Context, app, prefix string, limit uint32) ([]Suggestion, error) {
	return ask[[]Suggestion](ctx, c, "SuggestFor", app, prefix, limit)
}

// CheckLaunch looks for the program of an argument list and starts nothing.
func (c *Client) CheckLaunch(ctx context.Context, argv []string) (LaunchCheck, error) {
	return ask[LaunchCheck](ctx, c, "CheckLaunch", argv)
}

// Reload has the agent read its files again.
func (c *Client) Reload(ctx context.Context) error {
	return c.translate(ctx, "Reload", c.call(ctx, "Reload").Err)
}

// Cancel ends the running plan and empties the queue. It returns how many plans
// that were.
func (c *Client) Cancel(ctx context.Context) (uint32, error) { return ask[uint32](ctx, c, "Cancel") }

// ListApps returns every application that can be named.
func (c *Client) ListApps(ctx context.Context) ([]App, error) { return ask[[]App](ctx, c, "ListApps") }

// ListWindows returns the open windows.
func (c *Client) ListWindows(ctx context.Context) ([]Window, error) {
	return ask[[]Window](ctx, c, "ListWindows")
}

// Doctor returns the parts of the desktop.
func (c *Client) Doctor(ctx context.Context) ([]Part, error) { return ask[[]Part](ctx, c, "Doctor") }

// Status returns the agent's properties.
func (c *Client) Status(ctx context.Context) (s Status, err error) {
	call := c.agent.CallWithContext(ctx, "org.freedesktop.DBus.Properties.GetAll", c.flags, Interface)
	return answer[Status](ctx, c, "read the properties", call)
}

// ask calls a method that answers one value.
func ask[T any](ctx context.Context, c *Client, method string, args ...any) (T, error) {
	return answer[T](ctx, c, method, c.call(ctx, method, args...))
}

// answer reads the one value that a call answers.
func answer[T any](ctx context.Context, c *Client, what string, call *dbus.Call) (v T, err error) {
	switch {
	case call.Err != nil:
	case len(call.Body) == 0:
		call.Err = errors.New("the answer has no value")
	default:
		call.Err = decode(call.Body[0], &v)
	}
	return v, c.translate(ctx, what, call.Err)
}

func (c *Client) call(ctx context.Context, method string, args ...any) *dbus.Call {
	return c.agent.CallWithContext(ctx, Interface+"."+method, c.flags, args...)
}

// translate makes an error of a call say what it means. It keeps the D-Bus error.
func (c *Client) translate(ctx context.Context, method string, err error) error {
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
	case errors.As(err, &e) && cannotStart(e.Name) && c.flags&dbus.FlagNoAutoStart != 0:
		return fmt.Errorf("%w (%w)", ErrNotRunning, err)
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
	case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner",
		"org.freedesktop.DBus.Error.TimedOut":
		return true
	}
	return strings.HasPrefix(name, "org.freedesktop.DBus.Error.Spawn.") ||
		strings.HasPrefix(name, "org.freedesktop.systemd1.")
}

// IsError reports whether err is the D-Bus error called name.
func IsError(err error, name string) bool {
	var e dbus.Error
	return errors.As(err, &e) && e.Name == name
}
