package rosbridge

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// ClientPort is the port of rosbridge_suite, which a URL without one means. A Broker of this package usually listens on 9091.
const ClientPort = 9090

// ClientConfig is what a client may be told. URL alone is enough: the zero value of every other field stands for its default.
type ClientConfig struct {
	URL   string // of the server, such as ws://10.0.0.7:9090; without a scheme it is ws, without a port it is ClientPort
	Token string // that the server wants, sent as Authorization: Bearer; a URL may carry ?token= instead
	// Name is a node name, told with ZelPi's op hello so that it shows in introspection. "" sends none: rosbridge_suite does not know
	// the op, logs it and goes on.
	Name string
	// Dialect is the server's: how typed helpers spell the names of types and times, and what the bytes of cbor-raw are.
	Dialect Dialect

	MaxMessage  int           // bytes of a message from the server, in or out of fragments and png; 0 means 64 MiB
	Budget      int           // bytes that may wait to be sent; 0 means 16 MiB
	MaxOpen     int           // calls and goals that may wait for the server; 0 means 1024
	MaxHandlers int           // requests and goals of the server that are worked on at a time; 0 means 64
	CallTimeout time.Duration // of a call whose context has no deadline; 0 means 10 s
	DialTimeout time.Duration // of one attempt to connect; 0 means 5 s
	SendTimeout time.Duration // for one frame to leave, after which the link counts as dead; 0 means 10 s
	PingPeriod  time.Duration // 0 means 5 s
	PingTimeout time.Duration // without a pong, after which the link counts as dead; 0 means 5 s
	FragmentAge time.Duration // that a frame in fragments may take; 0 means 1 min
	Backoff     time.Duration // before the second attempt to connect, doubled for each more; 0 means 200 ms
	MaxBackoff  time.Duration // 0 means 5 s

	// OnLink, if set, is told when the link has come (err nil) and gone (why), in turn, from one goroutine. When it has come, everything
	// has been restored. It must not block, nor close the client.
	OnLink func(up bool, err error)
	HTTP   *http.Client // nil: the default one. A certificate authority of one's own, or a pipe in tests, goes here.
	Log    *slog.Logger // nil: silence
}

func (c ClientConfig) filled() ClientConfig {
	orCount(&c.MaxMessage, 64<<20)
	orCount(&c.Budget, 16<<20)
	orCount(&c.MaxOpen, 1024)
	orCount(&c.MaxHandlers, 64)
	orDuration(&c.CallTimeout, 10*time.Second)
	orDuration(&c.DialTimeout, 5*time.Second)
	orDuration(&c.SendTimeout, 10*time.Second)
	orDuration(&c.PingPeriod, 5*time.Second)
	orDuration(&c.PingTimeout, 5*time.Second)
	orDuration(&c.FragmentAge, time.Minute)
	orDuration(&c.Backoff, 200*time.Millisecond)
	orDuration(&c.MaxBackoff, 5*time.Second)
	if c.OnLink == nil {
		c.OnLink = func(bool, error) {}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

func orCount(v *int, n int) {
	if *v == 0 {
		*v = n
	}
}

func orDuration(v *time.Duration, d time.Duration) {
	if *v == 0 {
		*v = d
	}
}

// Validate reports everything that no client can do.
func (c ClientConfig) Validate() error {
	_, err := c.address()
	errs := []error{err}
	for _, n := range []struct {
		name  string
		value int64
	}{
		{"MaxMessage", int64(c.MaxMessage)},
		{"Budget", int64(c.Budget)},
		{"MaxOpen", int64(c.MaxOpen)},
		{"MaxHandlers", int64(c.MaxHandlers)},
		{"CallTimeout", int64(c.CallTimeout)},
		{"DialTimeout", int64(c.DialTimeout)},
		{"SendTimeout", int64(c.SendTimeout)},
		{"PingPeriod", int64(c.PingPeriod)},
		{"PingTimeout", int64(c.PingTimeout)},
		{"FragmentAge", int64(c.FragmentAge)},
		{"Backoff", int64(c.Backoff)},
		{"MaxBackoff", int64(c.MaxBackoff)},
	} {
		if n.value < 0 {
			errs = append(errs, fmt.Errorf("%s is negative", n.name))
		}
	}
	if c.Dialect != ROS1 && c.Dialect != ROS2 {
		errs = append(errs, fmt.Errorf("dialect %d is neither ROS1 nor ROS2", c.Dialect))
	}
	return errors.Join(errs...)
}

// address returns the URL with what people leave out.
func (c ClientConfig) address() (string, error) {
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
		u.Host += fmt.Sprintf(":%d", ClientPort)
	}
	return u.String(), nil
}
