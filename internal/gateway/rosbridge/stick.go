package rosbridge

import (
	"math"
	"time"

	"sarathi/internal/idl"
	"sarathi/msg/geometry"
)

// stickTimeout is how long a client may be silent before another one may drive: as long as the mux trusts a remote source.
const stickTimeout = 300 * time.Millisecond

// A stick is a remote source that clients share. One of them drives at a time: the mux knows sources and no clients, and must not take the
// stick of one, at rest, for that of another, which is not. It is for one goroutine at a time, as handlers of a subscription are.
type stick struct {
	pass  func(idl.Message)
	owner uint64 // client; 0: nobody yet
	at    time.Time
}

func newStick(pass func(idl.Message)) *stick { return &stick{pass: pass} }

// move passes on the velocity of the client that drives. Another client takes over when that one is silent, and then the mux is told first
// that nobody holds the stick, by what is no number: it stops and disarms.
func (s *stick) move(now time.Time, client uint64, m idl.Message) {
	if client != s.owner {
		if s.owner != 0 && now.Sub(s.at) < stickTimeout {
			return
		}
		s.owner = client
		nan := math.NaN()
		s.pass(&geometry.Twist{Linear: geometry.Vector3{X: nan, Y: nan}, Angular: geometry.Vector3{Z: nan}})
	}
	s.at = now
	s.pass(m)
}
