package teleop

import (
	"net/netip"
	"time"
)

// HandleDatagram takes a datagram from a handheld. It keeps nothing of data.
func (s *Session) HandleDatagram(now time.Time, from netip.AddrPort, data []byte) Output {
	s.begin(now)
	s.stats.Datagrams++
	from = netip.AddrPortFrom(from.Addr().Unmap(), from.Port())
	if root, err := s.doc.parse(data); err != nil || len(data) > MaxDatagram {
		s.stats.Malformed++
	} else {
		s.receive(from, root)
	}
	s.doc.src = nil
	return s.end()
}

func (s *Session) receive(from netip.AddrPort, root value) {
	t := root.get("t")
	if t.is("discover") {
		s.beacon(from)
		return
	}
	if !s.authorized(root.get("k")) {
		s.stats.Unauthorized++
		if t.is("hello") && s.denied.allow(s.now(), from.Addr()) {
			s.stats.Denied++
			s.reply(from, `{"t":"denied","msg":"the token is missing or wrong"}`)
		}
		return
	}
	driving := s.client.live() && from == s.client.addr
	switch {
	case driving:
		s.client.seen = s.now()
		s.fromDriver(t, root)
	case t.is("hello"):
		s.fromNewcomer(from, root)
	case t.is("cmd") && root.get("name").is(CommandEStop):
		s.estop(from, root)
	default:
		s.stats.Stray++
	}
}

func (s *Session) fromDriver(t, root value) {
	switch {
	case t.is("joy"):
		s.joy(root)
	case t.is("hello"):
		if name := root.get("name"); !name.is(s.client.name) {
			s.client.name = clientName(name, s.client.addr)
		}
		s.hello(root)
	case t.is("cmd"):
		s.command(root)
	case t.is("streams"):
		s.setStreams(s.wanted(root, s.streams))
	case t.is("ping"):
		s.pong(root.get("ts"))
	case t.is("bye"):
		s.drop("bye")
	default:
		s.stats.Malformed++
	}
}

// fromNewcomer decides about a hello from an address that is not the driver's.
func (s *Session) fromNewcomer(from netip.AddrPort, root value) {
	if s.client.live() {
		if from.Addr() != s.client.addr.Addr() {
			s.stats.Busy++
			s.reply(from, `{"t":"busy","msg":"another device is driving, retry later"}`)
			return
		}
		s.drop("the same device came from another port")
	}
	s.start(from, clientName(root.get("name"), from))
	s.hello(root)
	for stream := range s.kept {
		if s.kept[stream] != nil {
			s.offer(Stream(stream), s.kept[stream])
		}
	}
}

// clientName is never empty: an empty in_use_by means that the robot is free.
func clientName(v value, from netip.AddrPort) string {
	if name := cut(trim(v.text()), MaxName); name != "" {
		return name
	}
	return from.Addr().String()
}

// hello answers with welcome. A keep-alive gets one too, since the first may have been lost; the streams only come with a session.
func (s *Session) hello(root value) {
	if streams := root.get("streams"); streams.kind() == kindObject {
		s.setStreams(s.wanted(streams, Streams{}))
	}
	start := len(s.arena)
	s.arena = append(s.arena, s.welcome...)
	s.send(s.client.addr, start)
}

// wanted reads stream wishes; what is not said, or not said properly, stays as in want.
func (s *Session) wanted(v value, want Streams) Streams {
	for _, f := range [...]struct {
		name string
		dst  *bool
	}{{"camera", &want.Camera}, {"lidar", &want.Lidar}, {"video", &want.Video}} {
		if b, ok := v.get(f.name).boolean(); ok {
			*f.dst = b
		}
	}
	if fps, ok := v.get("camera_fps").finite(); ok && fps > 0 {
		want.CameraFPS = min(max(fps, leastFPS), s.cfg.CameraFPS)
	}
	if want.CameraFPS == 0 {
		want.CameraFPS = s.cfg.CameraFPS
	}
	return want
}

// joy takes a velocity. A value that is no finite number counts as 0, a missing one is 0. A message with such a value and nothing but
// zeros besides stops the robot but is not passed on as a neutral stick: it would keep the mux's watchdog content and could arm it.
func (s *Session) joy(root value) {
	s.stats.Joy++
	vx, ok1 := axis(root.get("vx"))
	vy, ok2 := axis(root.get("vy"))
	wz, ok3 := axis(root.get("wz"))
	v := Velocity{VX: vx, VY: vy, WZ: wz}.Clamp(s.cfg.Limits)
	if !ok1 || !ok2 || !ok3 {
		s.stats.BadJoy++
		if v.IsZero() {
			s.halt()
			return
		}
	}
	s.velocity, s.velocityAt = v, s.now()
	s.acts = append(s.acts, Effect{Kind: EffectVelocity, Velocity: v})
}

func axis(v value) (f float64, ok bool) {
	if !v.exists() {
		return 0, true
	}
	return v.finite()
}

// longestStamp bounds what a ping may have echoed [bytes].
const longestStamp = 64

func (s *Session) pong(ts value) {
	start := len(s.arena)
	s.arena = append(s.arena, `{"t":"pong","ts":`...)
	switch raw := ts.raw(); {
	case !ts.exists() || len(raw) > longestStamp || ts.kind() == kindNumber && !isFinite(ts):
		s.arena = append(s.arena, "null"...)
	case ts.kind() == kindString:
		s.arena = append(append(append(s.arena, '"'), raw...), '"')
	default:
		s.arena = append(s.arena, raw...) // every digit as it came
	}
	s.arena = append(s.arena, '}')
	s.send(s.client.addr, start)
}

func isFinite(v value) bool {
	_, ok := v.finite()
	return ok
}

func (s *Session) beacon(to netip.AddrPort) {
	start := len(s.arena)
	s.arena = s.dialect.appendBeacon(s.arena, beacon{s.cfg.Name, s.secured, s.client.name, &s.state})
	s.send(to, start)
}
