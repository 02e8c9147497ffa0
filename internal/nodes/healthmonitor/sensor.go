package healthmonitor

import "time"

// Sensor is one of the watched sensors.
type Sensor int

// The watched sensors in the order in which they are reported.
const (
	Scan Sensor = iota
	SafetyScan
	Odometry
	IMU
	Camera

	Sensors int = iota // how many there are
)

// String returns the name of the sensor in the profile and in the status.
func (s Sensor) String() string {
	return [Sensors]string{Scan: "scan", SafetyScan: "safety_scan", Odometry: "odometry", IMU: "imu", Camera: "camera"}[s]
}

// Traffic is what is known of a sensor's topic at one moment.
type Traffic struct {
	Count  uint64  // messages so far
	Age    float64 // [s] of the last one, NaN before the first
	Wanted bool    // somebody subscribes
}

// SensorReport is the condition of one sensor.
type SensorReport struct {
	Rate    float64 // [Hz] over the last seconds
	MinRate float64 // [Hz] least that is expected now, 0 for nothing
	Age     float64 // [s] of the last message, NaN before the first
	OK      bool    // no issue
}

const (
	rateWindow = 3 * time.Second // over which a rate is measured
	raiseBelow = 0.8             // of the minimum
	clearAbove = 0.9             // of the minimum
)

// watch measures and judges the rate of one sensor.
type watch struct {
	min      float64       // [Hz]
	onDemand bool          // expected only while somebody subscribes
	grace    time.Duration // at least rateWindow, so that a judged window lies within the watch

	since   time.Time // when the sensor began to be expected, zero while it is not
	samples []sample  // of the last rateWindow, and the newest one before
	low     alarm
}

type sample struct {
	at    time.Time
	count uint64
}

// update takes the traffic at now, a time that does not jump, and returns the condition of the sensor.
func (w *watch) update(now time.Time, t Traffic) SensorReport {
	r := SensorReport{Rate: w.measure(now, t.Count), Age: t.Age, OK: true}
	if w.min == 0 || w.onDemand && !t.Wanted {
		w.since, w.low = time.Time{}, alarm{}
		return r
	}
	r.MinRate = w.min
	if w.since.IsZero() {
		w.since = now
	}
	if now.Sub(w.since) < w.grace {
		return r
	}
	r.OK = !w.low.update(now, r.Rate < raiseBelow*w.min, r.Rate >= clearAbove*w.min)
	return r
}

// measure adds a sample and returns the rate over the window [Hz], 0 as long as there is only one.
func (w *watch) measure(now time.Time, count uint64) float64 {
	if n := len(w.samples); n > 0 && count < w.samples[n-1].count {
		w.samples = w.samples[:0] // the topic began anew
	}
	for len(w.samples) > 1 && now.Sub(w.samples[1].at) >= rateWindow {
		w.samples = append(w.samples[:0], w.samples[1:]...)
	}
	w.samples = append(w.samples, sample{now, count})
	first := w.samples[0]
	if elapsed := now.Sub(first.at).Seconds(); elapsed > 0 {
		return float64(count-first.count) / elapsed
	}
	return 0
}
