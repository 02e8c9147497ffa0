package healthmonitor

import (
	"time"

	"sarathi/internal/config"
)

// Config is when the robot counts as ill and how far that slows it.
type Config struct {
	MinRates   MinRates      `doc:"least rates of the sensors; an issue below 80 % of them; 0: not watched"`
	StartGrace time.Duration `doc:"time that a sensor has to begin before it is judged"`
	TempSlow   float64       `unit:"degC" doc:"a computer above this slows the robot to slow_scale"`
	TempStop   float64       `unit:"degC" doc:"a computer above this stops the robot"`
	MemoryMax  float64       `unit:"%" doc:"memory in use above this is an issue"`
	DiskMin    float64       `unit:"GB" doc:"less space than this where the sites are kept is an issue; 1 GB = 1e9 B"`
	BatteryLow float64       `unit:"%" doc:"less charge than this is an issue unless the battery charges"`
	SlowScale  float64       `doc:"fraction of the speed that remains while the robot must be careful"`
}

// MinRates are the watched sensors in the order in which they are reported.
type MinRates struct {
	Scan       float64 `unit:"Hz" doc:"laser scan of the body"`
	SafetyScan float64 `unit:"Hz" doc:"/perception/safety_scan, which the protective field sees by"`
	Odometry   float64 `unit:"Hz" doc:"odometry of the body"`
	IMU        float64 `unit:"Hz" doc:"rate gyro and accelerometer of the body"`
	Camera     float64 `unit:"Hz" doc:"camera image, while somebody subscribes to it"`
}

// DefaultConfig returns the limits of the real robots.
func DefaultConfig() Config {
	return Config{
		MinRates:   MinRates{Scan: 5, SafetyScan: 5, Odometry: 10, IMU: 10, Camera: 5},
		StartGrace: 5 * time.Second,
		TempSlow:   85,
		TempStop:   95,
		MemoryMax:  92,
		DiskMin:    5,
		BatteryLow: 20,
		SlowScale:  0.5,
	}
}

// The slowest rate that can be told from silence: at least six messages in a window, so that one of them may come late.
const (
	leastRate = 2.0    // [Hz]
	mostRate  = 1000.0 // [Hz]
)

// Validate reports every limit that makes no sense.
func (c Config) Validate() error {
	var p config.Problems
	for s, lo := range c.MinRates.list() {
		if lo != 0 {
			p.InRange("min_rates."+Sensor(s).String(), lo, leastRate, mostRate, "Hz")
		}
	}
	p.DurationInRange("start_grace", c.StartGrace, rateWindow, time.Minute)
	p.InRange("temp_slow", c.TempSlow, 30, 120, "degC")
	p.InRange("temp_stop", c.TempStop, 30, 120, "degC")
	p.Require(c.TempSlow < c.TempStop, "temp_stop", "is not above temp_slow: write more than %g degC", c.TempSlow)
	p.InRange("memory_max", c.MemoryMax, 10, 100, "%")
	p.InRange("disk_min", c.DiskMin, 0, 1e6, "GB")
	p.InRange("battery_low", c.BatteryLow, 0, 90, "%")
	p.InRange("slow_scale", c.SlowScale, 0, 1, "")
	return p.Err()
}

func (m MinRates) list() [Sensors]float64 {
	return [Sensors]float64{Scan: m.Scan, SafetyScan: m.SafetyScan, Odometry: m.Odometry, IMU: m.IMU, Camera: m.Camera}
}
