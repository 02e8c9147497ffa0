package hal

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTheChecklistNamesTestsThatExist keeps the protocol's document honest: every test that it names is in this package or in one that it
// names beside it, and every timer is what the code has.
func TestTheChecklistNamesTestsThatExist(t *testing.T) {
	var source strings.Builder
	for _, dir := range []string{".", "../cmd/sarathi", "../internal/app", "../internal/body/simulated", "../internal/sim"} {
		files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v %v", dir, files, err)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			source.Write(text)
		}
	}
	text, err := os.ReadFile("../docs/protocols/hal.md")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`((?:Test|Fuzz|Benchmark)[A-Za-z0-9]+)(?:/[^`]*)?`").FindAllSubmatch(text, -1)
	for _, m := range named {
		if !strings.Contains(source.String(), "func "+string(m[1])+"(") {
			t.Errorf("hal.md names %s, which does not exist", m[1])
		}
	}
	if len(named) < 60 {
		t.Errorf("hal.md names %d tests", len(named))
	}
	for _, f := range goodFrames {
		if !strings.Contains(string(text), "| `"+f.frame.Op()+"` |") {
			t.Errorf("hal.md has no row for %s", f.frame.Op())
		}
	}
	agent, controller := AgentConfig{}.filled(), ControllerConfig{}.filled()
	for name, is := range map[string]bool{
		"500 ms after the last valid": agent.Watchdog.Milliseconds() == 500, "within 5 s": agent.Handshake.Seconds() == 5,
		"every 1.25 s, gone after 5 s": agent.LinkTimeout.Seconds() == 5, "2 s without any frame": controller.LinkTimeout.Seconds() == 2,
		"after 100 ms, doubled up to 2 s": controller.Backoff.Milliseconds() == 100 && controller.MaxBackoff.Seconds() == 2,
		"every 500 ms":                    controller.PingPeriod.Milliseconds() == 500, "after 500 ms, or three": controller.TelemetryLimit.Milliseconds() == 500,
	} {
		if !is || !strings.Contains(string(text), name) {
			t.Errorf("timer %q is not what the code has", name)
		}
	}
}
