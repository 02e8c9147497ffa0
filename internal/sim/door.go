package sim

import (
	"fmt"
	"time"

	"sarathi/internal/geom"
	"sarathi/internal/sim/scenes"
)

// door is a leaf that slides.
type door struct {
	Thing
	from, to geom.Vec2
	height   float64
	rate     float64 // part of the way per tick
	shut     float64 // 1 closed, 0 open
	open     bool    // what it strives for
	schedule []scenes.DoorEvent
	repeat   time.Duration
	event    int64 // number of the schedule's event that was obeyed last, counted through all repetitions; -1 before the first
}

// stub is the length below which a leaf has vanished in its wall [m].
const stub = 0.02

func newDoor(d scenes.Door) *door {
	n := &door{
		Thing: Thing{KindDoor, d.Name}, from: point(d.From), to: point(d.To), height: d.Height, rate: 1,
		open: d.Open, schedule: d.Schedule, repeat: d.Repeat, event: -1,
	}
	if d.Travel > 0 {
		n.rate = min(1, float64(Tick)/float64(d.Travel))
	}
	if !d.Open {
		n.shut = 1
	}
	return n
}

// leaf is the part of the doorway that is closed; false when there is none.
func (d *door) leaf() (geom.Segment, bool) { return d.leafAt(d.shut) }

func (d *door) leafAt(shut float64) (geom.Segment, bool) {
	s := geom.Segment{A: d.from, B: d.from.Lerp(d.to, shut)}
	return s, s.A.Distance(s.B) > stub
}

func (d *door) step(w *World) {
	d.obey(w.Elapsed())
	var next float64
	switch {
	case d.open && d.shut > 0:
		next = max(0, d.shut-d.rate)
	case !d.open && d.shut < 1:
		next = min(1, d.shut+d.rate)
	default:
		return
	}
	if leaf, ok := d.leafAt(next); ok && next > d.shut && w.inDoorway(leaf) {
		return
	}
	d.shut = next
}

// obey follows the schedule: the event that began last counts once, so that whoever works the door by hand keeps it until the
// next one.
func (d *door) obey(now time.Duration) {
	n := int64(len(d.schedule))
	if n == 0 {
		return
	}
	round, phase := int64(0), now
	if d.repeat > 0 {
		round, phase = int64(now/d.repeat), now%d.repeat
	}
	due := round*n - 1
	for _, e := range d.schedule {
		if e.At <= phase {
			due++
		}
	}
	if due > d.event {
		d.event = due
		d.open = d.schedule[due%n].Open
	}
}

// inDoorway reports whether a robot or a person stands where a leaf is about to be.
func (w *World) inDoorway(leaf geom.Segment) bool {
	for _, r := range w.robots {
		if r.outline.IntersectsSegment(leaf) {
			return true
		}
	}
	for _, p := range w.people {
		if leaf.DistanceToPoint(p.pos) <= p.radius {
			return true
		}
	}
	return false
}

// DoorState is a door at a moment.
type DoorState struct {
	Name   string
	Opened float64 // 0 closed, 1 open
	Leaf   geom.Segment
}

// Doors are all doors in the order of the scene.
func (w *World) Doors() []DoorState {
	out := make([]DoorState, len(w.doors))
	for i, d := range w.doors {
		leaf, _ := d.leaf()
		out[i] = DoorState{d.Name, 1 - d.shut, leaf}
	}
	return out
}

// SetDoor lets a door open or close; its schedule takes over again at its next event.
func (w *World) SetDoor(name string, open bool) error {
	for _, d := range w.doors {
		if d.Name == name {
			d.open = open
			return nil
		}
	}
	return fmt.Errorf("there is no door %q", name)
}
