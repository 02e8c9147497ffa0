package sim

import (
	"fmt"
	"math"
	"slices"
	"time"

	"sarathi/internal/geom"
	"sarathi/internal/sim/scenes"
)

// patience is how long a person stands before something in the way before turning round.
const patience = 3 * time.Second

// person walks from waypoint to waypoint. Somebody who is stopped too long goes back to the waypoint before and tries again, so
// that nobody is blocked for ever.
type person struct {
	Thing
	pos, velocity geom.Vec2
	radius        float64
	height        float64
	keepOff       float64
	base, spread  float64 // speed and its spread
	route         []scenes.Waypoint
	loop          bool
	next          int  // waypoint ahead
	back          bool // on the way to the waypoint before instead
	speed         float64
	rest          time.Duration // left of a pause
	blocked       time.Duration
	touch         touch
	noise         *noise
}

func (p *person) step(w *World) {
	p.velocity = geom.Vec2{}
	if p.rest > 0 {
		p.rest -= Tick
		return
	}
	target, ok := p.target()
	if !ok {
		return
	}
	way := target.Point().Sub(p.pos)
	left := way.Norm()
	stride := p.speed * tickSeconds
	if left <= stride {
		p.arrive(target, w)
		return
	}
	to := p.pos.Add(way.Scale(stride / left))
	if w.stops(p, to) {
		if p.blocked += Tick; p.blocked >= patience {
			p.back, p.blocked = !p.back, 0
		}
		return
	}
	p.blocked = 0
	p.velocity = to.Sub(p.pos).Scale(1 / tickSeconds)
	p.pos = to
}

// target is the waypoint the person goes to; false when there is none.
func (p *person) target() (scenes.Waypoint, bool) {
	if p.next >= len(p.route) {
		return scenes.Waypoint{}, false
	}
	if p.back {
		return p.route[(p.next+len(p.route)-1)%len(p.route)], true
	}
	return p.route[p.next], true
}

// arrive ends a leg.
func (p *person) arrive(at scenes.Waypoint, w *World) {
	if !w.stops(p, at.Point()) {
		p.pos = at.Point()
	}
	if p.back {
		p.back = false
	} else {
		p.rest = at.Pause
		if p.next++; p.next == len(p.route) && p.loop && len(p.route) > 1 {
			p.next = 0
		}
	}
	p.speed = p.base * (1 + p.noise.spread(p.spread))
}

// stops reports whether a robot or a closed door keeps p from going to a place.
func (w *World) stops(p *person, to geom.Vec2) bool {
	for _, r := range w.robots {
		if r.pose.Position().Distance(to) > r.reach+p.radius+p.keepOff {
			continue
		}
		gap := r.outline.DistanceToPoint(to) - p.radius
		if gap > p.keepOff || gap > 0 && gap >= r.outline.DistanceToPoint(p.pos)-p.radius {
			continue // far enough, or on the way past or away
		}
		if gap <= 0 && p.touch.fresh(Thing{KindRobot, r.spec.Name}, w.Elapsed()) {
			w.log.add(Contact{
				At: w.Elapsed(), Robot: r.spec.Name, Thing: p.Thing, Point: rim(p.pos, p.radius, r.pose.Position()), Speed: r.velocity.Speed(),
			})
		}
		return true
	}
	for _, d := range w.doors {
		leaf, ok := d.leaf()
		if gap := leaf.DistanceToPoint(to); ok && gap <= p.radius && gap < leaf.DistanceToPoint(p.pos) {
			return true
		}
	}
	return false
}

// PersonState is a person at a moment.
type PersonState struct {
	Name     string
	Position geom.Vec2 // in the map frame
	Velocity geom.Vec2 // [m/s]
	Radius   float64
	Height   float64
}

// People are all people in the order they were added.
func (w *World) People() []PersonState {
	out := make([]PersonState, len(w.people))
	for i, p := range w.people {
		out[i] = PersonState{p.Name, p.pos, p.velocity, p.radius, p.height}
	}
	return out
}

// AddPerson puts a person at their first waypoint. It refuses a name that is taken and a place where a robot stands.
func (w *World) AddPerson(s scenes.Person) error {
	if err := s.Validate(); err != nil {
		return fmt.Errorf("person %q: %w", s.Name, err)
	}
	if w.person(s.Name) != nil {
		return fmt.Errorf("there is a person %q already", s.Name)
	}
	p := &person{
		Thing: Thing{KindPerson, s.Name}, radius: s.Radius, height: s.Height, keepOff: s.KeepOff, base: s.Speed, spread: s.SpeedSpread,
		noise: newNoise(w.seed, "person/"+s.Name),
	}
	p.follow(s.Waypoints, s.Loop)
	if err := w.move(p, s.Waypoints[0].Point()); err != nil {
		return err
	}
	p.arrive(s.Waypoints[0], w)
	w.people = append(w.people, p)
	return nil
}

// MovePerson puts a person somewhere else at once; they go on to their next waypoint from there.
func (w *World) MovePerson(name string, to geom.Vec2) error {
	p := w.person(name)
	if p == nil {
		return fmt.Errorf("there is no person %q", name)
	}
	return w.move(p, to)
}

// RoutePerson gives a person new waypoints, to be walked from where they stand.
func (w *World) RoutePerson(name string, waypoints []scenes.Waypoint, loop bool) error {
	p := w.person(name)
	if p == nil {
		return fmt.Errorf("there is no person %q", name)
	}
	for _, v := range waypoints {
		if !v.Point().IsFinite() {
			return fmt.Errorf("person %q cannot go to (%g, %g)", name, v.X, v.Y)
		}
	}
	p.follow(waypoints, loop)
	return nil
}

// RemovePerson takes a person out of the world.
func (w *World) RemovePerson(name string) error {
	before := len(w.people)
	w.people = slices.DeleteFunc(w.people, func(p *person) bool { return p.Name == name })
	if len(w.people) == before {
		return fmt.Errorf("there is no person %q", name)
	}
	return nil
}

func (w *World) person(name string) *person {
	if i := slices.IndexFunc(w.people, func(p *person) bool { return p.Name == name }); i >= 0 {
		return w.people[i]
	}
	return nil
}

// follow starts a route at its first waypoint.
func (p *person) follow(route []scenes.Waypoint, loop bool) {
	p.route, p.loop, p.next, p.back, p.rest, p.blocked = slices.Clone(route), loop, 0, false, 0, 0
	if p.speed == 0 {
		p.speed = p.base * (1 + p.noise.spread(p.spread))
	}
}

// move puts a person where no robot stands.
func (w *World) move(p *person, to geom.Vec2) error {
	if !to.IsFinite() || math.Abs(to.X) > 1e6 || math.Abs(to.Y) > 1e6 {
		return fmt.Errorf("person %q cannot stand at (%g, %g)", p.Name, to.X, to.Y)
	}
	for _, r := range w.robots {
		if r.outline.DistanceToPoint(to) <= p.radius {
			return fmt.Errorf("person %q cannot stand at (%g, %g): robot %q is there", p.Name, to.X, to.Y, r.spec.Name)
		}
	}
	p.pos = to
	return nil
}
