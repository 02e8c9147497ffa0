package carmen

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"sarathi/internal/geom"
)

// Odometry is where the robot believed to be from counting the turns of its wheels.
type Odometry struct {
	Time float64    // [s]
	Pose geom.Pose2 // in the odometry frame
}

// Scan is one turn of the lidar. Beam i points along AngleMin + i·AngleIncrement in the lidar's frame.
type Scan struct {
	Time                     float64    // [s]
	AngleMin, AngleIncrement float64    // [rad] counter-clockwise
	RangeMax                 float64    // [m] readings of this and more met nothing; 0 when the line does not say
	Ranges                   []float32  // [m]
	Mount                    geom.Pose2 // the lidar in the robot's frame
	Odometry                 geom.Pose2 // of the robot at the time of the scan, in the odometry frame
}

// Fault is a line that was left out.
type Fault struct {
	Line   int    // counted from 1
	Reason string // lower case, without the line's number
}

func (f Fault) String() string { return fmt.Sprintf("line %d: %s", f.Line, f.Reason) }

// MaxFaults bounds Log.Faults: a file of another format has one on every line.
const MaxFaults = 100

// Log is what a file holds. Scans and Odometry are each in order of time.
type Log struct {
	Scans    []Scan
	Odometry []Odometry // the ODOM lines alone
	Faults   []Fault    // the first MaxFaults of them
	Refused  int        // lines that were left out
	Reversed int        // lines whose time lay before that of an earlier line of their kind
}

// order sorts both lists by time; lines of one time stay in the order of the file.
func (l *Log) order() {
	slices.SortStableFunc(l.Scans, func(a, b Scan) int { return cmp.Compare(a.Time, b.Time) })
	slices.SortStableFunc(l.Odometry, func(a, b Odometry) int { return cmp.Compare(a.Time, b.Time) })
}

func (l *Log) refuse(line int, reason string) {
	l.Refused++
	if len(l.Faults) < MaxFaults {
		l.Faults = append(l.Faults, Fault{line, reason})
	}
}

func (l *Log) addOdometry(o Odometry) {
	if n := len(l.Odometry); n > 0 && o.Time < l.Odometry[n-1].Time {
		l.Reversed++
	}
	l.Odometry = append(l.Odometry, o)
}

func (l *Log) addScan(s Scan) {
	if n := len(l.Scans); n > 0 && s.Time < l.Scans[n-1].Time {
		l.Reversed++
	}
	l.Scans = append(l.Scans, s)
}

// flaserBeams gives the angles of a FLASER line of n beams: an odd count has a beam at either end of the half circle.
func flaserBeams(n int) (angleMin, increment float64) {
	return -math.Pi / 2, math.Pi / float64(n-n%2)
}
