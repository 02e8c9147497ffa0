package simulated_test

import (
	"testing"

	"sarathi/driver"
	"sarathi/driver/drivertest"
	"sarathi/internal/body/simulated"
	"sarathi/internal/config"
	"sarathi/internal/sim/scenes"
)

// preset is one of the robots.
type preset struct {
	name string
	make func() (simulated.Body, simulated.Config)
}

func presets() []preset {
	return []preset{{"molly", simulated.Molly}, {"pashupati", simulated.Pashupati}, {"zelpi", simulated.Zelpi}, {"omni", omni}}
}

// omni is a robot on wheels that roll sideways, which no preset is.
func omni() (simulated.Body, simulated.Config) {
	b, c := simulated.Zelpi()
	b.Kind, b.Drive, b.Limits.VY = "omni", driver.Omni, b.Limits.VX
	return b, c
}

func scene(tb testing.TB, name string) scenes.Scene {
	tb.Helper()
	s, err := scenes.Load(name, func(path string, data []byte, into any) error { return config.Decode(path, data, into) })
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// newPlant puts a robot into a world, changed by the test.
func newPlant(tb testing.TB, world string, p preset, change func(*simulated.Body, *simulated.Config)) *simulated.Plant {
	tb.Helper()
	b, c := p.make()
	if change != nil {
		change(&b, &c)
	}
	plant, err := simulated.NewPlant(scene(tb, world), 7, b, c)
	if err != nil {
		tb.Fatal(err)
	}
	return plant
}

func TestContract(t *testing.T) {
	for _, p := range presets() {
		t.Run(p.name, func(t *testing.T) {
			drivertest.Test(t, func(tb testing.TB) drivertest.Harness {
				plant := newPlant(tb, "empty", p, nil)
				return drivertest.Harness{Driver: simulated.NewDriver(plant), Button: plant.Press}
			})
		})
	}
}
