package rosbridge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"sarathi/rosbridge"
)

func (r *rig) get(method, path string) (code int, body string) {
	r.t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), method, "http"+strings.TrimPrefix(r.url, "ws")+path, http.NoBody)
	if err != nil {
		r.t.Fatal(err)
	}
	transport := &http.Transport{DialContext: r.dial, DisableKeepAlives: true}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

func TestHTTP(t *testing.T) {
	cfg := config()
	cfg.Version, cfg.Token = "1.2.3", "secret"
	r := start(t, cfg)
	if code, body := r.get(http.MethodGet, "/version"); code != 200 || body != `{"protocol":{"major":2,"minor":1,"patch":0},"server":"1.2.3"}`+"\n" {
		t.Errorf("version %d %s", code, body)
	}
	for _, test := range []struct {
		method, path string
		code         int
	}{
		{http.MethodHead, "/version", 200},
		{http.MethodPost, "/version", http.StatusMethodNotAllowed},
		{http.MethodGet, "/stats", http.StatusUnauthorized},
		{http.MethodGet, "/stats?token=secret", 200},
		{http.MethodGet, "/", http.StatusUpgradeRequired},
	} {
		if code, body := r.get(test.method, test.path); code != test.code {
			t.Errorf("%s %s: %d %s", test.method, test.path, code, body)
		}
	}
}

func TestStats(t *testing.T) {
	r := start(t, config())
	a := r.join()
	a.say(`{"op":"hello","node":"viewer"}`, subscribe("/t", `"type":"std_msgs/Int32"`), number("/t", 1), "nonsense")
	a.next()
	_, body := r.get(http.MethodGet, "/stats")
	var s rosbridge.Stats
	if err := json.Unmarshal([]byte(body), &s); err != nil {
		t.Fatal(err)
	}
	c := s.Clients[0]
	if c.Node != "/viewer" || c.Faults != 1 || c.Sent == 0 || c.Waiting != 0 || len(c.Subscriptions) != 1 ||
		c.Subscriptions[0] != (rosbridge.SubscriptionStats{Topic: "/t", Sent: 1}) {
		t.Errorf("client %+v", c)
	}
	if topic := r.topic("/t"); topic != (rosbridge.TopicStats{Name: "/t", Type: "std_msgs/Int32", Published: 1, Publishers: 1, Subscribers: 1}) {
		t.Errorf("topic %+v", topic)
	}
}

func TestClientsAreCounted(t *testing.T) {
	r := start(t, config())
	a := r.join()
	a.say(subscribe("/client_count"), subscribe("/connected_clients"))
	hear := func(n int) {
		t.Helper()
		for counted, listed := false, false; !counted || !listed; {
			text := a.next().text
			counted = counted || text == number("/client_count", n)
			listed = listed || strings.Contains(text, "/connected_clients") && strings.Count(text, `"ip_address":"127.0.0.1"`) == n
		}
	}
	hear(1)
	b := r.join()
	hear(2)
	b.leave()
	hear(1)
}

func TestTooManyClients(t *testing.T) {
	cfg := config()
	cfg.MaxClients = 2
	r := start(t, cfg)
	a, _ := r.join(), r.join()
	_, resp, err := websocket.Dial(t.Context(), r.url, r.options())
	if err == nil || resp == nil || resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("answer %v, %v", resp, err)
	}
	a.leave()
	until(t, "a place is free", func() bool { return len(r.Stats().Clients) == 1 })
	r.join().sync()
}

func TestTooManyNames(t *testing.T) {
	cfg := config()
	cfg.MaxNames = 4
	r := start(t, cfg)
	a := r.join()
	a.say(advertise("/a", "std_msgs/Int32"), subscribe("/b"), `{"op":"advertise_service","service":"/c","type":"a/B"}`, `{"op":"advertise_action","action":"/d","type":"a/B"}`,
		advertise("/e", "std_msgs/Int32"), subscribe("/e"), `{"op":"advertise_service","service":"/e","type":"a/B"}`, `{"op":"advertise_action","action":"/e","type":"a/B"}`, number("/e", 1))
	if f := r.Stats().Clients[0].Faults; f != 5 {
		t.Errorf("%d requests were refused, want 5", f)
	}
	a.say(advertise("/a", "std_msgs/Int32"), `{"op":"unsubscribe","topic":"/b"}`, subscribe("/e"))
	if f := r.Stats().Clients[0].Faults; f != 5 {
		t.Errorf("%d requests were refused, want 5", f)
	}
}

// TestLatchedMessagesAreBounded together: what has no room is not latched, nor is what was before it. Topics that go give their room back.
func TestLatchedMessagesAreBounded(t *testing.T) {
	cfg := config()
	cfg.MaxLatched, cfg.Unregister = 5000, 0
	r := start(t, cfg)
	a := r.join()
	latch := func(topic string, size int) {
		a.say(`{"op":"advertise","topic":"`+topic+`","type":"zoo/Zoo","latch":true}`, publish(topic, `"`+strings.Repeat("x", size)+`"`))
	}
	kept := func(topic string) bool {
		u := r.join()
		defer u.leave()
		u.say(subscribe(topic))
		return len(u.drain()) > 0
	}
	latch("/a", 2000)
	latch("/b", 1000)
	latch("/c", 2000)
	if !kept("/a") || !kept("/b") || kept("/c") {
		t.Error("not the first two are latched")
	}
	latch("/b", 4000)
	if kept("/b") {
		t.Error("an old message is latched")
	}
	a.say(`{"op":"unadvertise","topic":"/a"}`)
	latch("/c", 4000)
	if !kept("/c") {
		t.Error("there was room")
	}
}

func TestTooManyCalls(t *testing.T) {
	cfg := config()
	cfg.MaxCalls = 2
	r := start(t, cfg)
	server, a := r.join(), r.join()
	server.say(`{"op":"advertise_service","service":"/s","type":"a/B"}`, `{"op":"advertise_action","action":"/s","type":"a/B"}`)
	for i := range 3 {
		a.say(fmt.Sprintf(`{"op":"call_service","id":%d,"service":"/s"}`, i), fmt.Sprintf(`{"op":"send_action_goal","id":%d,"action":"/s","action_type":"a/B"}`, i))
	}
	a.expect(`{"op":"service_response","id":2,"service":"/s","values":"too many calls of service /s are open","result":false}`)
	a.expect(`{"op":"action_result","id":2,"action":"/s","values":"too many goals of action /s are open","status":0,"result":false}`)
}

func TestTooManyMalformedFrames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := config()
		cfg.MaxFaulty, cfg.FaultyRate = 3, 1
		r := startPiped(t, cfg)
		a := r.join()
		for range 3 {
			a.say("nonsense", "nonsense", "nonsense")
			time.Sleep(3 * time.Second) // they are forgiven
		}
		a.say(strings.Repeat(`{"op":"unsubscribe","topic":"/no"}`, 1)) // refused, but not malformed
		for range 4 {
			a.send(websocket.MessageText, "nonsense")
		}
		if code := a.closed(); code != websocket.StatusPolicyViolation {
			t.Errorf("closed with %v", code)
		}
		r.stop()
	})
}

func TestTooLongMessages(t *testing.T) {
	cfg := config()
	cfg.MaxMessage = 2000
	r := start(t, cfg)
	a := r.join()
	long := publish("/t", `"`+strings.Repeat("x", 3000)+`"`)
	for i, piece := range []string{long[:1500], long[1500:]} { // in fragments it is as long
		f := rosbridge.Frame{Op: rosbridge.OpFragment, ID: `"f"`, Data: piece, Num: i, Total: 2}
		a.say(string(f.AppendJSON(nil)))
	}
	if n := r.topic("/t").Published; n != 0 {
		t.Errorf("%d messages came through", n)
	}
	a.send(websocket.MessageText, long)
	if code := a.closed(); code != websocket.StatusMessageTooBig {
		t.Errorf("closed with %v", code)
	}
}

// TestAnswersThatWaitTooLong: a client that asks and does not read is closed.
func TestAnswersThatWaitTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := config()
		cfg.MaxMessage, cfg.Budget = 10_000, 40_000
		r := startPiped(t, cfg)
		greedy := r.mute()
		go func() {
			for {
				if _, err := greedy.Write(clientFrame(0x81, `{"op":"call_service","service":"/rosapi/services"}`)); err != nil {
					return
				}
			}
		}()
		synctest.Wait()
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := len(r.Stats().Clients); n != 0 {
			t.Errorf("%d clients", n)
		}
		r.stop()
	})
}

func TestTypeConflicts(t *testing.T) {
	r := start(t, config())
	a, b := r.join(), r.join()
	a.say(subscribe("/t"))
	b.say(number("/t", 1)) // nobody said the type: it passes
	a.expect(number("/t", 1))
	b.say(advertise("/t", "std_msgs/Int32"), advertise("/t", "std_msgs/String"), publish("/t", `{"data":"x"}`), number("/t", 2))
	a.expect(number("/t", 2))
	a.say(subscribe("/t", `"id":"other"`, `"compression":"cbor"`, `"type":"std_msgs/String"`))
	b.say(number("/t", 3))
	a.expect(number("/t", 3))
	a.say(`{"op":"unsubscribe","topic":"/t"}`)
	b.say(`{"op":"unadvertise","topic":"/t"}`, advertise("/t", "std_msgs/String")) // nobody else uses it: it may change
	a.say(subscribe("/t", `"type":"std_msgs/msg/String"`))
	b.say(publish("/t", `{"data":"x"}`))
	a.expect(publish("/t", `{"data":"x"}`))
}

func TestFramesInPicturesAndFragments(t *testing.T) {
	r := start(t, config())
	a := r.join()
	a.say(subscribe("/t", `"type":"std_msgs/Int32"`))
	png := func(text string) string {
		f := rosbridge.Frame{Op: rosbridge.OpPNG, Data: rosbridge.EncodePNG([]byte(text))}
		return string(f.AppendJSON(nil))
	}
	a.say(png(number("/t", 1)))
	a.expect(number("/t", 1))
	for _, piece := range rosbridge.AppendFragments(nil, []byte(png(number("/t", 2))), "f", 50) {
		a.send(websocket.MessageText, string(piece))
	}
	a.expect(number("/t", 2))
	a.say(png(png(png(number("/t", 3)))), png("nonsense"))
	a.quiet()
}

func TestAnswersAsTheCallAskedFor(t *testing.T) {
	r := start(t, config())
	a := r.join()
	a.say(`{"op":"call_service","id":"c","service":"/rosapi/get_ros_version","fragment_size":60}`)
	assembler := rosbridge.NewAssembler(1<<20, time.Minute)
	var whole []byte
	for whole == nil {
		f, err := rosbridge.ParseFrame([]byte(a.next().text))
		if err != nil {
			t.Fatal(err)
		}
		if whole, err = assembler.Add(time.Now(), f); err != nil {
			t.Fatal(err)
		}
	}
	if want := `{"op":"service_response","id":"c","service":"/rosapi/get_ros_version","values":{"version":2,"distro":"jazzy"},"result":true}`; string(whole) != want {
		t.Errorf("joined %s", whole)
	}
}

// TestTinyFragments would make a long message many times as long.
func TestTinyFragments(t *testing.T) {
	r := start(t, config())
	a := r.join()
	a.say(subscribe("/t", `"type":"std_msgs/String"`, `"fragment_size":1`), publish("/t", `{"data":"`+strings.Repeat("x", 3200)+`"}`))
	if n := len(a.drain()); n < 100 || n > 110 {
		t.Errorf("%d fragments", n)
	}
}

func TestConfigIsChecked(t *testing.T) {
	if err := rosbridge.DefaultConfig().Validate(); err != nil {
		t.Fatal(err)
	}
	cfg := rosbridge.DefaultConfig()
	cfg.MaxClients, cfg.MaxMessage, cfg.Budget, cfg.FaultyRate, cfg.Grace, cfg.Unregister, cfg.Dialect, cfg.NodeName = 0, 10<<20, 1, 0, 0, -1, 7, "x"
	_, err := rosbridge.NewBroker(cfg)
	if err == nil {
		t.Fatal("no error")
	}
	for _, field := range []string{"MaxClients", "Budget", "FaultyRate", "Grace", "Unregister", "Dialect", "NodeName"} {
		if !strings.Contains(err.Error(), field+": ") {
			t.Errorf("nothing about %s: %v", field, err)
		}
	}
}

func TestCloseEndsEverything(t *testing.T) {
	r := start(t, config())
	server, a := r.join(), r.join()
	server.say(`{"op":"advertise_service","service":"/s","type":"a/B"}`)
	answers := make(chan error, 2)
	robot := r.Attach("/robot")
	if err := robot.Serve("/never", "a/B", func(rosbridge.Request, func([]byte, error)) {}); err != nil {
		t.Fatal(err)
	}
	for _, service := range []string{"/s", "/never"} {
		robot.CallAsync(service, nil, 0, func(_ []byte, err error) { answers <- err })
	}
	r.stop()
	for range 2 {
		if err := <-answers; err == nil {
			t.Error("a call was answered")
		}
	}
	for _, u := range []*user{server, a} {
		if code := u.closed(); code != websocket.StatusGoingAway {
			t.Errorf("closed with %v", code)
		}
	}
	if _, _, err := websocket.Dial(t.Context(), r.url, r.options()); err == nil {
		t.Error("a client connected to a closed broker")
	}
	if err := r.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

// TestCloseCutsOff those who do not read, when its context ends.
func TestCloseDoesNotWaitForTheStalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startPiped(t, config())
		a, _ := r.join(), r.mute()
		a.say(advertise("/t", "std_msgs/Int32"))
		begin := time.Now()
		r.stop()
		if d := time.Since(begin); d > 3*time.Second {
			t.Errorf("it took %v", d)
		}
	})
}
