package trip

import (
	"time"

	"sarathi/internal/geom"
)

// window holds the samples of the last moments, oldest first.
type window struct {
	length  time.Duration
	samples []sample
}

// mostSamples bounds a window; faster odometry than this shortens it.
const mostSamples = 256

func newWindow(length time.Duration) window {
	return window{length: length, samples: make([]sample, 0, mostSamples)}
}

func (w *window) clear() { w.samples = w.samples[:0] }

func (w *window) add(s sample) {
	drop := 0
	for drop < len(w.samples) && (s.at.Sub(w.samples[drop].at) > w.length || len(w.samples)-drop >= mostSamples) {
		drop++
	}
	w.samples = append(w.samples[:0], w.samples[drop:]...)
	w.samples = append(w.samples, s)
}

// velocity is the slope of the positions over time by least squares [m/s]; ok is false while the samples span less than half of the
// window, which says little.
func (w *window) velocity() (v geom.Vec2, ok bool) {
	n := len(w.samples)
	if n < 3 || w.samples[n-1].at.Sub(w.samples[0].at) < w.length/2 {
		return geom.Vec2{}, false
	}
	first := w.samples[0]
	var meanT float64
	var meanP geom.Vec2
	for _, s := range w.samples {
		meanT += s.at.Sub(first.at).Seconds() / float64(n)
		meanP = meanP.Add(s.pos.Sub(first.pos).Scale(1 / float64(n)))
	}
	var tt float64
	var tp geom.Vec2
	for _, s := range w.samples {
		t := s.at.Sub(first.at).Seconds() - meanT
		tt += t * t
		tp = tp.Add(s.pos.Sub(first.pos).Sub(meanP).Scale(t))
	}
	return tp.Scale(1 / tt), true
}

// rate measures how often something happens: the mean of the last intervals.
type rate struct {
	last     time.Time
	interval float64 // [s] smoothed, 0 before the second time
}

func (r *rate) heard(now time.Time) {
	if !r.last.IsZero() {
		const smoothing = 8
		if dt := now.Sub(r.last).Seconds(); r.interval == 0 {
			r.interval = dt
		} else {
			r.interval += (dt - r.interval) / smoothing
		}
	}
	r.last = now
}

func (r *rate) perSecond() float64 {
	if r.interval <= 0 {
		return 0
	}
	return 1 / r.interval
}
