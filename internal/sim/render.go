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
	color       color.RGBA
	tag         *tag
	right       float64 // where the column cuts the tag, from its centre to the right [m]
}

// render paints column by column, from far to near: floor and ceiling, then everything upright.
func (r *Robot) render(img *image.RGBA) {
	c := r.camera
	k := c.spec.Intrinsics()
	lens := r.pose.Mul(c.spec.Mount.pose())
	eye := geom.Vec3{X: lens.X, Y: lens.Y, Z: r.spec.BaseHeight + c.spec.Mount.Z}
	near := r.nearTags(eye.XY())
	for u := range k.Width {
		side := (float64(u) + 0.5 - k.CX) / k.FX
		ahead := 1 / math.Hypot(1, side) // depth per distance in the floor plan
		dir := geom.Vec2{X: ahead, Y: -side * ahead}.Rotate(lens.Theta)
		r.collectPanes(eye, dir, k, ahead, near)
		background(img, u, k, eye.Z)
		for i := len(c.panes) - 1; i >= 0; i-- {
			paint(img, u, k, eye.Z, ahead, &c.panes[i])
		}
	}
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
func (r *Robot) collectPanes(eye geom.Vec3, dir geom.Vec2, k Intrinsics, ahead float64, tags []*tag) {
	c := r.camera
	c.panes = c.panes[:0]
	view := raycast.View{Z: eye.Z, Low: -(float64(k.Height) - k.CY) / k.FY * ahead, High: k.CY / k.FY * ahead}
	w := r.world
	w.hits = w.lineOfSight(w.hits[:0], eye.XY(), dir, viewDistance, view, r, func(kind Kind, t, bottom, top float64) {
		c.panes = append(c.panes, pane{t: t, bottom: bottom, top: top, color: dim(kind.color(), t)})
	})
	for _, t := range tags {
		half := t.right().Scale(t.overall() / 2)
		center := geom.Vec2{X: t.X, Y: t.Y}
		d := raycast.Segment(eye.XY(), dir, geom.Segment{A: center.Sub(half), B: center.Add(half)})
		if d >= viewDistance {
			continue
		}
		c.panes = append(c.panes, pane{
			t: d - gloss, bottom: t.Z - t.overall()/2, top: t.Z + t.overall()/2, tag: t,
			right: eye.XY().Add(dir.Scale(d)).Sub(center).Dot(t.right()),
		})
	}
	slices.SortStableFunc(c.panes, func(a, b pane) int { return cmp.Compare(a.t, b.t) })
}

// paint draws one pane into its column.
func paint(img *image.RGBA, u int, k Intrinsics, z, ahead float64, p *pane) {
	depth := max(p.t*ahead, 1e-3)
	row := func(height float64) float64 { return k.CY - (height-z)*k.FY/depth }
	// A row belongs to the pane when its middle does.
	first := int(math.Ceil(min(max(row(p.top)-0.5, 0), float64(k.Height))))
	last := int(math.Ceil(min(max(row(p.bottom)-0.5, 0), float64(k.Height))))
	for v := first; v < last; v++ {
		c := p.color
		if p.tag != nil {
			down := p.tag.Z - (z - (float64(v)+0.5-k.CY)*depth/k.FY)
			white, inside := p.tag.white(p.right, down)
			switch {
			case !inside:
				continue
			case white:
				c = dim(color.RGBA{250, 250, 250, 255}, p.t)
			default:
				c = dim(color.RGBA{12, 12, 12, 255}, p.t)
			}
		}
		set(img, u, v, c)
	}
}

// background is the floor below the horizon and the ceiling above it.
func background(img *image.RGBA, u int, k Intrinsics, z float64) {
	for v := range k.Height {
		drop := (float64(v) + 0.5 - k.CY) / k.FY
		if drop > 0 {
			set(img, u, v, dim(color.RGBA{126, 112, 96, 255}, min(z/drop, viewDistance)))
		} else {
			set(img, u, v, dim(color.RGBA{224, 226, 228, 255}, min((fenceHeight-min(z, fenceHeight))/max(-drop, 1e-3), viewDistance)))
		}
	}
}

// color is what things of a kind look like.
func (k Kind) color() color.RGBA {
	switch k {
	case KindBox:
		return color.RGBA{150, 104, 62, 255}
	case KindCircle:
		return color.RGBA{96, 128, 88, 255}
	case KindDoor:
		return color.RGBA{92, 120, 160, 255}
	case KindPerson:
		return color.RGBA{196, 84, 72, 255}
	case KindRobot:
		return color.RGBA{70, 70, 78, 255}
	case KindFence, KindMap, KindWall:
	}
	return color.RGBA{200, 196, 184, 255}
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
