package teleop

import (
	"bytes"
	"context"
	"time"

	"sarathi/internal/bus"
	"sarathi/internal/node"
	"sarathi/internal/rosconv"
	"sarathi/internal/rosconv/tflistener"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/molly"
	"sarathi/msg/nav"
	"sarathi/msg/sensor"
	"sarathi/teleop"
)

// framesAge is how old a moving transform may be on the way from the lidar to the base.
const framesAge = 500 * time.Millisecond

// The cost of the work in virtual time.
const (
	cloudCost = 2 * time.Millisecond
	imageCost = 50 * time.Millisecond
)

// streams feeds the binary streams. It belongs to the node's loop.
type streams struct {
	node *Node

	wants  map[*link]teleop.Streams
	camera *bus.Subscription // while a handheld wants it
	lidar  *lidar            // the same
	tags   *tags             // while a handheld sees the camera's image, on whatever way

	// what every handheld is sent once, kept for those who come
	grid    *nav.OccupancyGrid // of the map; nil: there is none
	image   *teleop.Map        // made of a grid
	stale   bool               // grid is newer than image
	drawing bool
	route   []teleop.RoutePoint
	site    *teleop.Site
	active  string // site
	pois    molly.PoiArray
	tours   molly.TourArray
}

func newStreams(n *Node) *streams {
	s := &streams{node: n, wants: map[*link]teleop.Streams{}}
	bus.Subscribe(n.ctx, topics.Waypoints, s.onRoute)
	bus.Subscribe(n.ctx, topics.Map, s.onMap)
	bus.Subscribe(n.ctx, topics.SiteStatus, s.onSite)
	bus.Subscribe(n.ctx, topics.SitePois, s.onPOIs)
	bus.Subscribe(n.ctx, topics.SiteTours, s.onTours)
	return s
}

// want subscribes to what the handhelds want together, and to nothing else.
func (s *streams) want(l *link, w teleop.Streams) {
	s.wants[l] = w
	var camera, cloud, view bool
	for _, w := range s.wants {
		camera, cloud, view = camera || w.Camera, cloud || w.Lidar, view || w.Camera || w.Video
	}
	switch {
	case camera && s.camera == nil:
		s.camera = bus.Subscribe(s.node.ctx, topics.BodyImage, s.onImage)
	case !camera && s.camera != nil:
		s.camera.Cancel()
		s.camera = nil
	}
	switch {
	case cloud && s.lidar == nil:
		s.lidar = newLidar(s.node)
	case !cloud && s.lidar != nil:
		s.lidar.close()
		s.lidar = nil
	}
	switch {
	case view && s.tags == nil:
		s.tags = newTags(s.node)
	case !view && s.tags != nil:
		s.tags.Cancel()
		s.tags = nil
	}
}

// restore hands a new session what there is. The caller holds the lock.
func (s *streams) restore(now time.Time, l *link) {
	if s.route != nil {
		l.session.SetRoute(now, s.route)
	}
	l.session.SetSite(now, s.site)
	l.session.SetMap(now, s.image)
}

// refresh is for a handheld that has just come: a map is drawn only when there is somebody to look at it.
func (s *streams) refresh() { s.draw() }

// onImage passes an image on. What is no JPEG nobody could show.
func (s *streams) onImage(m sensor.CompressedImage) {
	if !bytes.HasPrefix(m.Data, []byte{0xFF, 0xD8}) {
		return
	}
	s.node.each(func(now time.Time, l *link) teleop.Output { return l.session.Camera(now, m.Data) })
}

func (s *streams) onRoute(m dharma.WaypointPath) {
	s.route = make([]teleop.RoutePoint, len(m.Points))
	for i, p := range m.Points {
		s.route[i] = teleop.RoutePoint{X: p.X, Y: p.Y, Dwell: p.DwellSec}
	}
	s.node.each(func(now time.Time, l *link) teleop.Output { return l.session.SetRoute(now, s.route) })
}

func (s *streams) onSite(m dharma.SiteStatus) {
	if m.Site != s.active {
		s.active = m.Site
		s.stale = s.grid != nil // the map names its site
		s.draw()
	}
	s.tellSite()
}

func (s *streams) onPOIs(m molly.PoiArray) {
	s.pois = m
	s.tellSite()
}

func (s *streams) onTours(m molly.TourArray) {
	s.tours = m
	s.tellSite()
}

// tellSite sends the site, once what belongs to it has come: the three topics do not change at the same instant.
func (s *streams) tellSite() {
	s.site = nil
	if s.active != "" {
		s.site = &teleop.Site{Name: s.active}
		if s.pois.Site == s.active {
			for i := range s.pois.Pois {
				s.site.POIs = append(s.site.POIs, poiOf(&s.pois.Pois[i]))
			}
		}
		if s.tours.Site == s.active {
			for i := range s.tours.Tours {
				s.site.Tours = append(s.site.Tours, tourOf(&s.tours.Tours[i]))
			}
		}
	}
	s.node.each(func(now time.Time, l *link) teleop.Output { return l.session.SetSite(now, s.site) })
}

func (s *streams) onMap(m nav.OccupancyGrid) {
	s.grid, s.stale = &m, true
	if !drawable(&m) {
		s.grid, s.stale, s.image = nil, false, nil
		s.node.each(func(now time.Time, l *link) teleop.Output { return l.session.SetMap(now, nil) })
		return
	}
	s.draw()
}

// draw makes the image of the newest map away from the loop, one at a time, when a handheld that can show it is there.
func (s *streams) draw() {
	if !s.stale || s.drawing || !s.node.drives(teleop.StreamMap) {
		return
	}
	s.stale, s.drawing = false, true
	grid, site, most := s.grid, s.active, s.node.cfg.MapMaxPx
	node.Go(s.node.ctx, imageCost, func(context.Context) (*teleop.Map, error) { return drawMap(grid, site, most) },
		func(m *teleop.Map, err error) {
			s.drawing = false
			switch {
			case err != nil:
				s.node.ctx.Log().Error("the map cannot be drawn", "err", err)
			case s.grid != nil: // else it went away meanwhile
				s.image = m
				s.node.each(func(now time.Time, l *link) teleop.Output { return l.session.SetMap(now, m) })
			}
			s.draw()
		})
}

// drives reports whether a handheld is there whose dialect has a stream.
func (n *Node) drives(stream teleop.Stream) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, l := range n.links {
		if l.dialect.HasStream(stream) && l.session.Client().Session != 0 {
			return true
		}
	}
	return false
}

// lidar is what runs while a handheld wants the cloud.
type lidar struct {
	node    *Node
	scope   *scope
	frames  *tflistener.Listener
	packer  *packer // used by one job at a time
	packing bool
	next    time.Time // when a cloud is due
	refused int
}

func newLidar(n *Node) *lidar {
	s := &scope{Context: n.ctx}
	d := &lidar{node: n, scope: s, packer: newPacker(n.cfg.Lidar), frames: tflistener.Subscribe(s, topics.TF, topics.TFStatic)}
	bus.Subscribe(s, topics.BodyPoints, d.onCloud)
	return d
}

func (d *lidar) close() { d.scope.end() }

// onCloud packs a cloud away from the loop, when one is due and the last one is done.
func (d *lidar) onCloud(m sensor.PointCloud2) {
	now := d.node.ctx.Now()
	if d.packing || now.Before(d.next) || d.scope.ended {
		return
	}
	pose, err := d.frames.Lookup(d.node.frame, m.Header.FrameID, rosconv.FromStamp(m.Header.Stamp))
	if err != nil { // the transform of that instant may be on its way; the newest is good enough to look at
		pose, _, err = d.frames.Latest(d.node.frame, m.Header.FrameID, now, framesAge)
	}
	if err != nil {
		d.refuse(err)
		return
	}
	d.next = now.Add(time.Duration(float64(time.Second) / d.node.cfg.Lidar.Hz))
	d.packing = true
	node.Go(d.node.ctx, cloudCost, func(context.Context) ([]byte, error) { return d.packer.pack(&m, pose) },
		func(points []byte, err error) {
			d.packing = false
			if err != nil {
				d.refuse(err)
				return
			}
			d.refused = 0
			d.node.each(func(now time.Time, l *link) teleop.Output { return l.session.Lidar(now, points) })
		})
}

// patience is how many clouds in a row may be refused before it is logged: transforms come a little later than the first of them.
const patience = 10

// refuse notes a cloud that cannot be shown.
func (d *lidar) refuse(err error) {
	if d.refused++; d.refused == patience {
		d.node.ctx.Log().Warn("the cloud cannot be shown to handhelds", "err", err)
	}
}
