package rosbridge_test

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/fxamacker/cbor/v2"

	"sarathi/internal/bus"
	"sarathi/msg/std"
	"sarathi/rosbridge"
)

// The tests TestIssueNN prove the rows of the table of complaints about other servers, in docs/protocols/rosbridge.md.

func advertise(topic, typ string) string {
	return fmt.Sprintf(`{"op":"advertise","topic":%q,"type":%q}`, topic, typ)
}

func subscribe(topic string, options ...string) string {
	return fmt.Sprintf(`{"op":"subscribe","topic":%q%s}`, topic, strings.Join(append([]string{""}, options...), ","))
}

func publish(topic, msg string) string {
	return fmt.Sprintf(`{"op":"publish","topic":%q,"msg":%s}`, topic, msg)
}

func number(topic string, n int) string { return publish(topic, fmt.Sprintf(`{"data":%d}`, n)) }

func TestIssue01NotANumberIsNull(t *testing.T) {
	r := start(t, config())
	a, b := r.join(), r.join()
	a.say(advertise("/f", "std_msgs/Float64MultiArray"), advertise("/raw", "zoo_msgs/Zoo"))
	b.say(subscribe("/f"), subscribe("/raw"))
	a.say(publish("/f", `{"layout":{"dim":[],"data_offset":0},"data":[NaN,1,Infinity,-Infinity]}`), publish("/raw", `{"x":NaN}`))
	b.expect(publish("/f", `{"layout":{"dim":[],"data_offset":0},"data":[null,1,null,null]}`), publish("/raw", `{"x":null}`))
	local, err := r.Attach("/robot").Advertise("/robot", "std_msgs/Float32", rosbridge.TopicOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b.say(subscribe("/robot"))
	nan := &std.Float32{}
	nan.Data -= nan.Data / nan.Data
	local.PublishMessage(nan)
	b.expect(publish("/robot", `{"data":null}`))
}

func TestIssue02LatchedReachesEveryLateSubscriber(t *testing.T) {
	r := start(t, config())
	a := r.join()
	a.say(`{"op":"advertise","topic":"/map","type":"std_msgs/Int32","latch":true}`, number("/map", 1), number("/map", 2))
	for range 3 {
		late := r.join()
		late.say(subscribe("/map"))
		late.expect(number("/map", 2))
		late.quiet()
	}
}

func TestIssue03LatchedIsNotRepeatedToOthers(t *testing.T) {
	r := start(t, config())
	a, b, c := r.join(), r.join(), r.join()
	a.say(`{"op":"advertise","topic":"/map","type":"std_msgs/Int32","latch":true}`, number("/map", 1))
	b.say(subscribe("/map"))
	b.expect(number("/map", 1))
	c.say(subscribe("/map"))
	c.expect(number("/map", 1))
	b.quiet()
}

// residentHeap returns the live heap in bytes. Pools and what has a finalizer need more than one collection.
func residentHeap() int {
	for range 3 {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// TestIssue04SlowClientIsBounded has one client that never reads and one that does. The latter gets everything, the former holds no
// more than its budget.
func TestIssue04SlowClientIsBounded(t *testing.T) {
	cfg := config()
	cfg.MaxMessage, cfg.Budget = 1<<18, 4<<20
	r := start(t, cfg)
	a, healthy, stalled := r.join(), r.join(), r.mute()
	a.say(advertise("/big", "std_msgs/String"))
	healthy.say(subscribe("/big"))
	shout(t, stalled, subscribe("/big"))
	until(t, "both subscribed", func() bool { return r.Stats().Topics[0].Subscribers+r.topic("/big").Subscribers >= 2 })
	before := residentHeap()
	text := publish("/big", `{"data":"`+strings.Repeat("x", 100_000)+`"}`)
	for range 50 {
		a.send(websocket.MessageText, text)
		healthy.expect(text)
	}
	a.sync()
	if grown := residentHeap() - before; grown > cfg.Budget/2 {
		t.Errorf("%d bytes more, with a budget of %d", grown, cfg.Budget)
	}
	var dropped uint64
	for _, c := range r.Stats().Clients {
		if c.Waiting > cfg.Budget/4+200_000 {
			t.Errorf("%d bytes wait", c.Waiting)
		}
		dropped += c.Dropped
	}
	if dropped == 0 {
		t.Error("nothing was dropped, or it was not counted")
	}
	healthy.quiet()
}

func (r *rig) topic(name string) rosbridge.TopicStats {
	for _, t := range r.Stats().Topics {
		if t.Name == name {
			return t
		}
	}
	return rosbridge.TopicStats{}
}

// TestIssue05VanishedClientFreezesNobody: the client reads nothing, as after a cable was pulled; it is cut off after the grace.
func TestIssue05VanishedClientFreezesNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := config()
		cfg.Grace = 2 * time.Second
		r := startPiped(t, cfg)
		a, healthy, gone := r.join(), r.join(), r.mute()
		a.say(advertise("/t", "std_msgs/Int32"))
		healthy.say(subscribe("/t"))
		shout(t, gone, subscribe("/t"))
		synctest.Wait()
		for i := range 5 {
			a.say(number("/t", i))
			healthy.expect(number("/t", i))
		}
		if n := len(r.Stats().Clients); n != 3 {
			t.Fatalf("%d clients", n)
		}
		time.Sleep(3 * time.Second)
		synctest.Wait()
		if n := len(r.Stats().Clients); n != 2 {
			t.Errorf("%d clients after the grace", n)
		}
		r.stop()
	})
}

// TestIssue06ZombiesAreNotCounted: a client that is silent and does not answer pings is gone after PingEvery and PingTimeout; one that
// answers stays.
func TestIssue06ZombiesAreNotCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := config()
		r := startPiped(t, cfg)
		alive, zombie := r.join(), r.mute()
		go func() { // it takes what comes and says nothing
			buf := make([]byte, 100)
			for {
				if _, err := zombie.Read(buf); err != nil {
					return
				}
			}
		}()
		time.Sleep(cfg.PingEvery + cfg.PingTimeout/2)
		if n := len(r.Stats().Clients); n != 2 {
			t.Fatalf("%d clients before the time-out", n)
		}
		time.Sleep(cfg.PingTimeout)
		synctest.Wait()
		if n := len(r.Stats().Clients); n != 1 {
			t.Errorf("%d clients, want the one that answers", n)
		}
		alive.say(subscribe("/client_count"))
		alive.expect(number("/client_count", 1))
		time.Sleep(time.Hour)
		alive.quiet()
		r.stop()
	})
}

// TestIssue08BigTopicDoesNotStarveSmallOnes: messages of both topics wait for a client that does not read. No small one is lost, and
// when the client reads again, they come among the first.
func TestIssue08BigTopicDoesNotStarveSmallOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := config()
		cfg.MaxMessage, cfg.Budget = 1<<20, 16<<20
		r := startPiped(t, cfg)
		a, slow := r.join(), r.mute()
		a.say(advertise("/big", "std_msgs/String"), advertise("/small", "std_msgs/Int32"))
		shout(t, slow, subscribe("/big"))
		shout(t, slow, subscribe("/small"))
		synctest.Wait()
		big := publish("/big", `{"data":"`+strings.Repeat("x", 200_000)+`"}`)
		for i := range 40 {
			a.say(big)
			if i%4 == 0 {
				a.say(number("/small", i))
			}
		}
		for _, s := range r.Stats().Clients[1].Subscriptions {
			switch {
			case s.Topic == "/small" && s.Dropped > 0:
				t.Errorf("%d small messages were lost", s.Dropped)
			case s.Topic == "/big" && s.Dropped == 0:
				t.Error("the big topic lost nothing: the test shows nothing")
			}
		}
		small, bytes := 0, 0
		for reader := newFrameReader(slow); small < 10; {
			text := reader.next(t)
			bytes += len(text)
			if strings.Contains(text, "/small") {
				small++
			}
		}
		if bytes > 13*len(big) { // of the 20 that wait; they take turns
			t.Errorf("the last small message came after %d bytes", bytes)
		}
		r.stop()
	})
}

// TestIssue09QueueLengthOneIsNewestOnly: a reader that is slow finds the newest message, not a backlog.
func TestIssue09QueueLengthOneIsNewestOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startPiped(t, config())
		a, slow := r.join(), r.mute()
		a.say(advertise("/t", "std_msgs/Int32"))
		shout(t, slow, subscribe("/t", `"queue_length":1`))
		synctest.Wait()
		for i := range 100 {
			a.say(number("/t", i))
		}
		reader := newFrameReader(slow)
		var last string
		n := 0
		for ; last != number("/t", 99); n++ {
			last = reader.next(t)
		}
		if n > 2 { // one may have been under way
			t.Errorf("%d messages came", n)
		}
		r.stop()
	})
}

// TestIssue10ClientsDoNotSlowEachOther counts what passes between two pairs at once, losslessly.
func TestIssue10ClientsDoNotSlowEachOther(t *testing.T) {
	r := start(t, config())
	const n = 2000
	done := make(chan error, 2)
	for _, topic := range []string{"/one", "/two"} {
		pub, sub := r.join(), r.join()
		pub.say(advertise(topic, "std_msgs/Int32"))
		sub.say(subscribe(topic))
		go func() {
			for i := range n {
				if err := pub.conn.Write(t.Context(), websocket.MessageText, []byte(number(topic, i))); err != nil {
					done <- err
					return
				}
			}
			for i := range n {
				if g := <-sub.frames; g.text != number(topic, i) {
					done <- fmt.Errorf("got %s, want number %d", g.text, i)
					return
				}
			}
			done <- nil
		}()
	}
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func TestIssue11JSONInBinaryFrames(t *testing.T) {
	r := start(t, config())
	a, b := r.join(), r.join()
	b.say(subscribe("/t", `"type":"std_msgs/Int32"`))
	for i := range 100 {
		a.send(websocket.MessageBinary, number("/t", i))
	}
	for i := range 100 {
		b.expect(number("/t", i))
	}
}

// TestIssue12MalformedFramesLeaveTheNextAlone, and cost time in proportion to their length only.
func TestIssue12MalformedFramesLeaveTheNextAlone(t *testing.T) {
	r := start(t, config())
	a := r.join()
	a.say(subscribe("/t", `"type":"std_msgs/Int32"`))
	for i, bad := range []string{
		`{"op":"publish","topic":"/t","msg":{"data":`, `}`, `{"op":"publish"`, strings.Repeat(`{"op":`, 50_000), strings.Repeat(`{`, 300_000),
		`{"op":"publish","topic":"/t","msg":{"data":1}} {"op":"publish","topic":"/t","msg":{"data":2}}`, strings.Repeat(" ", 100_000), "",
	} {
		a.say(bad, number("/t", 100+i))
		a.expect(number("/t", 100+i))
	}
	if f := r.Stats().Clients[0].Faults; f != 8 {
		t.Errorf("%d faults were counted", f)
	}
}

func TestIssue13FragmentsOfEveryEncoding(t *testing.T) {
	r := start(t, config())
	a := r.join()
	a.say(advertise("/s", "std_msgs/String"))
	text := publish("/s", `{"data":"`+strings.Repeat("héllo ☃ ", 100)+`"}`)
	for _, compression := range []string{"none", "png", "cbor", "cbor-raw"} {
		t.Run(compression, func(t *testing.T) {
			b := r.join()
			b.say(subscribe("/s", `"fragment_size":100`, `"compression":"`+compression+`"`))
			a.say(text)
			g := b.next()
			if g.binary != nil {
				if f, err := rosbridge.ParseCBOR(g.binary); err != nil || f.Topic != "/s" {
					t.Errorf("frame %+v, %v", f, err)
				}
				return
			}
			assembler := rosbridge.NewAssembler(1<<20, time.Minute)
			var whole []byte
			for whole == nil {
				f, err := rosbridge.ParseFrame([]byte(g.text))
				if err != nil || f.Op != rosbridge.OpFragment || f.ID[0] != '"' || len(f.Data) > 100 {
					t.Fatalf("fragment %+v, %v", f, err)
				}
				if whole, err = assembler.Add(time.Now(), f); err != nil {
					t.Fatal(err)
				}
				if whole == nil {
					g = b.next()
				}
			}
			if compression == "png" {
				f, err := rosbridge.ParseFrame(whole)
				if err != nil {
					t.Fatal(err)
				}
				if whole, err = rosbridge.DecodePNG(f.Data, 1<<20); err != nil {
					t.Fatal(err)
				}
			}
			if string(whole) != text {
				t.Errorf("joined %s", whole)
			}
		})
	}
}

// TestIssue14EncodingsOfOneTopicDoNotMeet: each subscription has its own, also two of one client.
func TestIssue14EncodingsOfOneTopicDoNotMeet(t *testing.T) {
	r := start(t, config())
	a, b := r.join(), r.join()
	a.say(advertise("/t", "std_msgs/Int32"))
	b.say(subscribe("/t", `"id":"j"`), subscribe("/t", `"id":"c"`, `"compression":"cbor"`), subscribe("/t", `"id":"r"`, `"compression":"cbor-raw"`))
	a.say(number("/t", 5))
	kinds := map[string]int{}
	for range 3 {
		switch g := b.next(); {
		case g.text == number("/t", 5):
			kinds["json"]++
		case bytes.Contains(g.binary, []byte("ebytes")):
			kinds["raw"]++
		case bytes.Contains(g.binary, []byte("ddata\x05")):
			kinds["cbor"]++
		}
	}
	if len(kinds) != 3 {
		t.Errorf("came: %v", kinds)
	}
	b.say(`{"op":"unsubscribe","id":"c","topic":"/t"}`)
	a.say(number("/t", 6))
	b.next()
	b.next()
	b.quiet()
}

func TestIssue15UnsubscribeByIDKeepsTheOther(t *testing.T) {
	r := start(t, config())
	a, b := r.join(), r.join()
	a.say(advertise("/t", "std_msgs/Int32"))
	b.say(subscribe("/t", `"id":"1"`), subscribe("/t", `"id":"2"`), `{"op":"unsubscribe","id":"1","topic":"/t"}`)
	a.say(number("/t", 1))
	b.expect(number("/t", 1))
	b.quiet()
	b.say(`{"op":"unsubscribe","topic":"/t"}`)
	a.say(number("/t", 2))
	b.quiet()
}

func TestIssue20BytesInEveryForm(t *testing.T) {
	r := start(t, config())
	a, b, c := r.join(), r.join(), r.join()
	a.say(advertise("/i", "sensor_msgs/CompressedImage"), advertise("/camera", "sensor_msgs/CameraInfo"), advertise("/b", "std_msgs/Int8MultiArray"))
	b.say(subscribe("/i"), subscribe("/b"))
	c.say(subscribe("/i", `"compression":"cbor"`))
	stamp := `{"header":{"stamp":{"sec":0,"nanosec":0},"frame_id":""},"format":"jpeg","data":`
	for _, data := range []string{`"AQL/"`, `[1,2,255]`, `[1.0,2,255]`} {
		a.say(publish("/i", stamp+data+"}"))
		b.expect(publish("/i", stamp+`"AQL/"}`))
		var frame struct {
			Msg struct{ Data any } `cbor:"msg"`
		}
		if err := cbor.Unmarshal(c.next().binary, &frame); err != nil || !bytes.Equal(frame.Msg.Data.([]byte), []byte{1, 2, 255}) {
			t.Errorf("CBOR %+v, %v", frame, err)
		}
	}
	for _, data := range []string{`"AQL"`, `"AQ*/"`, `[256]`, `[-1]`, `5`} {
		a.say(publish("/i", stamp+data+"}"))
	}
	b.quiet()
	a.say(publish("/b", `{"layout":{"dim":[],"data_offset":0},"data":[-1,2]}`)) // int8 is no byte string
	b.expect(publish("/b", `{"layout":{"dim":[],"data_offset":0},"data":[-1,2]}`))
}

// TestIssue24ManyTopicsWaitForNothing: in virtual time, 20 topics of big arrays cost none.
func TestIssue24ManyTopicsWaitForNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startPiped(t, config())
		a, b := r.join(), r.join()
		text := `{"layout":{"dim":[],"data_offset":0},"data":[` + strings.Repeat("0.5,", 2_000) + `1]}`
		begin := time.Now()
		for i := range 20 {
			topic := fmt.Sprintf("/t%d", i)
			a.say(advertise(topic, "std_msgs/Float32MultiArray"))
			b.say(subscribe(topic))
			a.say(publish(topic, text))
			b.expect(publish(topic, text))
		}
		if d := time.Since(begin); d != 0 {
			t.Errorf("it took %v", d)
		}
		r.stop()
	})
}

func TestIssue25DigitsStay(t *testing.T) {
	r := start(t, config())
	a, b, c := r.join(), r.join(), r.join()
	a.say(advertise("/u", "std_msgs/UInt64"), advertise("/i", "std_msgs/Int64"), advertise("/zoo", "zoo/Zoo"), `{"op":"advertise_service","service":"/s","type":"zoo/S"}`)
	b.say(subscribe("/u"), subscribe("/i"), subscribe("/zoo"))
	c.say(subscribe("/u", `"compression":"cbor"`))
	texts := []string{
		publish("/u", `{"data":18446744073709551615}`), publish("/i", `{"data":-9223372036854775808}`),
		publish("/zoo", `{"a":9007199254740993,"b":123456789012345678901234567890,"c":[0.1000000000000000055511151231257827]}`),
	}
	a.say(texts...)
	b.expect(texts...)
	var frame struct {
		Msg struct{ Data uint64 } `cbor:"msg"`
	}
	if err := cbor.Unmarshal(c.next().binary, &frame); err != nil || frame.Msg.Data != 18446744073709551615 {
		t.Errorf("CBOR %+v, %v", frame, err)
	}
	b.say(`{"op":"call_service","id":9007199254740993,"service":"/s","args":{"n":9007199254740993}}`)
	a.expect(`{"op":"call_service","id":"service_request:/s:1","service":"/s","args":{"n":9007199254740993}}`)
	a.say(`{"op":"service_response","id":"service_request:/s:1","service":"/s","values":{"n":9007199254740993},"result":true}`)
	b.expect(`{"op":"service_response","id":9007199254740993,"service":"/s","values":{"n":9007199254740993},"result":true}`)
}

// TestIssue26EachSubscriptionHasItsThrottle: without a queue what comes in between is dropped; with one the newest wait and follow at
// the pace; the same client may have both, on different topics.
func TestIssue26EachSubscriptionHasItsThrottle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startPiped(t, config())
		a, b := r.join(), r.join()
		a.say(advertise("/drop", "std_msgs/Int32"), advertise("/keep", "std_msgs/Int32"), advertise("/all", "std_msgs/Int32"))
		b.say(subscribe("/drop", `"throttle_rate":100`), subscribe("/keep", `"throttle_rate":100`, `"queue_length":2`), subscribe("/all", `"id":"slow"`, `"throttle_rate":1000`), subscribe("/all", `"id":"fast"`))
		for i := range 10 { // each 30 ms: 270 ms in all
			for _, topic := range []string{"/drop", "/keep", "/all"} {
				a.say(number(topic, i))
			}
			time.Sleep(30 * time.Millisecond)
		}
		time.Sleep(time.Second)
		got := map[string][]string{}
		for _, g := range b.drain() {
			f, err := rosbridge.ParseFrame([]byte(g.text))
			if err != nil {
				t.Fatal(err)
			}
			got[f.Topic] = append(got[f.Topic], string(f.Body))
		}
		want := map[string]string{
			"/drop": `{"data":0} {"data":4} {"data":8}`,
			"/keep": `{"data":0} {"data":2} {"data":5} {"data":8} {"data":9}`,
			"/all":  `{"data":0} {"data":1} {"data":2} {"data":3} {"data":4} {"data":5} {"data":6} {"data":7} {"data":8} {"data":9}`,
		}
		for topic, list := range want {
			if have := strings.Join(got[topic], " "); have != list {
				t.Errorf("%s: %s, want %s", topic, have, list)
			}
		}
		r.stop()
	})
}

// drain returns what has come.
func (u *user) drain() (all []got) {
	u.sync()
	for {
		select {
		case g := <-u.frames:
			all = append(all, g)
		default:
			return all
		}
	}
}

// TestIssue27QuickReadvertise: what a client takes back and offers again at once is as it was, the latched message too.
func TestIssue27QuickReadvertise(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := config()
		r := startPiped(t, cfg)
		a, b := r.join(), r.join()
		latched := `{"op":"advertise","topic":"/t","type":"std_msgs/Int32","latch":true}`
		b.say(subscribe("/t"))
		a.say(latched, number("/t", 1), `{"op":"unadvertise","topic":"/t"}`, latched, number("/t", 2))
		b.expect(number("/t", 1), number("/t", 2))
		a.leave()
		b.say(`{"op":"unsubscribe","topic":"/t"}`)
		time.Sleep(cfg.Unregister - time.Second)
		c := r.join()
		c.say(subscribe("/t"))
		c.expect(number("/t", 2))
		c.say(`{"op":"unsubscribe","topic":"/t"}`)
		time.Sleep(2 * cfg.Unregister)
		c.say(subscribe("/t"))
		c.quiet()
		r.stop()
	})
}

// A bus's sample is what an attachment publishes.
var _ rosbridge.Value = (*bus.Sample)(nil)
