package teleop

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"
)

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// Addresses of two devices; the first has two ports.
var (
	phone    = netip.MustParseAddrPort("10.0.0.2:5000")
	phoneTwo = netip.MustParseAddrPort("10.0.0.2:5001")
	tablet   = netip.MustParseAddrPort("10.0.0.3:5000")
)

// everyCommand is a configuration in which nothing is missing.
func everyCommand(d *Dialect) Config {
	cfg := DefaultConfig()
	cfg.Name = "molly-7"
	for i := range d.Commands {
		cfg.Commands = append(cfg.Commands, d.Commands[i].Name)
	}
	cfg.RobotCommands = []string{"stand_up", "sit_down", "emergency_stop"}
	cfg.Gestures = []string{"hello", "stretch"}
	cfg.Features = []string{"mapping", "planner"}
	return cfg
}

// A robot is a session with a clock that the test moves.
type robot struct {
	t   *testing.T
	s   *Session
	now time.Time
}

func newRobot(t *testing.T, d *Dialect, change ...func(*Config)) *robot {
	t.Helper()
	cfg := everyCommand(d)
	for _, f := range change {
		f(&cfg)
	}
	s, err := NewSession(d, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return &robot{t, s, epoch}
}

// in hands a message over and returns what it caused.
func (r *robot) in(from netip.AddrPort, message string) outcome {
	return copied(r.s.HandleDatagram(r.now, from, []byte(message)))
}

// after lets time pass in one step.
func (r *robot) after(d time.Duration) outcome {
	r.now = r.now.Add(d)
	return copied(r.s.Tick(r.now))
}

func (r *robot) hello(from netip.AddrPort) outcome {
	return r.in(from, `{"t":"hello","name":"phone","streams":{"camera":true,"lidar":true,"video":false}}`)
}

// An outcome is an output that stays valid.
type outcome struct {
	sent    []Datagram
	effects []Effect
}

func copied(o Output) outcome {
	c := outcome{slices.Clone(o.Datagrams), slices.Clone(o.Effects)}
	for i := range c.sent {
		c.sent[i].Data = slices.Clone(c.sent[i].Data)
	}
	return c
}

// of returns the JSON messages of one type, with their receivers.
func (o outcome) of(t string) []string {
	var out []string
	for _, d := range o.sent {
		if strings.HasPrefix(string(d.Data), `{"t":"`+t+`"`) {
			out = append(out, fmt.Sprintf("%s %s", d.To, d.Data))
		}
	}
	return out
}

func (o outcome) kinds() []EffectKind {
	var out []EffectKind
	for _, e := range o.effects {
		out = append(out, e.Kind)
	}
	return out
}

func (o outcome) commands() []Command {
	var out []Command
	for _, e := range o.effects {
		if e.Kind == EffectCommand {
			out = append(out, e.Command)
		}
	}
	return out
}

// velocities are what the robot was told to do, in order.
func (o outcome) velocities() []Velocity {
	var out []Velocity
	for _, e := range o.effects {
		if e.Kind == EffectVelocity {
			out = append(out, e.Velocity)
		}
	}
	return out
}

// stopped reports whether the outcome ends with zero velocity.
func (o outcome) stopped() bool {
	v := o.velocities()
	return len(v) > 0 && v[len(v)-1].IsZero()
}

func ack(to netip.AddrPort, id int64, rest string) string {
	return fmt.Sprintf(`%s {"t":"ack","id":%d,%s}`, to, id, rest)
}

func cmd(id int64, name, args string) string {
	return fmt.Sprintf(`{"t":"cmd","id":%d,"name":"%s","args":%s}`, id, name, args)
}

func want[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func wantAll[T comparable](t *testing.T, what string, got []T, want ...T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %v\nwant %v", what, got, want)
	}
}
