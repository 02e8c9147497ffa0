package host

import "sarathi/driver"

// order is what a mirror wants done.
type order int

const (
	nothing     order = iota
	engageBody        // latch the body as the mux is latched
	releaseBody       // the mux was released by a deliberate act
	askMux            // the body is latched, the mux must be too
)

// mirror keeps the latch of the mux and that of the body together. The zero value is both released.
type mirror struct {
	mux   bool // the mux says it is latched
	asked bool // the mux was asked to latch and has not said yet that it did
	body  driver.EStopState
}

// onMux takes what the mux says of its latch. Only the change to released releases the body: a status that is older
// than a request must not.
func (m *mirror) onMux(estop bool) order {
	was := m.mux
	m.mux = estop
	if estop {
		m.asked = false
		if !m.body.Engaged {
			return engageBody
		}
		return nothing
	}
	if !was || !m.body.Engaged || m.asked {
		return nothing
	}
	if m.body.Held {
		return m.ask()
	}
	return releaseBody
}

// onBody takes what the body says of its latch.
func (m *mirror) onBody(s driver.EStopState) order {
	m.body = s
	switch {
	case s.Engaged && !m.mux && !m.asked:
		return m.ask()
	case !s.Engaged && m.mux:
		return engageBody // somebody released the body behind the mux's back
	default:
		return nothing
	}
}

// onTick repeats a request that seems to have been lost.
func (m *mirror) onTick() order {
	if m.body.Engaged && !m.mux {
		return m.ask()
	}
	return nothing
}

// ask notes that the mux is asked to latch.
func (m *mirror) ask() order {
	m.asked = true
	return askMux
}
