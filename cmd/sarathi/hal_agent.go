package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"os/signal"
	"syscall"

	"sarathi/driver"
	"sarathi/hal"
	"sarathi/internal/app"
	"sarathi/internal/body/simulated"
	"sarathi/internal/profile"
)

// halAgentCommand is `sarathi hal agent`.
type halAgentCommand struct {
	overrides

	Driver  string `enum:"simulated,arm" default:"simulated" help:"Body to serve: simulated, as the profile describes it, or arm, a simulated one with six joints (${default})."`
	Profile string `default:"hal" placeholder:"NAME|FILE" help:"Profile of the simulated body (${default})."`
	Listen  string `placeholder:"HOST:PORT" help:"Where to listen (default: 127.0.0.1:9092; $$PIOS_ROBOT_HOST names another host)."`
	Host    string `env:"PIOS_ROBOT_HOST" hidden:""`
	ID      string `placeholder:"TEXT" help:"Name of the robot in what it reports (default: the kind of its body)."`
	Token   string `env:"SARATHI_HAL_TOKEN" placeholder:"TEXT" help:"What a controller must know; other users of this computer do not see $$SARATHI_HAL_TOKEN (default: none, as HAL says)."`
	TLSCert string `name:"tls-cert" placeholder:"FILE" help:"Certificate: speak wss instead of ws."`
	TLSKey  string `name:"tls-key" placeholder:"FILE" help:"Private key of the certificate."`
	Verbose bool   `short:"v" help:"Log every detail."`
}

// Run serves the body until it is interrupted.
func (c *halAgentCommand) Run(ctx context.Context, e *env) error {
	address, err := hal.Address(c.Listen, c.Host)
	if err != nil {
		return usage("%w", err)
	}
	secure, err := c.tls()
	if err != nil {
		return err
	}
	body, err := c.body()
	if err != nil {
		return err
	}
	cfg := hal.AgentConfig{ID: c.ID, Token: c.Token, TLS: secure, Log: slog.New(e.logHandler(c.Verbose))}
	agent, err := hal.NewAgent(body, cfg)
	if err != nil {
		return err
	}
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return usage("listen: %w: stop who listens there, or name another place with --listen", err)
	}
	signal.Ignore(syscall.SIGPIPE) // whoever reads the log may go; the robot stays
	url := "ws://" + ln.Addr().String()
	if secure != nil {
		url = "wss://" + ln.Addr().String()
	}
	kind := body.Capabilities().Kind
	e.tell(map[string]any{"event": "started", "robot": kind, "url": url},
		fmt.Sprintf("%s can be controlled at %s: `%s hal control %s status` looks at it; Ctrl-C stops it.", kind, url, e.program, url))
	if err := agent.Serve(ctx, ln); err != nil {
		return err
	}
	e.tell(map[string]any{"event": "stopped", "robot": kind}, kind+" stopped.")
	return nil
}

// body returns the driver to serve.
func (c *halAgentCommand) body() (driver.Driver, error) {
	if c.Driver == "arm" {
		return simulated.NewArm(simulated.SixAxisArm())
	}
	p, err := profile.Load(c.Profile, c.Set)
	if err != nil {
		return nil, err
	}
	return app.SimulatedBody(p)
}

// tls returns how to speak TLS, nil when nobody asked for it.
func (c *halAgentCommand) tls() (*tls.Config, error) {
	if c.TLSCert == "" && c.TLSKey == "" {
		return nil, nil //nolint:nilnil // nobody asked
	}
	pair, err := tls.LoadX509KeyPair(c.TLSCert, c.TLSKey)
	if err != nil {
		return nil, usage("--tls-cert and --tls-key: %w: name a certificate and its key, both as PEM files", err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}
