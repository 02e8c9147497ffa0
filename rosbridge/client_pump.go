package rosbridge

import "sync"

// clientPump runs what the server sends to one handler, in order, in a goroutine of its own: a slow handler holds up nobody else, and
// loses its own oldest.
type clientPump struct {
	depth int
	wake  chan struct{}

	mu      sync.Mutex
	waiting []func()
	last    func() // runs when all else has run; then the pump ends
	ended   bool   // at once
	dropped uint64
}

func newClientPump(depth int) *clientPump {
	return &clientPump{depth: depth, wake: make(chan struct{}, 1)}
}

// push adds f, in place of the oldest when too many wait.
func (p *clientPump) push(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended || p.last != nil {
		return
	}
	if len(p.waiting) == p.depth {
		copy(p.waiting, p.waiting[1:])
		p.waiting = p.waiting[:p.depth-1]
		p.dropped++
	}
	p.waiting = append(p.waiting, f)
	p.signal()
}

// finish adds f, which cannot be dropped, and ends the pump after it.
func (p *clientPump) finish(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended && p.last == nil {
		p.last = f
		p.signal()
	}
}

// end ends the pump; nothing more begins to run.
func (p *clientPump) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	p.waiting = nil
	p.signal()
}

func (p *clientPump) signal() {
	select {
	case p.wake <- struct{}{}:
	default: // it knows already
	}
}

// next returns what is to be run, nil for nothing. more is false when the pump ends after it.
func (p *clientPump) next() (f func(), more bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.ended:
		return nil, false
	case len(p.waiting) > 0:
		f = p.waiting[0]
		copy(p.waiting, p.waiting[1:])
		p.waiting[len(p.waiting)-1] = nil
		p.waiting = p.waiting[:len(p.waiting)-1]
		return f, true
	case p.last != nil:
		p.ended = true
		return p.last, false
	}
	return nil, true
}

func (p *clientPump) run() {
	for {
		f, more := p.next()
		if f != nil {
			f()
		}
		if !more {
			return
		}
		if f == nil {
			<-p.wake
		}
	}
}

func (p *clientPump) lost() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dropped
}
