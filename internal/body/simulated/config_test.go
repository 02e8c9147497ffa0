package simulated

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sarathi/driver"
	"sarathi/internal/config"
	"sarathi/internal/geom"
	"sarathi/internal/sim"
	"sarathi/internal/sim/scenes"
)

// A preset says the same as the robot of the simulator that it is made from, and nothing is lost on the way.
func TestPresetsKeepTheRobots(t *testing.T) {
	for _, c := range []struct {
		preset func() (Body, Config)
		want   sim.RobotSpec
	}{{Molly, sim.Molly()}, {Zelpi, sim.Zelpi()}} {
		b, cfg := c.preset()
		if diff := cmp.Diff(c.want, spec(b, cfg)); diff != "" {
			t.Errorf("%s: %s", b.Kind, diff)
		}
	}
}

func TestPresetsAreValid(t *testing.T) {
	for _, preset := range []func() (Body, Config){Molly, Pashupati, Zelpi} {
		b, c := preset()
		if err := c.Validate(); err != nil {
			t.Errorf("%s: %v", b.Kind, err)
		}
		if err := capabilities(b, c).Validate(); err != nil {
			t.Errorf("%s: %v", b.Kind, err)
		}
		if err := spec(b, c).Validate(); err != nil {
			t.Errorf("%s: %v", b.Kind, err)
		}
	}
}

// The configuration survives being written and read.
func TestConfigIsYAML(t *testing.T) {
	_, want := Molly()
	want.Joints.Wheels, want.Joints.WheelRadius = []string{"left_wheel_joint"}, 0.1
	text, err := config.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	got := Config{}
	if err := config.Decode("test.yaml", text, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestConfigRefuses(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"world":                  func(c *Config) { c.World = " " },
		"scan.rate":              func(c *Config) { c.Scan.Rate = 101 },
		"points.rate":            func(c *Config) { c.Points.Rate = -1 },
		"odometry.rate":          func(c *Config) { c.Odometry.Rate = 0 },
		"stand_time":             func(c *Config) { c.StandTime = 0 },
		"speeds.slow":            func(c *Config) { c.Speeds.Slow = 0 },
		"speeds.fast":            func(c *Config) { c.Speeds.Fast = 1.5 },
		"skills[0]":              func(c *Config) { c.Skills = []string{"standup"} },
		"skills[1]: sit_down is": func(c *Config) { c.Skills = []string{"sit_down", "sit_down"} },
		"joints.legs":            func(c *Config) { c.Joints.Legs = nil },
		"gestures[0].name":       func(c *Config) { c.Gestures = []Gesture{{"stand_up", time.Second}} },
		"gestures[1].name":       func(c *Config) { c.Gestures = []Gesture{{"bow", time.Second}, {"bow", time.Second}} },
		"gestures[0].duration":   func(c *Config) { c.Gestures = []Gesture{{"bow", -time.Second}} },
		"joints.wheel_radius":    func(c *Config) { c.Joints.Wheels = []string{"left"} },
	} {
		c := DefaultConfig()
		change(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestNewPlantRefuses(t *testing.T) {
	empty := scenes.Default()
	for want, change := range map[string]func(*Body, *Config){
		"speeds.slow":    func(_ *Body, c *Config) { c.Speeds.Slow = 2 },
		"kind is":        func(b *Body, _ *Config) { b.Kind = "" },
		"footprint":      func(b *Body, _ *Config) { b.Footprint = nil },
		"beams":          func(_ *Body, c *Config) { c.Scan.Beams = 0 },
		"drive: \"arm\"": func(b *Body, _ *Config) { b.Drive, b.Limits.VY = driver.Arm, 0 },
	} {
		b, c := Molly()
		change(&b, &c)
		if _, err := NewPlant(empty, 1, b, c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestGait(t *testing.T) {
	j := Joints{Legs: legs(), Wheels: []string{"l", "r"}, WheelRadius: 0.1, Track: 0.4}
	legged := j
	legged.Wheels = nil
	g := newGait(legged)
	still := g.angles(nil, legged, geom.Velocity{}, 1)
	for i := 3; i < 12; i++ {
		if still[i] != still[i-3] {
			t.Errorf("standing still, joint %d is at %v, joint %d at %v", i, still[i], i-3, still[i-3])
		}
	}
	v := geom.Velocity{VX: 0.5}
	least, most := still[1], still[1]
	for range 100 {
		g.step(legged, v, 0.02)
		a := g.angles(nil, legged, v, 1)
		least, most = min(least, a[1]), max(most, a[1])
		for k := range jointsPerLeg { // diagonal legs move together
			if a[k] != a[9+k] || a[3+k] != a[6+k] {
				t.Fatalf("no trot: %v", a)
			}
		}
	}
	if most-least < strideThigh {
		t.Errorf("the thigh swings by %v rad", most-least)
	}
	wheels := newGait(j)
	wheels.step(j, geom.Velocity{VX: 0.1}, 1)
	if a := wheels.angles(nil, j, v, 1); a[12] != 1 || a[13] != 1 {
		t.Errorf("wheels of 0.1 m turn by %v after 0.1 m", a[12:])
	}
	wheels.step(j, geom.Velocity{WZ: 0.5}, 1)
	if a := wheels.angles(nil, j, v, 1); a[12] != 0 || a[13] != 2 {
		t.Errorf("turning left the wheels stand at %v", a[12:])
	}
}
