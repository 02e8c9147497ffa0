package sim

import (
	"math"
	"testing"
	"time"

	"sarathi/internal/geom"
	"sarathi/internal/sim/scenes"
)

func (p *player) where(name string) geom.Vec2 {
	for _, s := range p.People() {
		if s.Name == name {
			return s.Position
		}
	}
	p.t.Fatalf("nobody is called %q", name)
	return geom.Vec2{}
}

func TestWalkerFollowsWaypoints(t *testing.T) {
	s := scenes.Default()
	w := walker("a", geom.Vec2{}, geom.Vec2{X: 2}, geom.Vec2{X: 2, Y: 1})
	w.Waypoints[1].Pause = 3 * time.Second
	s.People = []scenes.Person{w}
	p := play(t, s, 1)
	p.run(time.Second)
	near(t, "x after 1 s at 1 m/s", p.where("a").X, 1, 0.02)
	if v := p.People()[0].Velocity; v.Distance(geom.Vec2{X: 1}) > 1e-9 {
		t.Errorf("velocity %v, want 1 m/s along x", v)
	}
	p.run(2 * time.Second)
	near(t, "x during the pause", p.where("a").X, 2, 1e-9)
	if v := p.People()[0].Velocity; v != (geom.Vec2{}) {
		t.Errorf("velocity %v during the pause", v)
	}
	p.run(2500 * time.Millisecond)
	near(t, "y after the pause", p.where("a").Y, 0.5, 0.03)
	p.run(500*time.Millisecond + time.Duration(math.Sqrt(5)*float64(time.Second)))
	if d := p.where("a").Norm(); d > 0.05 {
		t.Errorf("a loop ends %g m from its start", d)
	}
	p.run(time.Second)
	near(t, "x in the second round", p.where("a").X, 1, 0.05)
}

func TestWalkerWithoutLoopStays(t *testing.T) {
	s := scenes.Default()
	w := walker("a", geom.Vec2{}, geom.Vec2{X: 1})
	w.Loop = false
	s.People = []scenes.Person{w, walker("stands", geom.Vec2{X: 5})}
	p := play(t, s, 1)
	p.run(time.Minute)
	if p.where("a") != (geom.Vec2{X: 1}) || p.where("stands") != (geom.Vec2{X: 5}) {
		t.Errorf("people are at %v", p.People())
	}
}

func TestSpeedSpreadComesFromTheSeed(t *testing.T) {
	at := func(seed uint64) float64 {
		s := scenes.Default()
		w := walker("a", geom.Vec2{}, geom.Vec2{X: 100})
		w.SpeedSpread = 0.2
		s.People = []scenes.Person{w}
		p := play(t, s, seed)
		p.run(10 * time.Second)
		return p.where("a").X
	}
	seen := make(map[float64]bool)
	for seed := range uint64(20) {
		x := at(seed)
		if x < 7.9 || x > 12.1 {
			t.Errorf("seed %d walks %g m in 10 s, want 8 to 12", seed, x)
		}
		seen[x] = true
	}
	if len(seen) < 15 {
		t.Errorf("20 seeds give %d different walks", len(seen))
	}
}

// A robot in the way stops a person at the distance they keep; they turn back, and are never blocked for good.
func TestWalkerKeepsOffAndIsNeverBlocked(t *testing.T) {
	s := scenes.Default()
	s.People = []scenes.Person{walker("a", geom.Vec2{X: -4}, geom.Vec2{X: 4})}
	p := play(t, s, 1)
	r := p.add(plain(geom.Pose2{}))
	legs, last := 0, -1.0
	for range 1200 {
		p.run(100 * time.Millisecond)
		if d, _ := r.Clearance(); d < 0.5-1e-9 {
			t.Fatalf("the person comes within %g m of the robot, want 0.5", d)
		}
		if v := p.People()[0].Velocity.X; v*last < 0 {
			legs, last = legs+1, v
		}
	}
	if legs < 10 {
		t.Errorf("in two minutes the person turned %d times", legs)
	}
	if len(p.Contacts(0)) != 0 {
		t.Errorf("contacts %v", p.Contacts(0))
	}
	if err := r.Teleport(geom.Pose2{Y: 5}); err != nil {
		t.Fatal(err)
	}
	p.run(20 * time.Second)
	reached := false
	for range 200 {
		p.run(100 * time.Millisecond)
		reached = reached || p.where("a").X > 3.9
	}
	if !reached {
		t.Error("with the way free the person does not arrive")
	}
}

func TestPersonWalksIntoRobot(t *testing.T) {
	s := scenes.Default()
	w := walker("a", geom.Vec2{X: -4}, geom.Vec2{X: 4})
	w.KeepOff = 0
	s.People = []scenes.Person{w}
	p := play(t, s, 1)
	r := p.add(plain(geom.Pose2{}))
	p.run(5 * time.Second)
	c := p.Contacts(0)
	if len(c) != 1 || c[0].ByRobot || c[0].Thing != (Thing{KindPerson, "a"}) || c[0].Robot != "plain" || c[0].Speed != 0 {
		t.Fatalf("contacts %+v, want one by the person", c)
	}
	if p.Collisions() != 0 {
		t.Error("a person who walks into a standing robot counts as the robot's collision")
	}
	if d, _ := r.Clearance(); d > 0.01 {
		t.Errorf("the person stopped %g m away", d)
	}
}

func TestRobotDrivesIntoPerson(t *testing.T) {
	s := scenes.Default()
	s.People = []scenes.Person{walker("a", geom.Vec2{X: 2})}
	p := play(t, s, 1)
	r := p.add(plain(geom.Pose2{}))
	r.Command(geom.Velocity{VX: 0.5})
	p.run(10 * time.Second)
	c := p.Contacts(0)
	if len(c) != 1 || !c[0].ByRobot || c[0].Thing != (Thing{KindPerson, "a"}) || p.Collisions() != 1 {
		t.Fatalf("contacts %+v, want one by the robot", c)
	}
	near(t, "x of the nose", r.Truth().Pose.X+0.3, 1.75, 1e-3)
	near(t, "x of the contact", c[0].Point.X, 1.75, 1e-2)
}

func TestDirectingPeople(t *testing.T) {
	p := play(t, scenes.Default(), 1)
	r := p.add(plain(geom.Pose2{}))
	add := func(name string, at geom.Vec2) error { return p.AddPerson(walker(name, at)) }
	if err := add("a", geom.Vec2{X: 1}); err != nil {
		t.Fatal(err)
	}
	if add("a", geom.Vec2{X: 3}) == nil {
		t.Error("two people of one name")
	}
	if add("b", geom.Vec2{X: 0.5}) == nil || p.MovePerson("a", geom.Vec2{X: 0.4}) == nil {
		t.Error("a person stands in the robot")
	}
	if p.AddPerson(scenes.Person{Name: "c"}) == nil {
		t.Error("a person without size and place")
	}
	if p.MovePerson("a", geom.Vec2{X: math.NaN()}) == nil || p.RoutePerson("a", []scenes.Waypoint{{X: math.Inf(1)}}, false) == nil {
		t.Error("a person goes nowhere")
	}
	for _, err := range []error{p.MovePerson("x", geom.Vec2{}), p.RemovePerson("x"), p.RoutePerson("x", nil, false), p.SetDoor("x", true)} {
		if err == nil {
			t.Error("somebody or something unknown was directed")
		}
	}
	if err := p.MovePerson("a", geom.Vec2{X: 2, Y: 1}); err != nil || p.where("a") != (geom.Vec2{X: 2, Y: 1}) {
		t.Errorf("moved to %v: %v", p.where("a"), err)
	}
	if err := p.RoutePerson("a", []scenes.Waypoint{{X: 4, Y: 1}}, false); err != nil {
		t.Fatal(err)
	}
	p.run(time.Second)
	near(t, "x on the new route", p.where("a").X, 3, 0.02)
	if err := p.RemovePerson("a"); err != nil || len(p.People()) != 0 {
		t.Errorf("after removing, people are %v: %v", p.People(), err)
	}
	if d, _ := r.Clearance(); d != clearanceReach {
		t.Errorf("alone in the world, something is %g m away", d)
	}
}

func doorScene() scenes.Scene {
	s := scenes.Default()
	s.Walls = []scenes.Wall{
		{Name: "left", Points: [][2]float64{{2, 0.5}, {2, 5}}, Height: 2},
		{Name: "right", Points: [][2]float64{{2, -5}, {2, -0.5}}, Height: 2},
	}
	s.Doors = []scenes.Door{{Name: "d", From: [2]float64{2, 0.5}, To: [2]float64{2, -0.5}, Height: 2, Travel: 2 * time.Second}}
	return s
}

func TestDoorSchedule(t *testing.T) {
	s := doorScene()
	s.Doors[0].Schedule = []scenes.DoorEvent{{At: 5 * time.Second, Open: true}, {At: 10 * time.Second, Open: false}}
	s.Doors[0].Repeat = 20 * time.Second
	p := play(t, s, 1)
	opened := func() float64 { return p.Doors()[0].Opened }
	for range 3 {
		near(t, "at the beginning of a round", opened(), 0, 1e-9)
		p.run(6 * time.Second)
		near(t, "half way", opened(), 0.5, 0.01)
		p.run(2 * time.Second)
		near(t, "open", opened(), 1, 0)
		p.run(5 * time.Second)
		near(t, "closed again", opened(), 0, 0)
		p.run(7 * time.Second)
	}
	// By hand it stays until the schedule's next event.
	if err := p.SetDoor("d", true); err != nil {
		t.Fatal(err)
	}
	p.run(4 * time.Second)
	near(t, "opened by hand", opened(), 1, 0)
	p.run(10 * time.Second)
	near(t, "after the schedule closed it", opened(), 0, 0)
}

func TestClosedDoorStopsRobotAndOpenDoorDoesNot(t *testing.T) {
	for _, open := range []bool{false, true} {
		s := doorScene()
		s.Doors[0].Open = open
		p := play(t, s, 1)
		r := p.add(plain(geom.Pose2{}))
		r.Command(geom.Velocity{VX: 1})
		p.run(5 * time.Second)
		if passed := r.Truth().Pose.X > 2; passed != open {
			t.Errorf("open %t: passed %t", open, passed)
		}
		if c := p.Contacts(0); !open && (len(c) != 1 || c[0].Thing != (Thing{KindDoor, "d"})) {
			t.Errorf("contacts %v", c)
		}
	}
}

func TestDoorWaits(t *testing.T) {
	s := doorScene()
	s.Doors[0].Open = true
	p := play(t, s, 1)
	r := p.add(plain(geom.Pose2{X: 2}))
	if err := p.SetDoor("d", false); err != nil {
		t.Fatal(err)
	}
	p.run(10 * time.Second)
	if p.Doors()[0].Opened < 0.65 {
		t.Errorf("the door closed to %g on the robot", p.Doors()[0].Opened)
	}
	fits(t, p.World, r)
	if err := r.Teleport(geom.Pose2{}); err != nil {
		t.Fatal(err)
	}
	if err := p.AddPerson(walker("a", geom.Vec2{X: 2})); err != nil {
		t.Fatal(err)
	}
	p.run(10 * time.Second)
	if p.Doors()[0].Opened < 0.7 {
		t.Errorf("the door closed to %g on a person", p.Doors()[0].Opened)
	}
	if err := p.RemovePerson("a"); err != nil {
		t.Fatal(err)
	}
	p.run(10 * time.Second)
	near(t, "the door at last", p.Doors()[0].Opened, 0, 0)
}

func TestClosedDoorStopsPerson(t *testing.T) {
	s := doorScene()
	w := walker("a", geom.Vec2{}, geom.Vec2{X: 4})
	w.Loop = false
	s.People = []scenes.Person{w}
	p := play(t, s, 1)
	for range 300 {
		p.run(100 * time.Millisecond)
		if x := p.where("a").X; x > 1.76 {
			t.Fatalf("the person is in the door: x %g", x)
		}
	}
	if err := p.SetDoor("d", true); err != nil {
		t.Fatal(err)
	}
	p.run(30 * time.Second)
	near(t, "x with the door open", p.where("a").X, 4, 1e-9)
}

// In the scenes that come with the program nobody walks through furniture, and the robot fits at the start and on the charger.
func TestBuiltinScenesAreWalkable(t *testing.T) {
	for _, name := range scenes.Names() {
		s := builtin(t, name)
		p := play(t, s, 1)
		for _, person := range s.People {
			for i, from := range person.Waypoints {
				leg := geom.Segment{A: from.Point(), B: person.Waypoints[(i+1)%len(person.Waypoints)].Point()}
				for k := range p.static.Len() {
					if wall := p.static.Wall(k); leg.Distance(wall.Segment) < person.Radius {
						t.Errorf("%s: %s walks through %v after waypoint %d", name, person.Name, p.things[wall.Owner], i+1)
					}
				}
				for _, c := range p.pillars {
					if leg.DistanceToPoint(c.center) < person.Radius+c.radius {
						t.Errorf("%s: %s walks through %v after waypoint %d", name, person.Name, c.Thing, i+1)
					}
				}
			}
		}
		r := p.add(Molly())
		if at, _ := p.Charger(); r.Teleport(at) != nil || !r.Docked() {
			t.Errorf("%s: the robot does not fit on the charger", name)
		}
	}
}
