package slam

import (
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"sarathi/internal/algo/scanmatch"
	"sarathi/internal/geom"
)

func TestRingIsClosed(t *testing.T) {
	d := lap(1, 52)
	e := New(DefaultConfig())
	d.feed(e, 0, len(d.times))
	e.Finish()
	rms, worst := d.errors(e.Trajectory())
	if s := e.Stats(); rms > 0.03 || worst > 0.1 || s.Scans != len(d.times) || s.Proximity+s.Closures == 0 {
		t.Errorf("rms %.3f m, worst %.3f m, %+v", rms, worst, s)
	}
	m := e.Map()
	if w, h := float64(m.Width)*m.Resolution, float64(m.Height)*m.Resolution; math.Abs(w-14) > 0.5 || math.Abs(h-10) > 0.5 {
		t.Errorf("the map is %.2f m by %.2f m", w, h)
	}
}

func TestScansAlone(t *testing.T) {
	d := lap(2, 10)
	e := New(DefaultConfig())
	for i := range d.times {
		e.AddScan(d.times[i], &d.readings[i])
	}
	e.Finish()
	if rms, worst := d.errors(e.Trajectory()); rms > 0.05 {
		t.Errorf("rms %.3f m, worst %.3f m, %+v", rms, worst, e.Stats())
	}
}

// The same log must give the same bits whether the work is run at once, at the last moment, or beside the front end.
func TestWorkMayRunAnywhere(t *testing.T) {
	d := lap(3, 16)
	run := func(each func(*Engine)) []Sample {
		e := New(DefaultConfig())
		for i := range d.times {
			e.AddOdometry(d.times[i], d.odometry[i])
			each(e)
			e.AddScan(d.times[i], &d.readings[i])
		}
		each(e)
		e.Finish()
		return e.Trajectory()
	}
	want := run(func(*Engine) {})
	var (
		started *Work
		wait    sync.WaitGroup
	)
	got := run(func(e *Engine) {
		if w := e.Work(); w != nil && w != started {
			started = w
			wait.Go(w.Run)
		}
		if e.Due() {
			wait.Wait()
		}
	})
	wait.Wait()
	if !slices.Equal(want, got) {
		t.Error("the trajectories differ")
	}
}

func TestOddScansAreRefused(t *testing.T) {
	d := lap(4, 2)
	e := New(DefaultConfig())
	d.feed(e, 0, 5)
	before := e.Pose()
	for name, fix := range map[string]Fix{
		"same time":     e.AddScan(d.times[4], &d.readings[4]),
		"time back":     e.AddScan(d.times[2], &d.readings[2]),
		"no time":       e.AddScan(math.NaN(), &d.readings[4]),
		"no beams":      e.AddScan(100, &scanmatch.Reading{}),
		"only nonsense": e.AddScan(100, &scanmatch.Reading{AngleIncrement: 0.1, Ranges: make([]float32, 100)}),
	} {
		if fix.OK || fix.Pose != before.Pose {
			t.Errorf("%s: %+v", name, fix)
		}
	}
	if s := e.Stats(); s.Refused != 5 || s.Scans != 5 {
		t.Errorf("%+v", s)
	}
	d.feed(e, 5, 10)
	if rms, _ := d.errors(e.Trajectory()); rms > 0.03 {
		t.Errorf("rms %.3f m afterwards", rms)
	}
}

// Beams that come and go, wheels that jump: users' lidars and odometry do that.
func TestVaryingBeamsAndJumps(t *testing.T) {
	d := lap(5, 8)
	for i := range d.readings {
		r := &d.readings[i]
		r.Ranges = r.Ranges[:len(r.Ranges)-i%7]
		r.Ranges[i%100] = float32(math.NaN())
		r.Ranges[i%90] = float32(math.Inf(1))
		if i > 40 {
			d.odometry[i] = geom.Pose2{X: 50, Y: -20, Theta: 2}.Mul(d.odometry[i])
		}
	}
	e := New(DefaultConfig())
	d.feed(e, 0, len(d.times))
	e.Finish()
	if rms, worst := d.errors(e.Trajectory()); rms > 0.05 {
		t.Errorf("rms %.3f m, worst %.3f m", rms, worst)
	}
}

func TestTheEngineGoesOnAfterFinish(t *testing.T) {
	d := lap(6, 10)
	e := New(DefaultConfig())
	e.Finish() // of nothing
	half := len(d.times) / 2
	d.feed(e, 0, half)
	e.Finish()
	d.feed(e, half, len(d.times))
	e.Finish()
	if rms, _ := d.errors(e.Trajectory()); rms > 0.03 || len(e.Trajectory()) != len(d.times) {
		t.Errorf("rms %.3f m of %d poses", rms, len(e.Trajectory()))
	}
}

func TestGyroLearnsItsBias(t *testing.T) {
	d := lap(7, 15)
	e := New(DefaultConfig())
	const bias = 0.05
	for i := range d.times {
		e.AddOdometry(d.times[i], d.odometry[i])
		if i > 0 {
			rate := geom.AngleDiff(d.truth[i].Theta, d.truth[i-1].Theta)/0.2 + bias
			for k := range 10 {
				e.AddGyro(d.times[i-1]+0.02*float64(k)+0.01, rate)
			}
		}
		e.AddScan(d.times[i], &d.readings[i])
	}
	if math.Abs(e.gyro.bias-bias) > 0.01 {
		t.Errorf("the bias is taken for %.4f rad/s, it is %g", e.gyro.bias, bias)
	}
	e.Finish()
	if rms, _ := d.errors(e.Trajectory()); rms > 0.03 {
		t.Errorf("rms %.3f m", rms)
	}
}

func TestValidate(t *testing.T) {
	c := DefaultConfig()
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
	c.Resolution, c.Batch, c.Delay, c.Window = 0, 0, -1, math.NaN()
	err := c.Validate()
	for _, key := range []string{"resolution:", "batch:", "delay:", "window:"} {
		if err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("%v does not complain about %s", err, key)
		}
	}
}
