package slam

import (
	"sarathi/internal/algo/scanmatch"
	"sarathi/internal/geom"
)

// Work is a piece of what the back end has to do: new keyframes go into the graph, loops are looked for, the graph is optimised and the map
// of the front end built anew if that moved it. Run may run on another goroutine while scans are added, until [Engine.Due] says that the
// next scan takes the result over.
type Work struct {
	back   *backEnd
	frames []*keyframe
	front  []geom.Pose2 // of frames in the front end's map
	due    int          // Stats.Scans at which it is taken over
	done   bool

	poses []geom.Pose2    // of frames, when grid is not nil
	grid  *scanmatch.Grid // the new map of the front end, or nil if the old one is good
}

// Run does the work. It is called once.
func (w *Work) Run() {
	w.back.extend(w.frames)
	w.back.close()
	if w.back.worn(w.front) {
		w.grid = w.back.rebuild()
		w.poses = append(w.poses, w.back.poses...)
	}
	w.done = true
}

// Work returns the work that waits to be run, or is running; nil if there is none. It is the same until it has been taken over. A caller
// that does not run it leaves that to AddScan.
func (e *Engine) Work() *Work { return e.work }

// Due reports whether the next AddScan takes the present work over: it must not be running then.
func (e *Engine) Due() bool { return e.work != nil && e.stats.Scans >= e.work.due }

// batchTravel cuts work out early when keyframes are far apart [m].
const batchTravel = 5

func (e *Engine) cutWork() {
	if e.work != nil {
		return
	}
	n, done := len(e.frames), len(e.back.frames)
	if n == done {
		return
	}
	if n-done < e.cfg.Batch && (done == 0 || e.frames[n-1].travel-e.frames[done-1].travel < batchTravel) {
		return
	}
	e.work = &Work{
		back: e.back, frames: e.frames[:n:n], front: append([]geom.Pose2(nil), e.poses...), due: e.stats.Scans + e.cfg.Delay,
	}
	e.recent = e.recent[:0]
}

// handOver takes the result of the work over, if it is time.
func (e *Engine) handOver() {
	if !e.Due() {
		return
	}
	w := e.work
	if !w.done {
		w.Run()
	}
	e.work = nil
	b, st := e.back, &e.stats
	st.Proximity, st.Closures, st.Rejected, st.Rebuilds = b.proximity, b.closures, b.rejected, b.rebuilds
	if w.grid == nil {
		return
	}
	n := len(w.poses)
	shift := w.poses[n-1].Mul(e.poses[n-1].Inverse())
	copy(e.poses, w.poses)
	for i := n; i < len(e.poses); i++ {
		e.poses[i] = shift.Mul(e.poses[i])
	}
	e.pose, e.inserted = shift.Mul(e.pose), shift.Mul(e.inserted)
	old := e.grid
	e.grid = w.grid
	for i := range e.recent {
		e.grid.Insert(shift.Mul(e.recent[i].pose), &e.recent[i].scan)
	}
	e.back.spare = old
}

// Finish does what is left: it takes the present work over, adds the last keyframes, looks for their loops and optimises. The engine can go on
// afterwards.
func (e *Engine) Finish() {
	if e.work != nil {
		e.work.due = e.stats.Scans
		e.handOver()
	}
	if len(e.frames) == 0 {
		return
	}
	e.back.extend(e.frames)
	e.back.close()
	w := &Work{back: e.back, frames: e.frames, due: e.stats.Scans, done: true, grid: e.back.rebuild()}
	w.poses = append(w.poses, e.back.poses...)
	e.work, e.recent = w, e.recent[:0]
	e.handOver()
}

// Trajectory is the pose at every scan that was taken, in order of time, as well as it is known now.
func (e *Engine) Trajectory() []Sample {
	out := make([]Sample, 0, len(e.frames)+len(e.scans))
	h := 0
	for i, k := range e.frames {
		out = append(out, Sample{k.time, e.poses[i]})
		for ; h < len(e.scans) && e.scans[h].base == i; h++ {
			s := &e.scans[h]
			pose := e.poses[i].Mul(s.rel)
			if i+1 < len(e.frames) { // what the graph changed between the two keyframes is spread over the scans between
				next := e.frames[i+1]
				other := e.poses[i+1].Mul(next.step.Inverse()).Mul(s.rel)
				pose = pose.Interpolate(other, (s.time-k.time)/(next.time-k.time))
			}
			out = append(out, Sample{s.time, pose})
		}
	}
	return out
}
