package lidarsector

import (
	"errors"
	"fmt"
	"time"

	"sarathi/internal/algo/sectors"
	"sarathi/internal/algo/tfbuffer"
	"sarathi/internal/geom"
)

// oldCloud is the last cloud, and where the robot was since, so that the cloud can be seen from where the robot is at a later time.
type oldCloud struct {
	maxAge time.Duration
	points sectors.Cloud
	stamp  time.Time // zero before the first cloud
	way    *tfbuffer.Buffer
}

func newOldCloud(maxAge time.Duration) oldCloud {
	cfg := tfbuffer.DefaultConfig()
	cfg.History = 2 * time.Second
	return oldCloud{maxAge: maxAge, way: tfbuffer.New(cfg)}
}

// Frames of the private buffer, which holds the odometry of the body under whatever names that uses.
const (
	start = "start"
	base  = "base"
)

var errNoCloud = errors.New("no cloud has arrived yet")

// drove files where the body's odometry puts it. Odometry that the buffer refuses is as good as none.
func (o *oldCloud) drove(stamp time.Time, pose geom.Transform) error {
	return o.way.Set(start, base, stamp, pose)
}

// movedTo returns where base_link was at the time of the cloud, seen from where it is at now. It is an error when the cloud cannot be
// used at now: too old, newer by more than its limit, or of a time that odometry does not reach.
func (o *oldCloud) movedTo(now time.Time) (geom.Pose2, error) {
	if o.stamp.IsZero() {
		return geom.Pose2{}, errNoCloud
	}
	age := now.Sub(o.stamp)
	if age > o.maxAge || age < -o.maxAge {
		return geom.Pose2{}, fmt.Errorf("the cloud is %s older than the scan, cloud_max_age is %s", age, o.maxAge)
	}
	if age == 0 {
		return geom.Pose2{}, nil
	}
	then, err := o.at(o.stamp)
	if err != nil {
		return geom.Pose2{}, fmt.Errorf("odometry at the time of the cloud: %w", err)
	}
	here, err := o.at(now)
	if err != nil {
		return geom.Pose2{}, fmt.Errorf("odometry at the time of the scan: %w", err)
	}
	return here.Between(then), nil
}

// lag is how long odometry may arrive after the scan of the same time; the robot hardly moves in it.
const lag = 100 * time.Millisecond

// at returns where the robot was, or where it was last when that is not long before.
func (o *oldCloud) at(t time.Time) (geom.Pose2, error) {
	pose, err := o.way.Lookup(start, base, t)
	if late, ok := errors.AsType[*tfbuffer.ExtrapolationError](err); ok && late.By() > 0 && late.By() <= lag {
		pose, err = o.way.Lookup(start, base, late.Newest)
	}
	return pose.Pose2(), err
}
