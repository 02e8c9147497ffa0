package follower

import (
	"fmt"
	"math"
	"time"

	"sarathi/internal/algo/pursuit"
	"sarathi/internal/geom"
)

func nan() float64 { return math.NaN() }

// Step decides for the time since the last step. Call it once a period.
func (f *Follower) Step(in Input) Output {
	dt := in.Now.Sub(f.last)
	if f.last.IsZero() || dt <= 0 || dt > time.Second {
		dt = f.cfg.Period
	}
	f.last = in.Now
	f.watch(in)
	var out Output
	state := f.decide(in, dt, &out)
	moves := state == Joining || state == Following || state == Approaching || state == Blocked
	if !moves {
		out.Velocity = geom.Velocity{}
	}
	if !moves || f.held {
		f.pursue.Reset() // it starts from standing
	}
	f.state, f.velocity = state, out.Velocity
	out.Send = f.active || f.sent
	f.sent = f.active
	return out
}

// watch keeps the follower's own reasons.
func (f *Follower) watch(in Input) {
	const ahead = 100 * time.Millisecond // stamps may be a little newer than the step
	fresh := func(stamp time.Time, limit time.Duration) bool {
		age := in.Now.Sub(stamp)
		return !stamp.IsZero() && age <= limit && age >= -ahead
	}
	keep := func(reason string, holds bool) {
		if holds && f.active {
			f.Pause(reason)
		} else {
			f.Resume(reason)
		}
	}
	keep(ByLocalization, !in.Localized || !in.Pose.IsFinite() || !fresh(in.PoseStamp, f.cfg.PoseMaxAge))
	keep(ByAvoidance, f.cfg.AvoidMaxAge > 0 && !fresh(in.Advice.Stamp, f.cfg.AvoidMaxAge))
}

func (f *Follower) decide(in Input, dt time.Duration, out *Output) State {
	switch {
	case f.ended != "":
		return f.ended
	case !f.active:
		return Inactive
	case len(f.reasons) > 0:
		f.nearingFor, f.stuckFor = 0, 0
		return Paused
	case f.dwelling:
		return f.dwell(dt, out)
	}
	begun := f.progress.Begun()
	f.cross = f.progress.Update(f.track, in.Pose, f.cfg.Pursuit)
	if !begun {
		f.begin()
	}
	if f.cross > f.cfg.OffPathBeyond {
		return f.end(OffPath, fmt.Sprintf("%.1f m from the path: bring the robot back and start again", f.cross))
	}
	f.joined = f.joined || f.cross <= f.cfg.JoinWithin
	f.skipPassed(out)
	if f.hold(in, dt) {
		f.turnAway(in, dt, out)
		if f.heldFor >= f.cfg.BlockedAfter {
			f.message = "something is in the way"
			return Blocked
		}
		return f.moving()
	}
	f.message = ""
	if f.stuck(dt) {
		return f.end(Failed, fmt.Sprintf("no progress for %s, and nothing is in the way", f.cfg.StuckAfter))
	}
	if f.near() {
		return f.approachStop(in, dt, out)
	}
	if f.nextStop == len(f.track.Stops()) && f.laps() && f.track.Length()-f.progress.Way() < f.cfg.JoinWithin {
		f.nextLap()
	}
	f.drive(in, dt, out)
	return f.moving()
}

// begin is called when the robot has found itself on the track: stops that lie behind are not its business.
func (f *Follower) begin() {
	stops := f.track.Stops()
	for f.nextStop < len(stops) && f.track.At(stops[f.nextStop]) < f.progress.Way()-f.cfg.SkipAfter {
		f.nextStop++
	}
	f.moved = f.progress.Way()
}

func (f *Follower) moving() State {
	if f.joined {
		return Following
	}
	return Joining
}

// end stops for good; only a new start or path goes on.
func (f *Follower) end(s State, message string) State {
	f.ended, f.message = s, message
	f.active = false
	return s
}

// skipPassed gives up stops that were passed.
func (f *Follower) skipPassed(out *Output) {
	stops := f.track.Stops()
	for f.nextStop < len(stops) && f.progress.Way() > f.track.At(stops[f.nextStop])+f.cfg.SkipAfter {
		f.event(out, Skipped, "the robot was led past it")
		f.nextStop, f.nearing = f.nextStop+1, false
	}
}

func (f *Follower) event(out *Output, kind EventKind, message string) {
	stops := f.track.Stops()
	if f.nextStop < len(stops) {
		out.Events = append(out.Events, Event{kind, f.nextStop, f.track.Point(stops[f.nextStop]), message})
	}
}

// hold reports whether obstacles keep the robot from moving, and since when.
func (f *Follower) hold(in Input, dt time.Duration) bool {
	f.held = f.cfg.AvoidMaxAge > 0 && (in.Advice.Emergency || !(in.Advice.Scale >= f.cfg.BlockedBelow)) || !(in.SpeedScale > 0)
	if !f.held {
		f.heldFor, f.turning = 0, false
		return false
	}
	f.heldFor += dt
	f.stuckFor = 0
	return true
}

// turnAway turns a robot that is held by what is ahead to where its path leads, when that is elsewhere: after a new path was given it would
// look at the obstacle for ever. Whether there is room to turn is the protective field's matter.
func (f *Follower) turnAway(in Input, dt time.Duration, out *Output) {
	const begin, enough = math.Pi / 6, math.Pi / 18 // [rad] the obstacle is ahead, not there
	aim, ok := f.Aim(in.Pose)
	if off := math.Abs(aim); !ok || !(in.SpeedScale > 0) || off < enough || !f.turning && off < begin {
		f.turning = false
		return
	}
	f.turning = true
	c := &f.cfg.Pursuit
	most, step := c.Approach.MaxTurn, c.TurnAccel*dt.Seconds()
	turn := min(max(c.RotateGain*aim, -most), most)
	out.Velocity.WZ = min(max(turn, f.velocity.WZ-step), f.velocity.WZ+step)
}

// stuck reports whether the robot should have got ahead long ago.
func (f *Follower) stuck(dt time.Duration) bool {
	const ahead = 0.05 // [m]
	if f.cfg.StuckAfter == 0 || f.nearing || f.progress.Way() >= f.moved+ahead {
		f.moved, f.stuckFor = f.progress.Way(), 0
		return false
	}
	f.stuckFor += dt
	return f.stuckFor >= f.cfg.StuckAfter
}

// target is the point that is approached next and the way to it: a stop, or the end. A loop that goes on has no end.
func (f *Follower) target() (point int, way float64, stops bool) {
	if stops := f.track.Stops(); f.nextStop < len(stops) {
		return stops[f.nextStop], f.track.At(stops[f.nextStop]), true
	}
	return f.track.Len() - 1, f.track.Length(), !f.laps()
}

func (f *Follower) laps() bool { return f.path.Loop && f.cfg.Laps && !f.low }

// near reports whether the robot is so near to its next stop that it approaches it.
func (f *Follower) near() bool {
	_, way, stops := f.target()
	if !stops || way-f.progress.Way() > f.cfg.StopWithin || f.cross > f.cfg.SlowBeyond {
		return false
	}
	if !f.nearing {
		f.nearing, f.nearingFor = true, 0
		f.approach.Reset(f.velocity)
	}
	return true
}

func (f *Follower) approachStop(in Input, dt time.Duration, out *Output) State {
	point, way, _ := f.target()
	pose := f.track.Point(point).Pose()
	v, arrived := f.approach.Step(in.Pose, pose, dt.Seconds(), f.cfg.Pursuit)
	f.nearingFor += dt
	if !arrived && f.nearingFor < f.cfg.ApproachTimeout {
		out.Velocity = v.Scale(f.scale(in))
		return Approaching
	}
	distance, heading := pursuit.Errors(in.Pose, pose)
	message := fmt.Sprintf("%.3f m and %.1f deg off", distance, math.Abs(heading)*180/math.Pi)
	if !arrived {
		message = fmt.Sprintf("not reached in %s: %s", f.cfg.ApproachTimeout, message)
	}
	f.progress.Jump(way)
	f.nearing = false
	f.event(out, Arrived, message)
	if dwell := f.track.Point(point).Dwell; dwell > 0 && f.nextStop < len(f.track.Stops()) {
		f.dwelling, f.dwellLeft = true, time.Duration(dwell*float64(time.Second))
		f.message = message
		return Dwelling
	}
	return f.end(GoalReached, message)
}

// dwell waits at a stop, and leaves it when the time is over. Pauses do not count.
func (f *Follower) dwell(dt time.Duration, out *Output) State {
	if f.dwellLeft -= dt; f.dwellLeft > 0 {
		return Dwelling
	}
	f.dwellLeft, f.dwelling, f.message = 0, false, ""
	f.event(out, Departed, "")
	last := f.track.Stops()[f.nextStop] == f.track.Len()-1
	f.nextStop++
	if !last {
		return Following
	}
	if f.laps() {
		f.nextLap()
		return Following
	}
	return f.end(GoalReached, "at the last stop")
}

// nextLap begins the loop anew.
func (f *Follower) nextLap() {
	f.lap++
	f.nextStop, f.moved = 0, 0
	f.progress = pursuit.Progress{}
	f.progress.Begin()
}

// scale is the part of the speed that may be used.
func (f *Follower) scale(in Input) float64 {
	s := min(max(in.SpeedScale, 0), 1)
	if f.cfg.AvoidMaxAge > 0 {
		s *= min(max(in.Advice.Scale, 0), 1)
	}
	return s
}

func (f *Follower) drive(in Input, dt time.Duration, out *Output) {
	f.nearing = false
	limit := f.cfg.SpeedMax
	if f.cross > f.cfg.SlowBeyond {
		limit = f.cfg.SpeedMin
	}
	_, way, stops := f.target()
	if !stops {
		way = f.track.Length()
	}
	to := pursuit.Target{Limit: limit, Until: way, Scale: f.scale(in)}
	if f.cfg.AvoidMaxAge > 0 && geom.Finite(in.Advice.Aside, in.Advice.Side) {
		to.Aside, to.Side = in.Advice.Aside, in.Advice.Side
		if to.Aside != 0 {
			to.Ahead = f.cfg.AimAhead // what the advice is relative to
		}
	}
	out.Velocity = f.pursue.Step(f.track, in.Pose, f.progress.Way(), dt.Seconds(), to, f.cfg.Pursuit)
}
