package rosbridge

// deque is a queue of messages that keeps its memory while it is in use and gives it back when it was long and is empty.
type deque struct {
	items []*message // a ring, of a power of two
	first int
	n     int
}

// keep is how long an empty ring may be.
const keep = 64

func (d *deque) push(m *message) {
	if d.n == len(d.items) {
		grown := make([]*message, max(4, 2*len(d.items)))
		for i := range d.n {
			grown[i] = d.items[(d.first+i)&(len(d.items)-1)]
		}
		d.items, d.first = grown, 0
	}
	d.items[(d.first+d.n)&(len(d.items)-1)] = m
	d.n++
}

// pop takes the oldest message. The queue must not be empty.
func (d *deque) pop() *message {
	m := d.items[d.first]
	d.items[d.first] = nil
	d.first = (d.first + 1) & (len(d.items) - 1)
	d.n--
	if d.n == 0 && len(d.items) > keep {
		*d = deque{}
	}
	return m
}
