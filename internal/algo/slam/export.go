package slam

import (
	"fmt"

	"sarathi/internal/algo/mapfile"
	"sarathi/internal/algo/scanmatch"
)

// MapFile is a map in the form that map files are written from. Occupancy is as sure as it is; what nobody has seen is unknown.
func MapFile(r scanmatch.Raster) *mapfile.Map {
	m := &mapfile.Map{Width: r.Width, Height: r.Height, Cells: r.Cells}
	m.Meta.Resolution = r.Resolution
	m.Meta.Origin.X, m.Meta.Origin.Y = r.Origin.X, r.Origin.Y
	return m
}

// AppendText appends a trajectory as lines `t x y theta`, in seconds, metres and radians, which package slameval reads.
func AppendText(dst []byte, trajectory []Sample) []byte {
	for _, s := range trajectory {
		dst = fmt.Appendf(dst, "%.6f %.6f %.6f %.6f\n", s.Time, s.Pose.X, s.Pose.Y, s.Pose.Theta)
	}
	return dst
}

// AppendTUM appends a trajectory as lines `t x y z qx qy qz qw`, the format of the TUM RGB-D benchmark, which evo and others read.
func AppendTUM(dst []byte, trajectory []Sample) []byte {
	for _, s := range trajectory {
		q := s.Pose.Transform().R
		dst = fmt.Appendf(dst, "%.6f %.6f %.6f 0 0 0 %.9f %.9f\n", s.Time, s.Pose.X, s.Pose.Y, q.Z, q.W)
	}
	return dst
}
