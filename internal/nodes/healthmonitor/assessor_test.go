package healthmonitor

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// robot gives an assessor one observation a second.
type robot struct {
	a     *Assessor
	now   time.Time
	hz    [Sensors]float64
	sent  [Sensors]float64
	last  [Sensors]time.Time
	want  [Sensors]bool
	sys   System
	bat   Battery
	final Report
}

// newRobot returns a robot on which all is well and all is watched.
func newRobot(cfg Config) *robot {
	return &robot{
		a: NewAssessor(cfg), now: start, hz: [Sensors]float64{10, 10, 50, 50, 15},
		sys: System(Idle()), bat: Battery{Percent: 80},
	}
}

// run lets seconds pass and returns the last report.
func (r *robot) run(seconds int) Report {
	for range seconds {
		var o Observation
		for s := range Sensors {
			o.Sensors[s] = Traffic{Count: uint64(r.sent[s]), Age: math.NaN(), Wanted: r.want[s]}
			if !r.last[s].IsZero() {
				o.Sensors[s].Age = r.now.Sub(r.last[s]).Seconds()
			}
		}
		o.System, o.Battery = r.sys, r.bat
		r.final = r.a.Assess(r.now, o)
		r.now = r.now.Add(time.Second)
		for s := range Sensors {
			if r.hz[s] > 0 {
				r.sent[s] += r.hz[s]
				r.last[s] = r.now
			}
		}
	}
	return r.final
}

func checks(r Report) string {
	var out []string
	for _, i := range r.Issues {
		out = append(out, i.Check)
	}
	return strings.Join(out, " ")
}

// settled is long enough for the grace and for a window after it.
const settled = 10

func TestHealthyRobotHasNoIssue(t *testing.T) {
	r := newRobot(DefaultConfig())
	for range 20 {
		if got := r.run(1); got.Level != OK || got.SpeedScale != 1 || len(got.Issues) != 0 {
			t.Fatalf("after %v: level %v, speed %g, issues %v", r.now.Sub(start), got.Level, got.SpeedScale, got.Issues)
		}
	}
}

// TestRules has one case for each line of the table in the package comment.
func TestRules(t *testing.T) {
	nan := math.NaN()
	type verdict struct {
		checks string
		level  Level
		scale  float64
	}
	fine := verdict{"", OK, 1}
	tests := []struct {
		name string
		harm func(*robot)
		want verdict
	}{
		{"scan at 80 %", func(r *robot) { r.hz[Scan] = 4 }, fine},
		{"scan below", func(r *robot) { r.hz[Scan] = 3 }, verdict{"scan", Warn, 1}},
		{"scan silent", func(r *robot) { r.hz[Scan] = 0 }, verdict{"scan", Error, 1}},
		{"safety scan below", func(r *robot) { r.hz[SafetyScan] = 3 }, verdict{"safety_scan", Warn, 0.5}},
		{"safety scan silent", func(r *robot) { r.hz[SafetyScan] = 0 }, verdict{"safety_scan", Error, 0.5}},
		{"odometry below", func(r *robot) { r.hz[Odometry] = 7 }, verdict{"odometry", Warn, 1}},
		{"imu below", func(r *robot) { r.hz[IMU] = 7 }, verdict{"imu", Warn, 1}},
		{"camera that nobody wants", func(r *robot) { r.hz[Camera] = 0 }, fine},
		{"camera that somebody wants", func(r *robot) { r.hz[Camera], r.want[Camera] = 3, true }, verdict{"camera", Warn, 1}},
		{"warm", func(r *robot) { r.sys.Temp = 85 }, fine},
		{"hot", func(r *robot) { r.sys.Temp = 85.5 }, verdict{"temp_slow", Warn, 0.5}},
		{"at the stop", func(r *robot) { r.sys.Temp = 95 }, verdict{"temp_slow", Warn, 0.5}},
		{"too hot", func(r *robot) { r.sys.Temp = 95.5 }, verdict{"temp_stop", Error, 0}},
		{"memory at the limit", func(r *robot) { r.sys.RAM = 92 }, fine},
		{"memory", func(r *robot) { r.sys.RAM = 92.5 }, verdict{"memory", Warn, 1}},
		{"disk at the limit", func(r *robot) { r.sys.DiskFree = 5 }, fine},
		{"disk", func(r *robot) { r.sys.DiskFree = 4.9 }, verdict{"disk", Warn, 1}},
		{"battery at the limit", func(r *robot) { r.bat.Percent = 20 }, fine},
		{"battery", func(r *robot) { r.bat.Percent = 19 }, verdict{"battery", Warn, 1}},
		{"battery that charges", func(r *robot) { r.bat = Battery{Percent: 3, Charging: true} }, fine},
		{"busy", func(r *robot) { r.sys.CPU, r.sys.GPU, r.sys.Load = 100, 100, 40 }, fine},
		{"lost value", func(r *robot) { r.sys.Temp = nan }, verdict{"unreadable", Warn, 1}},
		{"infinite value", func(r *robot) { r.sys.Load = math.Inf(1) }, verdict{"unreadable", Warn, 1}},
		{"lost battery", func(r *robot) { r.bat.Percent = nan }, verdict{"unreadable", Warn, 1}},
		{
			"worst level, slowest speed, in order",
			func(r *robot) { r.hz[SafetyScan], r.sys.Temp, r.sys.DiskFree, r.bat.Percent = 3, 99, 1, 5 },
			verdict{"safety_scan temp_stop disk battery", Error, 0},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRobot(DefaultConfig())
			r.run(settled)
			tt.harm(r)
			got := r.run(settled)
			if d := cmp.Diff(tt.want, verdict{checks(got), got.Level, got.SpeedScale}, cmp.AllowUnexported(verdict{})); d != "" {
				t.Errorf("verdict (-want +got):\n%s%v", d, got.Issues)
			}
			for s, sr := range got.Sensors {
				if named := strings.Contains(" "+checks(got)+" ", " "+Sensor(s).String()+" "); sr.OK == named {
					t.Errorf("%v: ok %v, and the issues are %q", Sensor(s), sr.OK, checks(got))
				}
			}
		})
	}
}

// TestHysteresis: an issue stays while its value is between the limits, and 3 s longer.
func TestHysteresis(t *testing.T) {
	tests := []struct {
		check              string
		bad, between, good func(*robot)
	}{
		{
			"safety_scan",
			func(r *robot) { r.hz[SafetyScan] = 3 }, func(r *robot) { r.hz[SafetyScan] = 4.2 }, func(r *robot) { r.hz[SafetyScan] = 5 },
		},
		{
			"temp_slow",
			func(r *robot) { r.sys.Temp = 90 }, func(r *robot) { r.sys.Temp = 80.5 }, func(r *robot) { r.sys.Temp = 80 },
		},
		{
			"temp_stop",
			func(r *robot) { r.sys.Temp = 96 }, func(r *robot) { r.sys.Temp = 90.5 }, func(r *robot) { r.sys.Temp = 60 },
		},
		{"memory", func(r *robot) { r.sys.RAM = 93 }, func(r *robot) { r.sys.RAM = 90.5 }, func(r *robot) { r.sys.RAM = 90 }},
		{"disk", func(r *robot) { r.sys.DiskFree = 4 }, func(r *robot) { r.sys.DiskFree = 5.4 }, func(r *robot) { r.sys.DiskFree = 5.6 }},
		{"battery", func(r *robot) { r.bat.Percent = 10 }, func(r *robot) { r.bat.Percent = 24 }, func(r *robot) { r.bat.Percent = 25 }},
		{"battery", func(r *robot) { r.bat.Percent = 10 }, func(r *robot) { r.bat.Percent = 24 }, func(r *robot) { r.bat.Charging = true }},
	}
	for _, tt := range tests {
		t.Run(tt.check, func(t *testing.T) {
			r := newRobot(DefaultConfig())
			r.run(settled)
			if tt.between(r); strings.Contains(checks(r.run(settled)), tt.check) {
				t.Fatalf("raised between the limits: %v", r.final.Issues)
			}
			tt.bad(r)
			if r.run(4); checks(r.final) != tt.check {
				t.Fatalf("bad: issues %v", r.final.Issues)
			}
			if tt.between(r); checks(r.run(settled)) != tt.check {
				t.Fatalf("gone between the limits: %v", r.final.Issues)
			}
			tt.good(r)
			if r.run(3); checks(r.final) != tt.check {
				t.Fatalf("gone too early: %v", r.final.Issues)
			}
			if r.run(6); checks(r.final) != "" {
				t.Fatalf("never gone: %v", r.final.Issues)
			}
		})
	}
}

// TestUnknownHoldsAnIssue: a robot that was stopped because it is too hot stays so while nobody knows how hot it is.
func TestUnknownHoldsAnIssue(t *testing.T) {
	r := newRobot(DefaultConfig())
	r.sys.Temp = 97
	r.run(1)
	r.sys.Temp = math.NaN()
	if got := r.run(20); checks(got) != "temp_stop unreadable" || got.SpeedScale != 0 {
		t.Errorf("issues %q, speed %g", checks(got), got.SpeedScale)
	}
	if text := r.final.Issues[0].Text; !strings.Contains(text, "97 °C") {
		t.Errorf("%q does not say the last known temperature", text)
	}
	r.sys.Temp = 50
	if got := r.run(4); checks(got) != "" || got.SpeedScale != 1 {
		t.Errorf("cooled down: issues %q, speed %g", checks(got), got.SpeedScale)
	}
}

func TestValuesThatWereNeverKnownAreNoIssue(t *testing.T) {
	r := newRobot(DefaultConfig())
	r.sys, r.bat = Unknown(), Battery{Percent: math.NaN()}
	if got := r.run(20); checks(got) != "" || got.SpeedScale != 1 {
		t.Errorf("issues %q, speed %g", checks(got), got.SpeedScale)
	}
}

func TestLostValuesAreNamedAfterThreeChecks(t *testing.T) {
	r := newRobot(DefaultConfig())
	r.run(1)
	r.sys = Unknown()
	if got := r.run(2); checks(got) != "" {
		t.Fatalf("after two checks: %v", got.Issues)
	}
	const want = "cannot be read any more: processor, memory, temperature, disk, load" // graphics were never known
	if got := r.run(1); len(got.Issues) != 1 || got.Issues[0].Text != want {
		t.Fatalf("after three checks: %v", got.Issues)
	}
	r.sys = System(Idle())
	if got := r.run(1); checks(got) != "" {
		t.Errorf("known again: %v", got.Issues)
	}
}

func TestGrace(t *testing.T) {
	cfg := DefaultConfig()
	r := newRobot(cfg)
	r.hz = [Sensors]float64{}
	grace := int(cfg.StartGrace / time.Second)
	if got := r.run(grace); checks(got) != "" {
		t.Fatalf("within the grace: %v", got.Issues)
	}
	got := r.run(1)
	if checks(got) != "scan safety_scan odometry imu" || got.Level != Error {
		t.Fatalf("after the grace: %v", got.Issues)
	}
	if text := got.Issues[0].Text; text != "scan has sent nothing yet" {
		t.Errorf("text %q", text)
	}
	r.hz, r.want[Camera] = [Sensors]float64{10, 10, 50, 50, 0}, true
	if got := r.run(grace); got.Sensors[Camera].MinRate != 5 || !got.Sensors[Camera].OK {
		t.Fatalf("the camera has no grace of its own: %v", got.Issues)
	}
	if got := r.run(2); checks(got) != "camera" {
		t.Fatalf("the camera is not judged after its grace: %v", got.Issues)
	}
	r.want[Camera] = false
	if got := r.run(1); checks(got) != "" || got.Sensors[Camera].MinRate != 0 {
		t.Fatalf("a camera that nobody wants any more: %v", got.Issues)
	}
	r.want[Camera], r.hz[Camera] = true, 4.2
	if got := r.run(settled); checks(got) != "" {
		t.Fatalf("the issue of an earlier watch is not forgotten: %v", got.Issues)
	}
}

// TestSensorsOffTheWatch: a minimum of 0 is no minimum, and the rate is shown all the same.
func TestSensorsOffTheWatch(t *testing.T) {
	cfg := DefaultConfig()
	cfg.MinRates = MinRates{}
	r := newRobot(cfg)
	r.run(settled)
	r.hz[IMU] = 1
	got := r.run(settled)
	if checks(got) != "" || got.Sensors[IMU].Rate != 1 || got.Sensors[Scan].Rate != 10 {
		t.Errorf("issues %v, rates %v", got.Issues, got.Sensors)
	}
}

func TestSensorReport(t *testing.T) {
	r := newRobot(DefaultConfig())
	r.run(settled)
	r.hz[Odometry] = 7
	got := r.run(settled).Sensors
	want := [Sensors]SensorReport{
		Scan: {10, 5, 0, true}, SafetyScan: {10, 5, 0, true}, Odometry: {7, 10, 0, false}, IMU: {50, 10, 0, true}, Camera: {15, 0, 0, true},
	}
	if d := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-9)); d != "" {
		t.Errorf("sensors (-want +got):\n%s", d)
	}
	r.hz[Scan] = 0
	r.run(5)
	if got := r.final.Sensors[Scan]; got.Rate != 0 || got.Age != 4 {
		t.Errorf("a scan that is silent for 4 s: %+v", got)
	}
	if i := slices.IndexFunc(r.final.Issues, func(i Issue) bool { return i.Check == "scan" }); r.final.Issues[i].Text != "scan silent for 4 s" {
		t.Errorf("text %q", r.final.Issues[i].Text)
	}
}

// TestRateIsThatOfThreeSeconds: a sensor that falls silent is at 0 after 3 s, not later.
func TestRateIsThatOfThreeSeconds(t *testing.T) {
	var w watch
	for i := range 10 {
		w.measure(start.Add(time.Duration(i)*time.Second), uint64(9*i))
	}
	for i, want := range []float64{6, 3, 0, 0} {
		if got := w.measure(start.Add(time.Duration(10+i)*time.Second), 81); got != want {
			t.Errorf("silent for %d s: %g Hz, want %g", i+1, got, want)
		}
	}
}

// TestRateSurvivesANewCount: a count that goes back begins the measurement anew, without a rate out of nothing.
func TestRateSurvivesANewCount(t *testing.T) {
	var w watch
	for i := range 4 {
		w.measure(start.Add(time.Duration(i)*time.Second), uint64(10*i))
	}
	if got := w.measure(start.Add(4*time.Second), 3); got != 0 {
		t.Errorf("rate %g at the break, want 0", got)
	}
	if got := w.measure(start.Add(5*time.Second), 10); got != 7 {
		t.Errorf("rate %g after the break, want 7", got)
	}
}

func TestPaceGoesForwardInSmallSteps(t *testing.T) {
	var p pace
	p.at(start)
	for _, tt := range []struct{ at, want time.Duration }{
		{time.Second, time.Second},
		{3 * time.Second, 3 * time.Second},                          // a check was left out
		{time.Hour, 4 * time.Second},                                // set forward
		{time.Hour + 500*time.Millisecond, 4500 * time.Millisecond}, // and on
		{-time.Hour, 5500 * time.Millisecond},                       // set back
		{-time.Hour, 5500 * time.Millisecond},
	} {
		if got := p.at(start.Add(tt.at)).Sub(start); got != tt.want {
			t.Errorf("clock at %v: %v, want %v", tt.at, got, tt.want)
		}
	}
}

// TestWatchIsBounded: however often it is asked, a watch keeps the samples of its window only.
func TestWatchIsBounded(t *testing.T) {
	var w watch
	for i := range 1000 {
		w.measure(start.Add(time.Duration(i)*time.Second), uint64(i))
	}
	if len(w.samples) > 5 {
		t.Errorf("%d samples are kept", len(w.samples))
	}
}
