package teleop

import (
	"sarathi/internal/geom"
	"sarathi/internal/wire"
)

// Velocity is a velocity of the base in its own frame: VX forward [m/s], VY left [m/s], WZ counter-clockwise [rad/s].
type Velocity = geom.Velocity

// An Opt is a value that may be missing: null on the wire, because its source is not running.
type Opt[T any] struct {
	V  T
	OK bool
}

// Some is a value that is there.
func Some[T any](v T) Opt[T] { return Opt[T]{v, true} }

// A State is what the robot reports at the telemetry rate: the fields of both dialects. Each dialect sends those of its own table.
// What is not set is null. Slices are shared and must not be changed after they were handed over; a nil slice is null.
type State struct {
	Seq uint64 // set by the session

	Mode         Opt[string] // auto or remote
	EStop        Opt[bool]
	EStopReasons []string
	Field        Opt[string] // off, clear, limited, stop, stale or blind; Pashupati is told stop for blind
	Nav          Opt[string] // Molly's names; Pashupati is told NAV_INACTIVE for INACTIVE
	NavMsg       Opt[string]
	Pause        []string      // reasons
	Waypoint     Opt[Waypoint] // along the route, for Pashupati's mission line
	Mission      Opt[string]   // the line itself; the session makes it from Nav, Pause and Waypoint
	Localization Opt[string]
	Recording    Opt[bool]
	Pose         Opt[Pose]
	Battery      Opt[Battery]
	Driver       Opt[DriverStatus]
	Cmd          Opt[Velocity] // sent to the robot
	Health       Opt[Health]
	Tags         []Tag // null unless the client has the camera or video on
	Speed        Opt[Speed]

	Site     Opt[SiteStatus]
	Mapping  Opt[Mapping]
	Planner  Opt[Planner]
	Tour     Opt[TourStatus]
	Speech   Opt[Speech]
	Visitors Opt[Visitors]
	Greeter  Opt[Greeter]
	Docking  Opt[Docking]
	MapRev   Opt[uint32] // set by the session

	Inspection Opt[Inspection]
	People     Opt[People]
	Trip       Opt[Trip]
	Net        Opt[Net]
}

// A Waypoint is how far along its route the robot is: point Index of Total, counted from one.
type Waypoint struct{ Index, Total int }

// A Pose is a pose in the map frame [m], [m], [rad].
type Pose struct{ X, Y, Yaw float64 }

// Battery is the state of the battery. NaN is null.
type Battery struct {
	Percent float64 // [%]
	Volts   float64 // [V]
	Amps    float64 // [A]
	Temp    float64 // [°C]
}

// DriverStatus is what the robot driver says about itself.
type DriverStatus struct {
	Level int // 0 ok, 1 warning, 2 error, 3 stale, as in diagnostic_msgs
	Msg   string
}

// Health is the state of the computer and the sensors. NaN is null.
type Health struct {
	OK         bool // no warning or error
	Issues     []string
	SpeedScale float64 // Molly only
	CPU        float64 // [% in use]
	GPU        float64 // [% in use], NaN off a Jetson
	RAM        float64 // [% in use]
	RAMUsed    float64 // [GB]
	RAMTotal   float64 // [GB]
	Temp       float64 // hottest zone [°C]
}

// A Tag is an AprilTag in the camera image: x and y of its four corners as fractions of the image's width and height.
type Tag struct {
	ID      int
	Corners [8]float64
}

// Speed is the walking speed [m/s].
type Speed struct{ Target, Min, Max float64 }

// SiteStatus is the active site.
type SiteStatus struct {
	Name                      string
	Map                       bool // has a map
	POIs, Tours, Tags, Routes int
	Rev                       uint32 // of the site stream; set by the session
}

// Mapping is the state of mapping.
type Mapping struct {
	Active bool
	Site   string
	Scans  int
	Area   float64 // known [m²]
}

// Planner is the state of the path finder.
type Planner struct {
	State     string
	Goal      string  // POI id or ""
	Remaining float64 // [m]
	Msg       string
}

// TourStatus is the state of the running tour.
type TourStatus struct {
	State, TourID, Name string
	Index, Total        int
	POIID, POIName      string
	Activity, Msg       string
}

// Speech is the state of the speaker.
type Speech struct {
	State  string
	Text   string // cut to 80 characters when sent
	Queued int
}

// Visitors are the people around the robot.
type Visitors struct {
	Count, Front, Behind int
	Nearest              float64 // [m], NaN: none
}

// Greeter is the state of the automatic greeting.
type Greeter struct {
	Enabled bool
	State   string
}

// Docking is the state of docking.
type Docking struct {
	State    string
	Tag      string
	Charging bool
	Msg      string
}

// Inspection is the state of Pashupati's VLM inspection.
type Inspection struct {
	On              bool
	State, Model    string
	Interval        float64 // [s]; 0 continuous, < 0 at stop points only
	Error           string
	Count, Reports  int
	Queue, QueueMax int
	Last            Opt[Finding]
}

// A Finding is the result of one inspection.
type Finding struct {
	Category string
	Reported bool
	Millis   float64 // latency [ms]
	Age      float64 // [s]
	Waited   float64 // in the queue [s]
	Desc     string
	Source   string // periodic or stop_point
}

// People is the state of Pashupati's person detection.
type People struct {
	On      bool
	State   string
	Count   Opt[int] // null before the first frame
	Millis  float64  // latency [ms]
	Age     float64  // since that frame [s]; boxes older than 2 s are not sent
	Boxes   []Box
	Backend string
	Error   string
}

// A Box is a person in the image: corners as fractions of its width and height, and a score.
type Box struct{ X1, Y1, X2, Y2, Score float64 }

// Trip is the trip meter.
type Trip struct {
	Metres float64 // distance [m]
	Moving float64 // moving time [s]
	Speed  float64 // now [m/s]
	Mean   float64 // while moving [m/s]
	Top    float64 // [m/s]
	Since  float64 // Unix time of the reset [s]
}

// Net is the robot's internet check. NaN is null.
type Net struct {
	Online bool
	Millis float64 // round trip of the last answer, NaN offline [ms]
	Loss   float64 // of the last 12 pings [%]
	Target string
	Age    float64 // since the last ping [s]
}

// appendMission appends Pashupati's line about the route: what pauses it, else how far it is, else nothing; null without navigation.
func (st *State) appendMission(dst []byte) []byte {
	switch {
	case st.Mission.OK:
		return wire.JSONString(dst, st.Mission.V)
	case !st.Nav.OK:
		return append(dst, "null"...)
	case len(st.Pause) > 0:
		dst = append(dst, `"paused: `...)
		for i, reason := range st.Pause {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			quote := len(dst)
			dst = wire.JSONString(dst, reason)
			dst = append(dst[:quote], dst[quote+1:len(dst)-1]...) // the reason without its quotes
		}
		return append(dst, '"')
	case st.Waypoint.OK:
		dst = appendInt(append(dst, `"waypoint `...), st.Waypoint.V.Index)
		return append(appendInt(append(dst, '/'), st.Waypoint.V.Total), '"')
	default:
		return append(dst, `""`...)
	}
}
