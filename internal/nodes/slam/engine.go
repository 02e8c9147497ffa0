package slam

import "sarathi/internal/geom"

// Engine is what the node needs of a SLAM engine. Times are seconds since the first scan. Only the node's loop calls it; a Job may run
// beside it.
type Engine interface {
	// AddOdometry takes a pose in a frame of its own, of a time before or at that of the next scan.
	AddOdometry(time float64, pose geom.Pose2)
	// AddScan finds where the robot was when it took a scan.
	AddScan(time float64, r *Reading) Match
	// Job is work that waits to be run beside the loop; nil when there is none. It is the same until the engine took its result over.
	Job() Job
	// Due reports whether the next AddScan takes the result of the job over, which must have ended then.
	Due() bool
	// Map is the map as it is now.
	Map() Grid
	// Values are counters and figures for people, in order.
	Values() []Value
}

// Job is work that may take long. Run is called once.
type Job interface{ Run() }

// Reading is one turn of a planar lidar. Beam i points along AngleMin + i·AngleIncrement in the sensor's frame.
type Reading struct {
	AngleMin, AngleIncrement float64        // [rad]
	RangeMin, RangeMax       float64        // [m]
	Ranges                   []float32      // [m] with whatever the device writes for no return
	Mount                    geom.Transform // of the sensor in base_link
	Duration                 float64        // from the first beam to the last [s]
}

// Match is where a scan fits.
type Match struct {
	Pose geom.Pose2
	Cov  [3][3]float64 // of x, y and θ in the axes of the map [m², m·rad, rad²]
	OK   bool          // false: the scan was refused
}

// Grid is an occupancy map: row by row from the lower left corner, x first.
type Grid struct {
	Origin        geom.Pose2 // of the lower left corner of cell (0, 0)
	Resolution    float64    // [m]
	Width, Height int
	Cells         []int8 // percent occupied, -1 unknown
}

// Value is a figure for people.
type Value struct{ Key, Value string }
