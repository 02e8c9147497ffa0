package slam

import (
	"sarathi/internal/algo/scanmatch"
	"sarathi/internal/geom"
)

// canvas is the map of all keyframes. It is drawn anew only when the graph has moved what is on it.
type canvas struct {
	grid  *scanmatch.Grid
	poses []geom.Pose2 // at which the first keyframes are drawn
}

// Map is the map of all keyframes as it is known now.
func (e *Engine) Map() scanmatch.Raster {
	c := &e.canvas
	if c.grid == nil || c.moved(e.poses, e.cfg.Resolution/2) {
		if c.grid == nil {
			c.grid = scanmatch.NewGrid(e.cfg.Resolution, e.cfg.Reach)
		}
		c.grid.Reset()
		c.grid.BeginBulk() // its distance field is never needed
		c.poses = c.poses[:0]
	}
	for i := len(c.poses); i < len(e.poses); i++ {
		c.grid.Insert(e.poses[i], &e.frames[i].scan)
		c.poses = append(c.poses, e.poses[i])
	}
	return c.grid.Raster()
}

// moved says whether a keyframe lies more than by [m], or as much as that is some metres away, from where it was drawn.
func (c *canvas) moved(poses []geom.Pose2, by float64) bool {
	const lever = 5 // [m]
	for i, p := range c.poses {
		if d, a := size(p.Between(poses[i])); d > by || a*lever > by {
			return true
		}
	}
	return false
}
