package teleop

import (
	"math"

	"sarathi/internal/geom"
	"sarathi/internal/rosconv"
	"sarathi/msg/sensor"
	"sarathi/teleop"
)

// A packer thins clouds out and packs them. It keeps its memory from cloud to cloud.
type packer struct {
	edge float64 // of a voxel [m]
	most int     // points
	seen map[voxel]struct{}
	kept []geom.Vec3
}

type voxel struct{ x, y, z int32 }

func newPacker(cfg Lidar) *packer {
	return &packer{edge: cfg.Voxel, most: cfg.Points, seen: map[voxel]struct{}{}}
}

// pack returns the points of a cloud as the lidar stream carries them: of each voxel of the base frame the first point, and of those,
// when they are too many, evenly spaced ones. baseTcloud maps the cloud into the base frame.
func (p *packer) pack(m *sensor.PointCloud2, baseTcloud geom.Transform) ([]byte, error) {
	cloud, err := rosconv.NewCloud(m)
	if err != nil {
		return nil, err
	}
	clear(p.seen)
	p.kept = p.kept[:0]
	rows := matrix(baseTcloud)
	for i := range cloud.Len() {
		x, y, z := cloud.At(i)
		at := rows.apply(float64(x), float64(y), float64(z))
		v, ok := p.voxel(at)
		if !ok {
			continue
		}
		if _, known := p.seen[v]; !known {
			p.seen[v] = struct{}{}
			p.kept = append(p.kept, at)
		}
	}
	n := min(len(p.kept), p.most)
	out := make([]byte, 0, n*teleop.LidarPointSize)
	for i := range n {
		at := p.kept[i*len(p.kept)/n]
		out = teleop.AppendLidarPoint(out, at.X, at.Y, at.Z)
	}
	return out, nil
}

// farthest is what the stream can carry [m].
const farthest = math.MaxInt16 / 100.0

// voxel returns the cube a point is in; ok is false for points that the stream cannot carry.
func (p *packer) voxel(at geom.Vec3) (v voxel, ok bool) {
	if !(math.Abs(at.X) <= farthest && math.Abs(at.Y) <= farthest && math.Abs(at.Z) <= farthest) {
		return voxel{}, false
	}
	return voxel{int32(math.Floor(at.X / p.edge)), int32(math.Floor(at.Y / p.edge)), int32(math.Floor(at.Z / p.edge))}, true
}

// affine is a transform as three rows of a matrix, which is quicker to apply to many points than a quaternion.
type affine struct{ x, y, z, t geom.Vec3 }

func matrix(t geom.Transform) affine {
	return affine{
		t.R.Rotate(geom.Vec3{X: 1}), t.R.Rotate(geom.Vec3{Y: 1}), t.R.Rotate(geom.Vec3{Z: 1}), t.T,
	}
}

func (a *affine) apply(x, y, z float64) geom.Vec3 {
	return geom.Vec3{
		X: a.x.X*x + a.y.X*y + a.z.X*z + a.t.X,
		Y: a.x.Y*x + a.y.Y*y + a.z.Y*z + a.t.Y,
		Z: a.x.Z*x + a.y.Z*y + a.z.Z*z + a.t.Z,
	}
}
