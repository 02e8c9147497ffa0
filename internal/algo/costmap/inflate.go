package costmap

import "math"

// kernel is the cost around one obstacle cell, row by row.
type kernel struct {
	radius int // [cells]
	rows   [][]uint8
	reach  []int // by row: how far left and right of the middle the cost is above 0; -1: nowhere
}

func newKernel(cfg Config, resolution float64) kernel {
	const rounding = 1e-9 // of distances [m]
	inscribed := cfg.Footprint.Inradius() + rounding
	cfg.InflationRadius += rounding
	k := kernel{radius: int(math.Ceil(cfg.InflationRadius / resolution))}
	for dy := -k.radius; dy <= k.radius; dy++ {
		row, reach := make([]uint8, 2*k.radius+1), -1
		for dx := -k.radius; dx <= k.radius; dx++ {
			c := costAt(resolution*math.Sqrt(float64(dx*dx+dy*dy)), inscribed, cfg)
			if row[dx+k.radius] = c; c > 0 {
				reach = max(reach, dx)
			}
		}
		k.rows, k.reach = append(k.rows, row), append(k.reach, reach)
	}
	return k
}

// costAt is the cost at a distance from the middle of an obstacle cell (costmap_2d's inflation layer).
func costAt(distance, inscribed float64, cfg Config) uint8 {
	switch {
	case distance == 0:
		return Lethal
	case distance <= inscribed:
		return Inscribed
	case distance > cfg.InflationRadius:
		return Free
	}
	return max(1, uint8(float64(Dearest)*math.Exp(-cfg.Decay*(distance-inscribed))))
}

// stamp raises the costs in w around an obstacle.
func (m *Map) stamp(at Cell, w window) {
	k := &m.kernel
	for y := max(at.Y-k.radius, w.y0); y < min(at.Y+k.radius+1, w.y1); y++ {
		i := y - at.Y + k.radius
		reach := k.reach[i]
		x0, x1 := max(at.X-reach, w.x0), min(at.X+reach+1, w.x1)
		if x0 >= x1 {
			continue
		}
		costs := m.inflated[y*m.Width+x0 : y*m.Width+x1]
		kernel := k.rows[i][x0-at.X+k.radius:]
		kernel = kernel[:len(costs)]
		for j, c := range kernel {
			costs[j] = max(costs[j], c)
		}
	}
}

// rebuild makes the costs in w anew from all obstacles that reach there.
func (m *Map) rebuild(w window) {
	for y := w.y0; y < w.y1; y++ {
		clear(m.inflated[y*m.Width+w.x0 : y*m.Width+w.x1])
	}
	from := w.grow(m.kernel.radius, m.Geometry)
	for y := from.y0; y < from.y1; y++ {
		row := m.flags[y*m.Width : (y+1)*m.Width]
		for x := from.x0; x < from.x1; x++ {
			if row[x]&obstacle == 0 {
				continue
			}
			c := Cell{x, y}
			if !m.enclosed(c) {
				m.stamp(c, w)
			} else if x >= w.x0 && x < w.x1 && y >= w.y0 && y < w.y1 {
				m.inflated[y*m.Width+x] = Lethal
			}
		}
	}
	m.merge(w)
}

// enclosed reports whether all four neighbours are obstacles: then one of them is nearer to whatever is outside.
func (m *Map) enclosed(c Cell) bool {
	i := m.Index(c)
	return c.X > 0 && c.Y > 0 && c.X+1 < m.Width && c.Y+1 < m.Height &&
		m.flags[i-1]&obstacle != 0 && m.flags[i+1]&obstacle != 0 && m.flags[i-m.Width]&obstacle != 0 && m.flags[i+m.Width]&obstacle != 0
}

// merge makes the costs in w from what obstacles, people and the unknown say.
func (m *Map) merge(w window) {
	for y := w.y0; y < w.y1; y++ {
		for i := y*m.Width + w.x0; i < y*m.Width+w.x1; i++ {
			c := m.inflated[i]
			if m.flags[i]&unknown != 0 && c < Inscribed {
				m.costs[i] = Unknown
				continue
			}
			m.costs[i] = max(c, m.soft[i])
		}
	}
}

// update brings the costs in line with the obstacles in added and gone, and empties both.
func (m *Map) update() {
	r := m.kernel.radius
	for _, w := range m.regions(m.gone, r) {
		m.rebuild(w)
	}
	for _, c := range m.added {
		m.stamp(c, m.all())
	}
	for _, w := range m.regions(m.added, r) {
		m.merge(w)
	}
	m.added, m.gone = m.added[:0], m.gone[:0]
}

// regions covers the surroundings of cells with few windows: those that a common window would hardly make larger are taken together.
func (m *Map) regions(cells []Cell, radius int) []window {
	var out []window
	for _, c := range cells {
		w := window{c.X, c.Y, c.X + 1, c.Y + 1}.grow(radius, m.Geometry)
		for i := 0; i < len(out); {
			joint := out[i].union(w)
			if joint.area() > out[i].area()+w.area() {
				i++
				continue
			}
			w = joint
			out = append(out[:i], out[i+1:]...)
			i = 0
		}
		out = append(out, w)
	}
	return out
}
