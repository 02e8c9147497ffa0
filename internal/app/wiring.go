package app

import (
	"slices"

	"sarathi/internal/body/apriltag"
	"sarathi/internal/body/host"
	"sarathi/internal/body/simulated"
	"sarathi/internal/gateway/rosbridge"
	"sarathi/internal/gateway/teleop"
	"sarathi/internal/geom"
	"sarathi/internal/node"
	"sarathi/internal/nodes/controlmux"
	"sarathi/internal/nodes/frames"
	"sarathi/internal/nodes/healthmonitor"
	"sarathi/internal/nodes/lidarsector"
	"sarathi/internal/nodes/localization"
	"sarathi/internal/nodes/odometrymonitor"
	"sarathi/internal/nodes/pathfollower"
	"sarathi/internal/nodes/pathloader"
	"sarathi/internal/nodes/planner"
	"sarathi/internal/nodes/routerecorder"
	"sarathi/internal/nodes/scheduler"
	"sarathi/internal/nodes/sitecontent"
	"sarathi/internal/nodes/sitemanager"
	"sarathi/internal/nodes/tagdetector"
	"sarathi/internal/profile"
)

// wiring is the only list of the robot's nodes. Each line says how to make a node, when it starts, and what happens when it
// fails. probe reads the computer that the robot runs on; at is what it remembers of where it works.
func wiring(p *profile.Profile, body hardware, probe healthmonitor.Probe, at places, log *rosout) []node.Spec {
	specs := []node.Spec{
		{Name: "rosout", Stage: node.StageBody, New: func() (node.Node, error) { return log, nil }},
		{Name: host.Name, Stage: node.StageBody, New: func() (node.Node, error) { return host.New(p.Body.Host, body.driver) }},
		{Name: controlmux.Name, Stage: node.StageControl, Policy: node.Halt, New: func() (node.Node, error) {
			return controlmux.New(p.Control, p.Robot.Arbitration(), p.Robot.Frames.Names.BaseLink)
		}},
		{Name: frames.Name, Stage: node.StagePerception, New: func() (node.Node, error) { return frames.New(p.Robot.Frames) }},
		{Name: lidarsector.Name, Stage: node.StagePerception, New: func() (node.Node, error) { return lidarsector.New(sectors(p)) }},
		{Name: odometrymonitor.Name, Stage: node.StagePerception, New: func() (node.Node, error) { return odometrymonitor.New(odometry(p)) }},
		{Name: healthmonitor.Name, Stage: node.StagePerception, New: func() (node.Node, error) {
			return healthmonitor.New(p.Health, healthmonitor.Deps{Probe: probe})
		}},
		{Name: sitemanager.Name, Stage: node.StageNavigation, New: func() (node.Node, error) {
			return sitemanager.New(p.SiteManager, sitemanager.Deps{Sites: at.sites, State: at.state, Frame: p.Robot.Frames.Names.Map})
		}},
		{Name: sitecontent.Name, Stage: node.StageNavigation, New: func() (node.Node, error) {
			return sitecontent.New(p.SiteContent, sitecontent.Deps{Sites: at.sites, Frame: p.Robot.Frames.Names.Map})
		}},
	}
	noTags := apriltag.Check() // without the library the feature is off, and whoever needs it says so
	specs = append(specs, localize(p, at, noTags))
	specs = append(specs, navigation(p, at)...)
	if body.plant != nil {
		specs = slices.Insert(specs, 1, node.Spec{Name: simulated.SimulatorName, Stage: node.StageBody, New: func() (node.Node, error) {
			return simulated.NewSimulator(body.plant), nil
		}})
	}
	if noTags == nil {
		specs = append(specs, node.Spec{Name: tagdetector.Name, Stage: node.StagePerception, New: func() (node.Node, error) {
			return tagdetector.New(p.Tags, func() (tagdetector.Detector, error) { return apriltag.Open() })
		}})
	}
	return specs
}

// localize is the node that knows where the robot is. noTags is why no tag can be detected.
func localize(p *profile.Profile, at places, noTags error) node.Spec {
	names := p.Robot.Frames.Names
	return node.Spec{Name: localization.Name, Stage: node.StageNavigation, New: func() (node.Node, error) {
		return localization.New(p.Localization, localization.Deps{
			Sites: at.sites, SitesDir: at.sitesDir, Map: names.Map, Odom: names.Odom, Base: names.BaseLink, NoTags: noTags,
		})
	}}
}

// navigation is the list of the nodes that find and walk ways.
func navigation(p *profile.Profile, at places) []node.Spec {
	names := p.Robot.Frames.Names
	return []node.Spec{
		{Name: planner.Name, Stage: node.StageNavigation, New: func() (node.Node, error) {
			return planner.New(p.Planner, planner.Deps{Frame: names.Map, BaseFrame: names.BaseLink, Footprint: p.Robot.Outline()})
		}},
		{Name: pathloader.Name, Stage: node.StageNavigation, New: func() (node.Node, error) {
			return pathloader.New(pathloader.Deps{Sites: at.sites, SitesDir: at.sitesDir, State: at.state, Frame: names.Map})
		}},
		{Name: pathfollower.Name, Stage: node.StageNavigation, New: func() (node.Node, error) {
			return pathfollower.New(follower(p), pathfollower.Deps{Frame: names.Map, Holonomic: p.Robot.Limits[1] > 0})
		}},
		{Name: routerecorder.Name, Stage: node.StageNavigation, New: func() (node.Node, error) {
			return routerecorder.New(p.Recorder, routerecorder.Deps{Sites: at.sites, Frame: names.Map, Zone: at.zone})
		}},
		{Name: scheduler.Name, Stage: node.StageBehaviour, New: func() (node.Node, error) {
			return scheduler.New(p.Schedule, scheduler.Deps{Zone: at.zone, LowBattery: p.Follower.LowBattery})
		}},
	}
}

// gateways is the list of the nodes that own sockets: a robot that runs has them, a simulation in lockstep does not. nodes lists what runs.
func gateways(p *profile.Profile, version string, nodes func() []node.Stats) []node.Spec {
	var out []node.Spec
	if p.Rosbridge.Enabled {
		out = append(out, node.Spec{Name: rosbridge.Name, Stage: node.StageGateway, New: func() (node.Node, error) {
			return rosbridge.New(p.Rosbridge, rosbridge.Deps{Nodes: nodes, Version: version})
		}})
	}
	if p.Teleop.Enabled() {
		out = append(out, node.Spec{Name: teleop.Name, Stage: node.StageGateway, New: func() (node.Node, error) {
			return teleop.New(p.Teleop, teleop.Deps{Name: p.Robot.Name, Limits: joystick(p), Base: p.Robot.Frames.Names.BaseLink})
		}})
	}
	return out
}

// joystick returns the largest velocity that a handheld gets: what the mux lets through and the body does.
func joystick(p *profile.Profile) geom.Velocity {
	body, remote := p.Robot.MaxVelocity(), p.Control.RemoteLimits
	return geom.Velocity{VX: min(body.VX, remote[0]), VY: min(body.VY, remote[1]), WZ: min(body.WZ, remote[2])}
}

// follower limits the speeds that may be chosen to what the mux lets through and the body does: a follower that is clamped behind its back
// cuts corners.
func follower(p *profile.Profile) pathfollower.Config {
	c, body, mux := p.Follower, p.Robot.MaxVelocity(), p.Control.NavigationLimits
	c.SpeedMax = min(c.SpeedMax, body.VX, mux[0])
	c.Speed = min(c.Speed, c.SpeedMax)
	c.TurnMax = min(c.TurnMax, body.WZ, mux[2])
	return c
}

// sectors and odometry give components the frame names of the robot, which the profile says once.
func sectors(p *profile.Profile) lidarsector.Config {
	c := p.Sectors
	c.BaseFrame = p.Robot.Frames.Names.BaseLink
	return c
}

func odometry(p *profile.Profile) odometrymonitor.Config {
	c := p.Odometry
	c.Frame, c.Base = p.Robot.Frames.Names.Odom, p.Robot.Frames.Names.BaseLink
	return c
}
