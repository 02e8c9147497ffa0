package costmap

import (
	"math"

	"sarathi/internal/geom"
)

// Person is somebody near the robot, in the map frame.
type Person struct {
	Position geom.Vec2 // [m]
	Velocity geom.Vec2 // [m/s]
}

// SetPeople replaces where people are and will be: costs along their way, dearest where they are now. They are no obstacles: what the
// scans see of them is. Who is not finite is left out.
func (m *Map) SetPeople(people []Person) {
	old := m.people
	for y := old.y0; y < old.y1; y++ {
		clear(m.soft[y*m.Width+old.x0 : y*m.Width+old.x1])
	}
	m.people = window{}
	horizon := m.cfg.PersonHorizon.Seconds()
	for _, p := range people {
		if !p.Position.IsFinite() || !p.Velocity.IsFinite() {
			continue
		}
		// Discs half a radius apart leave no gaps.
		steps := 0
		if way := p.Velocity.Norm() * horizon; way > 0 {
			steps = int(math.Ceil(min(way, maxWay) / (m.cfg.PersonRadius/2 + m.Resolution)))
		}
		for i := range steps + 1 {
			ahead := float64(i) / float64(max(steps, 1))
			reach := p.Velocity.Scale(horizon * ahead)
			if n := reach.Norm(); n > maxWay {
				reach = reach.Scale(maxWay / n)
			}
			m.disc(p.Position.Add(reach), uint8(float64(m.cfg.PersonCost)*(1-ahead/2)))
		}
	}
	if !old.empty() {
		m.merge(old)
	}
	if !m.people.empty() {
		m.merge(m.people)
	}
}

// maxWay is the longest way that is expected of anybody within the horizon [m].
const maxWay = 10

// disc raises the soft costs around a point.
func (m *Map) disc(center geom.Vec2, cost uint8) {
	c, n := m.Cell(center), int(math.Ceil(m.cfg.PersonRadius/m.Resolution))
	if !m.Holds(c) {
		return
	}
	w := window{c.X, c.Y, c.X + 1, c.Y + 1}.grow(n, m.Geometry)
	for y := w.y0; y < w.y1; y++ {
		for x := w.x0; x < w.x1; x++ {
			dx, dy := float64(x-c.X)*m.Resolution, float64(y-c.Y)*m.Resolution
			if dx*dx+dy*dy <= m.cfg.PersonRadius*m.cfg.PersonRadius {
				m.soft[y*m.Width+x] = max(m.soft[y*m.Width+x], cost)
			}
		}
	}
	m.people = m.people.union(w)
}
