package node_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sarathi/internal/bus"
	"sarathi/internal/clock"
	"sarathi/internal/node"
	"sarathi/msg/geometry"
	"sarathi/msg/std"
)

func newRealBus() (*bus.Bus, *node.Realtime) {
	b := bus.New(bus.Options{Clock: clock.Real{}})
	return b, node.NewRealtime(node.Options{Bus: b})
}

// BenchmarkPublishToHandler measures the time from Publish until the handler of
// another node begins, at 10,000 messages a second: from a publisher that yields until
// it is time, as a loop does that has other work, and from one that sleeps, so that
// every message finds the processor idle and the caches cold.
func BenchmarkPublishToHandler(b *testing.B) {
	b.Run("yielding", func(b *testing.B) {
		publishToHandler(b, func(due time.Time) {
			for time.Now().Before(due) {
				runtime.Gosched()
			}
		})
	})
	b.Run("sleeping", func(b *testing.B) { publishToHandler(b, func(due time.Time) { time.Sleep(time.Until(due)) }) })
}

func publishToHandler(b *testing.B, pace func(due time.Time)) {
	const period = 100 * time.Microsecond
	_, exec := newRealBus()
	base := time.Now()
	latency := make([]time.Duration, 0, 1<<20)
	var p *bus.Publisher[geometry.Twist]
	err := exec.Start(context.Background(),
		setup("talker", func(c *node.Context) { p = bus.NewPublisher(c, velocity) }),
		setup("listener", func(c *node.Context) {
			bus.Subscribe(c, velocity, func(m geometry.Twist) {
				if len(latency) < cap(latency) {
					latency = append(latency, time.Since(base)-time.Duration(m.Linear.X))
				}
			})
		}))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	due := time.Now()
	for b.Loop() {
		due = due.Add(period)
		pace(due)
		p.Publish(geometry.Twist{Linear: geometry.Vector3{X: float64(time.Since(base))}})
	}
	if err := exec.Stop(); err != nil {
		b.Fatal(err)
	}
	slices.Sort(latency)
	b.ReportMetric(float64(latency[len(latency)/2]), "p50-ns")
	b.ReportMetric(float64(latency[len(latency)*99/100]), "p99-ns")
	b.ReportMetric(2000, "p50-ns:max")
	b.ReportMetric(0, "allocs/op:max")
}

const (
	manyTopics      = 1000
	manySubscribers = 100 // of each topic, each on a loop of its own
)

// BenchmarkPublishManyTopics publishes from several goroutines on 1,000 topics, each of
// which has 100 subscribers: one operation is one message, offered 100 times. The
// yardstick is the usual bus over channels: one channel per node, to which a publisher
// sends without waiting, dropping the oldest.
func BenchmarkPublishManyTopics(b *testing.B) {
	b.Run("sarathi", publishManyTopics)
	b.Run("channel", publishManyChannels)
}

func publishManyTopics(b *testing.B) {
	_, exec := newRealBus()
	var publishers []*bus.Publisher[geometry.Twist]
	handled := make([]int, manySubscribers)
	topics := make([]*bus.Topic[geometry.Twist], manyTopics)
	for i := range topics {
		topics[i] = bus.NewTopic[geometry.Twist](fmt.Sprint("/t", i), bus.Latest, "a velocity")
	}
	specs := []node.Spec{setup("talker", func(c *node.Context) {
		for _, t := range topics {
			publishers = append(publishers, bus.NewPublisher(c, t))
		}
	})}
	for s := range manySubscribers {
		specs = append(specs, setup(fmt.Sprint("listener ", s), func(c *node.Context) {
			for _, t := range topics {
				bus.Subscribe(c, t, func(geometry.Twist) { handled[s]++ })
			}
		}))
	}
	if err := exec.Start(context.Background(), specs...); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	publishFromSeveral(b, func(topic int, v geometry.Twist) { publishers[topic].Publish(v) })
	b.StopTimer()
	exec.Stop() // its deadline is not made for 100,000 subscriptions
	b.ReportMetric(0, "allocs/op:max")
}

// publishFromSeveral gives each goroutine topics of its own.
func publishFromSeveral(b *testing.B, publish func(topic int, v geometry.Twist)) {
	var goroutines atomic.Int64
	b.RunParallel(func(pb *testing.PB) {
		topic := int(goroutines.Add(1)) * 97
		for v := (geometry.Twist{}); pb.Next(); v.Linear.X++ {
			topic = (topic + 1) % manyTopics
			publish(topic, v)
		}
	})
}

func publishManyChannels(b *testing.B) {
	type event struct {
		topic int
		value geometry.Twist
	}
	var wg sync.WaitGroup
	nodes := make([]chan event, manySubscribers)
	handled := make([]int, manySubscribers)
	for s := range nodes {
		nodes[s] = make(chan event, manyTopics)
		wg.Go(func() {
			for range nodes[s] {
				handled[s]++
			}
		})
	}
	b.ReportAllocs()
	b.ResetTimer()
	publishFromSeveral(b, func(topic int, v geometry.Twist) {
		for _, n := range nodes {
			for sent := false; !sent; {
				select {
				case n <- event{topic, v}:
					sent = true
				default:
					select {
					case <-n:
					default:
					}
				}
			}
		}
	})
	b.StopTimer()
	for _, n := range nodes {
		close(n)
	}
	wg.Wait()
}

// BenchmarkLockstep runs 25 nodes at 50 Hz that each sample one topic, handle another
// and publish a third. One operation is 20 ms of virtual time.
func BenchmarkLockstep(b *testing.B) {
	x := newLockstep(node.Options{})
	var events int
	var specs []node.Spec
	for i := range 25 {
		specs = append(specs, setup(fmt.Sprint("node ", i), func(c *node.Context) {
			p, r := bus.NewPublisher(c, topicOf(i)), bus.NewReader(c, topicOf((i+1)%25))
			bus.Subscribe(c, topicOf((i+5)%25), func(std.Float64) { events++ })
			c.Every(20*ms, func(time.Time) {
				events++
				v, _, _ := r.Get()
				p.Publish(std.Float64{Data: v.Data + 1})
			})
		}))
	}
	if err := x.start(specs...); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		x.advance(20 * ms)
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(0.02*float64(b.N)/b.Elapsed().Seconds(), "×realtime")
}
