package astar

import "math/bits"

// ring is how far apart the values in the queue can be. One step adds a few hundred to the value of a way.
const ring = 1 << 14

// entry is a cell in the queue. A cell that gets a better way is entered again; the worse entry finds it final.
type entry struct {
	cell int32
	next int32 // in the same bucket; -1: the last
}

// queue hands out cells by their value, in a ring of buckets.
type queue struct {
	least   uint32 // value from which to look for the next entry
	most    uint32 // highest value that was entered
	heads   [ring]int32
	filled  [ring / 64]uint64
	entries []entry
	unused  int32 // first of the entries that can be used again; -1: none
}

// reset empties the queue. No value will be far below least.
func (q *queue) reset(least uint32) {
	for i := range q.heads {
		q.heads[i] = -1
	}
	clear(q.filled[:])
	q.least, q.most, q.entries, q.unused = least, least, q.entries[:0], -1
}

// push enters a cell. An estimate that is not consistent gives values below the least, too. What does not fit into the ring is moved to
// its ends.
func (q *queue) push(value uint32, cell int32) {
	if value > q.least {
		value = min(value, q.least+ring-1)
		q.most = max(q.most, value)
	} else {
		value = max(value+ring, q.most+1) - ring
		q.least = value
	}
	b := value % ring
	e := entry{cell, q.heads[b]}
	if i := q.unused; i >= 0 {
		q.unused = q.entries[i].next
		q.entries[i] = e
		q.heads[b] = i
	} else {
		q.heads[b] = int32(len(q.entries))
		q.entries = append(q.entries, e)
	}
	q.filled[b/64] |= 1 << (b % 64)
}

// pop takes a cell of the least value: of those the last that was added, which is nearest to the goal.
func (q *queue) pop() (cell int32, found bool) {
	b := q.least % ring
	k := b / 64
	word := q.filled[k] &^ (1<<(b%64) - 1)
	for turn := 0; word == 0; turn++ {
		if turn == len(q.filled) {
			return 0, false
		}
		k = (k + 1) % uint32(len(q.filled))
		word = q.filled[k]
	}
	bucket := k*64 + uint32(bits.TrailingZeros64(word))
	i := q.heads[bucket]
	e := &q.entries[i]
	if q.heads[bucket] = e.next; e.next < 0 {
		q.filled[k] &^= 1 << (bucket % 64)
	}
	cell = e.cell
	e.next, q.unused = q.unused, i
	q.least += (bucket - b) % ring
	return cell, true
}
