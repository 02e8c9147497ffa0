package main

import (
	"log/slog"
	"os"

	"sarathi/internal/algo/mapfile"
	"sarathi/internal/bus"
	"sarathi/internal/gateway/slamlink"
	"sarathi/internal/sim/slamworld"
	"sarathi/internal/topics"
	"sarathi/rosbridge"
)

// slamCommands is `sarathi slam`.
type slamCommands struct {
	Launch slamLaunch `cmd:"" help:"Drive a simulated robot through a building, map it, and compare with the truth."`
	Attach slamAttach `cmd:"" help:"Map with the sensors of a robot behind any rosbridge server."`
	World  slamWorld  `cmd:"" help:"Publish the sensors of the simulated robot into any rosbridge server."`
	Run    slamRun    `cmd:"" help:"Make a map and a trajectory from a CARMEN log, an MCAP file or a ROS 1 bag."`
	Eval   slamEval   `cmd:"" help:"Measure a trajectory by relations (Kümmerle et al. 2009)."`
}

// building says where the simulated robot drives.
type building struct {
	Building string `default:"office" enum:"ring,hotel,office,warehouse" help:"Where: ring, hotel, office or warehouse (${default})."`
	Laps     int    `default:"2" range:"1..100" help:"Rounds through the building (${default})."`
	Seed     uint64 `default:"1" help:"Seed of the noise, the speed and the direction (${default})."`
}

func (b *building) config() *slamworld.Config {
	return &slamworld.Config{Building: b.Building, Seed: b.Seed, Laps: b.Laps}
}

// server is the rosbridge server that a command joins.
type server struct {
	URL   string `name:"url" default:"ws://127.0.0.1:9090" placeholder:"URL" help:"Rosbridge server: ours, or any other (${default})."`
	Token string `env:"SARATHI_ROSBRIDGE_TOKEN" placeholder:"TEXT" help:"Token of the server; other users of this computer do not see $$SARATHI_ROSBRIDGE_TOKEN."`
	Ros   string `enum:"1,2" default:"2" help:"ROS generation of the server: 1 or 2 (${default})."`
}

func (s *server) link(in, out []slamlink.Route) *slamlink.Config {
	c := &slamlink.Config{URL: s.URL, Token: s.Token, In: in, Out: out}
	if s.Ros == "1" {
		c.Dialect = rosbridge.ROS1
	}
	return c
}

// asNamed are topics that are called the same everywhere.
func asNamed(all ...interface{ Info() bus.TopicInfo }) []slamlink.Route {
	var out []slamlink.Route
	for _, t := range all {
		out = append(out, slamlink.Route{Topic: t.Info(), Name: t.Info().Name})
	}
	return out
}

// sensors are what the world says, and findings what fusion and slam do.
func sensors() []slamlink.Route {
	return asNamed(topics.Odom, topics.IMU, topics.Scan, topics.GroundTruth)
}

func findings() []slamlink.Route {
	return asNamed(topics.FusedPose, topics.ScanMatchPose, topics.Map, topics.SlamDiagnostics, topics.FusionDiagnostics)
}

// writePicture writes a map as a picture, if a file was named.
func writePicture(m *mapfile.Map, path string) error {
	switch {
	case path == "":
		return nil
	case m == nil:
		return usage("--png %s: there is no map: no scan came", path)
	}
	picture, err := mapfile.EncodePNG(m)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, picture, 0o644); err != nil {
		return usage("--png: %w: name a file that can be written", err)
	}
	return nil
}

// quiet keeps the details to --verbose: with a server of one's own they would drown the figures.
func (e *env) quiet(verbose bool) slog.Handler {
	if verbose {
		return e.logHandler(true)
	}
	return slog.NewTextHandler(e.stderr, &slog.HandlerOptions{Level: slog.LevelWarn})
}
