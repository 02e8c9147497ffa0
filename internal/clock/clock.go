package clock

import (
	"sync"
	"time"
)

// Clock tells the present time. Implementations are safe for concurrent use.
type Clock interface {
	Now() time.Time
}

// Real is the operating system's clock. Its times carry a monotonic reading, so their differences survive a clock jump.
type Real struct{}

// Now returns the wall-clock time with a monotonic reading.
func (Real) Now() time.Time { return time.Now() }

// Manual is a clock that stands still until it is told otherwise. The zero value shows the zero time.
type Manual struct {
	mu  sync.Mutex
	now time.Time
}

// NewManual returns a clock that shows t.
func NewManual(t time.Time) *Manual { return &Manual{now: t} }

// Now returns the time last set.
func (m *Manual) Now() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now
}

// Advance moves the clock by d and returns the new time. A negative d moves it back, as a wall clock that is corrected does.
func (m *Manual) Advance(d time.Duration) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now = m.now.Add(d)
	return m.now
}

// Set makes the clock show t, earlier or later than before.
func (m *Manual) Set(t time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now = t
}

var (
	_ Clock = Real{}
	_ Clock = (*Manual)(nil)
)
