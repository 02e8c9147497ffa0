package config

import (
	"errors"
	"math"
	"testing"
	"time"
)

func TestRules(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	tests := []struct {
		name string
		rule func(*Problems)
		want string // empty: accepted
	}{
		{"in range", func(p *Problems) { p.InRange("v", 1, 1, 2, "m") }, ""},
		{"at the top", func(p *Problems) { p.InRange("v", 2, 1, 2, "m") }, ""},
		{"above", func(p *Problems) { p.InRange("v", 2.5, 1, 2, "m") }, "v: 2.5 m is out of range 1..2 m: write a value between them"},
		{"below", func(p *Problems) { p.InRange("v", -1e-9, 0, 2, "") }, "v: -1e-09 is out of range 0..2: write a value between them"},
		{"nan in no range", func(p *Problems) { p.InRange("v", nan, 0, 2, "") }, "v: NaN is not finite: write a finite number"},
		{"at least", func(p *Problems) { p.AtLeast("v", 0, 0, "") }, ""},
		{"less", func(p *Problems) { p.AtLeast("v", 0.1, 0.5, "kg") }, "v: 0.1 kg is too small: write 0.5 kg or more"},
		{"infinite is not enough", func(p *Problems) { p.AtLeast("v", inf, 0.5, "kg") }, "v: +Inf is not finite: write a finite number"},
		{"positive", func(p *Problems) { p.Positive("v", 1e-9, "") }, ""},
		{"zero", func(p *Problems) { p.Positive("v", 0, "s") }, "v: 0 s is not positive: write a value above 0"},
		{"finite", func(p *Problems) { p.Finite("v", 1, 2) }, ""},
		{"one of many infinite", func(p *Problems) { p.Finite("v", 1, -inf, nan) }, "v: -Inf is not finite: write a finite number"},
		{"port", func(p *Problems) { p.IntInRange("v", 65535, 1, 65535) }, ""},
		{"no port", func(p *Problems) { p.IntInRange("v", 0, 1, 65535) }, "v: 0 is out of range 1..65535: write a whole number between them"},
		{"duration", func(p *Problems) { p.DurationInRange("v", time.Second, time.Second, time.Minute) }, ""},
		{"long", func(p *Problems) { p.DurationInRange("v", time.Hour, 0, time.Minute) }, "v: 1h0m0s is out of range 0s..1m0s: write a duration between them"},
		{"text", func(p *Problems) { p.NotEmpty("v", "x") }, ""},
		{"blank", func(p *Problems) { p.NotEmpty("v", " \t") }, "v: is empty: write a value"},
		{"one of", func(p *Problems) { p.OneOf("v", "b", "a", "b") }, ""},
		{"none of", func(p *Problems) { p.OneOf("v", "zebra", "cat", "dog") }, `v: "zebra" is not known: write one of cat, dog`},
		{"relation", func(p *Problems) { p.Require(false, "v", "is above %d", 3) }, "v: is above 3"},
		{"two", func(p *Problems) { p.Addf("a", "x"); p.Addf("", "y") }, "a: x\ny"},
		{"nested", func(p *Problems) {
			p.Nested("part", errors.Join(&FieldError{"x[1]", "bad"}, errors.New("odd")))
		}, "part.x[1]: bad\npart: odd"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var p Problems
			tt.rule(&p)
			err := p.Err()
			if tt.want == "" {
				if err != nil {
					t.Errorf("refused: %v", err)
				}
				return
			}
			if err == nil || err.Error() != tt.want {
				t.Errorf("error %v\nwant  %s", err, tt.want)
			}
			if !errors.Is(err, ErrInvalid) {
				t.Error("does not match ErrInvalid")
			}
		})
	}
}

func TestSnakeCase(t *testing.T) {
	for name, want := range map[string]string{
		"Name": "name", "RemoteTimeout": "remote_timeout", "ScanHz": "scan_hz", "HTTPPort": "http_port", "MapURL": "map_url",
		"VX": "vx", "ScanFOVDeg": "scan_fov_deg", "Scan2D": "scan2_d", "X": "x",
	} {
		if got := snakeCase(name); got != want {
			t.Errorf("snakeCase(%s) = %s, want %s", name, got, want)
		}
	}
}

func TestNearest(t *testing.T) {
	words := []string{"remote_timeout", "max_speed", "port", "source"}
	for name, want := range map[string]string{
		"remote_timout": "remote_timeout", "max_sepeed": "max_speed", "prot": "port", "sauce": "", "MAX_SPEED": "max_speed",
		"por": "port", "x": "", "": "", "maximal_velocity": "",
	} {
		if got := nearest(name, words); got != want {
			t.Errorf("nearest(%q) = %q, want %q", name, got, want)
		}
	}
}
