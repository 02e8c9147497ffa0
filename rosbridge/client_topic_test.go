package rosbridge

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"sarathi/msg/sensor"
	"sarathi/msg/std"
)

const (
	subA   = `{"op":"subscribe","topic":"/a","compression":"none"}`
	unsubA = `{"op":"unsubscribe","topic":"/a"}`
)

// publishA is a message of topic /a.
func publishA(msg string) string { return `{"op":"publish","topic":"/a","msg":` + msg + `}` }

func TestClientSubscribes(t *testing.T) {
	c, _, l := newTestClient(t, nil)
	s, got := bodies(t, c, "/a", SubscribeOptions{
		Type: "foo_msgs/Bar", Throttle: 250 * time.Millisecond, QueueLength: 3, FragmentSize: 4096, Compression: CompressionPNG,
		QoS: []byte(`{"depth":2}`),
	})
	id := l.expect(`{"op":"subscribe","topic":"/a","type":"foo_msgs/Bar","throttle_rate":250,"queue_length":3,"fragment_size":4096,"compression":"png","qos":{"depth":2}}`)
	l.say(publishA("1"))
	l.say(publishA("2"))
	wantText(t, got, "1", "2")
	s.Close()
	s.Close()
	if end := l.expect(unsubA); end != id || id == "" {
		t.Errorf("unsubscribed as %s, subscribed as %s", end, id)
	}
	_, mark := bodies(t, c, "/mark", SubscribeOptions{})
	l.say(publishA("3")) // crosses the unsubscribe
	l.say(`{"op":"publish","topic":"/mark","msg":0}`)
	wantText(t, mark, "0")
	receive(t, l.in, "the subscription of /mark")
	_, again := bodies(t, c, "/a", SubscribeOptions{})
	if next := l.expect(subA); next == id {
		t.Errorf("id %s is used again", id)
	}
	l.say(publishA("4"))
	wantText(t, again, "4")
	if len(got) > 0 {
		t.Errorf("the closed subscription got %s", <-got)
	}
}

// TestClientFindsTopicsByOtherSpelling is about servers that write resolved names where the subscriber wrote others.
func TestClientFindsTopicsByOtherSpelling(t *testing.T) {
	c, _, l := newTestClient(t, nil)
	_, gold := bodies(t, c, "gold", SubscribeOptions{})
	l.expect(`{"op":"subscribe","topic":"gold","compression":"none"}`)
	l.say(`{"op":"publish","topic":"/gold","msg":1}`)
	l.say(`{"op":"publish","topic":"gold","msg":2}`)
	l.say(`{"op":"publish","topic":"/silver","msg":3}`)
	l.say(`{"op":"publish","topic":"gold","msg":4}`)
	wantText(t, gold, "1", "2", "4")
}

// TestClientKeepsEveryDigit: rclnodejs#103, rosbag.js#28.
func TestClientKeepsEveryDigit(t *testing.T) {
	c, _, l := newTestClient(t, nil)
	const digits = `{"id":18446744073709551615,"n":-9223372036854775808,"x":0.10000000000000000055}`
	_, got := bodies(t, c, "/a", SubscribeOptions{})
	p, err := c.Advertise("/b", "foo_msgs/Bar", AdvertiseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	l.expect(subA)
	l.expect(`{"op":"advertise","topic":"/b","type":"foo_msgs/Bar","queue_size":100}`)
	l.say(publishA(digits))
	wantText(t, got, digits)
	if err := p.Publish([]byte(digits)); err != nil {
		t.Fatal(err)
	}
	if text := receive(t, l.in, "the message"); !strings.Contains(text, digits) {
		t.Errorf("sent %s", text)
	}
}

// TestClientTakesNaN: rosbridge_suite#916, roslibjs#1077. Servers write what is not finite as Python does.
func TestClientTakesNaN(t *testing.T) {
	c, _, l := newTestClient(t, nil)
	got := make(chan *sensor.LaserScan, 1)
	if _, err := SubscribeAs(c, "/a", SubscribeOptions{}, func(m *sensor.LaserScan) { got <- m }); err != nil {
		t.Fatal(err)
	}
	l.expect(`{"op":"subscribe","topic":"/a","type":"sensor_msgs/msg/LaserScan","compression":"none"}`)
	l.say(publishA(`{"ranges":[1.5,NaN,Infinity,null,-Infinity]}`))
	m := receive(t, got, "the scan")
	if len(m.Ranges) != 5 || m.Ranges[0] != 1.5 || m.Ranges[1] == m.Ranges[1] || m.Ranges[3] == m.Ranges[3] {
		t.Errorf("ranges %v", m.Ranges)
	}
}

// TestClientSurvivesGarbage: rosbridge_suite#1159, #1087, #53. What follows is not affected.
func TestClientSurvivesGarbage(t *testing.T) {
	c, _, l := newTestClient(t, nil)
	_, got := bodies(t, c, "/a", SubscribeOptions{})
	l.expect(subA)
	garbage := []string{
		"", "{", `{"op":"publish","topic":"/a","msg":{}`, publishA("1") + publishA("2"), `[]`, `{"op":7}`, `{"op":"unknown"}`,
		strings.Repeat("[", 1000), `{"op":"fragment","id":1,"num":9,"total":2,"data":""}`, `{"op":"png","data":"AAAA"}`, "\xff\xfe",
	}
	for _, g := range garbage {
		l.write(websocket.MessageText, []byte(strings.ToValidUTF8(g, "?")))
		l.write(websocket.MessageBinary, []byte(g))
	}
	l.write(websocket.MessageBinary, []byte{0xbf, 0xff, 0x00})
	l.say(publishA("3"))
	wantText(t, got, "3")
	if s := c.Stats(); s.Malformed < uint64(len(garbage)) || !s.Connected {
		t.Errorf("%+v", s)
	}
}

// TestClientTakesEveryEncoding: rosbridge_suite#1199 (JSON in binary messages), #844 and roslibjs#973 (fragments with integer ids and
// totals that are no integers), png, cbor, and png in fragments.
func TestClientTakesEveryEncoding(t *testing.T) {
	c, _, l := newTestClient(t, nil)
	_, got := bodies(t, c, "/a", SubscribeOptions{})
	l.expect(subA)

	l.write(websocket.MessageBinary, []byte(publishA("1")))
	l.write(websocket.MessageBinary, []byte(" "+publishA("2")))
	wantText(t, got, "1", "2")

	text := publishA(`{"text":"ééé` + strings.Repeat("x", 50) + `"}`)
	total := float64(len(text)) / 20
	for from := 0; from < len(text); from += 20 {
		piece := text[from:min(from+20, len(text))]
		l.say(fmt.Sprintf(`{"op":"fragment","id":0,"num":%d,"total":%.4f,"data":%s}`, from/20, total, appendString(nil, piece)))
	}
	wantText(t, got, text[len(publishA(""))-1:len(text)-1])

	png := fmt.Sprintf(`{"op":"png","data":"%s"}`, EncodePNG([]byte(publishA(`"png"`))))
	l.say(png)
	for i, f := range AppendFragments(nil, []byte(png), "x", 40) {
		l.write(websocket.MessageText, f)
		if i == 0 {
			l.write(websocket.MessageText, f) // twice is once
		}
	}
	wantText(t, got, `"png"`, `"png"`)

	l.write(websocket.MessageBinary, appendJSONAsCBOR(nil, []byte(publishA(`{"n":18446744073709551615}`))))
	wantText(t, got, `{"n":18446744073709551615}`)
}

// TestClientTakesBytesInEveryForm: rosbridge_suite#1086, #1121, roslibjs#244.
func TestClientTakesBytesInEveryForm(t *testing.T) {
	c, _, l := newTestClient(t, nil)
	got := make(chan []byte, 1)
	if _, err := SubscribeAs(c, "/a", SubscribeOptions{}, func(m *sensor.CompressedImage) { got <- m.Data }); err != nil {
		t.Fatal(err)
	}
	receive(t, l.in, "the subscription")
	want := []byte{0, 1, 254, 255}
	l.say(publishA(`{"format":"jpeg","data":"` + base64.StdEncoding.EncodeToString(want) + `"}`))
	l.say(publishA(`{"format":"jpeg","data":[0,1,254,255]}`))
	frame := cborHeader("/a")
	frame = appendCBORText(appendHead(frame, cborMap, 1), "data")
	frame = append(appendHead(frame, cborBytes, 4), want...)
	l.write(websocket.MessageBinary, frame)
	for range 3 {
		if diff := cmp.Diff(want, receive(t, got, "bytes")); diff != "" {
			t.Errorf("bytes (-want +got):\n%s", diff)
		}
	}
}

// TestClientSharesOneSubscription: rosbridge_suite#610 (JSON and cbor-raw on one topic), rws#6 (the end of one ends the other).
func TestClientSharesOneSubscription(t *testing.T) {
	c, _, l := newTestClient(t, nil)
	raw := make(chan Delivery, 8)
	first, err := c.Subscribe("/a", SubscribeOptions{Compression: CompressionCBORRaw, Throttle: 100 * time.Millisecond}, func(d Delivery) { raw <- d })
	if err != nil {
		t.Fatal(err)
	}
	id := l.expect(`{"op":"subscribe","topic":"/a","throttle_rate":100,"compression":"cbor-raw"}`)
	at := time.Unix(1_700_000_000, 5)
	serialized := (&std.String{Data: "hello"}).AppendCDR(nil)
	l.write(websocket.MessageBinary, appendCBORRaw(cborHeader("/a"), at, serialized))
	d := receive(t, raw, "the raw message")
	var m std.String
	if err := c.Decode(d, &m); err != nil || m.Data != "hello" || d.Body != nil || !d.Stamp.Equal(at) {
		t.Errorf("%+v, %v", d, err)
	}

	second, texts := bodies(t, c, "/a", SubscribeOptions{QueueLength: 2})
	if again := l.expect(`{"op":"subscribe","topic":"/a","queue_length":2,"compression":"none"}`); again != id {
		t.Errorf("the changed subscription is %s, not %s", again, id)
	}
	l.say(publishA(`{"data":"both"}`))
	wantText(t, texts, `{"data":"both"}`)
	if err := c.Decode(receive(t, raw, "the message"), &m); err != nil || m.Data != "both" {
		t.Errorf("%q, %v", m.Data, err)
	}
	second.Close()
	if again := l.expect(`{"op":"subscribe","topic":"/a","throttle_rate":100,"compression":"cbor-raw"}`); again != id {
		t.Errorf("the changed subscription is %s, not %s", again, id)
	}
	l.write(websocket.MessageBinary, appendCBORRaw(cborHeader("/a"), at, serialized))
	receive(t, raw, "the message after the other subscription has ended")
	first.Close()
	if again := l.expect(unsubA); again != id {
		t.Errorf("unsubscribed as %s, not %s", again, id)
	}
}

// TestClientLateSubscriptionGetsTheLast: rosbridge_suite#941, #1095: to the new one, once.
func TestClientLateSubscriptionGetsTheLast(t *testing.T) {
	c, _, l := newTestClient(t, nil)
	_, first := bodies(t, c, "/a", SubscribeOptions{Last: true})
	l.expect(subA)
	l.say(publishA("1"))
	l.say(publishA("2"))
	wantText(t, first, "1", "2")
	_, late := bodies(t, c, "/a", SubscribeOptions{Last: true})
	_, fresh := bodies(t, c, "/a", SubscribeOptions{})
	l.say(publishA("3"))
	wantText(t, late, "2", "3")
	wantText(t, fresh, "3")
	wantText(t, first, "3")
}

// TestClientSlowHandlerHurtsNobody: rosbridge_suite#559 (a big topic starves small ones), #437 (newest only).
func TestClientSlowHandlerHurtsNobody(t *testing.T) {
	c, _, l := newTestClient(t, nil)
	began, goOn := make(chan struct{}), make(chan struct{})
	var seen []string
	var once sync.Once
	slow, err := c.Subscribe("/slow", SubscribeOptions{Buffer: 1}, func(d Delivery) {
		once.Do(func() { close(began); <-goOn })
		seen = append(seen, string(d.Body))
	})
	if err != nil {
		t.Fatal(err)
	}
	_, got := bodies(t, c, "/a", SubscribeOptions{})
	l.say(`{"op":"publish","topic":"/slow","msg":0}`)
	receive(t, began, "the slow handler")
	for i := 1; i <= 100; i++ {
		l.say(fmt.Sprintf(`{"op":"publish","topic":"/slow","msg":%d}`, i))
	}
	l.say(publishA(`"quick"`))
	wantText(t, got, `"quick"`)
	close(goOn)
	waitFor(t, "the newest message", func() bool { return slow.Dropped() == 99 })
	c.Close() // joins the handler
	if diff := cmp.Diff([]string{"0", "100"}, seen); diff != "" && len(seen) != 1 {
		t.Errorf("handled (-want +got):\n%s", diff)
	}
}

func TestClientCloseInTheHandler(t *testing.T) {
	c, _, l := newTestClient(t, nil)
	n := 0
	var s *Subscription
	ready := make(chan struct{})
	s, err := c.Subscribe("/a", SubscribeOptions{}, func(Delivery) { <-ready; n++; s.Close() })
	if err != nil {
		t.Fatal(err)
	}
	close(ready)
	l.expect(subA)
	l.say(publishA("1"))
	l.say(publishA("2"))
	l.expect(unsubA)
	if c.Close(); n != 1 {
		t.Errorf("%d messages were handled, want 1", n)
	}
}

func TestClientCountsFaultyMessages(t *testing.T) {
	c, _, l := newTestClient(t, nil)
	got := make(chan string, 1)
	s, err := SubscribeAs(c, "/a", SubscribeOptions{}, func(m *std.String) { got <- m.Data })
	if err != nil {
		t.Fatal(err)
	}
	l.say(publishA(`{"data":7}`))
	l.say(publishA(`3`))
	l.say(publishA(`{"data":"good","since":"ROS 3"}`))
	wantText(t, got, "good")
	if n := s.Faulty(); n != 2 {
		t.Errorf("%d faulty messages, want 2", n)
	}
}

// TestClientSlowServer: rosbridge_suite#212: what waits is bounded, the oldest goes.
func TestClientSlowServer(t *testing.T) {
	o := newClientOutbox(1000)
	p, q := &Publisher{queue: 3}, &Publisher{queue: 100}
	text := func(n byte) []byte { return []byte{n, 99: 0} }
	for n := range byte(10) {
		if dropped := o.publish(p, text(n)); dropped != 0 && n < 3 || dropped != 1 && n >= 3 {
			t.Errorf("message %d dropped %d", n, dropped)
		}
	}
	lost := 0
	for n := range byte(20) {
		lost += o.publish(q, text(100+n))
	}
	if lost != 13 || o.bytes != 1000 {
		t.Errorf("%d of 20 lost, %d bytes wait", lost, o.bytes)
	}
	if o.publish(&Publisher{queue: 1}, text(1)) != 1 {
		t.Error("a message went beyond the budget")
	}
	if err := o.put(&Frame{Op: OpUnsubscribe, Topic: "/a"}); !errors.Is(err, ErrClientBusy) {
		t.Errorf("error %v, want busy", err)
	}
	var order []byte
	for out := o.take(); out != nil; out = o.take() {
		order = append(order, out[0])
	}
	if diff := cmp.Diff([]byte{7, 8, 9, 113, 114, 115, 116, 117, 118, 119}, order); diff != "" || o.bytes != 0 || len(o.topics) != 0 {
		t.Errorf("%d bytes are left; order (-want +got):\n%s", o.bytes, diff)
	}
	for range 10_000 {
		o.publish(p, text(1))
	}
	if len(o.waiting) > 100 {
		t.Errorf("%d places for 3 messages", len(o.waiting))
	}
	if err := o.put(&Frame{Op: OpUnsubscribe, Topic: "/a"}); err != nil {
		t.Error(err)
	}
}

// TestClientAdvertisesAgainAtOnce: rosbridge_suite#298, #138, #249, #399: in order, under another id.
func TestClientAdvertisesAgainAtOnce(t *testing.T) {
	c, _, l := newTestClient(t, nil)
	const ad = `{"op":"advertise","topic":"/a","type":"std_msgs/msg/String","queue_size":100}`
	first, err := AdvertiseAs[std.String](c, "/a", AdvertiseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	first.Close()
	first.Close()
	second, err := AdvertiseAs[std.String](c, "/a", AdvertiseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Publish(&std.String{Data: "x"}); err != nil {
		t.Fatal(err)
	}
	id := l.expect(ad)
	if end := l.expect(`{"op":"unadvertise","topic":"/a"}`); end != id {
		t.Errorf("unadvertised as %s, not %s", end, id)
	}
	if again := l.expect(ad); again == id {
		t.Errorf("id %s is used again", id)
	}
	l.expect(publishA(`{"data":"x"}`))
	if err := first.Publish(&std.String{}); !errors.Is(err, ErrClientClosed) {
		t.Errorf("the closed publisher says %v", err)
	}
}

func TestClientRefusesWhatMakesNoSense(t *testing.T) {
	c, _, _ := newTestClient(t, nil)
	subscribe := func(topic string, o SubscribeOptions) error {
		_, err := c.Subscribe(topic, o, func(Delivery) {})
		return err
	}
	p, err := c.Advertise("/a", "foo/Bar", AdvertiseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	advertise := func(topic, typeName string, o AdvertiseOptions) error {
		_, err := c.Advertise(topic, typeName, o)
		return err
	}
	for name, err := range map[string]error{
		"topic":       subscribe("a b", SubscribeOptions{}),
		"no topic":    subscribe("", SubscribeOptions{}),
		"compression": subscribe("/a", SubscribeOptions{Compression: "zip"}),
		"throttle":    subscribe("/a", SubscribeOptions{Throttle: -1}),
		"qos":         subscribe("/a", SubscribeOptions{QoS: []byte("{")}),
		"message":     p.Publish([]byte("{")),
		"type":        advertise("/a", "", AdvertiseOptions{}),
		"queue":       advertise("/a", "foo/Bar", AdvertiseOptions{QueueSize: -1}),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestClientDialects(t *testing.T) {
	tests := []struct {
		name string
		d    Dialect
		typ  string
		msg  string
	}{
		{"ROS 1", ROS1, "sensor_msgs/CameraInfo", `{"header":{"stamp":{"secs":3,"nsecs":4},"frame_id":"cam"},"height":2,"width":0,"distortion_model":"","D":[0.5],` +
			`"K":[1,0,0,0,0,0,0,0,0],"R":[0,0,0,0,0,0,0,0,0],"P":[0,0,0,0,0,0,0,0,0,0,0,0],"binning_x":0,"binning_y":0,` +
			`"roi":{"x_offset":0,"y_offset":0,"height":0,"width":0,"do_rectify":false}}`},
		{"ROS 2", ROS2, "sensor_msgs/msg/CameraInfo", `{"header":{"stamp":{"sec":3,"nanosec":4},"frame_id":"cam"},"height":2,"width":0,"distortion_model":"","d":[0.5],` +
			`"k":[1,0,0,0,0,0,0,0,0],"r":[0,0,0,0,0,0,0,0,0],"p":[0,0,0,0,0,0,0,0,0,0,0,0],"binning_x":0,"binning_y":0,` +
			`"roi":{"x_offset":0,"y_offset":0,"height":0,"width":0,"do_rectify":false}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, _, l := newTestClient(t, func(cfg *ClientConfig) { cfg.Dialect = tt.d })
			want := &sensor.CameraInfo{Height: 2, D: []float64{0.5}, K: [9]float64{1}}
			want.Header.FrameID, want.Header.Stamp.Sec, want.Header.Stamp.Nanosec = "cam", 3, 4
			p, err := AdvertiseAs[sensor.CameraInfo](c, "/a", AdvertiseOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Publish(want); err != nil {
				t.Fatal(err)
			}
			l.expect(`{"op":"advertise","topic":"/a","type":"` + tt.typ + `","queue_size":100}`)
			l.expect(publishA(tt.msg))
			got := make(chan *sensor.CameraInfo, 2)
			if _, err := SubscribeAs(c, "/a", SubscribeOptions{}, func(m *sensor.CameraInfo) { got <- m }); err != nil {
				t.Fatal(err)
			}
			l.say(publishA(strings.Replace(tt.msg, `{"header":{`, `{"header":{"seq":7,`, 1)))
			raw := want.AppendCDR(nil)
			if tt.d == ROS1 {
				raw = want.AppendROS1(nil)
			}
			l.write(websocket.MessageBinary, appendCBORRaw(cborHeader("/a"), time.Unix(1, 0), raw))
			for range 2 {
				if diff := cmp.Diff(want, receive(t, got, "the message")); diff != "" {
					t.Errorf("received (-want +got):\n%s", diff)
				}
			}
		})
	}
}
