package sitemanager

import (
	"fmt"
	"slices"
	"time"

	"sarathi/internal/algo/mapfile"
	"sarathi/internal/rosconv"
	"sarathi/msg/dharma"
	"sarathi/msg/nav"
	"sarathi/msg/stdsrvs"
)

func (n *Node) onStart(req dharma.StartMappingRequest, reply func(dharma.StartMappingResponse, error)) {
	n.wanted = false // whoever starts by hand has decided otherwise
	n.begin(req, func(text string, err error) {
		if err != nil {
			text = err.Error()
		}
		reply(dharma.StartMappingResponse{Success: err == nil, Message: text}, nil)
	})
}

// begin starts to map; the package comment has the order.
func (n *Node) begin(req dharma.StartMappingRequest, done func(text string, err error)) {
	s := n.situation()
	if err := s.mayMap(); err != nil {
		done("", err)
		return
	}
	n.doing = "mapping of " + req.Site + " is being started"
	now := n.ctx.Now()
	end := func(text string, err error) {
		n.doing = ""
		n.tell()
		done(text, err)
	}
	n.open(req.Site, func() (string, error) { return n.prepare(s, req, now) }, func(o opened, err error) {
		if err != nil {
			end("", err)
			return
		}
		n.adopt(o)
		n.orient(s.active != req.Site, func(err error) {
			if err != nil {
				end("", fmt.Errorf("the map would have no origin: %w", err))
				return
			}
			n.since = n.ctx.Bus().Now()
			n.others.start.Call(req, gridTimeout, func(r dharma.StartMappingResponse, err error) {
				if err = verdict(r.Success, r.Message, err); err != nil {
					end("", err)
					return
				}
				n.setMapping(req.Site)
				text := "mapping into site " + req.Site
				if o.note != "" {
					text += "; what it had is in " + o.note
				}
				end(text, nil)
			})
		})
	})
}

// prepare makes the site, or empties it, or makes sure that its map can be gone on with. It works on disk.
func (n *Node) prepare(s situation, req dharma.StartMappingRequest, now time.Time) (backup string, err error) {
	o, err := n.sites.Overview(req.Site)
	switch {
	case err != nil:
		return "", err
	case !slices.Contains(o.Sites, req.Site):
		return "", n.sites.Create(req.Site)
	case req.Reset:
		return n.sites.Reset(req.Site, now)
	case o.HasMap:
		return "", s.mayGoOn(req.Site)
	}
	return "", nil
}

// orient has localization know the site's tags, and a pose in its map.
func (n *Node) orient(anotherSite bool, done func(error)) {
	tags := func(error) {
		n.tellTags(func(string) {
			if n.situation().localized && !anotherSite {
				done(nil)
				return
			}
			n.others.trigger(n.others.origin, callTimeout, done)
		})
	}
	if anotherSite {
		n.others.trigger(n.others.reset, callTimeout, tags)
		return
	}
	tags(nil)
}

func (n *Node) onStop(_ stdsrvs.TriggerRequest, reply func(stdsrvs.TriggerResponse, error)) {
	refuse := func(err error) { reply(stdsrvs.TriggerResponse{Message: err.Error()}, nil) }
	if !n.others.stop.Ready() {
		refuse(errNoMapper())
		return
	}
	n.others.trigger(n.others.stop, gridTimeout, func(err error) {
		if err != nil {
			refuse(err)
			return
		}
		n.setMapping("")
		reply(stdsrvs.TriggerResponse{Success: true, Message: "mapping has ended; what is not saved can be (/mapping/save)"}, nil)
	})
}

func (n *Node) onSave(_ stdsrvs.TriggerRequest, reply func(stdsrvs.TriggerResponse, error)) {
	refuse := func(err error) { reply(stdsrvs.TriggerResponse{Message: err.Error()}, nil) }
	if err := n.situation().maySave(); err != nil {
		refuse(err)
		return
	}
	name := n.active()
	n.doing = "the map of " + name + " is being saved"
	n.others.save.Call(dharma.LoadSiteRequest{Site: name}, gridTimeout, func(r dharma.LoadSiteResponse, err error) {
		if err = verdict(r.Success, r.Message, err); err != nil {
			n.doing = ""
			refuse(err)
			return
		}
		n.open(name, nil, func(o opened, err error) {
			n.doing = ""
			if err != nil {
				refuse(fmt.Errorf("the map is saved, but the site cannot be loaded: %w", err))
				return
			}
			n.adopt(o)
			n.tellTags(func(note string) { reply(stdsrvs.TriggerResponse{Success: true, Message: n.describe(note)}, nil) })
		})
	})
}

// onMapping follows the grid mapper, which may end a session by itself, or have one when this node is started anew.
func (n *Node) onMapping(m dharma.MappingStatus) {
	if m.Active {
		n.setMapping(m.Site)
	} else {
		n.setMapping("")
	}
}

func (n *Node) setMapping(name string) {
	if n.mapping == name {
		return
	}
	n.mapping = name
	n.showMap()
	n.tell()
}

func (n *Node) onGrid(m nav.OccupancyGrid) {
	if n.mapping != "" {
		n.show(&m)
	}
}

// showMap publishes the map that is to be seen now.
func (n *Node) showMap() {
	if n.mapping == "" {
		n.show(n.siteMap)
		return
	}
	if live, at, ok := n.grid.Get(); ok && !at.Before(n.since) {
		n.show(&live)
	}
}

// show publishes a map that is not what was published last. That there is none is told when there was one.
func (n *Node) show(m *nav.OccupancyGrid) {
	switch {
	case m == nil && n.shown != nil:
		n.mapOut.Publish(nav.OccupancyGrid{Header: rosconv.Header(n.ctx.Now(), n.frame)})
	case m != nil && (n.shown == nil || !sameMap(m, n.shown)):
		n.mapOut.Publish(*m)
	}
	n.shown = m
}

// sameMap reports whether two maps look the same, whenever they were made.
func sameMap(a, b *nav.OccupancyGrid) bool {
	return a.Header.FrameID == b.Header.FrameID && a.Info.Resolution == b.Info.Resolution && a.Info.Width == b.Info.Width &&
		a.Info.Height == b.Info.Height && a.Info.Origin == b.Info.Origin && slices.Equal(a.Data, b.Data)
}

// gridOf makes the message of a map, whose cells it takes.
func gridOf(m *mapfile.Map, frame string, now time.Time) *nav.OccupancyGrid {
	return &nav.OccupancyGrid{
		Header: rosconv.Header(now, frame),
		Info: nav.MapMetaData{
			MapLoadTime: rosconv.Stamp(now), Resolution: float32(m.Meta.Resolution),
			Width: uint32(m.Width), Height: uint32(m.Height), Origin: rosconv.Pose(m.Meta.Origin.Transform()),
		},
		Data: m.Cells,
	}
}
