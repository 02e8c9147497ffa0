package pursuit

import "sarathi/internal/geom"

// Progress is how far along a track the robot is. The zero value has not begun.
type Progress struct {
	begun bool
	s     float64 // [m]
}

// Way is the way from the start [m]; 0 before the first Update.
func (p *Progress) Way() float64 { return p.s }

// Begun reports whether the robot has been found on the track.
func (p *Progress) Begun() bool { return p.begun }

// Update finds the robot: first anywhere on the track, then within the window ahead. It returns the distance from the track [m], that of
// its nearest point around the progress.
func (p *Progress) Update(t *Track, pose geom.Pose2, cfg Config) float64 {
	if !p.begun {
		const first = 1 // [m] weight of the heading when the robot may be anywhere
		p.s, _ = t.nearest(pose, 0, t.Length(), first)
		p.begun = true
	} else {
		s, _ := t.nearest(pose, p.s, min(p.s+cfg.Window, t.Length()), cfg.HeadingWeight)
		p.s = max(p.s, s)
	}
	_, distance := t.nearest(pose, max(p.s-cfg.Window, 0), min(p.s+cfg.Window, t.Length()), 0)
	return distance
}

// Jump sets the way from the start [m], forwards only: where the robot stood at a stop point that it could not reach exactly.
func (p *Progress) Jump(s float64) { p.s = max(p.s, s) }

// Begin puts the robot at the start of the track: a loop goes on.
func (p *Progress) Begin() { p.s, p.begun = 0, true }
