package costmap

import (
	"fmt"
	"math"
	"slices"
	"time"

	"sarathi/internal/geom"
)

// flags of a cell: what makes its cost.
const (
	occupied  uint8 = 1 << iota // by the static map
	unknown                     // to the static map
	marked                      // by live scans
	keptOut                     // by the mask
	seenNow                     // by the scan that is being added
	explained                   // a return here is a wall of the static map

	obstacle = occupied | marked | keptOut
)

// mark is a live obstacle.
type mark struct {
	cell Cell
	seen time.Time
}

// Map is a costmap. Use [New].
type Map struct {
	Geometry

	cfg      Config
	kernel   kernel
	reach    float64 // [m] circumscribed radius of the footprint
	flags    []uint8
	inflated []uint8 // by obstacles alone
	soft     []uint8 // by people
	costs    []uint8 // all together
	speed    []uint8 // percent; nil: 100 everywhere

	marks  []mark // in the order they were made
	people window // where soft is not 0

	added, gone []Cell // scratch: changes of the obstacles under way
}

// New returns the costmap of a static map: occupancy in the layout of nav_msgs/OccupancyGrid, where 65 and more is occupied and -1, or
// anything else out of 0..100, is unknown. Values between count as free below 25 and as unknown above, as with maps of mode trinary.
func New(cfg Config, g Geometry, occupancy []int8) (*Map, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if err := g.Validate(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	n := g.Width * g.Height
	if len(occupancy) != n {
		return nil, fmt.Errorf("%w: %d values for %d × %d cells", ErrConfig, len(occupancy), g.Width, g.Height)
	}
	m := &Map{Geometry: g, cfg: cfg, kernel: newKernel(cfg, g.Resolution), reach: cfg.Footprint.Circumradius()}
	m.flags, m.inflated, m.soft, m.costs = make([]uint8, n), make([]uint8, n), make([]uint8, n), make([]uint8, n)
	for i, v := range occupancy {
		m.flags[i] = staticFlags(v)
	}
	m.explain()
	m.rebuild(m.all())
	return m, nil
}

func staticFlags(occupancy int8) uint8 {
	const (
		freeBelow    = 25
		occupiedFrom = 65
	)
	switch {
	case occupancy >= 0 && occupancy <= freeBelow:
		return 0
	case occupancy >= occupiedFrom && occupancy <= 100:
		return occupied
	}
	return unknown
}

// explain flags what is occupied, and what touches it.
func (m *Map) explain() {
	for y := range m.Height {
		for x := range m.Width {
			if m.flags[y*m.Width+x]&occupied == 0 {
				continue
			}
			for b := max(y-1, 0); b <= min(y+1, m.Height-1); b++ {
				for a := max(x-1, 0); a <= min(x+1, m.Width-1); a++ {
					m.flags[b*m.Width+a] |= explained
				}
			}
		}
	}
}

func (m *Map) all() window { return window{0, 0, m.Width, m.Height} }

// Config is what the map was made with.
func (m *Map) Config() Config { return m.cfg }

// Costs are the costs of all cells, row by row from the bottom. They belong to the map and change with it.
func (m *Map) Costs() []uint8 { return m.costs }

// At is the cost of a cell; Unknown outside the map.
func (m *Map) At(c Cell) uint8 {
	if !m.Holds(c) {
		return Unknown
	}
	return m.costs[m.Index(c)]
}

// Solid reports whether something stands in a cell that the robot would hit: a wall, or what the scans saw. A zone that is kept out is
// not solid: the robot may leave it.
func (m *Map) Solid(c Cell) bool { return m.Holds(c) && m.flags[m.Index(c)]&(occupied|marked) != 0 }

// Marks is how many live obstacles there are.
func (m *Map) Marks() int { return len(m.marks) }

// SpeedScale is how much of its speed the robot may use at a point of the map frame, 0 to 1.
func (m *Map) SpeedScale(p geom.Vec2) float64 {
	c := m.Cell(p)
	if m.speed == nil || !m.Holds(c) {
		return 1
	}
	return float64(m.speed[m.Index(c)]) / 100
}

// SetKeepOut forbids cells to the robot: it can leave them, never enter them. nil allows all.
func (m *Map) SetKeepOut(mask []bool) error {
	if mask != nil && len(mask) != len(m.flags) {
		return fmt.Errorf("%w: a keep-out mask of %d cells for a map of %d", ErrConfig, len(mask), len(m.flags))
	}
	for i := range m.flags {
		m.flags[i] &^= keptOut
		if mask != nil && mask[i] {
			m.flags[i] |= keptOut
		}
	}
	m.rebuild(m.all())
	return nil
}

// SetSpeed limits the speed, in percent by cell; more than 100 is 100. nil sets no limit.
func (m *Map) SetSpeed(percent []uint8) error {
	if percent != nil && len(percent) != len(m.flags) {
		return fmt.Errorf("%w: a speed mask of %d cells for a map of %d", ErrConfig, len(percent), len(m.flags))
	}
	m.speed = slices.Clone(percent)
	for i, v := range m.speed {
		m.speed[i] = min(v, 100)
	}
	return nil
}

// Snapshot copies what a planner needs, so that it can work while the map goes on changing: costs, and what is solid. It uses the memory of
// into, if that is a snapshot of a map of the same size. A snapshot cannot be changed.
func (m *Map) Snapshot(into *Map) *Map {
	if into == nil || len(into.costs) != len(m.costs) {
		into = &Map{costs: make([]uint8, len(m.costs)), flags: make([]uint8, len(m.flags))}
	}
	into.Geometry, into.cfg, into.reach = m.Geometry, m.cfg, m.reach
	copy(into.costs, m.costs)
	copy(into.flags, m.flags)
	return into
}

// ClearMarks forgets all live obstacles.
func (m *Map) ClearMarks() {
	for _, k := range m.marks {
		m.flags[m.Index(k.cell)] &^= marked
		m.gone = append(m.gone, k.cell)
	}
	m.marks = m.marks[:0]
	m.update()
}

// Collides reports whether a solid cell, or one that is not on the map, has its centre under the footprint at a pose.
func (m *Map) Collides(pose geom.Pose2) bool {
	box := m.cfg.Footprint.Transform(m.Origin.Between(pose)).Bounds()
	lo, hi := box.Min.Scale(1/m.Resolution), box.Max.Scale(1/m.Resolution)
	into := pose.Inverse()
	for y := toCell(lo.Y); y <= toCell(hi.Y); y++ {
		for x := toCell(lo.X); x <= toCell(hi.X); x++ {
			c := Cell{x, y}
			if (!m.Holds(c) || m.Solid(c)) && m.cfg.Footprint.Contains(into.Apply(m.Center(c))) {
				return true
			}
		}
	}
	return false
}

// Clearance is the distance from a point of the map frame to the middle of the nearest solid cell [m], limit when none is nearer.
func (m *Map) Clearance(p geom.Vec2, limit float64) float64 {
	c, n := m.Cell(p), int(math.Ceil(limit/m.Resolution))
	w := window{c.X, c.Y, c.X + 1, c.Y + 1}.grow(n, m.Geometry)
	least := limit
	for y := w.y0; y < w.y1; y++ {
		for x := w.x0; x < w.x1; x++ {
			if cell := (Cell{x, y}); m.Solid(cell) {
				least = min(least, m.Center(cell).Distance(p))
			}
		}
	}
	return least
}
