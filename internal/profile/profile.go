package profile

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"sarathi/driver"
	"sarathi/hal"
	"sarathi/internal/algo/arbitration"
	"sarathi/internal/algo/arbitration/field"
	"sarathi/internal/algo/localization"
	"sarathi/internal/body/host"
	"sarathi/internal/body/rosrobot"
	"sarathi/internal/body/simulated"
	"sarathi/internal/config"
	"sarathi/internal/gateway/rosbridge"
	"sarathi/internal/gateway/teleop"
	"sarathi/internal/geom"
	"sarathi/internal/nodes/controlmux"
	"sarathi/internal/nodes/frames"
	"sarathi/internal/nodes/healthmonitor"
	"sarathi/internal/nodes/lidarsector"
	"sarathi/internal/nodes/odometrymonitor"
	"sarathi/internal/nodes/pathfollower"
	"sarathi/internal/nodes/planner"
	"sarathi/internal/nodes/routerecorder"
	"sarathi/internal/nodes/scheduler"
	"sarathi/internal/nodes/sitecontent"
	"sarathi/internal/nodes/sitemanager"
	"sarathi/internal/nodes/tagdetector"
)

// Profile is everything that is decided about a robot before it starts.
type Profile struct {
	Robot        Robot                  `doc:"what the robot is"`
	Body         Body                   `doc:"how the body is reached"`
	Simulated    simulated.Config       `doc:"the simulated body"`
	Control      controlmux.Config      `doc:"control mux: time-outs, clamps, protective field"`
	Sectors      lidarsector.Config     `doc:"sector scans made of the lidar"`
	Odometry     odometrymonitor.Config `doc:"trip meter"`
	Tags         tagdetector.Config     `doc:"AprilTags"`
	Localization localization.Config    `doc:"where the robot is in the map"`
	Health       healthmonitor.Config   `doc:"watch over sensors and computer"`
	Teleop       teleop.Config          `doc:"handhelds over UDP"`
	Rosbridge    rosbridge.Config       `doc:"browsers, scripts and ROS tools over WebSocket"`
	State        Folder                 `doc:"what is remembered between runs"`
	Sites        Folder                 `doc:"mapped places"`
	SiteManager  sitemanager.Config     `doc:"which site is active, and the mapping of it"`
	SiteContent  sitecontent.Config     `doc:"points of interest and tours of the active site"`
	Planner      planner.Config         `doc:"ways to a goal, and around what is in the way"`
	Follower     pathfollower.Config    `doc:"walks paths and steers around what stands on them"`
	Recorder     routerecorder.Config   `doc:"writes the routes that are taught"`
	Schedule     scheduler.Config       `doc:"patrols by the time of day"`
	Seed         uint64                 `doc:"of every random source in simulation"`
}

// Robot is what the robot is, whoever drives it.
type Robot struct {
	Name      string        `doc:"name shown to people"`
	Kind      string        `doc:"label of the body, such as molly or go2"`
	Drive     string        `doc:"diff, omni or holonomic"`
	Namespace string        `doc:"namespace of the body's topics, such as robot in /robot/cmd_vel"`
	Limits    [3]float64    `doc:"largest |vx|, |vy| (m/s), |wz| (rad/s) the body is ever sent"`
	Footprint [][2]float64  `unit:"m" doc:"outline in base_link, corners in order"`
	Frames    frames.Config `doc:"frames and where the parts of the robot sit"`
	Sensors   Sensors       `doc:"in which frames the sensors measure"`
}

// Sensors names the links that carry the sensors.
type Sensors struct {
	Scan    string `doc:"frame of the planar scan"`
	Points  string `doc:"frame of the cloud"`
	IMU     string `doc:"frame of the gyro and accelerometer"`
	Camera  string `doc:"frame of the camera's lens, looking along x"`
	Optical string `doc:"optical frame of the camera, looking along z (REP 103)"`
}

// Body says which driver reaches the body.
type Body struct {
	Driver string          `doc:"simulated; hal: a robot behind a HAL agent; ros: a robot with ROS, behind its rosbridge server"`
	HAL    HAL             `doc:"the robot behind a HAL agent"`
	ROS    rosrobot.Config `doc:"the robot with ROS"`
	Host   host.Config     `doc:"node that puts the driver on the bus"`
}

// Drivers.
const (
	DriverSimulated = "simulated" // the body of package simulated
	DriverHAL       = "hal"       // a hal.Controller
	DriverROS       = "ros"       // a rosrobot.Driver
)

// HAL says where the agent of the robot is.
type HAL struct {
	URL            string        `doc:"agent: ws://HOST:PORT, or wss://"`
	Token          string        `doc:"what the agent wants to know; empty: see token_env"`
	TokenEnv       string        `doc:"environment variable that holds the token when token is empty"`
	TelemetryLimit time.Duration `doc:"the robot is not moved while its telemetry is older"`
}

// Controller returns the settings of what drives the robot behind its agent.
func (p *Profile) Controller() hal.ControllerConfig {
	h := p.Body.HAL
	c := hal.ControllerConfig{
		URL: h.URL, Name: "sarathi: " + p.Robot.Name, Token: h.Token, TelemetryLimit: h.TelemetryLimit,
		Frame: p.Robot.Frames.Names.Odom, Base: p.Robot.Frames.Names.BaseLink,
	}
	if c.Token == "" && h.TokenEnv != "" {
		c.Token = os.Getenv(h.TokenEnv)
	}
	return c
}

// Validate reports an agent that nobody can dial.
func (h HAL) Validate() error {
	var p config.Problems
	if err := (hal.ControllerConfig{URL: h.URL}).Validate(); err != nil {
		p.Addf("url", "%v", err)
	}
	p.DurationInRange("telemetry_limit", h.TelemetryLimit, 50*time.Millisecond, 10*time.Second)
	return p.Err()
}

// Folder is a place in the file system.
type Folder struct {
	Dir string `doc:"folder; ~ is the home of the user"`
}

// Validate reports what is wrong with the robot itself.
func (r Robot) Validate() error {
	var p config.Problems
	p.NotEmpty("name", r.Name)
	p.NotEmpty("kind", r.Kind)
	p.OneOf("drive", r.Drive, string(driver.Diff), string(driver.Omni), string(driver.Holonomic))
	p.Require(r.Drive != string(driver.Diff) || r.Limits[1] == 0, "limits[1]", "is not 0: a diff drive cannot move sideways")
	for _, s := range []struct{ key, link string }{
		{"scan", r.Sensors.Scan},
		{"points", r.Sensors.Points},
		{"imu", r.Sensors.IMU},
		{"camera", r.Sensors.Camera},
		{"optical", r.Sensors.Optical},
	} {
		_, ok := r.Frames.InBase(s.link)
		p.Require(ok, "sensors."+s.key, "%q is no link of robot.frames: add the link there, with its place", s.link)
	}
	p.Require(regexp.MustCompile(`^[a-z][a-z0-9_]{0,47}$`).MatchString(r.Namespace), "namespace",
		"%q is no name of a namespace: write lower-case letters, digits and _", r.Namespace)
	for i, v := range r.Limits {
		p.InRange(fmt.Sprintf("limits[%d]", i), v, 0, 10, "")
	}
	if err := r.Outline().Validate(); err != nil {
		p.Addf("footprint", "%v: give at least three corners in order, in metres", err)
		return p.Err()
	}
	p.Nested("", field.Body{Footprint: r.Outline(), Limits: r.MaxVelocity(), Period: time.Second / 50}.Validate())
	return p.Err()
}

// Outline returns the footprint as a polygon.
func (r Robot) Outline() geom.Polygon {
	out := make(geom.Polygon, len(r.Footprint))
	for i, c := range r.Footprint {
		out[i] = geom.Vec2{X: c[0], Y: c[1]}
	}
	return out
}

// MaxVelocity returns the limits as a velocity.
func (r Robot) MaxVelocity() geom.Velocity {
	return geom.Velocity{VX: r.Limits[0], VY: r.Limits[1], WZ: r.Limits[2]}
}

// Arbitration returns what the control mux must know about the body.
func (r Robot) Arbitration() arbitration.Body {
	return arbitration.Body{Limits: r.MaxVelocity(), Footprint: r.Outline()}
}

// Validate reports an unknown driver.
func (b Body) Validate() error {
	var p config.Problems
	p.OneOf("driver", b.Driver, DriverSimulated, DriverHAL, DriverROS)
	return p.Err()
}

// Validate reports a folder that nobody can mean.
func (f Folder) Validate() error {
	var p config.Problems
	p.NotEmpty("dir", f.Dir)
	p.Require(!strings.HasPrefix(f.Dir, "~") || strings.HasPrefix(f.Dir, "~/"), "dir",
		"%q begins with ~ but not with ~/: write ~/ or a whole path", f.Dir)
	return p.Err()
}

// Path returns the folder with ~ replaced by the home of the user.
func (f Folder) Path() (string, error) {
	rest, ok := strings.CutPrefix(f.Dir, "~/")
	if !ok {
		return f.Dir, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("folder %s: %w", f.Dir, err)
	}
	return filepath.Join(home, rest), nil
}
