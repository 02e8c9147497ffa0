package healthmonitor

import (
	"context"
	"math"
)

// System is the condition of the robot's computer. A value that cannot be told is NaN.
type System struct {
	CPU      float64 // [%] of all processors in use
	GPU      float64 // [%] of the graphics processor in use
	RAM      float64 // [%] of the memory in use
	RAMUsed  float64 // [GB] memory in use, 1 GB = 1e9 B
	RAMTotal float64 // [GB] memory fitted
	Temp     float64 // [degC] hottest zone
	DiskFree float64 // [GB] space left where the sites are kept
	Load     float64 // runnable processes, mean of the last minute
}

// Unknown returns the system of which nothing can be told.
func Unknown() System {
	nan := math.NaN()
	return System{CPU: nan, GPU: nan, RAM: nan, RAMUsed: nan, RAMTotal: nan, Temp: nan, DiskFree: nan, Load: nan}
}

// Probe reads the condition of the computer. Read is called away from the node's loop, never twice at a time. An error says what
// could not be read; the other values are good.
type Probe interface {
	Read(ctx context.Context) (System, error)
}

// Fixed is a probe that always reads the same: for runs that must not depend on the machine they run on.
type Fixed System

var _ Probe = Fixed{}

// Read implements Probe.
func (f Fixed) Read(context.Context) (System, error) { return System(f), nil }

// Idle returns a probe of a computer that has little to do, without a graphics processor.
func Idle() Fixed {
	return Fixed{CPU: 10, GPU: math.NaN(), RAM: 25, RAMUsed: 2, RAMTotal: 8, Temp: 45, DiskFree: 100, Load: 0.5}
}
