package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"syscall"
	"time"

	"sarathi/rosbridge"
)

// brokerCommand is `sarathi broker`.
type brokerCommand struct {
	Listen  string   `default:"127.0.0.1:9091" placeholder:"ADDRESS:PORT" help:"Where to listen; 0.0.0.0 is every network (${default})."`
	Ros     string   `enum:"1,2" default:"2" help:"ROS generation of clients that do not ask with ?ros= in the URL: 1 or 2 (${default})."`
	Token   string   `env:"SARATHI_ROSBRIDGE_TOKEN" placeholder:"TEXT" help:"Every client must know it; other users of this computer do not see $$SARATHI_ROSBRIDGE_TOKEN."`
	Origin  []string `placeholder:"URL" help:"Web page of another computer that may connect, such as https://app.foxglove.dev; * stands for any text. May be repeated."`
	Cert    string   `placeholder:"FILE" help:"TLS certificate; with --key."`
	Key     string   `placeholder:"FILE" help:"Its private key."`
	Verbose bool     `short:"v" help:"Log the details too."`
}

// Run serves rosbridge clients, without a robot, until it is interrupted.
func (c *brokerCommand) Run(ctx context.Context, e *env) error {
	o, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	e.tell(map[string]any{"event": "started", "address": o.Addr().String()}, fmt.Sprintf("rosbridge at %s; Ctrl-C stops it.", o.Addr()))
	return o.serve(ctx)
}

// openBroker is a broker that listens. Its serve must be called.
type openBroker struct {
	net.Listener

	broker    *rosbridge.Broker
	cert, key string
	log       *slog.Logger
}

// open listens.
func (c *brokerCommand) open(ctx context.Context, e *env) (*openBroker, error) {
	if (c.Cert == "") != (c.Key == "") {
		return nil, usage("--cert and --key belong together: give both or neither")
	}
	log := slog.New(e.logHandler(c.Verbose))
	cfg := rosbridge.DefaultConfig()
	cfg.Version, cfg.Token, cfg.Origins, cfg.Log = e.version, c.Token, c.Origin, log
	if c.Ros == "1" {
		cfg.Dialect = rosbridge.ROS1
	}
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", c.Listen)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, usage("%s is in use: stop the program that has it, or choose another port with --listen", c.Listen)
	case err != nil:
		return nil, usage("--listen %s: %w", c.Listen, err)
	}
	if at, ok := l.Addr().(*net.TCPAddr); ok && !at.IP.IsLoopback() && c.Token == "" {
		log.WarnContext(ctx, "anyone on the network can use this broker: no token is set", "remedy", "set --token or $SARATHI_ROSBRIDGE_TOKEN")
	}
	broker, err := rosbridge.NewBroker(cfg)
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return &openBroker{Listener: l, broker: broker, cert: c.Cert, key: c.Key, log: log}, nil
}

// serve serves until ctx ends, and says goodbye to the clients.
func (o *openBroker) serve(ctx context.Context) error {
	server := &http.Server{Handler: o.broker, ReadHeaderTimeout: 5 * time.Second, ErrorLog: slog.NewLogLogger(o.log.Handler(), slog.LevelDebug)}
	stop := context.AfterFunc(ctx, func() { server.Close() }) //nolint:errcheck // the listener is given up
	defer stop()
	var err error
	if o.cert != "" {
		err = server.ServeTLS(o.Listener, o.cert, o.key)
	} else {
		err = server.Serve(o.Listener)
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeLimit)
	defer cancel()
	if closing := o.broker.Close(ending); closing != nil {
		o.log.DebugContext(ctx, "clients were cut off", "err", closing)
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}
