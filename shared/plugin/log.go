package plugin

import (
	"context"
	"log/slog"
	"os"
	"strings"
	"time"

	"utter/shared/plugin/protocol"
)

// Log returns a logger whose lines the runner keeps; "utter runner log ID"
// shows them. Main makes it the default of log and slog. Without a runner it
// writes to standard error.
func Log(ctx context.Context) *slog.Logger { return slog.New(&logHandler{s: sessionOf(ctx)}) }

// A logHandler sends records as $/log.
type logHandler struct {
	s     *session
	attrs string // formatted, each with a blank before it
	group string // "a.b."
}

func (h *logHandler) Enabled(context.Context, slog.Level) bool { return true }

func (h *logHandler) Handle(_ context.Context, r slog.Record) error {
	var b strings.Builder
	b.WriteString(r.Message)
	b.WriteString(h.attrs)
	r.Attrs(func(a slog.Attr) bool { h.format(&b, h.group, a); return true })
	if h.s != nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if h.s.peer.Notify(ctx, protocol.NotifyLog, protocol.LogLine{Level: levelName(r.Level), Message: b.String()}) == nil {
			return nil
		}
	}
	_, err := os.Stderr.WriteString(b.String() + "\n")
	return err
}

func (h *logHandler) format(b *strings.Builder, group string, a slog.Attr) {
	a.Value = a.Value.Resolve()
	if a.Value.Kind() == slog.KindGroup {
		if a.Key != "" {
			group += a.Key + "."
		}
		for _, inner := range a.Value.Group() {
			h.format(b, group, inner)
		}
		return
	}
	if a.Key != "" {
		b.WriteString(" " + group + a.Key + "=" + a.Value.String())
	}
}

func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	var b strings.Builder
	b.WriteString(h.attrs)
	for _, a := range attrs {
		h.format(&b, h.group, a)
	}
	return &logHandler{h.s, b.String(), h.group}
}

func (h *logHandler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	return &logHandler{h.s, h.attrs, h.group + name + "."}
}

func levelName(l slog.Level) string {
	switch {
	case l < slog.LevelInfo:
		return "debug"
	case l < slog.LevelWarn:
		return "info"
	case l < slog.LevelError:
		return "warning"
	}
	return "error"
}
