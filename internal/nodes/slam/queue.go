package slam

import (
	"slices"
	"time"
)

// waiting is a scan whose turn has not come.
type waiting struct {
	at, came time.Time
	reading  Reading
}

// maxWaiting is how many scans may wait, for the fused pose of their time or for the engine's work to end.
const maxWaiting = 16

// queue holds scans in the order of their stamps.
type queue struct{ scans []waiting }

// push adds a scan. It reports whether the oldest was dropped for it.
func (q *queue) push(w waiting) (dropped bool) {
	i := len(q.scans)
	for i > 0 && q.scans[i-1].at.After(w.at) {
		i--
	}
	q.scans = slices.Insert(q.scans, i, w)
	if len(q.scans) > maxWaiting {
		q.pop()
		return true
	}
	return false
}

// front is the oldest scan.
func (q *queue) front() (*waiting, bool) {
	if len(q.scans) == 0 {
		return nil, false
	}
	w := q.scans[0]
	return &w, true
}

func (q *queue) pop() { q.scans = slices.Delete(q.scans, 0, 1) }
