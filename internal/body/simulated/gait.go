package simulated

import (
	"math"

	"sarathi/internal/geom"
)

// jointsPerLeg are hip (about x), thigh and calf (about y), as on every quadruped of this size.
const jointsPerLeg = 3

// Angles of a leg [rad] that stands and one that is folded under a sitting body, and how far a step swings.
const (
	thighStanding, calfStanding = 0.75, -1.5
	thighSitting, calfSitting   = 1.3, -2.65
	strideThigh                 = 0.35
	strideCalf                  = 0.45
	strideHip                   = 0.15
	stride                      = 0.35 // m that one step covers
)

// gait is a trot: diagonal legs swing together, in step with the way that the body goes.
type gait struct {
	phase  float64 // of the first leg, in steps
	wheels []float64
}

func newGait(j Joints) *gait { return &gait{wheels: make([]float64, len(j.Wheels))} }

// step lets the legs and wheels follow a motion at v for dt seconds.
func (g *gait) step(j Joints, v geom.Velocity, dt float64) {
	const turning = 0.25 // m that a foot goes for a radian of turning
	g.phase = math.Mod(g.phase+(v.Speed()+turning*math.Abs(v.WZ))*dt/stride, 2)
	for i := range g.wheels {
		side := 1 - 2*float64(i%2) // left, right
		g.wheels[i] = geom.NormalizeAngle(g.wheels[i] + (v.VX-side*v.WZ*j.Track/2)*dt/j.WheelRadius)
	}
}

// angles appends the joints of all legs, then the wheels. height is 0 sitting to 1 standing. Legs with wheels do not step.
func (g *gait) angles(dst []float64, j Joints, v geom.Velocity, height float64) []float64 {
	amount := min(1, v.Speed()/0.3+math.Abs(v.WZ)/0.5) * height
	if len(j.Wheels) > 0 {
		amount = 0
	}
	forward := 1.0
	if v.VX < 0 {
		forward = -1
	}
	for i := range j.Legs {
		phase := g.phase
		if i == 1 || i == 2 { // the other diagonal
			phase++
		}
		swing, lift := math.Sincos(math.Pi * phase)
		hip := amount * strideHip * swing * max(-1, min(1, v.VY/0.3))
		thigh := thighSitting + (thighStanding-thighSitting)*height + amount*strideThigh*swing*forward
		calf := calfSitting + (calfStanding-calfSitting)*height - amount*strideCalf*max(0, lift)
		dst = append(dst, hip, thigh, calf)
	}
	return append(dst, g.wheels...)
}

// names are the joints in the order of angles.
func (j Joints) names() []string {
	var out []string
	for _, leg := range j.Legs {
		out = append(out, leg+"_hip_joint", leg+"_thigh_joint", leg+"_calf_joint")
	}
	return append(out, j.Wheels...)
}
