package host

import (
	"context"
	"slices"
	"sync"
	"time"

	"sarathi/driver"
	"sarathi/internal/clock"
	"sarathi/msg/builtin"
	"sarathi/msg/nav"
	"sarathi/msg/sensor"
)

// robot is a body without motion: it records what it is told and reports what the test wants.
type robot struct {
	mu       sync.Mutex // a Runner is called from several goroutines
	caps     driver.Capabilities
	sink     driver.Sink
	guard    driver.Guard
	commands []driver.Velocity
	skills   []driver.SkillRequest
	refuse   error // of the next skills
	starts   int
	silent   bool
	cancels  []string
}

func newRobot() *robot {
	return &robot{caps: driver.Capabilities{
		Kind: "go2", Drive: driver.Holonomic, DOF: 3,
		Skills:  []string{driver.SkillStandUp, "wave", driver.SkillEmergencyStop, driver.SkillSetJoints},
		Streams: []driver.Stream{driver.StreamOdometry, driver.StreamImage},
		Units:   driver.Units{Len: "m", Ang: "rad"}, Frame: "odom",
		Limits: driver.Limits{VX: 1, VY: 1, WZ: 1}, RateHz: 50,
	}}
}

func (r *robot) locked(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f()
}

func (r *robot) Capabilities() driver.Capabilities { return r.caps }

func (r *robot) Start(_ time.Time, out driver.Sink) error {
	r.sink = out
	r.starts++
	if r.guard.State().Engaged {
		out.EStop(r.guard.State())
	}
	return nil
}

func (r *robot) Command(now time.Time, v driver.Velocity) (err error) {
	r.locked(func() {
		r.commands = append(r.commands, v)
		err = r.guard.Command(now, v)
	})
	return err
}

func (r *robot) Skill(_ time.Time, req driver.SkillRequest) error {
	if r.refuse != nil {
		return r.refuse
	}
	r.skills = append(r.skills, req)
	r.sink.SkillResult(driver.SkillResult{ReqID: req.ReqID, Status: driver.SkillAccepted})
	return nil
}

func (r *robot) EStop(_ time.Time, reason string) {
	r.locked(func() {
		if r.guard.EStop(reason) {
			r.sink.EStop(r.guard.State())
		}
	})
}

func (r *robot) Release(time.Time) (err error) {
	r.locked(func() {
		var changed bool
		if changed, err = r.guard.Release(); changed {
			r.sink.EStop(r.guard.State())
		}
	})
	return err
}

func (r *robot) press(pressed bool) {
	if r.guard.Hold(pressed, "button") {
		r.sink.EStop(r.guard.State())
	}
}

func (r *robot) state() (s driver.EStopState) {
	r.locked(func() { s = r.guard.State() })
	return s
}

// last is the newest command.
func (r *robot) last() (v driver.Velocity, n int) {
	r.locked(func() {
		if n = len(r.commands); n > 0 {
			v = r.commands[n-1]
		}
	})
	return v, n
}

func (r *robot) Cancel(_ time.Time, why string) { r.cancels = append(r.cancels, why) }

func (r *robot) report(now time.Time) {
	if r.silent {
		return
	}
	o := nav.NewOdometry()
	o.Header.Stamp = builtin.Time{Sec: int32(now.Unix()), Nanosec: uint32(now.Nanosecond())}
	r.sink.Publish(driver.StreamOdometry, o)
	if r.sink.Wanted(driver.StreamImage) {
		r.sink.Publish(driver.StreamImage, &sensor.CompressedImage{Format: "jpeg"})
	}
}

// stepper is a robot that is stepped.
type stepper struct{ *robot }

func (s stepper) Period() time.Duration { return 20 * time.Millisecond }
func (s stepper) Step(now time.Time)    { s.report(now) }

// runner is a robot with a connection.
type runner struct {
	*robot
	log  *[]string
	lose chan struct{} // closed: the connection breaks
}

func (r runner) Connect(context.Context) error {
	*r.log = append(*r.log, "connect")
	return nil
}

func (r runner) Close() error {
	*r.log = append(*r.log, "close")
	return nil
}

func (r runner) Run(ctx context.Context) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-r.lose:
			return nil
		case <-tick.C:
			r.report(clock.Real{}.Now())
		}
	}
}

var (
	_ driver.Stepper   = stepper{}
	_ driver.Canceler  = stepper{}
	_ driver.Runner    = runner{}
	_ driver.Connector = runner{}
)

func requests(r *robot) []string {
	var out []string
	for _, s := range r.skills {
		out = append(out, s.Name)
	}
	return slices.Clip(out)
}
