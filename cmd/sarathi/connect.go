package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"sarathi/internal/gateway/rosbridge/graph"
)

// defaultURL is where the robot on this computer is looked for.
const defaultURL = "ws://127.0.0.1:9091"

// closeLimit is how long the end of a command waits for the server.
const closeLimit = 2 * time.Second

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

// errNoRobot is matched when nobody answers at a URL.
var errNoRobot = errors.New("no rosbridge server answers")

// connection says where the robot is.
type connection struct {
	URL   string `name:"url" default:"ws://127.0.0.1:9091" placeholder:"URL" help:"Rosbridge server of the robot: ours, or any other (${default})."`
	Token string `env:"SARATHI_ROSBRIDGE_TOKEN" placeholder:"TEXT" help:"Token of the server; other users of this computer do not see $$SARATHI_ROSBRIDGE_TOKEN."`
}

// with runs fn on a connection to the robot.
func (c *connection) with(ctx context.Context, e *env, fn func(robot) error) error {
	if u, err := url.Parse(c.URL); err != nil || u.Scheme != "ws" && u.Scheme != "wss" || u.Host == "" {
		return usage("%q is no URL of a rosbridge server: write one like %s", c.URL, defaultURL)
	}
	r, err := e.dial(ctx, c.URL, c.Token)
	if errors.Is(err, errNoRobot) {
		return fmt.Errorf("%w: start a robot with `sarathi run`, or name another server with --url", err)
	}
	if err != nil {
		return err
	}
	return errors.Join(fn(r), r.Close())
}
