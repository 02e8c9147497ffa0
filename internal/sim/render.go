package sim

import (
	"cmp"
	"image"
	"image/color"
	"math"
	"slices"

	"sarathi/internal/geom"
	"sarathi/internal/sim/raycast"
)

const (
	viewDistance = 40    // how far the camera sees [m]
	gloss        = 0.005 // by how much a tag stands out from its wall [m]
)

// pane is an upright strip of one image column: something at a distance, or a tag's section.
type pane struct {
	t           float64 // in the floor plan
	bottom, top float64
	kind        Kind
	along       float64 // place on the surface, for its texture [m]
	tag         *tag
	cuts        [samples]cut // where parts of the column cut the tag
}

// cut is where a line of sight cuts the plane of a tag.
type cut struct {
	depth float64 // along the camera's axis [m]
	right float64 // from the tag's centre to the right [m]
}

// samples by samples lines of sight make a pixel of a tag, whose edges must be where they are to a fraction of a pixel.
const samples = 4

// render paints column by column, from far to near: floor and ceiling, then everything upright.
func (r *Robot) render(img *image.RGBA) {
	c := r.camera
	k := c.spec.Intrinsics()
	lens := r.pose.Mul(c.spec.Mount.pose())
	eye := geom.Vec3{X: lens.X, Y: lens.Y, Z: r.spec.BaseHeight + c.spec.Mount.Z}
	near := r.nearTags(eye.XY())
	for u := range k.Width {
		axis := column{k: k, u: float64(u) + 0.5, eye: eye, heading: lens.Theta}
		r.collectPanes(axis, near)
		background(img, u, axis)
		for i := len(c.panes) - 1; i >= 0; i-- {
			if p := &c.panes[i]; p.tag != nil {
				paintTag(img, u, axis, p)
			} else {
				paint(img, u, axis, p)
			}
		}
	}
}

// column is a plane of lines of sight.
type column struct {
	k       Intrinsics
	u       float64 // [px]
	eye     geom.Vec3
	heading float64 // of the camera's axis
}

// ray returns the direction in the floor plan, and the depth along the camera's axis per distance in the floor plan.
func (c column) ray() (dir geom.Vec2, ahead float64) {
	side := (c.u - c.k.CX) / c.k.FX
	ahead = 1 / math.Hypot(1, side)
	return geom.Vec2{X: ahead, Y: -side * ahead}.Rotate(c.heading), ahead
}

// height returns the height of what a row shows at a depth [m]; row its inverse.
func (c column) height(v, depth float64) float64   { return c.eye.Z - (v-c.k.CY)*depth/c.k.FY }
func (c column) row(height, depth float64) float64 { return c.k.CY - (height-c.eye.Z)*c.k.FY/depth }

// rows returns the rows whose middle lies between two heights at a depth.
func (c column) rows(bottom, top, depth float64) (first, last int) {
	return int(math.Ceil(min(max(c.row(top, depth)-0.5, 0), float64(c.k.Height)))),
		int(math.Ceil(min(max(c.row(bottom, depth)-0.5, 0), float64(c.k.Height))))
}

// nearTags are the tags that could be seen from a point.
func (r *Robot) nearTags(eye geom.Vec2) []*tag {
	var out []*tag
	for i := range r.world.tags {
		t := &r.world.tags[i]
		if d := eye.Sub(geom.Vec2{X: t.X, Y: t.Y}); d.Dot(t.normal) > 0 && d.Norm() < viewDistance {
			out = append(out, t)
		}
	}
	return out
}

// collectPanes lists what one column shows, nearest first.
func (r *Robot) collectPanes(axis column, tags []*tag) {
	c, k := r.camera, axis.k
	c.panes = c.panes[:0]
	dir, ahead := axis.ray()
	from := axis.eye.XY()
	view := raycast.View{Z: axis.eye.Z, Low: -(float64(k.Height) - k.CY) / k.FY * ahead, High: k.CY / k.FY * ahead}
	w := r.world
	w.hits = w.lineOfSight(w.hits[:0], from, dir, viewDistance, view, r, func(kind Kind, t, bottom, top float64) {
		at := from.Add(dir.Scale(t))
		c.panes = append(c.panes, pane{t: t, bottom: bottom, top: top, kind: kind, along: at.X + 0.73*at.Y})
	})
	for _, t := range tags {
		if p, ok := axis.tagPane(t); ok {
			c.panes = append(c.panes, p)
		}
	}
	slices.SortStableFunc(c.panes, func(a, b pane) int { return cmp.Compare(a.t, b.t) })
}

// tagPane returns the section of a tag that a column shows.
func (c column) tagPane(t *tag) (p pane, ok bool) {
	half := t.right().Scale(t.overall() / 2)
	center := geom.Vec2{X: t.X, Y: t.Y}
	across := geom.Segment{A: center.Sub(half), B: center.Add(half)}
	dir, _ := c.ray()
	d := raycast.Segment(c.eye.XY(), dir, across)
	if d >= viewDistance {
		return p, false
	}
	p = pane{t: d - gloss, bottom: t.Z - t.overall()/2, top: t.Z + t.overall()/2, tag: t}
	to := center.Sub(c.eye.XY()).Dot(t.normal)
	for i := range p.cuts {
		part := c
		part.u += (float64(i)+0.5)/samples - 0.5
		dir, ahead := part.ray()
		// The plane of the tag, also where the part runs beside it.
		d := to / dir.Dot(t.normal)
		p.cuts[i] = cut{d * ahead, c.eye.XY().Add(dir.Scale(d)).Sub(center).Dot(t.right())}
	}
	return p, true
}

// paint draws one pane into its column.
func paint(img *image.RGBA, u int, axis column, p *pane) {
	_, ahead := axis.ray()
	depth := max(p.t*ahead, 1e-3)
	first, last := axis.rows(p.bottom, p.top, depth)
	for v := first; v < last; v++ {
		set(img, u, v, dim(p.kind.texture(p.along, axis.height(float64(v)+0.5, depth)), p.t))
	}
}

// paintTag draws the section of a tag; pixels at its edge keep a part of what is there.
func paintTag(img *image.RGBA, u int, axis column, p *pane) {
	_, ahead := axis.ray()
	first, last := axis.rows(p.bottom, p.top, max(p.t*ahead, 1e-3))
	white, black := dim(color.RGBA{250, 250, 250, 255}, p.t), dim(color.RGBA{12, 12, 12, 255}, p.t)
	for v := max(first-1, 0); v < min(last+1, axis.k.Height); v++ {
		whites, blacks := 0, 0
		for _, cut := range p.cuts {
			for i := range samples {
				height := axis.height(float64(v)+(float64(i)+0.5)/samples, cut.depth)
				switch isWhite, inside := p.tag.white(cut.right, p.tag.Z-height); {
				case inside && isWhite:
					whites++
				case inside:
					blacks++
				}
			}
		}
		mix(img, u, v, white, whites, black, blacks)
	}
}

// mix replaces a part of a pixel, in samples², by two colours.
func mix(img *image.RGBA, u, v int, a color.RGBA, n int, b color.RGBA, m int) {
	const all = samples * samples
	p := img.Pix[img.PixOffset(u, v):]
	p[0] = uint8((int(p[0])*(all-n-m) + int(a.R)*n + int(b.R)*m) / all)
	p[1] = uint8((int(p[1])*(all-n-m) + int(a.G)*n + int(b.G)*m) / all)
	p[2] = uint8((int(p[2])*(all-n-m) + int(a.B)*n + int(b.B)*m) / all)
}

// background is the floor below the horizon and the ceiling above it.
func background(img *image.RGBA, u int, axis column) {
	k, z := axis.k, axis.eye.Z
	dir, ahead := axis.ray()
	for v := range k.Height {
		drop := (float64(v) + 0.5 - k.CY) / k.FY
		if drop > 0 {
			depth := min(z/drop, viewDistance)
			at := axis.eye.XY().Add(dir.Scale(depth / ahead))
			set(img, u, v, dim(floorTexture(at), depth))
		} else {
			set(img, u, v, dim(color.RGBA{224, 226, 228, 255}, min((fenceHeight-min(z, fenceHeight))/max(-drop, 1e-3), viewDistance)))
		}
	}
}

// dim darkens with distance, so that edges between like things are seen.
func dim(c color.RGBA, distance float64) color.RGBA {
	f := 1 / (1 + 0.06*distance)
	return color.RGBA{uint8(float64(c.R) * f), uint8(float64(c.G) * f), uint8(float64(c.B) * f), 255}
}

func set(img *image.RGBA, u, v int, c color.RGBA) {
	p := img.Pix[img.PixOffset(u, v):]
	p[0], p[1], p[2], p[3] = c.R, c.G, c.B, 255
}
