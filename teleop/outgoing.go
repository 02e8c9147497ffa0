package teleop

import (
	"bytes"
	"time"
)

// An outgoing is one stream on its way out. A frame that has begun is finished; of those that wait, only the latest is kept. So a
// source that is faster than the link neither piles up nor starves its own frames.
type outgoing struct {
	frame   uint32 // number of the frame that is being sent
	sending []byte
	index   int // of its next chunk
	busy    bool
	next    []byte
	waiting bool
}

// offer takes a frame and reports whether it replaced one that waited.
func (o *outgoing) offer(payload []byte) (replaced bool) {
	replaced = o.waiting
	o.next, o.waiting = payload, true
	return replaced
}

// stop forgets what was not sent. Frame numbers go on.
func (o *outgoing) stop() { *o = outgoing{frame: o.frame} }

// pump appends chunks in turns of the streams, at most a burst, and sets when the next burst may leave.
func (s *Session) pump() {
	if !s.client.live() || s.now() < s.nextBurst {
		return
	}
	sent := 0
	for progress := true; progress; {
		progress = false
		for i := 1; i < streamCount && sent < s.cfg.Burst; i++ {
			if s.chunk(Stream(i), &s.out[i]) {
				progress = true
				sent++
			}
		}
	}
	if sent > 0 {
		s.nextBurst = s.now() + s.cfg.BurstPeriod
	}
}

// chunk sends the next chunk of a stream and reports whether there was one.
func (s *Session) chunk(stream Stream, o *outgoing) bool {
	if !o.busy {
		if !o.waiting {
			return false
		}
		o.frame++
		o.sending, o.index, o.busy = o.next, 0, true
		o.next, o.waiting = nil, false
	}
	start := len(s.arena)
	s.arena = s.dialect.AppendChunk(s.arena, stream, o.frame, o.sending, o.index)
	s.send(s.client.addr, start)
	s.stats.Chunks++
	if o.index++; o.index == Chunks(len(o.sending)) {
		o.sending, o.busy = nil, false
	}
	return true
}

func (s *Session) streaming() bool {
	for i := range s.out {
		if s.out[i].busy || s.out[i].waiting {
			return true
		}
	}
	return false
}

// offer queues a frame for the client, if there is one.
func (s *Session) offer(stream Stream, payload []byte) {
	if !s.client.live() || len(payload) > MaxFrame {
		return
	}
	if s.out[stream].offer(payload) {
		s.stats.Dropped++
	}
}

// SetRoute takes the loaded route or planned path; nil means none is loaded. It is sent when it changes, on welcome and on request.
func (s *Session) SetRoute(now time.Time, points []RoutePoint) Output {
	return s.keep(now, StreamRoute, AppendRoute(nil, points))
}

// SetMap takes the map, the PNG of which must not be changed afterwards; nil means there is none. Its Rev is set here.
func (s *Session) SetMap(now time.Time, m *Map) Output {
	if m == nil {
		s.state.MapRev = Opt[uint32]{}
		return s.keep(now, StreamMap, nil)
	}
	numbered := *m
	numbered.Rev = m.Revision()
	s.state.MapRev = Some(numbered.Rev)
	return s.keep(now, StreamMap, AppendMap(nil, &numbered))
}

// SetSite takes the content of the active site; nil means there is none. Its Rev is set here.
func (s *Session) SetSite(now time.Time, site *Site) Output {
	if site == nil {
		s.siteRev = 0
		return s.keep(now, StreamSite, nil)
	}
	numbered := *site
	numbered.Rev = site.Revision()
	s.siteRev = numbered.Rev
	return s.keep(now, StreamSite, AppendSite(nil, &numbered))
}

// keep holds a frame for later clients and sends it to the present one if it is new.
func (s *Session) keep(now time.Time, stream Stream, payload []byte) Output {
	s.begin(now)
	if s.dialect.HasStream(stream) && !bytes.Equal(payload, s.kept[stream]) {
		if s.kept[stream] = payload; payload != nil {
			s.offer(stream, payload)
		}
	}
	return s.end()
}

// Camera takes a JPEG image, which must not be changed afterwards. It is dropped unless the client wants it and its rate allows it.
func (s *Session) Camera(now time.Time, jpeg []byte) Output {
	s.begin(now)
	if s.streams.Camera && s.now() >= s.nextCamera {
		// From the time at which it was due, so that a source of 8.1 images a second is not halved by a cap of 8.
		interval := time.Duration(float64(time.Second) / s.streams.CameraFPS)
		s.nextCamera = max(s.nextCamera+interval, s.now())
		s.offer(StreamCamera, jpeg)
	}
	return s.end()
}

// Lidar takes points packed by [AppendLidarPoint], which must not be changed afterwards. They are dropped unless the client wants them.
func (s *Session) Lidar(now time.Time, points []byte) Output {
	s.begin(now)
	if s.streams.Lidar {
		s.offer(StreamLidar, points)
	}
	return s.end()
}
