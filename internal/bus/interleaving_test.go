package bus

import (
	"runtime"
	"testing"
	"time"

	"sarathi/internal/clock"
	"sarathi/internal/mailbox"
	"sarathi/msg/std"
)

// These tests put the bus into states that otherwise last a few nanoseconds, between
// two steps of goroutines that race.

// quiet is a client without a loop, for sampled subscriptions.
type quiet struct{ bus *Bus }

func (q quiet) Name() string                           { return "quiet" }
func (q quiet) Bus() *Bus                              { return q.bus }
func (q quiet) Ready(*mailbox.Item)                    {}
func (q quiet) AfterFunc(time.Duration, func()) func() { return func() {} }
func (q quiet) Own(func()) func()                      { return func() {} }

func newQuiet() quiet {
	return quiet{New(Options{Clock: clock.NewManual(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))})}
}

func number(seq uint64) *entry[std.Float64] {
	return &entry[std.Float64]{seq: seq, latched: true, value: std.Float64{Data: float64(seq)}}
}

// taken returns what is left to take.
func taken(s *subscription[std.Float64]) (seqs []uint64) {
	for e, ok := s.take(); ok; e, ok = s.take() {
		seqs = append(seqs, e.seq)
	}
	return seqs
}

func TestLatchedMessageArrivesAfterANewerOne(t *testing.T) {
	s := newSubscription[std.Float64](newQuiet(), 1)
	s.offer(number(7)) // published while the subscription is being made
	if got := taken(s); len(got) != 1 || got[0] != 7 {
		t.Fatalf("took %v, want 7", got)
	}
	s.offerInitial(number(6))
	if got := taken(s); len(got) != 0 {
		t.Errorf("took %v, which is older", got)
	}
}

func TestLatchedMessageAlsoComesByTheRing(t *testing.T) {
	s := newSubscription[std.Float64](newQuiet(), 1)
	s.offerInitial(number(7))
	s.offer(number(7))
	if got := taken(s); len(got) != 1 || got[0] != 7 {
		t.Errorf("took %v, want 7 once", got)
	}
}

func TestLatchedMessageDoesNotPushOutANewerOne(t *testing.T) {
	s := newSubscription[std.Float64](newQuiet(), 1)
	s.offer(number(7))
	s.offerInitial(number(6))
	if got := taken(s); len(got) != 2 || got[0] != 6 || got[1] != 7 {
		t.Errorf("took %v, want 6 and 7", got)
	}
}

func TestOlderMessageIsNotLatchedOverANewerOne(t *testing.T) {
	q := newQuiet()
	c := coreOf(q.bus, NewTopic[std.Float64]("/latched", Latched, ""))
	c.latch(*number(2))
	c.latch(*number(1)) // its publisher was held up
	if e := c.latched.Load(); e.seq != 2 {
		t.Errorf("message %d is latched, want 2", e.seq)
	}
	c.latchRaw(&Sample{seq: 2})
	c.latchRaw(&Sample{seq: 1})
	if s := c.lastRaw.Load(); s.seq != 2 {
		t.Errorf("sample %d is latched, want 2", s.seq)
	}
}

func TestTypedNodeComesInTheMiddleOfARawPublication(t *testing.T) {
	for _, qos := range []QoS{Latest, Latched} {
		q := newQuiet()
		p, err := AdvertiseRaw(q, "/number", "", std.Float64Type, qos)
		if err != nil {
			t.Fatal(err)
		}
		r := NewReader(q, NewTopic[std.Float64]("/number", qos, ""))
		// Publish has looked for a typed side before, and found none.
		if err := p.publishSample(&Sample{msg: &std.Float64{Data: 5}}); err != nil {
			t.Fatal(err)
		}
		if v, _, ok := r.Get(); !ok || v.Data != 5 {
			t.Errorf("%s: read %v (%v), want 5", qos, v.Data, ok)
		}
	}
}

func TestReaderIsNotHeldByABurst(t *testing.T) {
	q := newQuiet()
	numbers := NewTopic[std.Float64]("/number", Latest, "")
	p, r := NewPublisher(q, numbers), NewReader(q, numbers)
	for n := range 10 {
		p.Publish(std.Float64{Data: float64(n)})
	}
	r.sub.offerInitial(number(1)) // as many values as can wait
	if v, _, ok := r.Get(); !ok || v.Data != 9 {
		t.Errorf("read %v (%v), want the newest", v.Data, ok)
	}
}

// TestRingWaitsForASlowCopyWithoutDroppingMore has a consumer be in the middle of
// copying an entry out when the producers come round to its cell.
func TestRingWaitsForASlowCopyWithoutDroppingMore(t *testing.T) {
	const depth, lap = 4, 8
	r := newRing[word](depth)
	pushWord(r, 0)
	r.tail.Store(1) // the consumer has taken entry 0 and has not copied it yet
	for n := uint64(1); n < lap; n++ {
		pushWord(r, n)
	}
	done := make(chan struct{})
	go func() { defer close(done); pushWord(r, lap) }()
	for r.tail.Load() <= lap-depth {
		runtime.Gosched() // until the producer has made room and waits for the cell
	}
	r.cells[0].turn.Store(lap) // the copy is done
	<-done
	for want := uint64(lap - depth + 1); want <= lap; want++ {
		if e, ok := r.pop(); !ok || e.seq != want {
			t.Fatalf("popped %d (%v), want %d", e.seq, ok, want)
		}
	}
}

// TestRingKeepsWhatIsStillBeingWritten has a producer be in the middle of copying an entry in.
func TestRingKeepsWhatIsStillBeingWritten(t *testing.T) {
	r := newRing[word](1)
	r.head.Store(1) // entry 0 has its place and is not there yet
	if dropped := pushWord(r, 1); dropped != 0 {
		t.Errorf("%d dropped", dropped)
	}
	if e, ok := r.pop(); ok {
		t.Errorf("popped %d ahead of the older one", e.seq)
	}
	if r.empty() {
		t.Error("the ring says that nothing is to come")
	}
	r.cells[0].entry = entry[word]{value: wordOf(0)}
	r.cells[0].turn.Store(1)
	if n := r.trim(1); n != 1 { // the held-up producer goes on
		t.Errorf("%d dropped, want 1", n)
	}
	if e, ok := r.pop(); !ok || e.seq != 1 {
		t.Errorf("popped %d (%v), want 1", e.seq, ok)
	}
}
