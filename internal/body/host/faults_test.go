package host

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sarathi/driver"
	"sarathi/msg/diagnostic"
)

func TestFaultLog(t *testing.T) {
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	l := faultLog{memory: time.Minute}
	hot := driver.Fault{Code: "hot", Message: "motor 3 at 90 °C", Severity: driver.Warning}
	low := driver.Fault{Code: "low", Message: "battery low", Severity: driver.Error}
	for i, c := range []struct {
		after   time.Duration
		fault   driver.Fault
		publish bool
	}{
		{0, hot, true},
		{100 * time.Millisecond, hot, false},
		{100 * time.Millisecond, low, true},
		{700 * time.Millisecond, hot, false},
		{200 * time.Millisecond, hot, true}, // it lasts
		{0, driver.Fault{Code: "hot", Message: "motor 3 at 95 °C", Severity: driver.Error}, true},
		{-time.Hour, low, true}, // the clock was corrected
	} {
		now = now.Add(c.after)
		if got := l.add(now, c.fault); got != c.publish {
			t.Errorf("fault %d: publish %v, want %v", i+1, got, c.publish)
		}
	}
	if diff := cmp.Diff([]string{"error: battery low", "error: motor 3 at 95 °C"}, l.texts()); diff != "" {
		t.Error(diff)
	}
	if l.expire(now.Add(59 * time.Second)) {
		t.Error("forgets too early")
	}
	if !l.expire(now.Add(2*time.Hour)) || len(l.texts()) > 0 {
		t.Errorf("does not forget: %v", l.texts())
	}
	for i := range 100 {
		l.add(now, driver.Fault{Code: fmt.Sprint(i), Message: "x"})
	}
	if n := len(l.texts()); n != maxFaults {
		t.Errorf("remembers %d faults", n)
	}
}

func TestDiagnosticLevels(t *testing.T) {
	for s, want := range map[driver.Severity]uint8{
		driver.Info: diagnostic.DiagnosticStatusOk, driver.Warning: diagnostic.DiagnosticStatusWarn,
		driver.Error: diagnostic.DiagnosticStatusError, driver.Critical: diagnostic.DiagnosticStatusError,
		driver.Severity(9): diagnostic.DiagnosticStatusError,
	} {
		if got := diagnostics("go2", driver.Fault{Code: "x", Severity: s}); got.Level != want || got.Name != "body: x" || got.HardwareID != "go2" {
			t.Errorf("%v: %+v", s, got)
		}
	}
}
