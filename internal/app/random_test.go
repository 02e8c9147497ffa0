package app

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"sarathi/internal/scenario"
	"sarathi/internal/script"
)

// wild returns a scenario in which a bad driver and people who appear anywhere around the robot try to make it collide.
func wild(profile, scene string, seed uint64) *scenario.Scenario {
	rng := rand.New(rand.NewPCG(seed, 0x3d1f))
	s := &scenario.Scenario{}
	s.SetDefaults()
	s.Name, s.Profile, s.World.Scene, s.Duration = "wild", profile, scene, 20*time.Second
	at := func(from float64) time.Duration {
		return time.Duration((from + rng.Float64()*(19-from)) * float64(time.Second))
	}
	s.Script = []script.Step{
		{At: 100 * time.Millisecond, As: script.Handheld, Cmd: "set_mode", Args: map[string]string{"mode": "remote"}},
		{At: 200 * time.Millisecond, As: script.Handheld, Joy: &script.Joy{}, For: time.Second, Rate: 20},
	}
	for begin := time.Second; begin < s.Duration; {
		axis := func(limit float64) script.JoyValue {
			if rng.IntN(3) == 0 {
				return 0
			}
			return script.JoyValue(limit * (2*rng.Float64() - 1))
		}
		long := time.Duration(200+rng.IntN(3000)) * time.Millisecond
		s.Script = append(s.Script, script.Step{
			At: begin, As: script.Handheld, Joy: &script.Joy{axis(1.2), axis(0.7), axis(2)}, For: long + 100*time.Millisecond, Rate: 25,
		})
		begin += long
	}
	for i := range 4 {
		p := &scenario.Person{}
		p.SetDefaults()
		p.Name = fmt.Sprintf("visitor %d", i)
		distance := 0.7 + 1.5*rng.Float64() // nearer, nobody who drives at 1 m/s could stop
		side := []**float64{&p.Ahead, &p.Behind, &p.Left, &p.Right}[rng.IntN(4)]
		*side = &distance
		s.Events = append(s.Events, scenario.Event{At: at(2), Person: p})
	}
	silent := &scenario.Outage{Stream: "scan", For: time.Duration(rng.IntN(1500)) * time.Millisecond}
	s.Events = append(s.Events, scenario.Event{At: at(2), Silence: silent})
	return s
}

// TestWildDriving tries what nobody thought of; SARATHI_WILD=N tries N seeds of each robot and world.
func TestWildDriving(t *testing.T) {
	seeds := 1
	if n, err := strconv.Atoi(os.Getenv("SARATHI_WILD")); err == nil {
		seeds = n
	}
	for _, w := range []struct{ profile, scene string }{
		{"molly", "house"}, {"molly", "corridor"}, {"pashupati", "house"}, {"zelpi", "house"}, {"zelpi", "corridor"},
	} {
		t.Run(w.profile+" "+w.scene, func(t *testing.T) {
			t.Parallel()
			way := 0.0
			for seed := uint64(1); seed <= uint64(seeds); seed++ {
				r, err := simulate(t.Context(), wild(w.profile, w.scene, seed), SimOptions{Seed: seed})
				if err != nil {
					t.Fatal(err)
				}
				way += r.TravelledM
				for _, what := range r.Failures {
					t.Errorf("seed %d: %s", seed, what)
				}
			}
			if way < float64(seeds) {
				t.Errorf("the robot drove only %.1f m in %d runs: nothing was tried", way, seeds)
			}
		})
	}
}
