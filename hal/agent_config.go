package hal

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"time"

	"sarathi/driver"
	"sarathi/internal/clock"
)

// Port is where an agent listens unless it is told otherwise.
const Port = 9092

// HostVariable is the environment variable that names the address an agent binds to.
const HostVariable = "PIOS_ROBOT_HOST"

// AgentConfig is what an agent may be told. The zero value serves as HAL says.
type AgentConfig struct {
	// ID names the robot in what it reports; "" means the kind of its body. HAL has one robot for each agent, so that an agent
	// takes control frames with any id.
	ID string

	Watchdog    time.Duration // after the last valid cmd or setJoints the body stops; 0 means 500 ms, nothing longer is allowed
	LinkTimeout time.Duration // after so long without an answer the controller is gone; 0 means 5 s
	Handshake   time.Duration // how long a controller may take to say welcome; 0 means 5 s

	// Units are those of the wire; zero means metres and radians.
	Units driver.Units

	// Token, if set, is what a controller must send: "Authorization: Bearer <token>", or ?token=<token> from where headers cannot
	// be set. TLS, if set, makes Serve speak TLS. HAL has neither: they are off unless they are set.
	Token string
	TLS   *tls.Config

	Log   *slog.Logger // nil: silence
	Clock clock.Clock  // nil: the system's
}

func (c AgentConfig) filled() AgentConfig {
	if c.Watchdog == 0 {
		c.Watchdog = driver.WatchdogTimeout
	}
	if c.LinkTimeout == 0 {
		c.LinkTimeout = 5 * time.Second
	}
	if c.Handshake == 0 {
		c.Handshake = 5 * time.Second
	}
	if c.Units == (driver.Units{}) {
		c.Units = driver.Units{Len: "m", Ang: "rad"}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Clock == nil {
		c.Clock = clock.Real{}
	}
	return c
}

// Validate reports what no agent can do.
func (c AgentConfig) Validate() error {
	var errs []error
	if c.Watchdog < 0 || c.Watchdog > driver.WatchdogTimeout {
		errs = append(errs, fmt.Errorf("watchdog %v is out of range 0..%v", c.Watchdog, driver.WatchdogTimeout))
	}
	if c.LinkTimeout < 0 || c.Handshake < 0 {
		errs = append(errs, fmt.Errorf("time-outs %v and %v: they must not be negative", c.LinkTimeout, c.Handshake))
	}
	if c.Units != (driver.Units{}) {
		if _, err := newScale(c.Units); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Address returns where an agent listens: at the flag's address if there is one, else at the host that the environment names, else at
// this computer alone. A host may come without a port.
func Address(flag, environment string) (string, error) {
	at := flag
	if at == "" {
		at = environment
	}
	if at == "" {
		at = "127.0.0.1"
	}
	if net.ParseIP(at) != nil {
		return net.JoinHostPort(at, strconv.Itoa(Port)), nil
	}
	host, port, err := net.SplitHostPort(at)
	if err != nil {
		host, port, err = net.SplitHostPort(at + ":" + strconv.Itoa(Port))
	}
	if err != nil {
		return "", fmt.Errorf("address %q: %w: write HOST or HOST:PORT", at, err)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || host == "" && flag == "" && n == 0 {
		return "", fmt.Errorf("address %q: port %q is no number from 0 to 65535", at, port)
	}
	return net.JoinHostPort(host, port), nil
}

// Exposed reports whether others than this computer reach an address.
func Exposed(addr net.Addr) bool {
	host, _, err := net.SplitHostPort(addr.String())
	if err != nil {
		return addr.Network() != "pipe" && addr.Network() != "unix"
	}
	ip := net.ParseIP(host)
	return ip == nil || !ip.IsLoopback()
}
