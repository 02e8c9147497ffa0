package rosbridge

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// receive takes one WebSocket message of the server. What cannot be understood is counted and has no effect on what follows.
func (c *Client) receive(ctx context.Context, l *clientLink, binary bool, data []byte) {
	f, err := parseReceived(binary, data)
	if err == nil {
		f, err = c.unwrap(l, f)
	}
	if err != nil {
		c.misunderstood(&f, err)
		return
	}
	c.dispatch(ctx, l, &f)
}

// parseReceived reads a frame. Some programs send JSON in binary messages.
func parseReceived(binary bool, data []byte) (Frame, error) {
	if binary && len(data) > 0 && data[0]&0xe0 == cborMap {
		return ParseCBOR(data)
	}
	return ParseFrame(data)
}

// maxNested is how deep png and fragment may be in each other: a message as png in fragments, and once more for whoever cuts first.
const maxNested = 3

// unwrap returns what is in png and fragment frames. A frame without op is one that is not complete yet.
func (c *Client) unwrap(l *clientLink, f Frame) (Frame, error) {
	for range maxNested {
		var text []byte
		var err error
		switch {
		case f.Op == OpFragment:
			text, err = l.assembler.Add(time.Now(), f)
		case f.Op == OpPNG && f.Total > 1:
			if text, err = l.assembler.Add(time.Now(), f); text != nil {
				text, err = DecodePNG(string(text), c.cfg.MaxMessage)
			}
		case f.Op == OpPNG:
			text, err = DecodePNG(f.Data, c.cfg.MaxMessage)
		default:
			return f, nil
		}
		if err != nil || text == nil {
			return Frame{}, err
		}
		if f, err = ParseFrame(text); err != nil {
			return f, err
		}
	}
	return f, fmt.Errorf("png and fragment are nested deeper than %d", maxNested)
}

// misunderstood counts a frame that is none. If it was an answer, whoever waits for it is told.
func (c *Client) misunderstood(f *Frame, err error) {
	if c.malformed.Add(1) == 1 {
		c.log.Warn("the rosbridge server sends what is not understood; from now on this is only counted", "url", c.url, "err", err)
	}
	fault, ok := errors.AsType[*FrameError](err)
	if !ok || fault.ID == "" {
		return
	}
	switch fault.Op {
	case OpServiceResponse:
		if k := c.takeCall(&Frame{ID: fault.ID, Service: f.Service}); k != nil {
			k.finish(nil, fmt.Errorf("call %s: the answer is not understood: %w", k.service, err))
		}
	case OpActionResult:
		if g := c.takeGoal(fault.ID); g != nil {
			g.finish(GoalResult{}, fmt.Errorf("goal of %s: the result is not understood: %w", g.action, err))
		}
	}
}

// dispatch hands a frame to whom it is for. Ops that no client needs pass unheard.
func (c *Client) dispatch(ctx context.Context, l *clientLink, f *Frame) {
	switch f.Op {
	case OpPublish:
		c.onPublish(f)
	case OpServiceResponse:
		c.onResponse(f)
	case OpCallService:
		c.onCall(ctx, l, f)
	case OpSendActionGoal:
		c.onGoal(ctx, l, f)
	case OpCancelActionGoal:
		l.cancelGoal(f.ID.String())
	case OpActionFeedback:
		c.onFeedback(f)
	case OpActionResult:
		c.onResult(f)
	case OpStatus:
		c.onStatus(ctx, f)
	}
}

// onStatus logs what the server says of this client's requests, at most once a second above debug.
func (c *Client) onStatus(ctx context.Context, f *Frame) {
	level := slog.LevelInfo
	switch f.Level {
	case "error":
		level = slog.LevelError
	case "warning":
		level = slog.LevelWarn
	}
	now := time.Now().UnixNano()
	if last := c.statusAt.Load(); last != 0 && now-last < int64(time.Second) {
		level = slog.LevelDebug
	} else {
		c.statusAt.Store(now)
	}
	c.log.Log(ctx, level, "rosbridge server reports", "url", c.url, "id", f.ID.String(), "message", remoteMessage(f.Body))
}
