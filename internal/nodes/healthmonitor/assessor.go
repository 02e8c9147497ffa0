package healthmonitor

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// period is the time between checks.
const period = time.Second

// Level is how bad a condition is.
type Level int

// The levels, from good to bad.
const (
	OK    Level = iota // nothing to report
	Warn               // works with a limitation
	Error              // someone must act
)

// Issue is one thing that is not as it should be.
type Issue struct {
	Check string // which check, such as temp or safety_scan: the same as long as the issue lasts
	Level Level
	Scale float64 // of the speed, 0..1
	Text  string  // one line for people, with the present values
}

// Battery is the charge of the body's battery.
type Battery struct {
	Percent  float64 // [%] NaN: unknown
	Charging bool    // or full, on the charger
}

// Observation is all that an assessment rests on.
type Observation struct {
	Sensors [Sensors]Traffic
	System  System
	Battery Battery
}

// Report is the condition of the robot.
type Report struct {
	Level      Level   // worst of the issues
	SpeedScale float64 // slowest of the issues, 1 without
	Issues     []Issue // in the order of the checks in the package comment
	Sensors    [Sensors]SensorReport
}

// Distance of the limit at which an issue is over from the one at which it is raised.
const (
	tempMargin    = 5.0 // [degC]
	memoryMargin  = 2.0 // [%]
	diskFactor    = 1.1
	batteryMargin = 5.0 // [%]
)

// Assessor judges the condition of the robot by the rules of the package comment. Use [NewAssessor].
type Assessor struct {
	cfg     Config
	pace    pace
	watches [Sensors]watch

	hot, tooHot, memory, disk, battery alarm

	last   Observation // newest known values, so that an issue that is held can say them
	gauges []gauge
}

// gauge follows whether a value can be read.
type gauge struct {
	name   string
	value  func(Observation) float64
	known  bool // it was known before
	missed int  // checks in a row without it
}

// missedMax is the number of checks in a row without a value at which it counts as lost: one failed read is no issue.
const missedMax = 3

// NewAssessor returns an assessor with a validated configuration.
func NewAssessor(cfg Config) *Assessor {
	a := &Assessor{cfg: cfg, gauges: []gauge{
		{name: "processor", value: func(o Observation) float64 { return o.System.CPU }},
		{name: "graphics", value: func(o Observation) float64 { return o.System.GPU }},
		{name: "memory", value: func(o Observation) float64 { return o.System.RAM }},
		{name: "temperature", value: func(o Observation) float64 { return o.System.Temp }},
		{name: "disk", value: func(o Observation) float64 { return o.System.DiskFree }},
		{name: "load", value: func(o Observation) float64 { return o.System.Load }},
		{name: "battery", value: func(o Observation) float64 { return o.Battery.Percent }},
	}}
	for s, least := range cfg.MinRates.list() {
		a.watches[s] = watch{min: least, onDemand: Sensor(s) == Camera, grace: cfg.StartGrace}
	}
	return a
}

// Assess judges an observation made at now, about once a second. The clock may jump.
func (a *Assessor) Assess(now time.Time, o Observation) Report {
	now = a.pace.at(now)
	r := Report{SpeedScale: 1}
	for s := range a.watches {
		r.Sensors[s] = a.watches[s].update(now, o.Sensors[s])
		if !r.Sensors[s].OK {
			r.add(a.sensorIssue(Sensor(s), r.Sensors[s]))
		}
	}
	a.temperature(now, o.System.Temp, &r)
	a.storage(now, o.System, &r)
	a.charge(now, o.Battery, &r)
	a.readable(o, &r)
	return r
}

func (r *Report) add(i Issue) {
	r.Issues = append(r.Issues, i)
	r.Level = max(r.Level, i.Level)
	r.SpeedScale = min(r.SpeedScale, i.Scale)
}

func (a *Assessor) sensorIssue(s Sensor, r SensorReport) Issue {
	i := Issue{Check: s.String(), Level: Warn, Scale: 1}
	if s == SafetyScan {
		i.Scale = a.cfg.SlowScale
	}
	switch {
	case r.Rate > 0:
		i.Text = fmt.Sprintf("%s at %.1f Hz, at least %g Hz expected%s", s, r.Rate, r.MinRate, slowly(i.Scale))
	case math.IsNaN(r.Age):
		i.Level, i.Text = Error, fmt.Sprintf("%s has sent nothing yet%s", s, slowly(i.Scale))
	default:
		i.Level, i.Text = Error, fmt.Sprintf("%s silent for %.0f s%s", s, r.Age, slowly(i.Scale))
	}
	return i
}

// slowly says what an issue does to the speed.
func slowly(scale float64) string {
	if scale >= 1 {
		return ""
	}
	return fmt.Sprintf("; speed limited to %.0f %%", 100*scale)
}

func (a *Assessor) temperature(now time.Time, t float64, r *Report) {
	if finite(t) {
		a.last.System.Temp = t
	}
	slow, stop := a.cfg.TempSlow, a.cfg.TempStop
	hot := a.hot.update(now, t > slow, t <= slow-tempMargin)
	tooHot := a.tooHot.update(now, t > stop, t <= stop-tempMargin)
	shown := a.last.System.Temp
	switch {
	case tooHot:
		r.add(Issue{
			Check: "temp_stop", Level: Error, Scale: 0,
			Text: fmt.Sprintf("computer at %.0f °C, above %g °C the robot stands; let it cool down", shown, stop),
		})
	case hot:
		scale := a.cfg.SlowScale
		r.add(Issue{
			Check: "temp_slow", Level: Warn, Scale: scale,
			Text: fmt.Sprintf("computer at %.0f °C, limit %g °C%s", shown, slow, slowly(scale)),
		})
	}
}

func (a *Assessor) storage(now time.Time, s System, r *Report) {
	if finite(s.RAM) {
		a.last.System.RAM = s.RAM
	}
	if finite(s.DiskFree) {
		a.last.System.DiskFree = s.DiskFree
	}
	if limit := a.cfg.MemoryMax; a.memory.update(now, s.RAM > limit, s.RAM <= limit-memoryMargin) {
		r.add(Issue{
			Check: "memory", Level: Warn, Scale: 1,
			Text: fmt.Sprintf("memory %.0f %% in use, limit %g %%", a.last.System.RAM, limit),
		})
	}
	if limit := a.cfg.DiskMin; a.disk.update(now, s.DiskFree < limit, s.DiskFree >= limit*diskFactor) {
		r.add(Issue{
			Check: "disk", Level: Warn, Scale: 1,
			Text: fmt.Sprintf("%.1f GB of disk left, at least %g GB needed; remove old sites or recordings", a.last.System.DiskFree, limit),
		})
	}
}

func (a *Assessor) charge(now time.Time, b Battery, r *Report) {
	if finite(b.Percent) {
		a.last.Battery = b
	}
	limit := a.cfg.BatteryLow
	if a.battery.update(now, b.Percent < limit && !b.Charging, b.Percent >= limit+batteryMargin || b.Charging) {
		r.add(Issue{
			Check: "battery", Level: Warn, Scale: 1,
			Text: fmt.Sprintf("battery at %.0f %%, low below %g %%; charge it", a.last.Battery.Percent, limit),
		})
	}
}

// readable names the values that were known and are lost.
func (a *Assessor) readable(o Observation, r *Report) {
	var lost []string
	for i := range a.gauges {
		g := &a.gauges[i]
		if finite(g.value(o)) {
			g.known, g.missed = true, 0
			continue
		}
		g.missed = min(g.missed+1, missedMax)
		if g.known && g.missed >= missedMax {
			lost = append(lost, g.name)
		}
	}
	if len(lost) > 0 {
		r.add(Issue{Check: "unreadable", Level: Warn, Scale: 1, Text: "cannot be read any more: " + strings.Join(lost, ", ")})
	}
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
