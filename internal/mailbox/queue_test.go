package mailbox

import (
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// script is a loop whose items write their names down.
type script struct {
	queue Queue
	loop  *Loop
	ran   []string
}

func newScript() *script {
	s := &script{}
	s.loop = NewLoop(&s.queue)
	return s
}

func (s *script) item(name string, urgent bool) *Item {
	return NewItem(name, urgent, func() { s.ran = append(s.ran, name) })
}

func (s *script) ready(items ...*Item) {
	for _, i := range items {
		if i.Claim() {
			s.queue.Push(i)
		}
	}
}

func (s *script) drain() {
	for i := s.loop.Next(); i != nil; i = s.loop.Next() {
		i.Run()
	}
}

func TestOrderAndUrgency(t *testing.T) {
	s := newScript()
	a, b, c := s.item("a", false), s.item("b", false), s.item("c", false)
	stop, stop2 := s.item("stop", true), s.item("stop2", true)
	s.ready(a, b, c)
	s.loop.Next().Run()
	s.ready(stop, stop2)
	s.ready(a) // again, while b and c still wait
	if b.Claim() {
		t.Error("a queued item was claimed twice")
	}
	s.drain()
	if diff := cmp.Diff([]string{"a", "stop", "stop2", "b", "c", "a"}, s.ran); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	if !s.queue.Empty() {
		t.Error("queue not empty at the end")
	}
}

func TestUrgentItemsKeepTheirOrder(t *testing.T) {
	s := newScript()
	first, second, third := s.item("first", true), s.item("second", true), s.item("third", true)
	s.ready(s.item("other", false), first, second)
	s.loop.Next().Run()
	s.ready(third) // comes while second has been taken but not run
	s.drain()
	if diff := cmp.Diff([]string{"first", "second", "third", "other"}, s.ran); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

func TestNextUrgentLeavesTheOthers(t *testing.T) {
	s := newScript()
	s.ready(s.item("scan", false), s.item("stop", true))
	if i := s.loop.NextUrgent(); i == nil || i.Label() != "stop" || !i.Urgent() {
		t.Fatalf("NextUrgent() = %v, want stop", i)
	}
	if i := s.loop.NextUrgent(); i != nil {
		t.Fatalf("NextUrgent() = %s, which is not urgent", i.Label())
	}
	if i := s.loop.Next(); i == nil || i.Label() != "scan" || i.Urgent() {
		t.Fatalf("Next() = %v, want scan", i)
	}
}

// TestItemMayBeMadeReadyByItsOwnRun is what a subscription with more messages does.
func TestItemMayBeMadeReadyByItsOwnRun(t *testing.T) {
	s := newScript()
	left := 3
	var more *Item
	more = NewItem("more", false, func() {
		s.ran = append(s.ran, "more")
		if left--; left > 0 {
			s.ready(more)
		}
	})
	s.ready(more, s.item("other", false))
	s.drain()
	if diff := cmp.Diff([]string{"more", "other", "more", "more"}, s.ran); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

// TestNothingIsLost pushes from many goroutines while one loop takes: what was
// written before a claim is seen by a later run, whoever won the claim.
func TestNothingIsLost(t *testing.T) {
	const producers, rounds = 8, 2000
	s := newScript()
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
					s.queue.Push(items[p])
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
		s.drain()
	}
	for p := range producers {
		if seen[p] != rounds {
			t.Errorf("producer %d: %d of %d seen", p, seen[p], rounds)
		}
	}
}

// TestOrderOfOneGoroutineIsKept pushes fresh items, as Context.Post does.
func TestOrderOfOneGoroutineIsKept(t *testing.T) {
	const producers, rounds = 4, 2000
	s := newScript()
	var last [producers]int // owned by the loop
	var wg sync.WaitGroup
	for p := range producers {
		wg.Go(func() {
			for n := 1; n <= rounds; n++ {
				s.ready(NewItem("post", false, func() {
					if n != last[p]+1 {
						t.Errorf("producer %d: %d came after %d", p, n, last[p])
					}
					last[p] = n
				}))
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
		s.drain()
	}
	for p, n := range last {
		if n != rounds {
			t.Errorf("producer %d: %d of %d ran", p, n, rounds)
		}
	}
}

func TestPushAllocatesNothing(t *testing.T) {
	s := newScript()
	n := 0
	i := NewItem("/cmd_vel", false, func() { n++ })
	if allocs := testing.AllocsPerRun(1000, func() { s.ready(i); s.drain() }); allocs != 0 {
		t.Errorf("%v allocations per push and run, want 0", allocs)
	}
	if n == 0 {
		t.Error("the item never ran")
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
