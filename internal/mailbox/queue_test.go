package mailbox

import (
	"sync"
	"testing"
	"time"
)

func TestOrderAndUrgency(t *testing.T) {
	var q Queue
	l := NewLoop(&q)
	var got []string
	item := func(name string, urgent bool) *Item {
		return NewItem(name, urgent, func() { got = append(got, name) })
	}
	a, b, c := item("a", false), item("b", false), item("c", false)
	stop, stop2 := item("stop", true), item("stop2", true)
	for _, i := range []*Item{a, b, c} {
		if !i.Claim() {
			t.Fatal("a fresh item could not be claimed")
		}
		q.Push(i)
	}
	l.Next().Run()
	for _, i := range []*Item{stop, stop2} {
		i.Claim()
		q.Push(i)
	}
	if a.Claim() {
		q.Push(a) // ready again while b and c still wait
	}
	if b.Claim() {
		t.Error("a queued item was claimed twice")
	}
	for i := l.Next(); i != nil; i = l.Next() {
		i.Run()
	}
	want := []string{"a", "stop", "stop2", "b", "c", "a"}
	if len(got) != len(want) {
		t.Fatalf("ran %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("ran %v, want %v", got, want)
		}
	}
	if !q.Empty() {
		t.Error("queue not empty at the end")
	}
}

// TestNothingIsLost pushes from many goroutines while one loop takes: every
// claim must lead to exactly one later run.
func TestNothingIsLost(t *testing.T) {
	const producers, rounds = 8, 2000
	var q Queue
	l := NewLoop(&q)
	var pending, seen [producers]int // guarded by the mutexes below
	var mu [producers]sync.Mutex
	items := make([]*Item, producers)
	for p := range producers {
		items[p] = NewItem("", p%3 == 0, func() {
			mu[p].Lock()
			seen[p] += pending[p]
			pending[p] = 0
			mu[p].Unlock()
		})
	}
	var wg sync.WaitGroup
	for p := range producers {
		wg.Go(func() {
			for range rounds {
				mu[p].Lock()
				pending[p]++
				mu[p].Unlock()
				if items[p].Claim() {
					q.Push(items[p])
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		for i := l.Next(); i != nil; i = l.Next() {
			i.Run()
		}
	}
	for p := range producers {
		if seen[p] != rounds {
			t.Errorf("producer %d: %d of %d seen", p, seen[p], rounds)
		}
	}
}

func TestStats(t *testing.T) {
	i := NewItem("/scan", false, func() {})
	i.Record(3 * time.Millisecond)
	i.Record(time.Millisecond)
	want := Stats{Label: "/scan", Runs: 2, Total: 4 * time.Millisecond, Worst: 3 * time.Millisecond}
	if got := i.Stats(); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
