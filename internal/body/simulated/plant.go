package simulated

import (
	"fmt"
	"sync"
	"time"

	"sarathi/driver"
	"sarathi/internal/geom"
	"sarathi/internal/sim"
	"sarathi/internal/sim/scenes"
)

// maxGap bounds how far one call advances the world: a clock that jumps further, or back, counts as one period.
const maxGap = time.Second

// Plant is the hardware of a simulated robot: the world around it, its motors and sensors, and the watchdog and e-stop latch that
// no software above can take away. Its methods may be called from any goroutine.
type Plant struct {
	body Body
	cfg  Config

	mu       sync.Mutex
	world    *sim.World
	robot    *sim.Robot
	guard    driver.Guard
	last     time.Time     // argument of the last Advance
	running  bool          // Advance was called
	elapsed  time.Duration // simulated since the first Advance
	asked    geom.Velocity // of the robot, the last command
	gate     gate          // what the posture lets through
	onEStop  func(driver.EStopState)
	crashed  bool
	silences map[driver.Stream]time.Duration // simulated time until which a stream is silent
}

// gate is what the state of the body lets through of a command. The zero value lets everything through.
type gate struct {
	closed string  // why the body does not move; "" when it may
	scale  float64 // part of the limits that is allowed; 0 means all
}

// NewPlant puts the robot into a scene. Same arguments, same world.
func NewPlant(scene scenes.Scene, seed uint64, b Body, c Config) (*Plant, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if err := capabilities(b, c).Validate(); err != nil {
		return nil, err
	}
	w, err := sim.NewWorld(scene, seed)
	if err != nil {
		return nil, err
	}
	r, err := w.AddRobot(spec(b, c))
	if err != nil {
		return nil, fmt.Errorf("put the robot into the world %q: %w", scene.Name, err)
	}
	p := &Plant{body: b, cfg: c, world: w, robot: r, silences: map[driver.Stream]time.Duration{}}
	w.Step(time.Time{}) // its time zero
	return p, nil
}

// Body returns what everybody knows of the robot.
func (p *Plant) Body() Body { return p.body }

// Advance lets the world go on to now. Whoever looks at the plant calls it first; only the first call at a time does anything. What
// the watchdog allows is asked at every tick of the world.
func (p *Plant) Advance(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.advance(now)
}

func (p *Plant) advance(now time.Time) {
	dt := now.Sub(p.last)
	switch {
	case !p.running:
		dt, p.running = 0, true
	case dt < 0 || dt > maxGap:
		dt = Period
	}
	p.last = now
	for dt > 0 {
		step := min(dt, sim.Tick)
		dt -= step
		p.elapsed += step
		p.move(now.Add(-dt))
		p.world.Step(time.Time{}.Add(p.elapsed))
	}
}

// move tells the motors what the guard and the posture allow at t.
func (p *Plant) move(t time.Time) {
	v := p.body.Limits.Clamp(p.guard.Velocity(t))
	switch {
	case p.gate.closed != "":
		v = driver.Velocity{}
	case p.gate.scale > 0:
		l := p.body.Limits
		v = driver.Limits{VX: l.VX * p.gate.scale, VY: l.VY * p.gate.scale, WZ: l.WZ * p.gate.scale}.Clamp(v)
	}
	if want := geom.Velocity(v); want != p.asked {
		p.asked = want
		p.robot.Command(want)
	}
}

// Press presses the e-stop button of the body, or pulls it out. Pulling it out releases nothing.
func (p *Plant) Press(pressed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tell(p.guard.Hold(pressed, "the e-stop button of the body is pressed"))
}

// EStop latches the body, from inside or from its driver.
func (p *Plant) EStop(reason string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tell(p.guard.EStop(reason))
}

// release opens the latch unless the button is pressed.
func (p *Plant) release() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	changed, err := p.guard.Release()
	p.tell(changed)
	return err
}

// tell reports a change of the latch to the driver, if there is one that listens. p.mu is held.
func (p *Plant) tell(changed bool) {
	if changed && p.onEStop != nil && !p.crashed {
		p.onEStop(p.guard.State())
	}
}

// EStopState returns the latch of the body.
func (p *Plant) EStopState() driver.EStopState {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.guard.State()
}

// Do lets fn look at the world and change it: people, doors, the robot's place, faults of sensors. fn must not keep what it gets.
func (p *Plant) Do(fn func(*sim.World, *sim.Robot) error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return fn(p.world, p.robot)
}

// Crash ends the driver as a crash of its process does: nothing is reported, nothing is obeyed, and the body's own watchdog stops it.
func (p *Plant) Crash() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.crashed = true
}

// Silence keeps a stream quiet for d of simulated time, or from now on for ever when d is not positive.
func (p *Plant) Silence(s driver.Stream, d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	until := p.elapsed + d
	if d <= 0 {
		until = forever
	}
	p.silences[s] = until
}

const forever = time.Duration(1<<63 - 1)

// quiet reports whether a stream is silent now. p.mu is held.
func (p *Plant) quiet(s driver.Stream) bool { return p.crashed || p.elapsed < p.silences[s] }
