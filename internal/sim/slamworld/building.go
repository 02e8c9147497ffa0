package slamworld

import (
	"fmt"
	"math"

	"sarathi/internal/geom"
	"sarathi/internal/sim/scenes"
)

// building is a floor plan with a round trip through it.
type building struct {
	scene scenes.Scene
	route []geom.Vec2 // closed: from the last point to the first
}

// Names are the buildings, in order.
func Names() []string { return []string{"ring", "hotel", "office", "warehouse"} }

func build(name string) (building, bool) {
	b := building{scene: scenes.Default()}
	b.scene.Name = name
	switch name {
	case "ring":
		b.ring()
	case "hotel":
		b.hotel()
	case "office":
		b.office()
	case "warehouse":
		b.warehouse()
	default:
		return building{}, false
	}
	return b, true
}

// wall adds a straight wall with gaps for doors: pairs of distances from its beginning.
func (b *building) wall(x0, y0, x1, y1 float64, gaps ...float64) {
	from, to := geom.Vec2{X: x0, Y: y0}, geom.Vec2{X: x1, Y: y1}
	length := from.Distance(to)
	at := 0.0
	for i := 0; i <= len(gaps); i += 2 {
		end := length
		if i < len(gaps) {
			end = gaps[i]
		}
		if end > at {
			p, q := from.Lerp(to, at/length), from.Lerp(to, end/length)
			w := scenes.Wall{Name: "wall", Points: [][2]float64{{p.X, p.Y}, {q.X, q.Y}}}
			w.SetDefaults()
			b.scene.Walls = append(b.scene.Walls, w)
		}
		if i+1 < len(gaps) {
			at = gaps[i+1]
		}
	}
}

// box adds a piece of furniture by its centre.
func (b *building) box(x, y, sx, sy float64) {
	o := scenes.Box{Name: fmt.Sprintf("box %d", len(b.scene.Boxes)), X: x, Y: y, Size: [2]float64{sx, sy}}
	o.SetDefaults()
	o.Height = 2
	b.scene.Boxes = append(b.scene.Boxes, o)
}

func (b *building) rectangle(x0, y0, x1, y1 float64) {
	b.wall(x0, y0, x1, y0)
	b.wall(x1, y0, x1, y1)
	b.wall(x1, y1, x0, y1)
	b.wall(x0, y1, x0, y0)
}

func (b *building) pass(points ...float64) {
	for i := 0; i+1 < len(points); i += 2 {
		b.route = append(b.route, geom.Vec2{X: points[i], Y: points[i+1]})
	}
}

func (b *building) ring() {
	const w, h, corridor, every = 34.0, 24.0, 2.0, 4.0
	b.rectangle(0, 0, w, h)
	b.rectangle(corridor, corridor, w-corridor, h-corridor)
	for x := every; x < w-corridor; x += every { // pilasters on the outer wall, cupboards on the inner one between them
		b.box(x, 0.15, 0.5, 0.3)
		b.box(x, h-0.15, 0.5, 0.3)
		if x+every/2 < w-corridor {
			b.box(x+every/2, corridor-0.1, 0.8, 0.2)
			b.box(x+every/2, h-corridor+0.1, 0.8, 0.2)
		}
	}
	for y := every; y < h-corridor; y += every {
		b.box(0.15, y, 0.3, 0.5)
		b.box(w-0.15, y, 0.3, 0.5)
		if y+every/2 < h-corridor {
			b.box(corridor-0.1, y+every/2, 0.2, 0.8)
			b.box(w-corridor+0.1, y+every/2, 0.2, 0.8)
		}
	}
	b.pass(1.05, 1.05, w-1.05, 1.05, w-1.05, h-1.05, 1.05, h-1.05)
}

func (b *building) hotel() {
	const (
		corridor, room, depth, rooms = 2.2, 4.0, 3.6, 9
		left, right                  = corridor, corridor + rooms*room
		low, high                    = corridor, corridor + 2*depth
		mid                          = corridor + depth
		door, wide                   = 2.4, 1.2 // where it begins in the wall of a room
	)
	b.rectangle(0, 0, right+corridor, high+corridor)
	var doors []float64
	for i := range rooms {
		doors = append(doors, float64(i)*room+door, float64(i)*room+door+wide)
	}
	b.wall(left, low, right, low, doors...)
	b.wall(left, high, right, high, doors...)
	b.wall(left, mid, right, mid)
	for i := range rooms + 1 {
		b.wall(left+float64(i)*room, low, left+float64(i)*room, high)
	}
	for i := range rooms {
		x := left + float64(i)*room
		b.box(x+0.5, low+2.4, 1, 2)   // beds
		b.box(x+0.5, high-2.4, 1, 2)  //
		b.box(x+3.4, mid-0.3, 1, 0.6) // desks
		b.box(x+3.4, mid+0.3, 1, 0.6)
		b.box(x+room/2, 0.1, 0.6, 0.2) // pilasters
		b.box(x+room/2, high+corridor-0.1, 0.6, 0.2)
	}
	// In and out of every third room.
	b.pass(1.1, 1.15)
	for i := 1; i < rooms; i += 3 {
		x := left + float64(i)*room + door + wide/2
		b.pass(x, 1.15, x, low+1.6, x, 1.15)
	}
	b.pass(right+1.1, 1.15, right+1.1, high+1.05)
	for i := rooms - 2; i >= 0; i -= 3 {
		x := left + float64(i)*room + door + wide/2
		b.pass(x, high+1.05, x, high-1.6, x, high+1.05)
	}
	b.pass(1.1, high+1.05)
}

func (b *building) office() {
	const columns, rows, w, h, wide = 4, 3, 6.0, 5.0, 1.3
	for i := range columns + 1 {
		var doors []float64
		for j := 0; j < rows && i > 0 && i < columns; j++ {
			at := float64(j)*h + 1
			doors = append(doors, at, at+wide)
		}
		b.wall(float64(i)*w, 0, float64(i)*w, rows*h, doors...)
	}
	for j := range rows + 1 {
		var doors []float64
		for i := 0; i < columns && j > 0 && j < rows; i++ {
			at := float64(i)*w + 1
			doors = append(doors, at, at+wide)
		}
		b.wall(0, float64(j)*h, columns*w, float64(j)*h, doors...)
	}
	for i := range columns {
		for j := range rows {
			x, y := float64(i)*w, float64(j)*h
			b.box(x+4.2, y+3.8, 1.6, 0.8)
			b.box(x+5.6, y+0.4, 0.5, 0.5)
			b.box(x+0.35, y+4.5, 0.5, 0.6)
		}
	}
	// The crossing of the lines through the doors is free in every room.
	at := func(i, j int) (x, y float64) { return float64(i)*w + 1 + wide/2, float64(j)*h + 1 + wide/2 }
	for _, c := range [][2]int{
		{0, 0}, {1, 0}, {2, 0}, {3, 0}, {3, 1}, {3, 2}, {2, 2}, {2, 1}, {1, 1}, {1, 2}, {0, 2}, {0, 1},
	} {
		b.pass(at(c[0], c[1]))
	}
}

func (b *building) warehouse() {
	const w, h, aisle, shelf, length, count = 32.0, 21.0, 2.2, 0.8, 11.0, 6
	b.rectangle(0, 0, w, h)
	const block = 3.0 // where the first shelf begins
	for s := range count {
		y := block + float64(s)*(aisle+shelf) + shelf/2
		b.box(2.6+length/2, y, length, shelf)
		b.box(w-2.6-length/2, y, length, shelf)
	}
	for x := 4.0; x < w; x += 6 { // pillars along the walls
		b.box(x, 0.15, 0.3, 0.3)
		b.box(x+1, h-0.15, 0.3, 0.3)
	}
	const left, middle, right = 1.3, w / 2, w - 1.3
	b.pass(left, 1.6)
	for s := range count - 1 {
		y := block + float64(s)*(aisle+shelf) + shelf + aisle/2
		from, to := left, middle
		if s%2 == 1 {
			from, to = middle, left
		}
		b.pass(from, y, to, y)
	}
	y := h - 1.3
	b.pass(middle, y, right, y)
	for s := count - 2; s >= 0; s -= 2 {
		y := block + float64(s)*(aisle+shelf) + shelf + aisle/2
		b.pass(right, y, middle, y)
		if below := y - aisle - shelf; below > block {
			b.pass(middle, below, right, below)
		}
	}
	b.pass(middle, 1.6)
}

// length is how long one round is [m].
func (b *building) length() float64 {
	sum := 0.0
	for i, p := range b.route {
		sum += p.Distance(b.route[(i+1)%len(b.route)])
	}
	return math.Round(sum)
}
