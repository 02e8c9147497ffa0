package hal

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"sarathi/internal/clock"
)

// ControllerConfig is what a controller may be told. URL alone is enough.
type ControllerConfig struct {
	URL   string // of the agent, such as ws://10.0.0.7:9092; without a scheme it is ws, without a port it is 9092
	Name  string // told to the robot; "" means sarathi
	Token string // that the agent wants, see AgentConfig

	Frame string // of odometry in what is published; "" means as the robot calls it
	Base  string // frame of the body; "" means base_link

	TelemetryLimit time.Duration // telemetry older than this is stale; 0 means 500 ms, or three periods of the robot if that is longer
	LinkTimeout    time.Duration // a link without any frame for so long is lost; 0 means 2 s
	DialTimeout    time.Duration // for one attempt to connect; 0 means 3 s
	PingPeriod     time.Duration // 0 means 500 ms
	Backoff        time.Duration // before the second attempt to connect, doubled for each more; 0 means 100 ms
	MaxBackoff     time.Duration // 0 means 2 s

	HTTP  *http.Client // nil: the default one. A certificate authority of one's own, or a pipe in tests, goes here.
	Log   *slog.Logger // nil: silence
	Clock clock.Clock  // nil: the system's
}

func orDefault(v *time.Duration, d time.Duration) {
	if *v == 0 {
		*v = d
	}
}

func (c ControllerConfig) filled() ControllerConfig {
	if c.Name == "" {
		c.Name = "sarathi"
	}
	if c.Base == "" {
		c.Base = "base_link"
	}
	orDefault(&c.TelemetryLimit, 500*time.Millisecond)
	orDefault(&c.LinkTimeout, 2*time.Second)
	orDefault(&c.DialTimeout, 3*time.Second)
	orDefault(&c.PingPeriod, 500*time.Millisecond)
	orDefault(&c.Backoff, 100*time.Millisecond)
	orDefault(&c.MaxBackoff, 2*time.Second)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Clock == nil {
		c.Clock = clock.Real{}
	}
	return c
}

// Validate reports what no controller can do.
func (c ControllerConfig) Validate() error {
	_, err := c.address()
	errs := []error{err}
	for _, d := range []time.Duration{c.TelemetryLimit, c.LinkTimeout, c.DialTimeout, c.PingPeriod, c.Backoff, c.MaxBackoff} {
		if d < 0 {
			errs = append(errs, fmt.Errorf("duration %v is negative", d))
		}
	}
	return errors.Join(errs...)
}

// address returns the URL with what people leave out.
func (c ControllerConfig) address() (string, error) {
	text := c.URL
	if !strings.Contains(text, "://") {
		text = "ws://" + text
	}
	u, err := url.Parse(text)
	if err != nil {
		return "", fmt.Errorf("url %q: %w: write ws://HOST:PORT", c.URL, err)
	}
	if u.Scheme != "ws" && u.Scheme != "wss" || u.Hostname() == "" {
		return "", fmt.Errorf("url %q: write ws://HOST:PORT or wss://HOST:PORT", c.URL)
	}
	if u.Port() == "" {
		u.Host += fmt.Sprintf(":%d", Port)
	}
	return u.String(), nil
}
