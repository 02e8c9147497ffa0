package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"sarathi/internal/gateway/controlsocket"
	"sarathi/internal/gateway/controlsocket/client"
	"sarathi/internal/gateway/controlsocket/graph"
)

// robot is a running robot as these commands use it. It is for one goroutine.
type robot interface {
	// Graph returns a snapshot.
	Graph(ctx context.Context) (*graph.Graph, error)
	// Watch gives each the messages of a topic until each returns false or ctx ends.
	Watch(ctx context.Context, w graph.Watch, each func(graph.Sample) bool) error
	// Publish publishes one message.
	Publish(ctx context.Context, p graph.Publication) error
	// Call calls a service with a request in JSON, and returns the response in JSON.
	Call(ctx context.Context, service string, request []byte, timeout time.Duration) ([]byte, error)
	Close() error
}

// connection says where the robot is.
type connection struct {
	Socket string `placeholder:"FILE" help:"Control socket of the robot (default: ~/.molly/sarathi.sock)."`
}

// defaultSocket is where the robot of the default profile is looked for.
func (e *env) defaultSocket() string { return filepath.Join(e.home, ".molly", controlsocket.FileName) }

// with runs fn on a connection to the robot.
func (c *connection) with(ctx context.Context, e *env, fn func(robot) error) error {
	socket := c.Socket
	if socket == "" {
		socket = e.defaultSocket()
	}
	r, err := e.dial(ctx, socket)
	if errors.Is(err, client.ErrNoRobot) {
		return fmt.Errorf("%w: start one with `sarathi run`, or name the socket of another state folder with --socket", err)
	}
	if errors.Is(err, client.ErrNoSocket) {
		return usage("%w: name the file %s in the state folder of a robot", err, controlsocket.FileName)
	}
	if err != nil {
		return err
	}
	return errors.Join(fn(r), r.Close())
}

// dialSocket connects through the control socket.
func dialSocket(ctx context.Context, socket string) (robot, error) {
	c, err := client.Dial(ctx, socket)
	if err != nil {
		return nil, err
	}
	return c, nil
}
