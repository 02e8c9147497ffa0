package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"sarathi/driver"
	"sarathi/hal"
	"sarathi/internal/idl"
	"sarathi/msg/nav"
	"sarathi/msg/sensor"
)

// halLink says which agent to control, and how.
type halLink struct {
	URL   string `arg:"" help:"Agent: ws://HOST:PORT, or HOST alone."`
	Token string `env:"SARATHI_HAL_TOKEN" placeholder:"TEXT" help:"Token of the agent; other users of this computer do not see $$SARATHI_HAL_TOKEN."`
	CA    string `placeholder:"FILE" help:"Certificate authority of an agent at wss:// (default: those of this computer)."`
}

// halConnectLimit is how long an agent may take to answer.
const halConnectLimit = 3 * time.Second

// with runs fn while the robot is controlled.
func (l *halLink) with(ctx context.Context, e *env, fn func(context.Context, *halRobot) error) error {
	client, err := l.client()
	if err != nil {
		return err
	}
	level := &slog.HandlerOptions{Level: slog.LevelError}
	c, err := hal.NewController(hal.ControllerConfig{
		URL: l.URL, Token: l.Token, Name: "sarathi hal control", HTTP: client, Log: slog.New(slog.NewTextHandler(e.stderr, level)),
	})
	if err != nil {
		return usage("%w", err)
	}
	limited, cancel := context.WithTimeout(ctx, halConnectLimit)
	defer cancel()
	err = c.Connect(limited)
	if err != nil {
		return err
	}
	r := &halRobot{Controller: c, caps: c.Capabilities(), changed: make(chan struct{}, 1)}
	if err = c.Start(time.Now(), r); err != nil {
		return errors.Join(err, c.Close())
	}
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- c.Run(running) }()
	err = fn(ctx, r)
	stop()
	return errors.Join(err, <-ended, c.Close())
}

// client returns what dials, nil for the usual one.
func (l *halLink) client() (*http.Client, error) {
	if l.CA == "" {
		return nil, nil //nolint:nilnil // the usual one
	}
	text, err := os.ReadFile(l.CA)
	if err != nil {
		return nil, usage("--ca: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, usage("--ca %s: there is no certificate in it: name a PEM file", l.CA)
	}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}}, nil
}

// halRobot is a controlled robot with what it has reported. It is the sink of its controller.
type halRobot struct {
	*hal.Controller
	caps driver.Capabilities

	mu      sync.Mutex
	report  halReport
	news    []halNews
	changed chan struct{} // something was reported
}

// halReport is the state of a robot as it was reported last.
type halReport struct {
	X       float64   `json:"x"` // m
	Y       float64   `json:"y"`
	Theta   float64   `json:"theta"` // rad
	VX      float64   `json:"vx"`    // m/s
	W       float64   `json:"w"`     // rad/s
	Battery *float64  `json:"battery_percent"`
	Joints  []float64 `json:"joints"` // rad
	EStop   bool      `json:"estop"`
	Reason  string    `json:"estop_reason,omitempty"`

	count int // of reports
}

// halNews is a fault or the result of a skill.
type halNews struct {
	fault  *driver.Fault
	result *driver.SkillResult
}

// maxHalNews bounds what waits for a slow terminal.
const maxHalNews = 256

// update changes what is known and tells who waits.
func (r *halRobot) update(f func()) {
	r.mu.Lock()
	f()
	r.mu.Unlock()
	select {
	case r.changed <- struct{}{}:
	default: // they know already
	}
}

// Publish implements driver.Sink.
func (r *halRobot) Publish(_ driver.Stream, m idl.Message) {
	r.update(func() {
		switch m := m.(type) {
		case *nav.Odometry:
			p, q := m.Pose.Pose.Position, m.Pose.Pose.Orientation
			r.report.X, r.report.Y, r.report.Theta = p.X, p.Y, 2*math.Atan2(q.Z, q.W)
			r.report.VX, r.report.W = m.Twist.Twist.Linear.X, m.Twist.Twist.Angular.Z
			r.report.count++
		case *sensor.JointState:
			r.report.Joints = m.Position
			if !r.caps.Has(driver.StreamOdometry) {
				r.report.count++
			}
		case *sensor.BatteryState:
			percent := math.Round(1000*float64(m.Percentage)) / 10
			r.report.Battery = &percent
		}
	})
}

// SkillResult implements driver.Sink.
func (r *halRobot) SkillResult(s driver.SkillResult) { r.tell(halNews{result: &s}) }

// Fault implements driver.Sink.
func (r *halRobot) Fault(f driver.Fault) { r.tell(halNews{fault: &f}) }

func (r *halRobot) tell(n halNews) {
	r.update(func() {
		if len(r.news) < maxHalNews {
			r.news = append(r.news, n)
		}
	})
}

// EStop implements driver.Sink.
func (r *halRobot) EStop(s driver.EStopState) {
	r.update(func() { r.report.EStop, r.report.Reason = s.Engaged, s.Reason })
}

// Wanted implements driver.Sink.
func (r *halRobot) Wanted(driver.Stream) bool { return true }

// take returns the present state and what has happened since it was called last.
func (r *halRobot) take() (halReport, []halNews) {
	r.mu.Lock()
	defer r.mu.Unlock()
	news := r.news
	r.news = nil
	report := r.report
	report.Joints = slices.Clone(report.Joints)
	return report, news
}

// errNoNews ends a wait that took too long.
var errNoNews = errors.New("the robot did not answer in time")

// until calls done with each change until it returns true.
func (r *halRobot) until(ctx context.Context, limit time.Duration, done func(halReport, []halNews) bool) error {
	limited, cancel := context.WithTimeoutCause(ctx, limit, errNoNews)
	defer cancel()
	for {
		report, news := r.take()
		if done(report, news) {
			return nil
		}
		select {
		case <-r.changed:
		case <-limited.Done():
			return context.Cause(limited)
		}
	}
}
