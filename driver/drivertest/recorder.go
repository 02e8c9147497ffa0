package drivertest

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"sarathi/driver"
	"sarathi/internal/clock"
	"sarathi/internal/idl"
	"sarathi/msg/nav"
)

// recorder is a sink that keeps what the cases ask for and checks what any message must be.
type recorder struct {
	clock clock.Clock
	caps  driver.Capabilities

	mu       sync.Mutex
	wanted   bool
	counts   map[driver.Stream]int
	odometry *nav.Odometry
	wrong    []string // broken rules, each once
	results  []driver.SkillResult
	states   []driver.EStopState
}

var _ driver.Sink = (*recorder)(nil)

func newRecorder(c clock.Clock, caps driver.Capabilities) *recorder {
	return &recorder{clock: c, caps: caps, counts: map[driver.Stream]int{}}
}

// Publish implements driver.Sink.
func (s *recorder) Publish(stream driver.Stream, m idl.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case !slices.Contains(driver.Streams(), stream):
		s.complainLocked("published on %s, which does not exist", stream)
		return
	case !s.caps.Has(stream):
		s.complainLocked("published on %s, which the capabilities do not list", stream)
	case m == nil:
		s.complainLocked("published nil on %s", stream)
		return
	case m.Type() != stream.Type():
		s.complainLocked("published a %s on %s, which carries %s", m.Type().ROS1Name(), stream, stream.Type().ROS1Name())
		return
	}
	s.counts[stream]++
	if o, ok := m.(*nav.Odometry); ok {
		s.odometryLocked(o)
	}
}

func (s *recorder) odometryLocked(o *nav.Odometry) {
	p, t := o.Pose.Pose, o.Twist.Twist
	for _, v := range [...]float64{
		p.Position.X, p.Position.Y, p.Position.Z, p.Orientation.X, p.Orientation.Y, p.Orientation.Z, p.Orientation.W,
		t.Linear.X, t.Linear.Y, t.Linear.Z, t.Angular.X, t.Angular.Y, t.Angular.Z,
	} {
		if v-v != 0 {
			s.complainLocked("odometry holds %v", v)
		}
	}
	if o.Header.FrameID != s.caps.Frame {
		s.complainLocked("odometry is in frame %q, the capabilities say %q", o.Header.FrameID, s.caps.Frame)
	}
	if stamp := stampOf(o); s.odometry != nil && stamp.Before(stampOf(s.odometry)) {
		s.complainLocked("odometry of %v comes after that of %v", stamp, stampOf(s.odometry))
	}
	s.odometry = o
}

func stampOf(o *nav.Odometry) time.Time {
	return time.Unix(int64(o.Header.Stamp.Sec), int64(o.Header.Stamp.Nanosec)).UTC()
}

// SkillResult implements driver.Sink.
func (s *recorder) SkillResult(r driver.SkillResult) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.results = append(s.results, r)
}

// Fault implements driver.Sink.
func (s *recorder) Fault(f driver.Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.Code == "" || f.Message == "" || f.Severity < driver.Info || f.Severity > driver.Critical {
		s.complainLocked("fault %+v has no code, no message or no severity", f)
	}
}

// EStop implements driver.Sink.
func (s *recorder) EStop(e driver.EStopState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case e.Engaged && e.Reason == "":
		s.complainLocked("an e-stop without a reason")
	case !e.Engaged && (e.Held || e.Reason != ""):
		s.complainLocked("a released e-stop with %+v", e)
	case len(s.states) > 0 && s.states[len(s.states)-1] == e:
		s.complainLocked("e-stop %+v is reported again without a change", e)
	}
	s.states = append(s.states, e)
}

// Wanted implements driver.Sink.
func (s *recorder) Wanted(driver.Stream) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.wanted
}

// want tells the body that somebody uses all streams.
func (s *recorder) want() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wanted = true
}

func (s *recorder) complainLocked(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(s.wrong, text) {
		s.wrong = append(s.wrong, text)
	}
}

// complaints are the rules that were broken so far.
func (s *recorder) complaints() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.wrong)
}

func (s *recorder) count(stream driver.Stream) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts[stream]
}

// total counts the messages of all streams.
func (s *recorder) total() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, c := range s.counts {
		n += c
	}
	return n
}

// velocity is the last one in odometry.
func (s *recorder) velocity() driver.Velocity {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.odometry == nil {
		return driver.Velocity{}
	}
	t := s.odometry.Twist.Twist
	return driver.Velocity{VX: t.Linear.X, VY: t.Linear.Y, WZ: t.Angular.Z}
}

// spot is where a body is in its odometry frame.
type spot struct{ x, y, theta float64 }

// place is the last one in odometry.
func (s *recorder) place() spot {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.odometry == nil {
		return spot{}
	}
	p := s.odometry.Pose.Pose
	return spot{p.Position.X, p.Position.Y, 2 * math.Atan2(p.Orientation.Z, p.Orientation.W)}
}

// estop is the last state reported, released before the first.
func (s *recorder) estop() driver.EStopState {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.states) == 0 {
		return driver.EStopState{}
	}
	return s.states[len(s.states)-1]
}

// resultsOf returns what was said of a request, in order.
func (s *recorder) resultsOf(reqID string) []driver.SkillResult {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []driver.SkillResult
	for _, r := range s.results {
		if r.ReqID == reqID {
			out = append(out, r)
		}
	}
	return out
}
