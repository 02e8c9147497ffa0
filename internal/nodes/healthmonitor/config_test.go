package healthmonitor

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestDefaultConfigIsValid(t *testing.T) {
	if err := DefaultConfig().Validate(); err != nil {
		t.Error(err)
	}
}

func TestValidate(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(*Config)
		want  string // part of the error, empty for none
	}{
		{"unwatched sensor", func(c *Config) { c.MinRates.Camera = 0 }, ""},
		{"rate too low to measure", func(c *Config) { c.MinRates.SafetyScan = 1 }, "min_rates.safety_scan: 1 Hz is out of range"},
		{"negative rate", func(c *Config) { c.MinRates.IMU = -1 }, "min_rates.imu:"},
		{"rate that is no number", func(c *Config) { c.MinRates.Odometry = math.NaN() }, "min_rates.odometry: NaN"},
		{"no grace", func(c *Config) { c.StartGrace = time.Second }, "start_grace:"},
		{"temperatures in the wrong order", func(c *Config) { c.TempStop = 80 }, "temp_stop: is not above temp_slow"},
		{"fahrenheit", func(c *Config) { c.TempSlow = 185 }, "temp_slow: 185 degC is out of range"},
		{"memory as a fraction", func(c *Config) { c.MemoryMax = 0.92 }, "memory_max:"},
		{"disk", func(c *Config) { c.DiskMin = -1 }, "disk_min:"},
		{"battery", func(c *Config) { c.BatteryLow = 100 }, "battery_low:"},
		{"scale", func(c *Config) { c.SlowScale = 1.5 }, "slow_scale:"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := DefaultConfig()
			tt.spoil(&c)
			err := c.Validate()
			switch {
			case tt.want == "" && err != nil:
				t.Error(err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}
