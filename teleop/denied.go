package teleop

import (
	"net/netip"
	"time"
)

const (
	deniedEvery = time.Second
	// mostDenied bounds how many addresses are told in one period; the others get silence, which is the safe answer.
	mostDenied = 256
)

// A deniedLimiter lets one answer through per address and second.
type deniedLimiter struct {
	told  map[netip.Addr]struct{}
	order []denial // oldest first
}

type denial struct {
	addr netip.Addr
	at   time.Duration
}

func (l *deniedLimiter) allow(now time.Duration, addr netip.Addr) bool {
	expired := 0
	for expired < len(l.order) && now-l.order[expired].at >= deniedEvery {
		delete(l.told, l.order[expired].addr)
		expired++
	}
	l.order = append(l.order[:0], l.order[expired:]...)
	if _, known := l.told[addr]; known || len(l.order) == mostDenied {
		return false
	}
	if l.told == nil {
		l.told = map[netip.Addr]struct{}{}
	}
	l.told[addr] = struct{}{}
	l.order = append(l.order, denial{addr, now})
	return true
}
