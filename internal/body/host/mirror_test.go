package host

import (
	"math/rand/v2"
	"testing"

	"sarathi/driver"
)

func TestMirror(t *testing.T) {
	const (
		muxOn = iota
		muxOff
		bodyOn
		bodyHeld
		bodyOff
		tick
	)
	type step struct {
		event int
		want  order
	}
	for _, c := range []struct {
		name  string
		steps []step
	}{
		{"mux engages and releases", []step{{muxOff, nothing}, {muxOn, engageBody}, {bodyOn, nothing}, {muxOn, nothing}, {muxOff, releaseBody}, {bodyOff, nothing}}},
		{"body first", []step{{bodyOn, askMux}, {muxOn, nothing}, {tick, nothing}, {muxOff, releaseBody}}},
		{"an older status does not release", []step{{bodyOn, askMux}, {muxOff, nothing}, {muxOn, nothing}, {muxOff, releaseBody}}},
		{"a lost request is repeated", []step{{bodyOn, askMux}, {muxOff, nothing}, {tick, askMux}, {muxOn, nothing}, {muxOff, releaseBody}}},
		{"button while released at the mux", []step{{muxOn, engageBody}, {bodyHeld, nothing}, {muxOff, askMux}, {muxOn, nothing}, {bodyOn, nothing}, {muxOff, releaseBody}}},
		{"found latched at the start", []step{{bodyOn, askMux}, {tick, askMux}}},
		{"mux found latched at the start", []step{{muxOn, engageBody}}},
		{"body released behind the mux's back", []step{{muxOn, engageBody}, {bodyOn, nothing}, {bodyOff, engageBody}}},
		{"repeated release", []step{{muxOff, nothing}, {muxOff, nothing}, {tick, nothing}}},
	} {
		var m mirror
		for i, s := range c.steps {
			var got order
			switch s.event {
			case muxOn, muxOff:
				got = m.onMux(s.event == muxOn)
			case tick:
				got = m.onTick()
			default:
				got = m.onBody(driver.EStopState{Engaged: s.event != bodyOff, Held: s.event == bodyHeld})
			}
			if got != s.want {
				t.Errorf("%s: step %d gives %d, want %d", c.name, i+1, got, s.want)
				break
			}
		}
	}
}

// TestMirrorAgrees plays a mux and a body that latch at random and obey the orders late. In the end they agree.
func TestMirrorAgrees(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 2))
		var (
			m       mirror
			mux     bool
			guard   driver.Guard
			pending []func() // messages under way, in order
		)
		send := func(f func()) { pending = append(pending, f) }
		tellMux := func() { v := mux; send(func() { obey(m.onMux(v), &m, &guard, send, &mux) }) }
		tellBody := func() { s := guard.State(); send(func() { obey(m.onBody(s), &m, &guard, send, &mux) }) }
		for range 60 {
			switch rng.IntN(6) {
			case 0:
				mux = true
				tellMux()
			case 1:
				if !guard.State().Held { // the mux refuses a release while the body is held
					mux = false
					tellMux()
				}
			case 2:
				if guard.EStop("body") {
					tellBody()
				}
			case 3:
				if guard.Hold(rng.IntN(2) == 0, "button") {
					tellBody()
				}
			default:
				if len(pending) > 0 {
					next := pending[0]
					pending = pending[1:]
					next()
				}
			}
		}
		for i := 0; i < 1000 && (len(pending) > 0 || i < 5); i++ {
			if len(pending) == 0 {
				tellMux()
				obey(m.onTick(), &m, &guard, send, &mux)
				continue
			}
			next := pending[0]
			pending = pending[1:]
			next()
		}
		if mux != guard.State().Engaged {
			t.Errorf("seed %d: mux %v, body %+v, mirror %+v", seed, mux, guard.State(), m)
		}
	}
}

// obey does for a test what the node does, with every effect as one more message.
func obey(o order, m *mirror, guard *driver.Guard, send func(func()), mux *bool) {
	again := func() {
		s := guard.State()
		send(func() { obey(m.onBody(s), m, guard, send, mux) })
	}
	switch o {
	case nothing:
	case engageBody:
		if guard.EStop("mux") {
			again()
		}
	case releaseBody:
		if changed, err := guard.Release(); err != nil {
			obey(m.ask(), m, guard, send, mux)
		} else if changed {
			again()
		}
	case askMux:
		send(func() {
			*mux = true
			send(func() { obey(m.onMux(true), m, guard, send, mux) })
		})
	}
}
