package teleop

import (
	"os"
	"time"

	"sarathi/internal/config"
	"sarathi/internal/geom"
	"sarathi/teleop"
)

// Name is the node's name on the bus.
const Name = "teleop_udp_node"

// Config is what an operator can choose about the handheld's gateway.
type Config struct {
	Bind      string `doc:"address that the sockets listen on; 0.0.0.0: every IPv4 network of the robot, ::: IPv6 too"`
	Molly     Socket `doc:"Molly v1"`
	Pashupati Socket `doc:"Pashupati v1"`
	Token     string `doc:"every handheld must know it; empty: see token_env"`
	TokenEnv  string `doc:"environment variable that holds the token when token is empty; without either anyone on the network can drive"`

	ClientTimeout time.Duration `doc:"a handheld that is silent for this long is gone, and its velocity is zero"`
	JoyTimeout    time.Duration `doc:"a velocity that is this old is zero, although its handheld still speaks"`
	TelemetryHz   float64       `unit:"Hz" doc:"state messages a second"`
	CameraFPS     float64       `unit:"1/s" doc:"most camera images a second, whatever a handheld asks for"`

	RobotCommands []string `doc:"skills of the body that handhelds are offered, in this order; empty: all that it has"`
	Gestures      []string `doc:"gestures that handhelds are offered"`
	Video         Video    `doc:"where WebRTC video is to be had"`

	MapMaxPx int   `unit:"px" doc:"a map that is wider or higher is scaled down"`
	Lidar    Lidar `doc:"points of the lidar for handhelds"`

	Burst       int           `doc:"chunks of streams that leave together"`
	BurstPeriod time.Duration `doc:"pause between bursts, so that a large map starves nothing"`
}

// Socket is one dialect's.
type Socket struct {
	Enabled bool `doc:"listen for handhelds of this dialect"`
	Port    int  `doc:"UDP port; 0: any that is free"`
}

// Video is where WebRTC video is to be had.
type Video struct {
	Port int    `doc:"TCP port of the WHEP server; 0: there is none"`
	Path string `doc:"path of the camera there"`
}

// Lidar is how the cloud is thinned out for handhelds.
type Lidar struct {
	Hz     float64 `unit:"Hz" doc:"most clouds a second"`
	Voxel  float64 `unit:"m" doc:"one point is kept of each cube with this edge"`
	Points int     `doc:"most points of a cloud"`
}

// DefaultConfig listens for Molly handhelds, with the numbers of the public robots.
func DefaultConfig() Config {
	s := teleop.DefaultConfig()
	return Config{
		Bind: "0.0.0.0", Molly: Socket{Enabled: true, Port: int(teleop.Molly().Port)}, Pashupati: Socket{Port: int(teleop.Pashupati().Port)},
		TokenEnv: "SARATHI_TELEOP_TOKEN", ClientTimeout: s.ClientTimeout, JoyTimeout: s.JoyTimeout, TelemetryHz: s.TelemetryHz, CameraFPS: s.CameraFPS,
		MapMaxPx: 1024, Lidar: Lidar{Hz: 2, Voxel: 0.1, Points: 3000}, Burst: s.Burst, BurstPeriod: s.BurstPeriod,
	}
}

// Enabled reports whether any dialect is: without one there is no gateway.
func (c Config) Enabled() bool { return c.Molly.Enabled || c.Pashupati.Enabled }

// Validate reports what the gateway cannot work with.
func (c Config) Validate() error {
	var p config.Problems
	p.NotEmpty("bind", c.Bind)
	for _, s := range []struct {
		key string
		Socket
	}{{"molly", c.Molly}, {"pashupati", c.Pashupati}} {
		p.IntInRange(s.key+".port", s.Port, 0, 65535)
	}
	p.Require(!c.Molly.Enabled || !c.Pashupati.Enabled || c.Molly.Port == 0 || c.Molly.Port != c.Pashupati.Port,
		"pashupati.port", "%d is molly.port too: each dialect needs a port of its own", c.Pashupati.Port)
	p.IntInRange("map_max_px", c.MapMaxPx, 16, 8192)
	p.InRange("lidar.hz", c.Lidar.Hz, 0.1, 20, "Hz")
	p.InRange("lidar.voxel", c.Lidar.Voxel, 0.02, 1, "m")
	p.IntInRange("lidar.points", c.Lidar.Points, 100, 20000)
	p.IntInRange("video.port", c.Video.Port, 0, 65535)
	p.DurationInRange("client_timeout", c.ClientTimeout, 100*time.Millisecond, time.Minute)
	p.DurationInRange("joy_timeout", c.JoyTimeout, 50*time.Millisecond, c.ClientTimeout)
	p.InRange("telemetry_hz", c.TelemetryHz, 0.1, 100, "Hz")
	p.InRange("camera_fps", c.CameraFPS, 0.1, 60, "1/s")
	p.IntInRange("burst", c.Burst, 1, 1024)
	p.DurationInRange("burst_period", c.BurstPeriod, 100*time.Microsecond, time.Second)
	return p.Err()
}

// session is the part that the sessions of all dialects have, before it is known what the robot can do.
func (c Config) session(d Deps) teleop.Config {
	return teleop.Config{
		Name: d.Name, Token: c.token(), ClientTimeout: c.ClientTimeout, JoyTimeout: c.JoyTimeout,
		TelemetryHz: c.TelemetryHz, CameraFPS: c.CameraFPS, Limits: d.Limits, RobotCommands: c.RobotCommands, Gestures: c.Gestures,
		Video: teleop.Video{Port: c.Video.Port, Path: c.Video.Path}, Burst: c.Burst, BurstPeriod: c.BurstPeriod,
	}
}

func (c Config) token() string {
	if c.Token != "" || c.TokenEnv == "" {
		return c.Token
	}
	return os.Getenv(c.TokenEnv)
}

// Deps is what the profile knows about the robot.
type Deps struct {
	Name   string        // shown to people
	Limits geom.Velocity // largest |vx|, |vy| [m/s], |wz| [rad/s] of the joystick
	Base   string        // frame of the robot's base, in which points are sent; empty: base_link
}
