package main

import (
	"bytes"
	"net"
	"os"
	"testing"
	"time"

	"sarathi/driver/drivertest"
	"sarathi/hal"
)

// The example keeps every promise of a body.
func TestContract(t *testing.T) {
	drivertest.Test(t, func(testing.TB) drivertest.Harness { return drivertest.Harness{Driver: &rover{}} })
}

// It keeps them at the other end of a wire, too.
func TestContractOverHAL(t *testing.T) {
	drivertest.TestAtOnce(t, func(tb testing.TB) drivertest.Harness {
		agent, err := hal.NewAgent(&rover{}, hal.AgentConfig{})
		if err != nil {
			tb.Fatal(err)
		}
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			tb.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- agent.Serve(t.Context(), ln) }()
		tb.Cleanup(func() {
			ln.Close() // which ends Serve
			if err := <-done; err == nil {
				tb.Error("the agent does not tell that its listener is gone")
			}
		})
		c, err := hal.NewController(hal.ControllerConfig{URL: ln.Addr().String()})
		if err != nil {
			tb.Fatal(err)
		}
		return drivertest.Harness{Driver: c, Settle: 500 * time.Millisecond, Lateness: 600 * time.Millisecond}
	})
}

// The chapter says that it is short.
func TestIsShort(t *testing.T) {
	text, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(text, []byte("\n")); n >= 100 {
		t.Errorf("%d lines", n)
	}
}
