package planner

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"sarathi/internal/algo/costmap"
	"sarathi/internal/geom"
	"sarathi/internal/rosconv"
	"sarathi/msg/geometry"
	"sarathi/msg/nav"
	"sarathi/msg/sensor"
)

// Why nothing can be planned.
var (
	errNoPose = errors.New("the robot does not know where it is: localize it first")
	errNoMap  = errors.New("there is no map: load a site that has one")
)

// track is where the robot was lately.
type track struct {
	poses []stamped // oldest first
}

type stamped struct {
	at   time.Time
	pose geom.Pose2
}

// keptPoses is about a second of poses.
const keptPoses = 64

func (t *track) add(m *geometry.PoseWithCovarianceStamped) {
	p, err := rosconv.FromPose(m.Pose.Pose)
	at := rosconv.FromStamp(m.Header.Stamp)
	if err != nil || len(t.poses) > 0 && !at.After(t.poses[len(t.poses)-1].at) {
		return
	}
	if len(t.poses) == keptPoses {
		t.poses = append(t.poses[:0], t.poses[1:]...)
	}
	t.poses = append(t.poses, stamped{at, p.Pose2()})
}

// latest is the last pose, unless it is older than limit.
func (t *track) latest(now time.Time, limit time.Duration) (geom.Pose2, error) {
	if n := len(t.poses); n > 0 && now.Sub(t.poses[n-1].at) <= limit {
		return t.poses[n-1].pose, nil
	}
	return geom.Pose2{}, errNoPose
}

// at is where the robot was at a time between two poses.
func (t *track) at(when time.Time) (geom.Pose2, bool) {
	for i, p := range slices.Backward(t.poses) {
		if p.at.After(when) {
			continue
		}
		if i == len(t.poses)-1 {
			return p.pose, p.at.Equal(when)
		}
		next := t.poses[i+1]
		return p.pose.Interpolate(next.pose, when.Sub(p.at).Seconds()/next.at.Sub(p.at).Seconds()), true
	}
	return geom.Pose2{}, false
}

// readMap makes a costmap of a map.
func readMap(m *nav.OccupancyGrid, cfg costmap.Config) (*costmap.Map, error) {
	if m.Info.Width == 0 || m.Info.Height == 0 {
		return nil, errNoMap
	}
	origin, err := rosconv.FromPose(m.Info.Origin)
	if err != nil {
		return nil, fmt.Errorf("the origin of the map: %w", err)
	}
	if int64(m.Info.Width)*int64(m.Info.Height) > costmap.MaxCells {
		return nil, fmt.Errorf("a map of %d × %d cells is too large", m.Info.Width, m.Info.Height)
	}
	g := costmap.Geometry{Width: int(m.Info.Width), Height: int(m.Info.Height), Resolution: float64(m.Info.Resolution), Origin: origin.Pose2()}
	return costmap.New(cfg, g, m.Data)
}

// readScan turns a scan taken at a pose of base_link into one in the map.
func readScan(m *sensor.LaserScan, base, mount geom.Pose2) *costmap.Scan {
	return &costmap.Scan{
		Pose: base.Mul(mount), Robot: base, AngleMin: float64(m.AngleMin), AngleIncrement: float64(m.AngleIncrement),
		RangeMin: float64(m.RangeMin), RangeMax: float64(m.RangeMax), Ranges: m.Ranges,
	}
}

// occupancy turns costs into percent as Nav2's costmap publisher does: 100 lethal, 99 inscribed, -1 unknown, 1 to 98 between.
func occupancy(costs []uint8) []int8 {
	var table [256]int8
	for c := 1; c < 253; c++ {
		table[c] = int8(1 + 97*(c-1)/251)
	}
	table[costmap.Inscribed], table[costmap.Lethal], table[costmap.Unknown] = 99, 100, -1
	out := make([]int8, len(costs))
	for i, c := range costs {
		out[i] = table[c]
	}
	return out
}
