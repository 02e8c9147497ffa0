package jps

// item is a cell in the queue with the length of the shortest path through it that is still possible.
type item struct {
	f    float64
	cell int32
}

// queue is a heap with four children a node that knows where each cell stands.
type queue struct {
	items []item
	nodes []node
}

const arity = 4

func (q *queue) push(it item) {
	q.items = append(q.items, it)
	q.rise(len(q.items)-1, it)
}

// lower gives the cell at place i a better f.
func (q *queue) lower(i int32, f float64) { q.rise(int(i), item{f, q.items[i].cell}) }

func (q *queue) pop() int32 {
	top := q.items[0].cell
	last := q.items[len(q.items)-1]
	q.items = q.items[:len(q.items)-1]
	if len(q.items) > 0 {
		q.sink(last)
	}
	return top
}

// rise puts it at place i or above.
func (q *queue) rise(i int, it item) {
	for i > 0 {
		up := (i - 1) / arity
		if q.items[up].f <= it.f {
			break
		}
		q.put(i, q.items[up])
		i = up
	}
	q.put(i, it)
}

// sink puts it at the top or below.
func (q *queue) sink(it item) {
	i := 0
	for {
		first := i*arity + 1
		if first >= len(q.items) {
			break
		}
		least := first
		for c := first + 1; c < min(first+arity, len(q.items)); c++ {
			if q.items[c].f < q.items[least].f {
				least = c
			}
		}
		if q.items[least].f >= it.f {
			break
		}
		q.put(i, q.items[least])
		i = least
	}
	q.put(i, it)
}

func (q *queue) put(i int, it item) {
	q.items[i] = it
	q.nodes[it.cell].heap = int32(i)
}
