package controlsocket_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"sarathi/internal/gateway/controlsocket/client"
	"sarathi/internal/gateway/controlsocket/graph"
	"sarathi/internal/gateway/controlsocket/protocol"
	"sarathi/msg/std"
)

// raw is a connection without a client that keeps to the rules.
type raw struct {
	t    *testing.T
	conn net.Conn
	r    *bufio.Scanner
}

func (r *robot) raw(t *testing.T) *raw {
	t.Helper()
	conn, err := net.Dial("unix", r.socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(limit))
	s := bufio.NewScanner(conn)
	s.Buffer(nil, 64<<20)
	return &raw{t, conn, s}
}

func (c *raw) send(format string, args ...any) {
	c.t.Helper()
	if _, err := fmt.Fprintf(c.conn, format+"\n", args...); err != nil {
		c.t.Fatal(err)
	}
}

func (c *raw) receive() protocol.Reply {
	c.t.Helper()
	if !c.r.Scan() {
		c.t.Fatalf("no reply: %v", c.r.Err())
	}
	var r protocol.Reply
	if err := json.Unmarshal(c.r.Bytes(), &r); err != nil {
		c.t.Fatalf("%s: %v", c.r.Text(), err)
	}
	return r
}

func TestMalformedLinesAreAnsweredAndTheConnectionGoesOn(t *testing.T) {
	c := startRobot(t).raw(t)
	for _, line := range []string{"hello", `{"id":1,"op":"reboot"}`, `{"id":1`, strings.Repeat("x", protocol.MaxRequest+10), "\x00\xff"} {
		c.send("%s", line)
		if r := c.receive(); r.Error == nil || r.Error.Code != graph.BadRequest {
			t.Errorf("%.40q was answered with %+v, want a refusal", line, r)
		}
	}
	c.send(`{"id":9,"op":"graph"}`)
	if r := c.receive(); r.ID != 9 || r.Graph == nil {
		t.Errorf("afterwards: %+v, want the graph", r)
	}
}

func TestAClientThatOnlyStopsSendingGetsItsReplies(t *testing.T) {
	c := startRobot(t).raw(t)
	c.send(`{"id":1,"op":"graph"}`)
	c.send(`{"id":2,"op":"graph"}`)
	if err := c.conn.(*net.UnixConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	for id := int64(1); id <= 2; id++ {
		if r := c.receive(); r.ID != id || r.Graph == nil {
			t.Errorf("%+v, want the graph for %d", r, id)
		}
	}
	if c.r.Scan() || c.r.Err() != nil {
		t.Errorf("then %q, %v; want the end", c.r.Text(), c.r.Err())
	}
}

func TestASlowClientLosesTheOldestAndHurtsNobody(t *testing.T) {
	const n, depth = 600, 8
	r := startRobot(t)
	slow := r.raw(t)
	slow.send(`{"id":1,"op":"watch","topic":"/chatter","depth":%d}`, depth)
	if a := slow.receive(); a.Error != nil {
		t.Fatal(a.Error)
	}
	text := strings.Repeat("x", 10_000) // 600 of these are more than a socket buffers
	healthy, control := r.connect(t), r.connect(t)
	arrived := make(chan struct{})
	var publisher sync.WaitGroup
	publisher.Go(func() {
		until(t, control, "both watch", func(g *graph.Graph) bool { return watchers(g, "/chatter") == 2 })
		for i := range n {
			r.talker.say.Publish(std.String{Data: fmt.Sprint(i, text)})
			<-arrived
		}
	})
	last := fmt.Sprintf(`{"data":"%dx`, n-1)
	var lost uint64
	err := healthy.Watch(within(t), graph.Watch{Topic: "/chatter", Depth: depth}, func(s graph.Sample) bool {
		lost = s.Lost
		arrived <- struct{}{}
		return !strings.HasPrefix(string(s.Message), last)
	})
	publisher.Wait()
	if err != nil || lost != 0 {
		t.Errorf("the healthy client: %d lost, error %v", lost, err)
	}
	received := 0
	for {
		s := slow.receive().Sample
		received++
		if strings.HasPrefix(string(s.Message), last) {
			lost = s.Lost
			break
		}
	}
	if lost == 0 || received+int(lost) != n {
		t.Errorf("the slow client received %d and lost %d of %d", received, lost, n)
	}
}

func TestWatchAndUnwatchByHand(t *testing.T) {
	r := startRobot(t)
	c := r.raw(t)
	steps := []struct {
		line string
		code graph.Code // "" when it is done
	}{
		{`{"id":1,"op":"watch","topic":"/chatter"}`, ""},
		{`{"id":1,"op":"watch","topic":"/chatter"}`, graph.BadRequest},
		{`{"id":2,"op":"unwatch"}`, graph.BadRequest},
		{`{"id":1,"op":"unwatch"}`, ""},
		{`{"id":1,"op":"unwatch"}`, graph.BadRequest},
		{`{"id":1,"op":"watch","topic":"/chatter"}`, ""},
	}
	for i, s := range steps {
		c.send("%s", s.line)
		r := c.receive()
		switch {
		case s.code == "" && r.Error != nil:
			t.Errorf("step %d: refused: %v", i, r.Error)
		case s.code != "" && (r.Error == nil || r.Error.Code != s.code):
			t.Errorf("step %d: %+v, want %s", i, r, s.code)
		}
	}
}

func TestLimitsOfOneClient(t *testing.T) {
	r := startRobot(t)
	t.Run("watches", func(t *testing.T) {
		c := r.raw(t)
		for id := 1; id <= 33; id++ {
			c.send(`{"id":%d,"op":"watch","topic":"/chatter"}`, id)
			if a := c.receive(); (a.Error != nil) != (id == 33) {
				t.Errorf("watch %d: %+v", id, a)
			}
		}
	})
	t.Run("publishers", func(t *testing.T) {
		c := r.connect(t)
		for i := 1; i <= 33; i++ {
			err := c.Publish(within(t), graph.Publication{Topic: fmt.Sprintf("/t%d", i), Type: "std_msgs/String", Message: []byte(`{}`)})
			if (err != nil) != (i == 33) {
				t.Errorf("topic %d: %v", i, err)
			}
		}
	})
	t.Run("calls", func(t *testing.T) {
		c := r.raw(t)
		for id := 1; id <= 8; id++ {
			c.send(`{"id":%d,"op":"call","service":"/never"}`, id)
			select {
			case <-r.talker.asked:
			case <-time.After(limit):
				t.Fatalf("call %d did not arrive", id)
			}
		}
		c.send(`{"id":9,"op":"call","service":"/never"}`)
		if a := c.receive(); a.ID != 9 || a.Error == nil || a.Error.Code != graph.Busy {
			t.Errorf("call 9: %+v, want busy", a)
		}
		c.send(`{"id":10,"op":"graph"}`)
		if a := c.receive(); a.ID != 10 || a.Graph == nil {
			t.Errorf("the graph behind the calls: %+v", a)
		}
	})
}

func TestTooManyClients(t *testing.T) {
	r := startRobot(t)
	for range 16 {
		if _, err := r.connect(t).Graph(within(t)); err != nil {
			t.Fatal(err)
		}
	}
	_, err := r.connect(t).Graph(within(t))
	wantCode(t, err, graph.Busy)
}

func TestStoppingEndsEveryClient(t *testing.T) {
	r := startRobot(t)
	waits := make(chan error, 2)
	watching := r.connect(t)
	go func() {
		waits <- watching.Watch(within(t), graph.Watch{Topic: "/chatter", Depth: 1}, func(graph.Sample) bool { return true })
	}()
	calling := r.connect(t)
	go func() {
		_, err := calling.Call(within(t), "/never", nil, time.Minute)
		waits <- err
	}()
	<-r.talker.asked
	until(t, r.connect(t), "somebody watches", func(g *graph.Graph) bool { return watchers(g, "/chatter") == 1 })
	began := time.Now()
	if err := r.exec.Stop(); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > time.Second {
		t.Errorf("stopping took %v", took)
	}
	for range 2 {
		err := <-waits
		var refusal *graph.Error
		if !errors.Is(err, client.ErrGone) && !errors.As(err, &refusal) {
			t.Errorf("a client ended with %v", err)
		}
	}
	if _, err := client.Dial(context.Background(), r.socket); !errors.Is(err, client.ErrNoRobot) {
		t.Errorf("after the stop: %v, want %v", err, client.ErrNoRobot)
	}
}
