package pathloader

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sarathi/internal/algo/route"
	"sarathi/internal/bus"
	"sarathi/internal/node"
	"sarathi/internal/rosconv"
	"sarathi/internal/site"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
)

// Name is the node's name on the bus.
const Name = "path_loader_node"

const (
	diskCost    = 10 * time.Millisecond // in virtual time
	callTimeout = 2 * time.Second
	warnMoved   = 0.3 // [m] smoothing that moves a route farther is worth a word
)

// Deps is what the node needs from outside.
type Deps struct {
	Sites    *site.Store
	SitesDir string // where the sites folder is, for absolute paths
	State    *site.State
	Frame    string // of the map
}

// Node loads routes. Use [New].
type Node struct {
	deps Deps

	// set in Setup
	c       *node.Context
	setPath *bus.Caller[dharma.SetPathRequest, dharma.SetPathResponse]

	// owned by the loop
	site     string // that is active
	restored bool   // the last route was loaded again, or something else was loaded
}

var _ node.Node = (*Node)(nil)

// New returns the node, or what is missing.
func New(deps Deps) (*Node, error) {
	if deps.Sites == nil || deps.State == nil || deps.SitesDir == "" || deps.Frame == "" {
		return nil, errors.New("path loader: no sites folder, no state folder or no frame was given")
	}
	return &Node{deps: deps}, nil
}

// Setup implements node.Node.
func (n *Node) Setup(c *node.Context) error {
	n.c = c
	n.setPath = bus.NewCaller(c, topics.SetPath)
	bus.Subscribe(c, topics.SiteStatus, n.onSite)
	bus.Subscribe(c, topics.Waypoints, func(dharma.WaypointPath) { n.restored = true })
	bus.ServeAsync(c, topics.LoadPath, n.onLoad)
	bus.ServeAsync(c, topics.ListRoutes, n.onList)
	return nil
}

// onSite notices which site is active, and loads the last route again when it is of that site.
func (n *Node) onSite(m dharma.SiteStatus) {
	changed := m.Site != n.site
	n.site = m.Site
	if !changed || m.Site == "" || n.restored {
		return
	}
	node.Go(n.c, diskCost, func(context.Context) (string, error) { return n.deps.State.LastRoute() }, func(file string, err error) {
		if err != nil {
			n.c.Log().Warn("the last route is not known", "reason", err)
		}
		if err != nil || n.restored || file == "" || siteOf(file) != n.site {
			return
		}
		n.load(file, func(r dharma.LoadPathResponse) {
			if !r.Success {
				n.c.Log().Warn("the last route is not loaded", "route", file, "reason", r.Message)
			}
		})
	})
}

// siteOf is the site of a route file.
func siteOf(file string) string {
	first, _, _ := strings.Cut(file, "/")
	return first
}

func (n *Node) onLoad(r dharma.LoadPathRequest, reply func(dharma.LoadPathResponse, error)) {
	answer := func(r dharma.LoadPathResponse) { reply(r, nil) }
	file, err := n.inside(r.File)
	switch {
	case err != nil:
		answer(dharma.LoadPathResponse{Message: err.Error()})
	case siteOf(file) != n.site:
		answer(dharma.LoadPathResponse{Message: fmt.Sprintf("%s is a route of site %s: load that site first", file, siteOf(file))})
	default:
		n.restored = true
		n.load(file, answer)
	}
}

// inside returns the name of a file relative to the sites folder.
func (n *Node) inside(file string) (string, error) {
	if !filepath.IsAbs(file) {
		return path.Clean(filepath.ToSlash(file)), nil
	}
	relative, err := filepath.Rel(n.deps.SitesDir, file)
	if err != nil || !filepath.IsLocal(relative) {
		return "", fmt.Errorf("%s is not inside the sites folder %s", file, n.deps.SitesDir)
	}
	return filepath.ToSlash(relative), nil
}

// load reads a route and gives it to the follower.
func (n *Node) load(file string, done func(dharma.LoadPathResponse)) {
	refuse := func(err error) { done(dharma.LoadPathResponse{Message: err.Error()}) }
	node.Go(n.c, diskCost, func(context.Context) (route.Route, error) { return read(n.deps.Sites, file) }, func(r route.Route, err error) {
		if err != nil {
			refuse(err)
			return
		}
		m := dharma.WaypointPath{Header: rosconv.Header(n.c.Now(), n.deps.Frame), Name: file, Loop: r.Loop}
		for _, p := range r.Points {
			m.Points = append(m.Points, dharma.Waypoint{X: p.X, Y: p.Y, Yaw: p.Yaw, DwellSec: p.Dwell})
		}
		n.setPath.Call(dharma.SetPathRequest{Path: m}, callTimeout, func(answer dharma.SetPathResponse, err error) {
			switch {
			case err != nil:
				refuse(fmt.Errorf("give the route to the follower: %w", err))
			case !answer.Success:
				refuse(errors.New(answer.Message))
			default:
				done(dharma.LoadPathResponse{
					Success: true, Message: describe(&r), Points: uint32(len(r.Points)), Stops: uint32(r.Stops()), Length: float32(r.Length),
				})
			}
		})
	})
}

// read reads a route and makes a path of it.
func read(sites *site.Store, file string) (route.Route, error) {
	data, err := sites.Route(file)
	if err != nil {
		return route.Route{}, err
	}
	points, err := route.Parse(data)
	if err != nil {
		return route.Route{}, fmt.Errorf("%s: %w", file, err)
	}
	r, err := route.Prepare(points, route.Default())
	if err != nil {
		return route.Route{}, fmt.Errorf("%s: %w", file, err)
	}
	return r, nil
}

// describe says what became of a route.
func describe(r *route.Route) string {
	text := fmt.Sprintf("smoothing moved it by up to %.2f m", r.Moved)
	if r.Moved > warnMoved {
		text += ": look whether it still passes where it was taught"
	}
	if r.Loop {
		text = "a loop; " + text
	}
	return text
}

func (n *Node) onList(r dharma.ListRoutesRequest, reply func(dharma.ListRoutesResponse, error)) {
	node.Go(n.c, diskCost, func(context.Context) ([]string, error) { return list(n.deps.Sites, r.Site) }, func(routes []string, err error) {
		out := dharma.ListRoutesResponse{Success: err == nil, Routes: routes}
		if err != nil {
			out.Message, out.Routes = err.Error(), []string{}
		}
		reply(out, nil)
	})
}

// list returns the routes of a site, or of all, newest first: their names begin with date and time.
func list(sites *site.Store, of string) ([]string, error) {
	names := []string{of}
	known, err := sites.List()
	switch {
	case err != nil:
		return nil, err
	case of == "":
		names = known
	case !slices.Contains(known, of):
		return nil, fmt.Errorf("there is no site %s", of)
	}
	out := []string{}
	for _, name := range names {
		o, err := sites.Overview(name)
		if err != nil {
			return nil, err
		}
		out = append(out, o.Routes...)
	}
	slices.SortStableFunc(out, func(a, b string) int { return cmp.Compare(path.Base(b), path.Base(a)) })
	return out, nil
}
