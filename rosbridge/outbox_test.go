package rosbridge

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"sarathi/rosbridge/internal/ws"
)

func sized(name string, n int) *message {
	return &message{text: []byte(name), size: n}
}

func testSubscription(o *outbox, name string, length int) *subscription {
	s := newSubscription(&peer{out: o}, &topic{name: name}, name, encJSON)
	s.add(request{length: length})
	return s
}

// takeNames takes one batch and returns what it holds, and releases it.
func takeNames(o *outbox) string {
	items, _, _, _ := o.take(nil)
	var out []string
	for _, it := range items {
		if it.sub == nil {
			out = append(out, string(it.frame.data))
			continue
		}
		out = append(out, string(it.msg.text))
	}
	o.release(costOf(items))
	return strings.Join(out, " ")
}

func TestTopicsTakeTurns(t *testing.T) {
	o := newOutbox(10_000)
	a, b := testSubscription(o, "/a", 0), testSubscription(o, "/b", 0)
	for i := range 3 {
		a.enqueue(sized(fmt.Sprint("a", i), 10), nil)
	}
	b.enqueue(sized("b0", 10), nil)
	o.send(ws.Text, []byte("answer"))
	if got := takeNames(o); got != "answer a0 b0 a1 a2" {
		t.Errorf("taken: %s", got)
	}
	if o.bytes != 0 || o.ready != nil {
		t.Errorf("%d bytes are left", o.bytes)
	}
}

func TestBatchesAreBounded(t *testing.T) {
	o := newOutbox(100 << 20)
	a, b := testSubscription(o, "/a", 0), testSubscription(o, "/b", 0)
	for i := range 5 {
		a.enqueue(sized(fmt.Sprint("a", i), maxBatchBytes), nil)
	}
	b.enqueue(sized("b0", 10), nil)
	for _, want := range []string{"a0", "b0 a1", "a2", "a3", "a4", ""} {
		if got := takeNames(o); got != want {
			t.Errorf("taken: %q, want %q", got, want)
		}
	}
}

func TestBiggestTopicLosesItsOldest(t *testing.T) {
	o := newOutbox(100)
	big, small := testSubscription(o, "/big", 0), testSubscription(o, "/small", 0)
	small.enqueue(sized("s0", 10), nil)
	for i := range 5 {
		big.enqueue(sized(fmt.Sprint("b", i), 40), nil)
	}
	small.enqueue(sized("s1", 10), nil)
	if got := takeNames(o); got != "s0 b4 s1" && got != "s0 b3 s1 b4" {
		t.Errorf("taken: %s", got)
	}
	if big.dropped != 4 && big.dropped != 3 || small.dropped != 0 || o.dropped != big.dropped {
		t.Errorf("dropped %d and %d", big.dropped, small.dropped)
	}
}

func TestOneMessageAlwaysFits(t *testing.T) {
	o := newOutbox(100)
	a := testSubscription(o, "/a", 0)
	a.enqueue(sized("a0", 90), nil)
	items, _, _, _ := o.take(nil) // under way
	a.enqueue(sized("a1", 90), nil)
	a.enqueue(sized("a2", 90), nil)
	o.release(costOf(items))
	if got := takeNames(o); got != "a2" {
		t.Errorf("taken: %q", got)
	}
}

func TestQueueLengthKeepsTheNewest(t *testing.T) {
	o := newOutbox(1000)
	a := testSubscription(o, "/a", 2)
	for i := range 5 {
		a.enqueue(sized(fmt.Sprint("a", i), 10), nil)
	}
	if got := takeNames(o); got != "a3 a4" || a.dropped != 3 {
		t.Errorf("taken: %s, dropped %d", got, a.dropped)
	}
}

func TestAnswersAreNeverDropped(t *testing.T) {
	o := newOutbox(4 * messageOverhead)
	a := testSubscription(o, "/a", 0)
	a.enqueue(sized("a0", messageOverhead), nil)
	n := 0
	for o.send(ws.Text, []byte("x")) {
		n++
	}
	if n != 3 || !o.overflowed() || a.dropped != 1 {
		t.Errorf("%d answers, overflow %v, dropped %d", n, o.overflowed(), a.dropped)
	}
	if got := takeNames(o); got != "x x x" {
		t.Errorf("taken: %s", got)
	}
}

func TestFinishAndClose(t *testing.T) {
	o := newOutbox(1000)
	a := testSubscription(o, "/a", 0)
	a.enqueue(sized("a0", 10), nil)
	o.send(ws.Text, []byte("answer"))
	o.finish([]byte("bye"))
	o.finish([]byte("again"))
	if o.send(ws.Text, []byte("late")) {
		t.Error("an answer was taken after the end")
	}
	items, _, final, done := o.take(nil)
	if len(items) != 1 || string(final) != "bye" || done {
		t.Errorf("%d items, final %q, done %v", len(items), final, done)
	}
	o.close()
	a.enqueue(sized("a1", 10), nil)
	if _, _, _, done := o.take(nil); !done || !o.finished() {
		t.Error("not done")
	}
}

func TestRequestsAreMerged(t *testing.T) {
	tests := []struct {
		name     string
		requests []request
		throttle int
		length   int
		window   bool
		fragment int
	}{
		{"nothing asked", []request{{}}, 0, 0, false, 0},
		{"throttle drops", []request{{throttle: 5}}, 5, 0, true, 0},
		{"throttle keeps", []request{{throttle: 5, length: 2}}, 5, 2, false, 0},
		{"shortest throttle", []request{{throttle: 5, length: 2}, {id: "2", throttle: 3}}, 3, 0, true, 0},
		{"one wants all", []request{{throttle: 5}, {id: "2"}}, 0, 0, false, 0},
		{"longest queue of the shortest", []request{{throttle: 5, length: 2}, {id: "2", throttle: 5, length: 7}, {id: "3", throttle: 9, length: 99}}, 5, 7, false, 0},
		{"newest only, but another wants all", []request{{length: 1}, {id: "2"}}, 0, 0, false, 0},
		{"newest only", []request{{length: 1}, {id: "2", length: 1}}, 0, 1, false, 0},
		{"smallest fragments", []request{{fragment: 100}, {id: "2"}, {id: "3", fragment: 50}}, 0, 0, false, 50},
		{"the same id again", []request{{id: "1", length: 5}, {id: "1", length: 2}}, 0, 2, false, 0},
	}
	for _, test := range tests {
		s := newSubscription(&peer{out: newOutbox(1)}, &topic{}, "/t", encJSON)
		for _, r := range test.requests {
			s.add(r)
		}
		if int(s.throttle) != test.throttle || s.length != test.length || s.window != test.window || s.fragment != test.fragment {
			t.Errorf("%s: throttle %d length %d window %v fragment %d", test.name, s.throttle, s.length, s.window, s.fragment)
		}
	}
}

// TestOutboxInvariants does random things and counts along.
func TestOutboxInvariants(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 1))
		o := newOutbox(2000)
		var subs []*subscription
		for i := range 4 {
			subs = append(subs, testSubscription(o, fmt.Sprint("/", i), rng.IntN(4)))
		}
		var pending []item
		for range 300 {
			s := subs[rng.IntN(len(subs))]
			switch rng.IntN(8) {
			case 0:
				o.send(ws.Text, make([]byte, rng.IntN(100)))
			case 1:
				o.release(costOf(pending))
				pending, _, _, _ = o.take(nil)
			default:
				s.enqueue(sized("m", 1+rng.IntN(300)), nil)
			}
			if rng.IntN(100) == 0 {
				s.end()
			}
			total := 0
			for _, s := range subs {
				n := 0
				for i := range s.queue.n {
					n += s.queue.items[(s.queue.first+i)&(len(s.queue.items)-1)].size
				}
				if n != s.bytes || s.length > 0 && s.queue.n > s.length {
					t.Fatalf("seed %d: %d bytes, counted %d; %d of %d", seed, s.bytes, n, s.queue.n, s.length)
				}
				total += n
			}
			for _, f := range o.control {
				total += len(f.data) + messageOverhead
			}
			for _, it := range pending {
				total += it.cost
			}
			if total != o.bytes || o.bytes > o.budget+300+100+messageOverhead { // one message and one answer always fit
				t.Fatalf("seed %d: %d bytes, counted %d", seed, o.bytes, total)
			}
		}
	}
}
