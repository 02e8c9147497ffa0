package app

import (
	"runtime"
	"syscall"
	"testing"
	"time"
)

// cpuTime returns the processor time this process has used. On a shared machine it
// is what "on one core" can be measured by; the wall clock also counts others' work.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkWholeRobot runs molly in lockstep with its scan of 360 beams at 10 Hz, its
// cloud at 5 Hz (somebody subscribes) and control at 50 Hz, in simulated seconds for
// each second of processor time.
func BenchmarkWholeRobot(b *testing.B) {
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	simulated, began := 0.0, cpuTime(b)
	for b.Loop() {
		r, err := Simulate(b.Context(), SimOptions{Path: "testdata/whole-robot.yaml", Seed: 1})
		if err != nil {
			b.Fatal(err)
		}
		if !r.Passed {
			b.Fatal(r.Failures)
		}
		simulated += r.SimulatedSec
	}
	b.ReportMetric(simulated/(cpuTime(b)-began).Seconds(), "x-real-time")
	b.ReportMetric(50, "x-real-time:min")
}
