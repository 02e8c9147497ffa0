package sitecontent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sarathi/internal/bus"
	"sarathi/internal/node"
	"sarathi/internal/rosconv"
	"sarathi/internal/site"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/geometry"
	"sarathi/msg/molly"
)

// Name is the node's name on the bus.
const Name = "site_content_node"

// The cost of disk work in virtual time, and how many changes may wait for it.
const (
	diskCost = 10 * time.Millisecond
	maxJobs  = 32
)

// Deps is what the node needs from outside.
type Deps struct {
	Sites *site.Store
	Frame string // of the map, in which POIs are
}

// Node is site_content_node. Use [New].
type Node struct {
	cfg   Config
	frame string
	sites *site.Store

	// set in Setup
	ctx          *node.Context
	pois         *bus.Publisher[molly.PoiArray]
	tours        *bus.Publisher[molly.TourArray]
	pose         *bus.Reader[geometry.PoseWithCovarianceStamped]
	localization *bus.Reader[dharma.LocalizationStatus]

	// owned by the loop
	active    string // site, as the site manager says
	jobs      []func()
	working   bool
	published bool   // at all
	site      string // of what is published
	content   site.Content
	notes     string // what was repaired, as it was logged
}

var _ node.Node = (*Node)(nil)

// New returns the node, or what is wrong with the configuration.
func New(cfg Config, deps Deps) (*Node, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("site content: %w", err)
	}
	if deps.Sites == nil || deps.Frame == "" {
		return nil, errors.New("site content: no sites folder or no frame was given")
	}
	return &Node{cfg: cfg, frame: deps.Frame, sites: deps.Sites}, nil
}

// Setup implements node.Node.
func (n *Node) Setup(c *node.Context) error {
	n.ctx = c
	n.pois = bus.NewPublisher(c, topics.SitePois)
	n.tours = bus.NewPublisher(c, topics.SiteTours)
	n.pose = bus.NewReader(c, topics.LocalizationPose)
	n.localization = bus.NewReader(c, topics.LocalizationStatus)
	bus.Subscribe(c, topics.SiteStatus, n.onSite)
	bus.ServeAsync(c, topics.SavePoi, n.onSavePOI)
	bus.ServeAsync(c, topics.DeletePoi, n.onDeletePOI)
	bus.ServeAsync(c, topics.SaveTour, n.onSaveTour)
	bus.ServeAsync(c, topics.DeleteTour, n.onDeleteTour)
	return nil
}

// onSite reads the content whenever the site manager tells something new: it may have loaded the site, or moved it into a backup.
func (n *Node) onSite(m dharma.SiteStatus) {
	n.active = m.Site
	if m.Site == "" {
		n.publish("", site.Content{})
		return
	}
	n.enqueue(func() {
		n.disk(m.Site, func() (site.Content, []string, error) { return n.sites.Content(m.Site) }, func(notes []string, err error) {
			if err != nil {
				n.ctx.Log().Error("the content of the site cannot be read", "site", m.Site, "error", err)
			}
			if text := strings.Join(notes, "; "); text != n.notes {
				n.notes = text
				if text != "" {
					n.ctx.Log().Warn("the content of the site was repaired", "site", m.Site, "repaired", text)
				}
			}
		})
	})
}

// enqueue runs disk work after what waits already, and reports whether it will.
func (n *Node) enqueue(job func()) bool {
	if len(n.jobs) >= maxJobs {
		return false
	}
	n.jobs = append(n.jobs, job)
	n.next()
	return true
}

func (n *Node) next() {
	if n.working || len(n.jobs) == 0 {
		return
	}
	job := n.jobs[0]
	n.jobs = slices.Delete(n.jobs, 0, 1)
	n.working = true
	job()
}

// disk works away from the loop, publishes the content that comes of it, and then says what happened.
func (n *Node) disk(name string, work func() (site.Content, []string, error), done func([]string, error)) {
	type result struct {
		content site.Content
		notes   []string
	}
	node.Go(n.ctx, diskCost, func(context.Context) (result, error) {
		c, notes, err := work()
		return result{c, notes}, err
	}, func(r result, err error) {
		if err == nil && name == n.active {
			n.publish(name, r.content)
		}
		done(r.notes, err)
		n.working = false
		n.next()
	})
}

// change edits the content of the active site; done gets what edit noted, once it is on disk.
func (n *Node) change(edit func(site.Content) (site.Content, []string, error), done func(notes []string, err error)) {
	name := n.active
	if name == "" {
		done(nil, errors.New("no site is active: load one (/site/load), or map one (/mapping/start)"))
		return
	}
	queued := n.enqueue(func() {
		now := n.ctx.Now()
		n.disk(name, func() (site.Content, []string, error) {
			var notes []string
			c, err := n.sites.Edit(name, now, func(c site.Content) (out site.Content, err error) {
				out, notes, err = edit(c)
				return out, err
			})
			return c, notes, err
		}, done)
	})
	if !queued {
		done(nil, fmt.Errorf("%d changes wait already: try again", maxJobs))
	}
}

func (n *Node) onSavePOI(req molly.SavePoiRequest, reply func(molly.SavePoiResponse, error)) {
	p := poiOf(&req.Poi)
	if req.AtRobotPose {
		var err error
		if p.X, p.Y, p.Yaw, err = n.robot(); err != nil {
			reply(molly.SavePoiResponse{Message: err.Error()}, nil)
			return
		}
	}
	var saved site.POI
	n.change(func(c site.Content) (out site.Content, notes []string, err error) {
		out, saved, notes, err = c.SavePOI(p)
		return out, notes, err
	}, func(notes []string, err error) {
		if err != nil {
			reply(molly.SavePoiResponse{Message: err.Error()}, nil)
			return
		}
		reply(molly.SavePoiResponse{Success: true, Message: say("POI "+saved.ID+" is saved", notes), Poi: poi(&saved)}, nil)
	})
}

// robot returns where the robot stands in the map.
func (n *Node) robot() (x, y, yaw float64, err error) {
	status, _, ok := n.localization.Get()
	m, at, seen := n.pose.Get()
	if !ok || status.State != dharma.LocalizationStatusStateLocalized || !seen || n.ctx.Bus().Now().Sub(at) > n.cfg.PoseMaxAge {
		return 0, 0, 0, errors.New("the robot does not know where it is: localize it first")
	}
	p, err := rosconv.FromPose(m.Pose.Pose)
	if err != nil {
		return 0, 0, 0, fmt.Errorf("the robot's pose cannot be used: %w", err)
	}
	return p.T.X, p.T.Y, p.R.Yaw(), nil
}

func (n *Node) onDeletePOI(req molly.DeleteByIdRequest, reply func(molly.DeleteByIdResponse, error)) {
	n.change(func(c site.Content) (site.Content, []string, error) { return c.DeletePOI(req.ID) }, func(notes []string, err error) {
		reply(deleted("POI "+req.ID+" is deleted", notes, err), nil)
	})
}

func (n *Node) onSaveTour(req molly.SaveTourRequest, reply func(molly.SaveTourResponse, error)) {
	t := tourOf(&req.Tour)
	var saved site.Tour
	n.change(func(c site.Content) (out site.Content, notes []string, err error) {
		out, saved, notes, err = c.SaveTour(t)
		return out, notes, err
	}, func(notes []string, err error) {
		if err != nil {
			reply(molly.SaveTourResponse{Message: err.Error()}, nil)
			return
		}
		reply(molly.SaveTourResponse{Success: true, Message: say("tour "+saved.ID+" is saved", notes), Tour: tour(&saved)}, nil)
	})
}

func (n *Node) onDeleteTour(req molly.DeleteByIdRequest, reply func(molly.DeleteByIdResponse, error)) {
	n.change(func(c site.Content) (site.Content, []string, error) {
		c, err := c.DeleteTour(req.ID)
		return c, nil, err
	}, func(notes []string, err error) { reply(deleted("tour "+req.ID+" is deleted", notes, err), nil) })
}

func deleted(done string, notes []string, err error) molly.DeleteByIdResponse {
	if err != nil {
		return molly.DeleteByIdResponse{Message: err.Error()}
	}
	return molly.DeleteByIdResponse{Success: true, Message: say(done, notes)}
}

// say adds notes to what was done.
func say(done string, notes []string) string {
	return strings.Join(append([]string{done}, notes...), "; ")
}

// publish tells what has changed.
func (n *Node) publish(name string, c site.Content) {
	now, all := n.ctx.Now(), !n.published || name != n.site
	if all || !(site.Content{POIs: c.POIs}).Equal(site.Content{POIs: n.content.POIs}) {
		m := molly.PoiArray{Header: rosconv.Header(now, n.frame), Site: name, Pois: make([]molly.Poi, len(c.POIs))}
		for i := range c.POIs {
			m.Pois[i] = poi(&c.POIs[i])
		}
		n.pois.Publish(m)
	}
	if all || !(site.Content{Tours: c.Tours}).Equal(site.Content{Tours: n.content.Tours}) {
		m := molly.TourArray{Header: rosconv.Header(now, ""), Site: name, Tours: make([]molly.Tour, len(c.Tours))}
		for i := range c.Tours {
			m.Tours[i] = tour(&c.Tours[i])
		}
		n.tours.Publish(m)
	}
	n.published, n.site, n.content = true, name, c
}
