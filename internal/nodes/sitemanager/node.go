package sitemanager

import (
	"context"
	"errors"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"
	"time"

	"sarathi/internal/bus"
	"sarathi/internal/node"
	"sarathi/internal/rosconv"
	"sarathi/internal/site"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/nav"
	"sarathi/msg/stdsrvs"
)

// Name is the node's name on the bus.
const Name = "site_manager_node"

// The cost of disk work in virtual time.
const (
	lookCost = 5 * time.Millisecond
	loadCost = 50 * time.Millisecond
)

// How long other nodes may take to answer: the grid mapper draws and writes a map.
const (
	callTimeout = 5 * time.Second
	gridTimeout = 25 * time.Second
)

// Deps is what the node needs from outside.
type Deps struct {
	Sites *site.Store
	State *site.State
	Frame string // of the map
}

// Node is site_manager_node. Use [New].
type Node struct {
	cfg   Config
	frame string
	sites *site.Store
	state *site.State

	// set in Setup
	ctx          *node.Context
	mapOut       *bus.Publisher[nav.OccupancyGrid]
	status       *bus.Publisher[dharma.SiteStatus]
	grid         *bus.Reader[nav.OccupancyGrid]
	localization *bus.Reader[dharma.LocalizationStatus]
	others       others

	// owned by the loop
	doing      string // the operation that is going on
	site       *site.Site
	overview   site.Overview
	message    string // of the last operation, for a person
	trouble    string // of the last look at the sites folder
	told       *tagsTold
	mapping    string    // site that is mapped
	since      time.Time // when that was asked for: a grid from before is of another session
	wanted     bool      // to map into cfg.Map as soon as somebody can
	waiting    bool      // that is told
	refreshing bool
	shown      *nav.OccupancyGrid // on /map; nil: none
	last       *dharma.SiteStatus // as published
	route      string             // remembered
	siteMap    *nav.OccupancyGrid // of the active site
}

var _ node.Node = (*Node)(nil)

// New returns the node, or what is wrong with the configuration.
func New(cfg Config, deps Deps) (*Node, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("site manager: %w", err)
	}
	if deps.Sites == nil || deps.State == nil || deps.Frame == "" {
		return nil, errors.New("site manager: no sites folder, no state folder or no frame was given")
	}
	return &Node{cfg: cfg, frame: deps.Frame, sites: deps.Sites, state: deps.State, wanted: cfg.Map != ""}, nil
}

// Setup implements node.Node.
func (n *Node) Setup(c *node.Context) error {
	n.ctx = c
	n.mapOut = bus.NewPublisher(c, topics.Map)
	n.status = bus.NewPublisher(c, topics.SiteStatus)
	n.grid = bus.NewReader(c, topics.MappingGrid)
	n.localization = bus.NewReader(c, topics.LocalizationStatus)
	n.others = newOthers(c)
	bus.Subscribe(c, topics.MappingGrid, n.onGrid)
	bus.Subscribe(c, topics.MappingStatus, n.onMapping)
	bus.Subscribe(c, topics.Waypoints, n.onRoute)
	bus.ServeAsync(c, topics.ListSites, n.onList)
	bus.ServeAsync(c, topics.LoadSite, n.onLoad)
	bus.ServeAsync(c, topics.StartMapping, n.onStart)
	bus.ServeAsync(c, topics.StopMapping, n.onStop)
	bus.ServeAsync(c, topics.SaveMapping, n.onSave)
	c.After(0, n.remember)
	c.Every(n.cfg.Refresh, n.refresh)
	return nil
}

// active returns the name of the active site.
func (n *Node) active() string {
	if n.site == nil {
		return ""
	}
	return n.site.Name
}

func (n *Node) situation() situation {
	l, _, ok := n.localization.Get()
	return situation{
		doing: n.doing, active: n.active(), mapping: n.mapping,
		localized: ok && l.State == dharma.LocalizationStatusStateLocalized,
		mapper:    n.others.start.Ready(),
	}
}

// opened is what came of disk work that opens a site.
type opened struct {
	site     *site.Site
	overview site.Overview
	note     string
}

// open reads a site away from the loop and makes it the active one; before may do something on disk first.
func (n *Node) open(name string, before func() (note string, err error), done func(opened, error)) {
	now := n.ctx.Now()
	node.Go(n.ctx, loadCost, func(context.Context) (out opened, err error) {
		if before != nil {
			out.note, err = before()
		}
		if err == nil {
			out.site, err = n.sites.Open(name, now)
		}
		if err == nil {
			err = n.state.SetActive(name)
		}
		if err == nil {
			out.overview, err = n.sites.Overview(name)
		}
		return out, err
	}, done)
}

// adopt makes a site that was opened the active one, and tells it.
func (n *Node) adopt(o opened) {
	n.site, n.overview, n.told = o.site, o.overview, nil
	n.message = strings.Join(o.site.Notes, "; ")
	if n.message != "" {
		n.ctx.Log().Warn("the site was not whole", "site", o.site.Name, "notes", n.message)
	}
	n.siteMap = nil
	if o.site.Map != nil {
		n.siteMap = gridOf(o.site.Map, n.frame, n.ctx.Now())
		o.site.Map = nil // its cells are in the grid
	}
	n.showMap()
	n.last = nil // also when the status is the same: site_content_node reads the POIs again, which may be others
	n.tell()
}

// remember makes the site active that was when the robot was switched off.
func (n *Node) remember(time.Time) {
	n.doing = "the last site is being loaded"
	now := n.ctx.Now()
	node.Go(n.ctx, loadCost, func(context.Context) (opened, error) {
		var out opened
		name, err := n.state.Active()
		if err == nil && name != "" {
			out.site, err = n.sites.Open(name, now)
			if errors.Is(err, site.ErrNoSite) {
				err = fmt.Errorf("the last %w", err)
			}
		}
		if err != nil {
			name = ""
		}
		var lookErr error
		out.overview, lookErr = n.sites.Overview(name)
		return out, errors.Join(err, lookErr)
	}, func(o opened, err error) {
		n.doing = ""
		if err == nil && o.site != nil {
			n.adopt(o)
			n.tellTags(func(string) {})
			return
		}
		n.overview = o.overview
		if err != nil {
			n.message = err.Error()
			n.ctx.Log().Error("the last site cannot be loaded", "error", err)
		}
		n.tell()
	})
}

func (n *Node) onList(_ dharma.ListSitesRequest, reply func(dharma.ListSitesResponse, error)) {
	node.Go(n.ctx, lookCost, func(context.Context) ([]string, error) { return n.sites.List() }, func(list []string, err error) {
		if err != nil {
			reply(dharma.ListSitesResponse{Message: err.Error(), Active: n.active()}, nil)
			return
		}
		reply(dharma.ListSitesResponse{Success: true, Sites: list, Active: n.active()}, nil)
	})
}

func (n *Node) onLoad(req dharma.LoadSiteRequest, reply func(dharma.LoadSiteResponse, error)) {
	if err := n.situation().mayLoad(); err != nil {
		reply(dharma.LoadSiteResponse{Message: err.Error()}, nil)
		return
	}
	n.doing = "site " + req.Site + " is being loaded"
	before := n.active()
	n.open(req.Site, nil, func(o opened, err error) {
		if err != nil {
			n.doing = ""
			reply(dharma.LoadSiteResponse{Message: err.Error()}, nil)
			return
		}
		n.adopt(o)
		done := func(note string) {
			n.doing = ""
			reply(dharma.LoadSiteResponse{Success: true, Message: n.describe(note)}, nil)
		}
		if before == req.Site {
			n.tellTags(done)
			return
		}
		n.others.trigger(n.others.reset, callTimeout, func(error) { n.tellTags(done) })
	})
}

// describe says what the active site has.
func (n *Node) describe(notes ...string) string {
	size := "no map"
	if m := n.siteMap; m != nil {
		size = fmt.Sprintf("a map of %d × %d cells", m.Info.Width, m.Info.Height)
	}
	parts := []string{fmt.Sprintf("site %s: %s, POIs: %d, tours: %d, tags: %d, routes: %d", n.active(), size,
		len(n.site.Content.POIs), len(n.site.Content.Tours), len(n.overview.Tags), len(n.overview.Routes))}
	return join(append(append(parts, n.message), notes...)...)
}

// join makes one line of what is not empty.
func join(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "; ")
}

// refresh looks for what other nodes, or people, have put into the sites folder.
func (n *Node) refresh(time.Time) {
	if n.doing != "" || n.refreshing {
		return
	}
	if n.wanted && !n.others.start.Ready() && !n.waiting {
		n.waiting = true
		n.ctx.Log().Warn("mapping waits for grid_mapper_node", "site", n.cfg.Map)
	}
	if n.wanted && n.others.start.Ready() {
		n.wanted = false
		n.begin(dharma.StartMappingRequest{Site: n.cfg.Map, Reset: n.cfg.Reset}, func(text string, err error) {
			if err != nil {
				n.ctx.Log().Error("mapping cannot start", "site", n.cfg.Map, "error", err)
				return
			}
			n.ctx.Log().Info("mapping", "site", n.cfg.Map, "note", text)
		})
		return
	}
	n.refreshing = true
	name := n.active()
	node.Go(n.ctx, lookCost, func(context.Context) (site.Overview, error) { return n.sites.Overview(name) }, func(o site.Overview, err error) {
		n.refreshing = false
		if n.doing != "" || n.active() != name {
			return
		}
		if n.trouble = ""; err != nil {
			n.trouble = err.Error()
		} else {
			n.overview = o
		}
		n.tell()
		n.tellTags(func(string) {})
	})
}

// onRoute remembers the route that was loaded last.
func (n *Node) onRoute(m dharma.WaypointPath) {
	if path.Ext(m.Name) != ".csv" || m.Name == n.route {
		return
	}
	n.route = m.Name
	node.Go(n.ctx, lookCost, func(context.Context) (struct{}, error) { return struct{}{}, n.state.SetLastRoute(m.Name) }, func(_ struct{}, err error) {
		if err != nil {
			n.ctx.Log().Warn("the route is not remembered", "route", m.Name, "error", err)
		}
	})
}

// tell publishes the status when it has changed.
func (n *Node) tell() {
	m := dharma.SiteStatus{
		Site: n.active(), Sites: slices.Clone(n.overview.Sites), HasMap: n.siteMap != nil, Mapping: n.mapping != "",
		Tags: slices.Clone(n.overview.Tags), Routes: slices.Clone(n.overview.Routes), Message: join(n.message, n.trouble),
	}
	if n.last != nil && reflect.DeepEqual(*n.last, m) {
		return
	}
	n.last = &m
	out := m
	out.Header = rosconv.Header(n.ctx.Now(), "")
	n.status.Publish(out)
}

// trigger is what services without arguments have.
type trigger = bus.Caller[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]
