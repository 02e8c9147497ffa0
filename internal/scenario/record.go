package scenario

import (
	"math"
	"sort"
	"time"

	"sarathi/internal/geom"
)

// Truth is one sample of what the simulator knows.
type Truth struct {
	At       time.Duration // since the start
	Pose     geom.Pose2
	Velocity geom.Velocity // in the body's frame
}

// speed returns the larger of m/s and rad/s, so that turning counts as moving.
func (t Truth) speed() float64 {
	return max(math.Hypot(t.Velocity.VX, t.Velocity.VY), math.Abs(t.Velocity.WZ))
}

// Command is one velocity that reached the body's topic.
type Command struct {
	At       time.Duration
	Order    int // among all commands, statuses and requests, since several share an instant
	Velocity geom.Velocity
}

// Control is one /control/status in short.
type Control struct {
	At           time.Duration
	Order        int // as in Command
	Mode         string
	ActiveSource string
	Armed        bool
	EStop        bool
	EStopReasons []string
	Field        string
	Message      string
}

// Progress is one /navigation/status in short.
type Progress struct {
	At           time.Duration
	State        string
	PauseReasons []string
	Lap          int
	Message      string
}

// Ask is one velocity that a source asked of the mux.
type Ask struct {
	At       time.Duration
	Source   string
	Velocity geom.Velocity
}

// Request is one e-stop request.
type Request struct {
	At     time.Duration
	Order  int // as in Command
	Reason string
}

// Contact is the robot touching something.
type Contact struct {
	At     time.Duration
	With   string
	Person bool
}

// Node is how a node ended.
type Node struct {
	Name      string
	State     string
	Restarts  int
	LastError string
}

// Record is everything seen of one run, each list in order of time.
type Record struct {
	Scenario *Scenario
	Limits   geom.Velocity // of the body, positive
	Braking  time.Duration // from the last command of the body's watchdog to its stand, at most
	Truths   []Truth
	Commands []Command
	Statuses []Control
	Progress []Progress
	Beliefs  []Belief
	Asks     []Ask
	Requests []Request
	Contacts []Contact
	Nodes    []Node
}

// between returns the true samples of an interval.
func (r *Record) between(from, until time.Duration) []Truth {
	i := sort.Search(len(r.Truths), func(i int) bool { return r.Truths[i].At >= from })
	j := sort.Search(len(r.Truths), func(j int) bool { return r.Truths[j].At > until })
	return r.Truths[i:max(i, j)]
}

func (r *Record) last() Truth {
	if len(r.Truths) == 0 {
		return Truth{}
	}
	return r.Truths[len(r.Truths)-1]
}

// Travelled returns the true way driven, in metres.
func (r *Record) Travelled() float64 {
	way := 0.0
	for i := 1; i < len(r.Truths); i++ {
		a, b := r.Truths[i-1].Pose, r.Truths[i].Pose
		way += math.Hypot(b.X-a.X, b.Y-a.Y)
	}
	return way
}

// statusAt returns the last status not after at.
func (r *Record) statusAt(at time.Duration) (Control, bool) {
	i := sort.Search(len(r.Statuses), func(i int) bool { return r.Statuses[i].At > at })
	if i == 0 {
		return Control{}, false
	}
	return r.Statuses[i-1], true
}

// statusAround returns the statuses of the decision that a command came from: the last one before it, and, because the mux
// tells after it has acted, the next one of the same instant.
func (r *Record) statusAround(c Command) []Control {
	i := sort.Search(len(r.Statuses), func(i int) bool { return r.Statuses[i].Order > c.Order })
	from, until := max(0, i-1), i
	if i < len(r.Statuses) && r.Statuses[i].At == c.At {
		until++
	}
	return r.Statuses[from:until]
}

// why returns the mux's own explanation at a moment, for messages.
func (r *Record) why(at time.Duration) string {
	s, ok := r.statusAt(at)
	if !ok || s.Message == "" {
		return "the mux gives no reason"
	}
	return "the mux says: " + s.Message
}

// Judge returns everything that is wrong with the run: broken invariants first, then expectations that failed.
func (r *Record) Judge() []string { return r.judge(func(Expectation) bool { return true }) }

// JudgeAnyBody is Judge for a run with another body than the scenario's: what is expected of the motion of that body, its
// speed, its way, how fast it brakes and how far it gets, is left out.
func (r *Record) JudgeAnyBody() []string {
	return r.judge(func(e Expectation) bool {
		return e.Localization == nil && e.Navigation == nil && e.Passes == nil && e.Moves == nil && e.Travels == nil && e.Ends == nil && e.Stops == nil
	})
}

func (r *Record) judge(counts func(Expectation) bool) []string {
	out := r.invariants()
	for _, e := range r.Scenario.Expect {
		if !counts(e) {
			continue
		}
		if s := e.check(r); s != "" {
			out = append(out, s)
		}
	}
	return out
}
