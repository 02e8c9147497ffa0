package rosbridge_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"sarathi/rosbridge"
)

// TestWritesOfManyStayWhole: publishers, the answers of the broker and the throttle all write to one client, which does not read at first,
// so that its connection takes a part of a write only. Every frame arrives whole, each publisher's in order, and none is lost.
func TestWritesOfManyStayWhole(t *testing.T) {
	r := start(t, config())
	sub := r.raw(128 << 10)
	const publishers, messages = 4, 300
	shout(t, sub, subscribe("/slow", `"throttle_rate":1`, `"queue_length":5`, `"type":"std_msgs/Int32"`))
	for p := range publishers {
		shout(t, sub, subscribe(fmt.Sprint("/t", p), `"type":"std_msgs/String"`))
	}
	until(t, "subscribed", func() bool { return r.topic(fmt.Sprint("/t", publishers-1)).Subscribers == 1 })
	var say sync.WaitGroup
	for p := range publishers {
		pub := r.join()
		say.Go(func() {
			for i := range messages {
				size := 1 << (i * 7 % 17) // up to 64 kB
				pub.say(number("/slow", i), publish(fmt.Sprint("/t", p), fmt.Sprintf(`{"data":"%d %s"}`, i, strings.Repeat("x", size))))
			}
		})
	}
	say.Go(func() {
		for i := range messages {
			shout(t, sub, fmt.Sprintf(`{"op":"call_service","id":%d,"service":"/rosapi/get_ros_version"}`, i))
		}
	})
	say.Wait()
	next := map[string]int{}
	reader := newFrameReader(sub)
	for left := (publishers + 1) * messages; left > 0; {
		f, err := rosbridge.ParseFrame([]byte(reader.next(t)))
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		switch {
		case f.Topic == "/slow":
			continue
		case f.Op == rosbridge.OpServiceResponse:
			_, err = fmt.Sscan(string(f.ID), &n)
		default:
			_, err = fmt.Sscanf(string(f.Body), `{"data":"%d `, &n)
		}
		if err != nil || n != next[f.Topic] {
			t.Fatalf("%s: number %d, want %d, %v", f.Topic, n, next[f.Topic], err)
		}
		next[f.Topic]++
		left--
	}
}
