// Package velramp limits how fast a planar velocity may change, so that a body can follow it and keeps its path while it brakes.
//
// The package holds no state: the caller passes what was really sent last and gets what may be sent next. So nothing can wind
// up, and after a hard stop the ramp starts from zero by itself.
package velramp
