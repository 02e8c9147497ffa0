package app

import (
	"bytes"
	"runtime"
	"testing"
)

const square = "../../scenarios/patrol-square.yaml"

// traceOf runs the square and returns its trace.
func traceOf(t *testing.T, seed uint64) []byte {
	t.Helper()
	var out bytes.Buffer
	r, err := Simulate(t.Context(), SimOptions{Path: square, Seed: seed, Trace: &out})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Passed || r.TravelledM < 20 {
		t.Fatalf("the square failed: %v, %.1f m", r.Failures, r.TravelledM)
	}
	return out.Bytes()
}

// TestSameSeedSameBytes compares whole traces: every message of every topic. It runs
// under -race too, which changes all timing.
func TestSameSeedSameBytes(t *testing.T) {
	first := traceOf(t, 7)
	if len(first) < 1<<20 {
		t.Fatalf("the trace has only %d bytes", len(first))
	}
	if !bytes.Equal(first, traceOf(t, 7)) {
		t.Error("two runs of seed 7 differ")
	}
	before := runtime.GOMAXPROCS(1)
	alone := traceOf(t, 7)
	runtime.GOMAXPROCS(before)
	if !bytes.Equal(first, alone) {
		t.Error("a run on one processor differs")
	}
	if bytes.Equal(first, traceOf(t, 8)) {
		t.Error("another seed gives the same bytes")
	}
}
