package scenario

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"sarathi/internal/config"
	"sarathi/internal/node"
	"sarathi/msg/dharma"
)

// stillSpeed is the true speed below which a body counts as standing, in m/s (and rad/s).
const stillSpeed = 0.02

// Expectation is one thing that must be true. Exactly one of its fields is given.
type Expectation struct {
	Moves        *Moves        `doc:"the robot drives at some moment of an interval"`
	Still        *Interval     `doc:"the robot stands through an interval"`
	Zero         *Interval     `doc:"the body is sent nothing but zero through an interval, and is sent it"`
	Stops        *Stops        `doc:"after a moment the robot comes to a stand in time and way"`
	Travels      *Range        `doc:"way driven in the whole run, in metres"`
	Ends         *Near         `doc:"where the robot is at the end"`
	Status       *Status       `doc:"what /control/status says at a moment"`
	Navigation   *Navigation   `doc:"what /navigation/status says at a moment"`
	Passes       *Passes       `doc:"the robot comes near a place in an interval"`
	Localization *Localization `doc:"what /localization/status says at a moment, and how true it is"`
	Node         *NodeState    `doc:"how a node is at the end"`
	FieldSays    *FieldSays    `doc:"the protective field takes a state in an interval"`
}

// Interval is a stretch of the run.
type Interval struct {
	From  time.Duration `doc:"begin"`
	Until time.Duration `doc:"end"`
}

// Moves wants motion in an interval.
type Moves struct {
	From     time.Duration `doc:"begin"`
	Until    time.Duration `doc:"end"`
	MinSpeed float64       `unit:"m/s" doc:"speed that must be reached; turning counts with rad/s"`
	MaxSpeed float64       `unit:"m/s" doc:"speed that must not be exceeded in the interval"`
}

// SetDefaults implements config.Defaulter.
func (m *Moves) SetDefaults() { m.MinSpeed, m.MaxSpeed = 0.1, 10 }

// Stops wants a stand.
type Stops struct {
	After    time.Duration `doc:"cause"`
	Within   time.Duration `doc:"time from the cause to the stand"`
	Distance float64       `unit:"m" doc:"longest way from the cause to the stand"`
}

// SetDefaults implements config.Defaulter.
func (s *Stops) SetDefaults() { s.Distance = 100 }

// Range is a closed interval of numbers.
type Range struct {
	Min float64 `doc:"least"`
	Max float64 `doc:"most"`
}

// SetDefaults implements config.Defaulter.
func (r *Range) SetDefaults() { r.Max = math.MaxFloat64 }

// Near is a place with a tolerance.
type Near struct {
	X      float64 `unit:"m" doc:"where"`
	Y      float64 `unit:"m" doc:"where"`
	Within float64 `unit:"m" doc:"tolerance"`
}

// Status is what /control/status says. Fields that are not given are not looked at.
type Status struct {
	At      time.Duration `doc:"when"`
	Mode    string        `doc:"auto or remote"`
	Source  string        `doc:"active source"`
	EStop   *bool         `yaml:"estop" doc:"engaged"`
	Armed   *bool         `doc:"the source may move the robot"`
	Field   []string      `doc:"any of these states of the field"`
	Reason  string        `doc:"part of one of the e-stop reasons"`
	Message string        `doc:"part of the message"`
}

// NodeState is how a node ends.
type NodeState struct {
	Name        string `doc:"node"`
	State       string `doc:"running, halted, …"`
	MinRestarts int    `doc:"how often it was restarted at least"`
}

// FieldSays wants a state of the protective field.
type FieldSays struct {
	From  time.Duration `doc:"begin"`
	Until time.Duration `doc:"end"`
	State string        `doc:"off, clear, limited, stop, stale or blind"`
}

// Validate reports what is wrong with the expectation.
func (e Expectation) Validate() error {
	var p config.Problems
	given := count(e.Moves != nil, e.Still != nil, e.Zero != nil, e.Stops != nil, e.Travels != nil, e.Ends != nil,
		e.Status != nil, e.Navigation != nil, e.Passes != nil, e.Localization != nil, e.Node != nil, e.FieldSays != nil)
	p.Require(given == 1, "", "an expectation says exactly one thing, this one says %d", given)
	return p.Err()
}

// Validate reports an interval that is empty.
func (i Interval) Validate() error { return interval(i.From, i.Until) }

func interval(from, until time.Duration) error {
	var p config.Problems
	p.Require(0 <= from && from < until, "until", "%v is not after from, %v: write when the interval begins and ends", until, from)
	return p.Err()
}

// Validate reports motion that cannot be.
func (m Moves) Validate() error {
	var p config.Problems
	p.Nested("", interval(m.From, m.Until))
	p.AtLeast("min_speed", m.MinSpeed, 0, "m/s")
	p.Require(m.MaxSpeed >= m.MinSpeed, "max_speed", "is below min_speed: raise it to %g or more", m.MinSpeed)
	return p.Err()
}

// Validate reports a stand that nothing can prove.
func (s Stops) Validate() error {
	var p config.Problems
	p.DurationInRange("within", s.Within, time.Millisecond, time.Minute)
	p.Positive("distance", s.Distance, "m")
	return p.Err()
}

// Validate reports an empty range.
func (r Range) Validate() error {
	var p config.Problems
	p.Require(r.Min <= r.Max, "max", "is below min: raise it to %g or more", r.Min)
	return p.Err()
}

// Validate reports a place without a tolerance.
func (n Near) Validate() error {
	var p config.Problems
	p.Positive("within", n.Within, "m")
	return p.Err()
}

// Validate reports words that the mux never says.
func (s Status) Validate() error {
	var p config.Problems
	given := count(s.Mode != "", s.Source != "", s.EStop != nil, s.Armed != nil, len(s.Field) > 0, s.Reason != "", s.Message != "")
	p.Require(given > 0, "", "says nothing about the status: give mode, source, estop, armed, field, reason or message")
	if s.Mode != "" {
		p.OneOf("mode", s.Mode, dharma.ControlStatusModeAuto, dharma.ControlStatusModeRemote)
	}
	for i, f := range s.Field {
		p.OneOf(fmt.Sprintf("field[%d]", i), f, fieldStates()...)
	}
	return p.Err()
}

// Validate reports a state in which no node can be.
func (n NodeState) Validate() error {
	var p config.Problems
	p.NotEmpty("name", n.Name)
	if n.State != "" {
		p.OneOf("state", n.State, node.Starting.String(), node.Running.String(), node.BackingOff.String(), node.Halted.String(),
			node.Ended.String())
	}
	p.IntInRange("min_restarts", n.MinRestarts, 0, 1000)
	return p.Err()
}

// Validate reports a state that the field never takes.
func (f FieldSays) Validate() error {
	var p config.Problems
	p.Nested("", interval(f.From, f.Until))
	p.OneOf("state", f.State, fieldStates()...)
	return p.Err()
}

func fieldStates() []string { return []string{"off", "clear", "limited", "stop", "stale", "blind"} }

// until returns the last moment that the expectation looks at, 0 when that is the end of the run.
func (e Expectation) until() time.Duration {
	switch {
	case e.Moves != nil:
		return e.Moves.Until
	case e.Still != nil:
		return e.Still.Until
	case e.Zero != nil:
		return e.Zero.Until
	case e.Stops != nil:
		return e.Stops.After + e.Stops.Within
	case e.Status != nil:
		return e.Status.At
	case e.Navigation != nil:
		return e.Navigation.At
	case e.Passes != nil:
		return e.Passes.Until
	case e.Localization != nil:
		return e.Localization.At
	case e.FieldSays != nil:
		return e.FieldSays.Until
	}
	return 0
}

// check returns what is wrong with the run, or "".
func (e Expectation) check(r *Record) string {
	switch {
	case e.Moves != nil:
		return r.checkMoves(*e.Moves)
	case e.Still != nil:
		return r.checkStill(*e.Still)
	case e.Zero != nil:
		return r.checkZero(*e.Zero)
	case e.Stops != nil:
		return r.checkStops(*e.Stops)
	case e.Travels != nil:
		if d := r.Travelled(); d < e.Travels.Min || d > e.Travels.Max {
			return fmt.Sprintf("travels: %.2f m, wanted %s", d, e.Travels)
		}
	case e.Ends != nil:
		if last := r.last(); math.Hypot(last.Pose.X-e.Ends.X, last.Pose.Y-e.Ends.Y) > e.Ends.Within {
			return fmt.Sprintf("ends: at (%.2f, %.2f), wanted within %.2f m of (%.2f, %.2f)",
				last.Pose.X, last.Pose.Y, e.Ends.Within, e.Ends.X, e.Ends.Y)
		}
	case e.Status != nil:
		return r.checkStatus(*e.Status)
	case e.Navigation != nil:
		return r.checkNavigation(*e.Navigation)
	case e.Passes != nil:
		return r.checkPasses(*e.Passes)
	case e.Localization != nil:
		return r.checkLocalization(*e.Localization)
	case e.Node != nil:
		return r.checkNode(*e.Node)
	case e.FieldSays != nil:
		return r.checkField(*e.FieldSays)
	}
	return ""
}

// String returns the range in words.
func (r Range) String() string {
	if r.Max == math.MaxFloat64 {
		return fmt.Sprintf("at least %.2f m", r.Min)
	}
	return fmt.Sprintf("%.2f to %.2f m", r.Min, r.Max)
}

// gap is how far apart true samples may be: the simulator tells them every 20 ms.
const gap = 50 * time.Millisecond

// watched says what keeps an interval from proving anything: it is not covered by samples.
func (r *Record) watched(from, until time.Duration) string {
	last := from
	for _, s := range append(slices.Clone(r.between(from, until)), Truth{At: until}) {
		if s.At-last > gap {
			return fmt.Sprintf("nothing is known of the robot between %v and %v", last, s.At)
		}
		last = s.At
	}
	return ""
}

func (r *Record) checkMoves(m Moves) string {
	if s := r.watched(m.From, m.Until); s != "" {
		return "moves: " + s
	}
	top := 0.0
	for _, s := range r.between(m.From, m.Until) {
		top = max(top, s.speed())
	}
	if top < m.MinSpeed {
		return fmt.Sprintf("moves: top speed %.3f between %v and %v, wanted %.3f; %s", top, m.From, m.Until, m.MinSpeed, r.why(m.Until))
	}
	if top > m.MaxSpeed {
		return fmt.Sprintf("moves: top speed %.3f between %v and %v, allowed %.3f", top, m.From, m.Until, m.MaxSpeed)
	}
	return ""
}

func (r *Record) checkStill(i Interval) string {
	if s := r.watched(i.From, i.Until); s != "" {
		return "still: " + s
	}
	for _, s := range r.between(i.From, i.Until) {
		if s.speed() > stillSpeed {
			return fmt.Sprintf("still: speed %.3f at %v, wanted a stand between %v and %v", s.speed(), s.At, i.From, i.Until)
		}
	}
	return ""
}

func (r *Record) checkZero(i Interval) string {
	sent := false
	for _, c := range r.Commands {
		if c.At < i.From || c.At > i.Until {
			continue
		}
		if sent = true; !isZero(c.Velocity) {
			return fmt.Sprintf("zero: command %+v at %v, wanted zero from %v to %v; %s", c.Velocity, c.At, i.From, i.Until, r.why(c.At))
		}
	}
	if !sent {
		return fmt.Sprintf("zero: nothing was sent between %v and %v", i.From, i.Until)
	}
	return ""
}

func (r *Record) checkStops(w Stops) string {
	if s := r.watched(w.After, w.After+w.Within); s != "" {
		return "stops: " + s
	}
	samples := r.between(w.After, r.Scenario.Duration)
	if samples[0].speed() <= stillSpeed {
		return fmt.Sprintf("stops: stood already at %v; %s", w.After, r.why(w.After))
	}
	way := 0.0
	for i, s := range samples {
		if i > 0 {
			way += math.Hypot(s.Pose.X-samples[i-1].Pose.X, s.Pose.Y-samples[i-1].Pose.Y)
		}
		if s.speed() > stillSpeed {
			continue
		}
		switch took := s.At - w.After; {
		case took > w.Within:
			return fmt.Sprintf("stops: stood %v after %v, wanted within %v", took, w.After, w.Within)
		case way > w.Distance:
			return fmt.Sprintf("stops: took %.3f m after %v, allowed %.3f m", way, w.After, w.Distance)
		}
		return ""
	}
	return fmt.Sprintf("stops: never stood after %v", w.After)
}

func (r *Record) checkStatus(w Status) string {
	s, ok := r.statusAt(w.At)
	if !ok {
		return fmt.Sprintf("status: none before %v", w.At)
	}
	contains := func(list []string, part string) bool {
		return slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, part) })
	}
	switch {
	case w.Mode != "" && s.Mode != w.Mode:
		return fmt.Sprintf("status at %v: mode %s, wanted %s", w.At, s.Mode, w.Mode)
	case w.Source != "" && s.ActiveSource != w.Source:
		return fmt.Sprintf("status at %v: active source %q, wanted %q", w.At, s.ActiveSource, w.Source)
	case w.EStop != nil && s.EStop != *w.EStop:
		return fmt.Sprintf("status at %v: estop %v, wanted %v (reasons %q)", w.At, s.EStop, *w.EStop, s.EStopReasons)
	case w.Armed != nil && s.Armed != *w.Armed:
		return fmt.Sprintf("status at %v: armed %v, wanted %v (%s)", w.At, s.Armed, *w.Armed, s.Message)
	case len(w.Field) > 0 && !slices.Contains(w.Field, s.Field):
		return fmt.Sprintf("status at %v: field %s, wanted %s", w.At, s.Field, strings.Join(w.Field, " or "))
	case w.Reason != "" && !contains(s.EStopReasons, w.Reason):
		return fmt.Sprintf("status at %v: reasons %q, wanted one with %q", w.At, s.EStopReasons, w.Reason)
	case w.Message != "" && !strings.Contains(s.Message, w.Message):
		return fmt.Sprintf("status at %v: message %q, wanted %q in it", w.At, s.Message, w.Message)
	}
	return ""
}

func (r *Record) checkNode(w NodeState) string {
	for _, n := range r.Nodes {
		if n.Name != w.Name {
			continue
		}
		switch {
		case w.State != "" && n.State != w.State:
			return fmt.Sprintf("node %s: %s, wanted %s (%s)", w.Name, n.State, w.State, n.LastError)
		case n.Restarts < w.MinRestarts:
			return fmt.Sprintf("node %s: restarted %d times, wanted %d", w.Name, n.Restarts, w.MinRestarts)
		}
		return ""
	}
	return fmt.Sprintf("node %s: does not exist", w.Name)
}

func (r *Record) checkField(w FieldSays) string {
	seen := map[string]bool{}
	for _, s := range r.Statuses {
		if s.At >= w.From && s.At <= w.Until {
			seen[s.Field] = true
		}
	}
	if seen[w.State] {
		return ""
	}
	return fmt.Sprintf("field: was never %s between %v and %v", w.State, w.From, w.Until)
}
