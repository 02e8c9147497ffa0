package field

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sarathi/internal/geom"
)

func TestConfigValidate(t *testing.T) {
	if err := DefaultConfig().Validate(); err != nil {
		t.Fatal(err)
	}
	bad := Config{Deceleration: math.NaN(), Latency: -1, Margin: math.Inf(1), ReleaseAfter: 500 * time.Millisecond}
	var keys []string
	for line := range strings.SplitSeq(bad.Validate().Error(), "\n") {
		key, _, _ := strings.Cut(line, ": ")
		keys = append(keys, key)
	}
	want := []string{"deceleration", "angular_deceleration", "latency", "margin", "clearance", "creep_speed", "scan_timeout", "release_after"}
	if d := cmp.Diff(want, keys); d != "" {
		t.Error(d)
	}
}

func TestBodyValidate(t *testing.T) {
	tests := []struct {
		name string
		edit func(*Body)
		text string
	}{
		{"no footprint", func(b *Body) { b.Footprint = nil }, "footprint"},
		{"beside the origin", func(b *Body) { b.Footprint = box(2, -1, 0.2) }, "origin"},
		{"in millimetres", func(b *Body) { b.Footprint = box(350, 350, 200) }, "metres"},
		{"negative limit", func(b *Body) { b.Limits.VY = -1 }, "limits"},
		{"limit NaN", func(b *Body) { b.Limits.WZ = math.NaN() }, "limits"},
		{"no limits", func(b *Body) { b.Limits = geom.Velocity{} }, "limits"},
		{"no period", func(b *Body) { b.Period = 0 }, "period"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := dog()
			tt.edit(&b)
			if _, err := New(DefaultConfig(), b); err == nil || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("error %v, want one about %q", err, tt.text)
			}
		})
	}
}
