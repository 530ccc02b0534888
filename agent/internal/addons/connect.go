package addons

import (
	"context"
	"os"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"utter/shared/plugin/protocol"
	"utter/shared/plugin/runnerclient"
	"utter/shared/watch"
)

// Pauses of Run before it connects again.
const (
	afterEnd  = time.Second      // a connection has ended: the runner restarts, or is odd
	afterBusy = 30 * time.Second // somebody else asks the user
)

// Run keeps connected to the runner until ctx ends, so that the runner has
// somebody who asks the user. Without Run a connection is made when it is needed.
func (a *Addons) Run(ctx context.Context) error {
	appeared := make(chan struct{}, 1)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		return watch.New(watch.Set{Files: []string{a.o.Address().Socket}}, func([]string) (again bool) {
			select {
			case appeared <- struct{}{}:
			default:
			}
			return false
		}, func(error) {}, a.o.Log).Run(ctx)
	})
	g.Go(func() error {
		for tries := 0; ; tries++ {
			connected, err := a.stay(ctx)
			if err == nil && !connected {
				err = a.awaitRunner(ctx, appeared, tries)
			}
			if err != nil {
				return err
			}
			if connected {
				tries = 0
			}
		}
	})
	return g.Wait()
}

// stay connects and registers, and returns when it is time to do it again, or at
// once where it could not connect. The error is that of ctx.
func (a *Addons) stay(ctx context.Context) (connected bool, err error) {
	conn, err := a.connected(ctx)
	if err != nil {
		a.complain("to be connected", err)
		return false, ctx.Err()
	}
	var again <-chan time.Time
	if err := a.register(ctx, conn); err != nil {
		a.o.Log.Info("the plugin runner asks another program for confirmations", "error", err)
		again = time.After(afterBusy)
	}
	select {
	case <-conn.Done():
		return true, pause(ctx, afterEnd)
	case <-again:
		return true, nil
	case <-ctx.Done():
		return true, ctx.Err()
	}
}

// awaitRunner waits for the socket of a runner. One that is there already is tried
// again, ever more rarely: it is made before it is listened on, and a runner that
// was killed leaves it behind.
func (a *Addons) awaitRunner(ctx context.Context, appeared <-chan struct{}, tries int) error {
	var again <-chan time.Time
	if _, err := os.Lstat(a.o.Address().Socket); err == nil {
		again = time.After(afterEnd << min(tries, 8))
	}
	select {
	case <-appeared:
		return nil
	case <-again:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// register makes the agent the one that asks the user, for whatever client the
// runner has a question.
func (a *Addons) register(ctx context.Context, conn *runnerclient.Client) error {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	token, err := os.ReadFile(a.o.Address().TokenFile("confirm-token"))
	if err != nil {
		return err
	}
	return conn.Call(ctx, protocol.MethodRunnerConfirmerRegister, protocol.AuthParams{Token: strings.TrimSpace(string(token))}, nil)
}

// Close ends the connection to the runner.
func (a *Addons) Close() {
	a.mu.Lock()
	conn := a.conn
	a.conn = nil
	a.mu.Unlock()
	if conn != nil {
		conn.Close()
	}
}

// connected returns the connection, a new one where the last has ended.
func (a *Addons) connected(ctx context.Context) (*runnerclient.Client, error) {
	a.dialing.Lock()
	defer a.dialing.Unlock()
	if conn := a.alive(); conn != nil {
		return conn, nil
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	conn, err := runnerclient.Dial(ctx, a.o.Address(), runnerclient.Options{Handle: a.serve})
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.conn = conn
	return conn, nil
}

// alive returns the connection if it stands. What was learned over one that has
// ended is forgotten.
func (a *Addons) alive() *runnerclient.Client {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.conn == nil {
		return nil
	}
	select {
	case <-a.conn.Done():
		a.conn, a.offers = nil, offers{}
	default:
	}
	return a.conn
}
