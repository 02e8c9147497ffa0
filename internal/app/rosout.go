package app

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"

	"sarathi/internal/bus"
	"sarathi/internal/node"
	"sarathi/internal/rosconv"
	"sarathi/internal/topics"
	"sarathi/msg/rcl"
)

// rosout is a node that puts the log of all nodes on /rosout. It is the first to start
// and the last to end.
type rosout struct {
	out atomic.Pointer[bus.Publisher[rcl.Log]] // nil before Setup; log handlers of any goroutine use it
}

// Setup implements node.Node.
func (r *rosout) Setup(c *node.Context) error {
	r.out.Store(bus.NewPublisher(c, topics.Rosout))
	c.Own(func() { r.out.Store(nil) })
	return nil
}

// handler returns a log handler that publishes, and passes on to next.
func (r *rosout) handler(next slog.Handler) slog.Handler { return rosoutHandler{out: r, next: next} }

// rosoutHandler is a slog.Handler. Records below Info stay off the bus.
type rosoutHandler struct {
	out   *rosout
	next  slog.Handler
	node  string
	attrs string // formatted, of With
}

// Enabled implements slog.Handler.
func (h rosoutHandler) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelInfo || h.next.Enabled(ctx, l)
}

// Handle implements slog.Handler.
func (h rosoutHandler) Handle(ctx context.Context, r slog.Record) error {
	if pub := h.out.out.Load(); pub != nil && r.Level >= slog.LevelInfo {
		text := strings.Builder{}
		text.WriteString(r.Message)
		text.WriteString(h.attrs)
		r.Attrs(func(a slog.Attr) bool {
			if a.Key != "stack" { // it holds addresses, and is in the log already
				fmt.Fprintf(&text, " %s=%v", a.Key, a.Value)
			}
			return true
		})
		pub.Publish(rcl.Log{Stamp: rosconv.Stamp(r.Time), Level: rosLevel(r.Level), Name: h.node, Msg: text.String()})
	}
	if !h.next.Enabled(ctx, r.Level) {
		return nil
	}
	return h.next.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h rosoutHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	h.next = h.next.WithAttrs(attrs)
	for _, a := range attrs {
		if a.Key == "node" {
			h.node = a.Value.String()
			continue
		}
		h.attrs += fmt.Sprintf(" %s=%v", a.Key, a.Value)
	}
	return h
}

// WithGroup implements slog.Handler.
func (h rosoutHandler) WithGroup(name string) slog.Handler {
	h.next = h.next.WithGroup(name)
	return h
}

func rosLevel(l slog.Level) uint8 {
	switch {
	case l >= slog.LevelError:
		return rcl.LogError
	case l >= slog.LevelWarn:
		return rcl.LogWarn
	case l >= slog.LevelInfo:
		return rcl.LogInfo
	default:
		return rcl.LogDebug
	}
}
