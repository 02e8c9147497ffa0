package node

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// newLogger returns a logger whose records carry node=<name> and the executor's time.
func newLogger(name string, o Options, now func() time.Time) *slog.Logger {
	if o.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(stampHandler{next: o.Log, now: now}).With("node", name)
}

// logFailure logs a node's failure, once, where the policy is applied.
func logFailure(log *slog.Logger, err error, p Policy) {
	if p == Halt {
		log.Error("node failed, the robot is stopped", reason(err)...)
		return
	}
	log.Error("node failed, it will be restarted", reason(err)...)
}

// reason returns the attributes of a failure.
func reason(err error) []any {
	attrs := []any{slog.Any("error", err)}
	if pe, ok := errors.AsType[*PanicError](err); ok {
		attrs = append(attrs, slog.String("stack", string(pe.Stack)))
	}
	return attrs
}

// stampHandler gives records the executor's time, so that logs of a simulation are repeatable.
type stampHandler struct {
	next slog.Handler
	now  func() time.Time
}

func (h stampHandler) Enabled(ctx context.Context, l slog.Level) bool { return h.next.Enabled(ctx, l) }

func (h stampHandler) Handle(ctx context.Context, r slog.Record) error {
	r.Time = h.now()
	return h.next.Handle(ctx, r)
}

func (h stampHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return stampHandler{h.next.WithAttrs(attrs), h.now}
}

func (h stampHandler) WithGroup(name string) slog.Handler {
	return stampHandler{h.next.WithGroup(name), h.now}
}
