package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"syscall"
	"time"

	"sarathi/internal/gateway/controlsocket/graph"
	"sarathi/internal/gateway/controlsocket/protocol"
)

var (
	// ErrNoRobot is matched when nobody listens at the socket.
	ErrNoRobot = errors.New("no robot is running here")
	// ErrNoSocket is matched when there is something else where the socket was looked for.
	ErrNoSocket = errors.New("is no socket")
	// ErrGone is matched when the robot ended the connection.
	ErrGone = errors.New("the robot ended the connection")
)

// Client is a connection to a running robot. It is for one goroutine. An operation that was interrupted by its context ends the
// connection: what comes later returns an error.
type Client struct {
	conn    net.Conn
	replies *json.Decoder
	lastID  int64
	broken  error // why the connection cannot be used any more
}

// Dial connects to the robot whose socket is at path.
func Dial(ctx context.Context, path string) (*Client, error) {
	if info, err := os.Stat(path); err == nil && info.Mode().Type() != fs.ModeSocket {
		return nil, fmt.Errorf("%s %w", path, ErrNoSocket)
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", path)
	switch {
	case errors.Is(err, os.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED):
		return nil, fmt.Errorf("%w (%s)", ErrNoRobot, path)
	case err != nil:
		return nil, fmt.Errorf("connect to the robot: %w", err)
	}
	return &Client{conn: conn, replies: json.NewDecoder(conn)}, nil
}

// Close ends the connection.
func (c *Client) Close() error { return c.conn.Close() }

// Graph returns a snapshot of the robot.
func (c *Client) Graph(ctx context.Context) (*graph.Graph, error) {
	r, err := c.ask(ctx, &protocol.Request{Op: protocol.OpGraph})
	if err != nil {
		return nil, err
	}
	if r.Graph == nil {
		return nil, errors.New("the robot answered without a graph")
	}
	return r.Graph, nil
}

// Publish publishes one message. A robot that refuses it returns a [graph.Error].
func (c *Client) Publish(ctx context.Context, p graph.Publication) error {
	_, err := c.ask(ctx, &protocol.Request{Op: protocol.OpPublish, Publication: &p})
	return err
}

// Call calls a service with a request in JSON and returns the response in JSON. A robot without an answer returns a [graph.Error].
func (c *Client) Call(ctx context.Context, service string, request []byte, timeout time.Duration) ([]byte, error) {
	ms := timeout.Milliseconds()
	if ms < 1 || timeout > protocol.MaxTimeout {
		return nil, &graph.Error{
			Code: graph.BadRequest, Message: fmt.Sprintf("time-out %v: write a duration from 1ms to %v", timeout, protocol.MaxTimeout),
		}
	}
	r, err := c.ask(ctx, &protocol.Request{Op: protocol.OpCall, Service: service, Request: request, TimeoutMS: ms})
	if err != nil {
		return nil, err
	}
	return r.Response, nil
}

// Watch gives each every message of a topic until each returns false, which ends the watch without an error, or ctx ends, or the
// robot does.
func (c *Client) Watch(ctx context.Context, w graph.Watch, each func(graph.Sample) bool) error {
	_, err := c.ask(ctx, &protocol.Request{Op: protocol.OpWatch, Topic: w.Topic, Depth: w.Depth, TimesOnly: w.TimesOnly})
	if err != nil {
		return err
	}
	id := c.lastID
	for {
		r, err := c.next(ctx, id)
		if err != nil {
			return err
		}
		if r.Sample != nil && !each(*r.Sample) {
			return c.unwatch(ctx, id)
		}
	}
}

func (c *Client) unwatch(ctx context.Context, id int64) error {
	if err := c.send(ctx, &protocol.Request{ID: id, Op: protocol.OpUnwatch}); err != nil {
		return err
	}
	for {
		r, err := c.next(ctx, id)
		if err != nil || r.Sample == nil {
			return err
		}
	}
}

// ask sends a request and waits for its reply.
func (c *Client) ask(ctx context.Context, r *protocol.Request) (*protocol.Reply, error) {
	c.lastID++
	r.ID = c.lastID
	if err := c.send(ctx, r); err != nil {
		return nil, err
	}
	return c.next(ctx, r.ID)
}

func (c *Client) send(ctx context.Context, r *protocol.Request) error {
	line, err := json.Marshal(r)
	if err != nil {
		return &graph.Error{Code: graph.BadRequest, Message: fmt.Sprintf("not JSON: %v", err)}
	}
	line = append(line, '\n')
	if len(line) > protocol.MaxRequest {
		return &graph.Error{
			Code: graph.BadRequest, Message: fmt.Sprintf("the request has %d bytes, %d are allowed", len(line), protocol.MaxRequest),
		}
	}
	return c.interruptible(ctx, func() error {
		_, err := c.conn.Write(line)
		if errors.Is(err, syscall.EPIPE) {
			return nil // a robot that hung up may have said why: the next reply tells
		}
		return err
	})
}

// next returns the next reply with the given id, or the refusal that it is. What a watch that has ended still sends is passed over.
func (c *Client) next(ctx context.Context, id int64) (*protocol.Reply, error) {
	for {
		var r protocol.Reply
		if err := c.interruptible(ctx, func() error { return c.replies.Decode(&r) }); err != nil {
			return nil, err
		}
		switch {
		case r.Error != nil && (r.ID == id || r.ID == 0):
			return nil, r.Error
		case r.ID == id:
			return &r, nil
		}
	}
}

// interruptible runs an operation on the connection that ends with ctx.
func (c *Client) interruptible(ctx context.Context, do func() error) error {
	if c.broken != nil {
		return c.broken
	}
	stop := context.AfterFunc(ctx, func() { c.conn.SetDeadline(time.Unix(1, 0)) }) //nolint:errcheck // of a connection that is closed
	err := do()
	interrupted := !stop()
	switch {
	case interrupted && err != nil:
		c.broken = ctx.Err()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		c.broken = ErrGone
	case err != nil:
		c.broken = fmt.Errorf("talk to the robot: %w", err)
	}
	return c.broken
}
