package sim

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"sarathi/internal/algo/mapfile"
	"sarathi/internal/geom"
	"sarathi/internal/sim/raycast"
	"sarathi/internal/sim/scenes"
)

// Tick is the step of the physics.
const Tick = 5 * time.Millisecond

// MaxAdvance bounds one call of Step: of a longer jump of the caller's clock only this much is simulated.
const MaxAdvance = 10 * time.Minute

// tickSeconds is Tick [s].
const tickSeconds = float64(Tick) / float64(time.Second)

// World is everything there is. It is not safe for concurrent use: one owner steps it, commands it and reads it.
type World struct {
	seed uint64

	// what never moves
	static  *raycast.Field
	things  []Thing        // by the owner of a static wall
	solids  []geom.Polygon // outlines of boxes, whose inside belongs to nobody
	grid    *mapfile.Map   // nil without a map
	pillars []cylinder
	tags    []tag
	start   *geom.Pose2 // nil when the scene has none
	charger *geom.Pose2 // nil when the scene has none

	// what moves, in the order it was added
	doors  []*door
	people []*person
	robots []*Robot
	log    contactLog

	last    time.Time     // argument of the latest Step
	running bool          // Step was called
	elapsed time.Duration // simulated since the first Step, less than a Tick ahead of tick
	tick    int64         // steps done

	// room for intermediate results
	hits    []raycast.Hit
	corners geom.Polygon
}

// NewWorld builds the world of a scene. Same scene, same seed, same calls: same world. A scene that was not decoded strictly is
// validated here. The first Step is its time zero.
func NewWorld(scene scenes.Scene, seed uint64) (*World, error) {
	if err := validate(scene); err != nil {
		return nil, fmt.Errorf("scene %q: %w", scene.Name, err)
	}
	w := &World{seed: seed, grid: scene.Grid, tags: newTags(scene.Tags)}
	w.build(scene)
	for _, d := range scene.Doors {
		w.doors = append(w.doors, newDoor(d))
	}
	if scene.Start != nil {
		p := scene.Start.Pose2()
		w.start = &p
	}
	if scene.Charger != nil {
		p := scene.Charger.Pose2()
		w.charger = &p
	}
	for _, p := range scene.People {
		if err := w.AddPerson(p); err != nil {
			return nil, fmt.Errorf("scene %q: %w", scene.Name, err)
		}
	}
	return w, nil
}

// validate asks the scene and all its parts, as the strict decoder does.
func validate(s scenes.Scene) error {
	errs := []error{s.Validate()}
	add := func(key string, i int, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("%s[%d]: %w", key, i, err))
		}
	}
	for i, v := range s.Walls {
		add("walls", i, v.Validate())
	}
	for i, v := range s.Boxes {
		add("boxes", i, v.Validate())
	}
	for i, v := range s.Circles {
		add("circles", i, v.Validate())
	}
	for i, v := range s.Doors {
		add("doors", i, v.Validate())
	}
	for i, v := range s.People {
		add("people", i, v.Validate())
	}
	for i, v := range s.Tags {
		add("tags", i, v.Validate())
	}
	if s.Map != "" && s.Grid == nil {
		errs = append(errs, errors.New("map: was not read: use scenes.Load"))
	}
	return errors.Join(errs...)
}

// Step advances the world to now, in steps of Tick; what is left of the last step is kept for the next call. The first call
// sets the time zero. A clock that jumps back lets no time pass, one that jumps far ahead at most MaxAdvance.
func (w *World) Step(now time.Time) {
	if w.running {
		w.elapsed += min(max(now.Sub(w.last), 0), MaxAdvance)
	}
	w.last, w.running = now, true
	for time.Duration(w.tick+1)*Tick <= w.elapsed {
		w.tick++
		w.step()
	}
}

// step is one tick: doors, then people, then robots, each in the order they were added.
func (w *World) step() {
	for _, d := range w.doors {
		d.step(w)
	}
	for _, p := range w.people {
		p.step(w)
	}
	for _, r := range w.robots {
		r.step()
	}
}

// Elapsed is the simulated time since the first Step, a multiple of Tick.
func (w *World) Elapsed() time.Duration { return time.Duration(w.tick) * Tick }

// Robot finds a robot by its name; nil when there is none.
func (w *World) Robot(name string) *Robot {
	if i := slices.IndexFunc(w.robots, func(r *Robot) bool { return r.spec.Name == name }); i >= 0 {
		return w.robots[i]
	}
	return nil
}

// Charger is where base_link stands when a robot is docked, and whether the scene has a charger.
func (w *World) Charger() (geom.Pose2, bool) {
	if w.charger == nil {
		return geom.Pose2{}, false
	}
	return *w.charger, true
}
