package main

import (
	"math"
	"time"
)

// rateMeter measures how regularly something happens, over the last few times.
type rateMeter struct {
	times []time.Time // a ring once it is full
	next  int
	total int
}

// rateFacts is what a rateMeter has measured. Without two times there are no intervals, and they are 0.
type rateFacts struct {
	Messages  int     `json:"messages"` // since the beginning
	Window    int     `json:"window"`   // messages that the rest is about
	Rate      float64 `json:"rate_hz"`
	Shortest  float64 `json:"shortest_sec"`
	Longest   float64 `json:"longest_sec"`
	Deviation float64 `json:"deviation_sec"` // standard deviation of the intervals
}

func newRateMeter(window int) *rateMeter { return &rateMeter{times: make([]time.Time, 0, window)} }

// add takes note of one time, later than those before.
func (m *rateMeter) add(at time.Time) {
	m.total++
	if len(m.times) < cap(m.times) {
		m.times = append(m.times, at)
		return
	}
	m.times[m.next] = at
	m.next = (m.next + 1) % len(m.times)
}

// facts returns what has been measured so far.
func (m *rateMeter) facts() rateFacts {
	f := rateFacts{Messages: m.total, Window: len(m.times)}
	intervals := make([]float64, 0, len(m.times))
	for i := 1; i < len(m.times); i++ {
		a, b := m.times[(m.next+i-1)%len(m.times)], m.times[(m.next+i)%len(m.times)]
		intervals = append(intervals, b.Sub(a).Seconds())
	}
	if len(intervals) == 0 {
		return f
	}
	var sum float64
	f.Shortest, f.Longest = math.Inf(1), math.Inf(-1)
	for _, d := range intervals {
		sum += d
		f.Shortest, f.Longest = min(f.Shortest, d), max(f.Longest, d)
	}
	mean := sum / float64(len(intervals))
	var squares float64
	for _, d := range intervals {
		squares += (d - mean) * (d - mean)
	}
	f.Deviation = math.Sqrt(squares / float64(len(intervals)))
	if mean > 0 {
		f.Rate = 1 / mean
	}
	return f
}
