package bus_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"sarathi/internal/bus"
	"sarathi/internal/bus/bustest"
	"sarathi/internal/idl"
	"sarathi/msg/stdsrvs"
)

// heard is a request that a raw server was given.
type heard struct {
	request string
	reply   func([]byte, error)
}

// serveRaw offers a service and keeps the requests.
func serveRaw(t *testing.T, c *bustest.Client, name, typeName string, typ *idl.ServiceType) (*bus.RawServer, *[]heard) {
	t.Helper()
	got := &[]heard{}
	s, err := bus.ServeRaw(c, name, typeName, typ, func(req []byte, reply func([]byte, error)) {
		*got = append(*got, heard{string(req), reply})
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, got
}

// callRaw calls in a goroutine of its own, and drains the server until the request has come.
func callRaw(t *testing.T, w *world, server *bustest.Client, name, request string) (answer func() string) {
	t.Helper()
	out := make(chan string, 1)
	go func() {
		resp, err := w.CallRaw(t.Context(), name, []byte(request))
		if err != nil {
			resp = []byte(err.Error())
		}
		out <- string(resp)
	}()
	synctest.Wait()
	server.Drain()
	return func() string {
		synctest.Wait()
		select {
		case s := <-out:
			return s
		default:
			return "no answer"
		}
	}
}

func TestRawServiceOfUnknownTypeKeepsEveryDigit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		server := w.client("browser")
		_, got := serveRaw(t, server, "zoo/feed", "foo_msgs/srv/Feed", nil) // a relative name
		answer := callRaw(t, w, server, "/zoo/feed", digits)
		if len(*got) != 1 || (*got)[0].request != digits {
			t.Fatalf("the server was asked %+v", *got)
		}
		if s := answer(); s != "no answer" {
			t.Fatalf("answered before the reply: %s", s)
		}
		(*got)[0].reply([]byte(digits), nil)
		(*got)[0].reply([]byte("{}"), nil) // does not count
		if s := answer(); s != digits {
			t.Errorf("the caller got %s", s)
		}
		want := []bus.ServiceStats{{Name: "/zoo/feed", Type: "foo_msgs/Feed", Node: "browser", Calls: 1}}
		stats := w.Graph().Services
		stats[0].Handler = want[0].Handler
		if diff := cmp.Diff(want, stats); diff != "" {
			t.Errorf("graph (-want +got):\n%s", diff)
		}
		answer = callRaw(t, w, server, "/zoo/feed", "")
		(*got)[1].reply(nil, nil)
		if s := answer(); s != "{}" || (*got)[1].request != "{}" {
			t.Errorf("nothing became request %s and response %s", (*got)[1].request, s)
		}
	})
}

func TestRawServiceOfKnownTypeIsChecked(t *testing.T) {
	for _, typ := range []*idl.ServiceType{nil, stdsrvs.SetBoolService} {
		t.Run(fmt.Sprint("known to the server ", typ != nil), func(t *testing.T) {
			w := newWorld(t)
			server, node := w.client("browser"), w.client("node")
			_, got := serveRaw(t, server, "/molly/enable", "std_srvs/SetBool", typ)
			caller := bus.NewCaller(node, enable)
			if !caller.Ready() {
				t.Error("not ready")
			}
			var o outcome
			for range 4 {
				caller.Call(request{Data: true}, time.Second, o.done)
			}
			server.Drain()
			for i, reply := range []string{`{"success":true,"message":"on"}`, ``, `{"message":7}`} {
				if (*got)[i].request != `{"data":true}` {
					t.Errorf("the server was asked %s", (*got)[i].request)
				}
				(*got)[i].reply([]byte(reply), nil)
			}
			(*got)[3].reply(nil, errors.New("no hands"))
			node.Drain()
			if len(o.list) != 4 || !strings.Contains(o.list[2], "failed: response of its server: ") {
				t.Fatalf("the caller was told %q", o.list)
			}
			o.list[2] = ""
			o.want(t, "response on", "response ", "", "service /molly/enable: failed: no hands")
		})
	}
}

func TestRawServiceChecksRawRequestsOfKnownTypes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		server := w.client("browser")
		_, got := serveRaw(t, server, "/enable", "", stdsrvs.SetBoolService)
		if s := callRaw(t, w, server, "/enable", `{"data":"yes"}`)(); !strings.HasPrefix(s, "service /enable: bad request: ") {
			t.Errorf("the caller was told %s", s)
		}
		answer := callRaw(t, w, server, "/enable", ``)
		if len(*got) != 1 || (*got)[0].request != `{"data":false}` {
			t.Fatalf("the server was asked %+v", *got)
		}
		(*got)[0].reply([]byte(`{}`), nil)
		if s := answer(); s != `{"success":false,"message":""}` {
			t.Errorf("the caller got %s", s)
		}
	})
}

func TestWithdrawnRawServiceFailsWhatIsOpen(t *testing.T) {
	const left = "service /zoo/feed: stopped: its server left before it answered"
	for name, withdraw := range map[string]func(*bus.RawServer, *bustest.Client){
		"close":         func(s *bus.RawServer, _ *bustest.Client) { s.Close(); s.Close() },
		"client's end":  func(_ *bus.RawServer, c *bustest.Client) { c.End() },
		"one, then all": func(s *bus.RawServer, c *bustest.Client) { s.Close(); c.End() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				server := w.client("browser")
				s, got := serveRaw(t, server, "/zoo/feed", "foo_msgs/Feed", nil)
				begun := callRaw(t, w, server, "/zoo/feed", "")
				waiting := callRaw(t, w, w.client("idle"), "/zoo/feed", "")
				withdraw(s, server)
				if b, w := begun(), waiting(); b != left || w != left {
					t.Errorf("the callers were told %q and %q", b, w)
				}
				(*got)[0].reply([]byte("{}"), nil) // too late, and no harm
				if server.Drain(); len(*got) != 1 || server.Owned() != 0 || len(w.Graph().Services) != 0 {
					t.Errorf("%d requests, %d things owned, %+v", len(*got), server.Owned(), w.Graph().Services)
				}
				if s := callRaw(t, w, server, "/zoo/feed", "")(); s != "service /zoo/feed: no server" {
					t.Errorf("a later caller was told %q", s)
				}
				// The name is free for another type.
				serveRaw(t, w.client("another"), "/zoo/feed", "foo_msgs/Other", nil)
			})
		})
	}
}

func TestRawServersThatAreRefused(t *testing.T) {
	w := newWorld(t)
	if err := w.Declare(nil, []bus.ServiceInfo{trigger.Info()}); err != nil {
		t.Fatal(err)
	}
	node, c := w.client("node"), w.client("browser")
	bus.Serve(node, enable, func(request) (response, error) { return response{}, nil })
	serveRaw(t, node, "/zoo", "foo_msgs/Feed", nil)
	for name, tt := range map[string]struct {
		service, typeName string
		want              error
	}{
		"declared":                   {"/trigger", "std_srvs/Trigger", bus.ErrReserved},
		"served by a node":           {"/molly/enable", "std_srvs/SetBool", bus.ErrServed},
		"served by another":          {"/zoo", "foo_msgs/srv/Feed", bus.ErrServed},
		"of another type":            {"/zoo", "foo_msgs/Other", nil},
		"of another type, as a node": {"/molly/enable", "std_srvs/Trigger", nil},
	} {
		s, err := bus.ServeRaw(c, tt.service, tt.typeName, nil, func([]byte, func([]byte, error)) {})
		_, isType := errors.AsType[*bus.TypeError](err)
		if s != nil || !errors.Is(err, tt.want) && tt.want != nil || isType != (tt.want == nil) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
	}
	if n := c.Owned(); n != 0 {
		t.Errorf("refused servers left %d things behind", n)
	}
}

func TestRawServiceIsBounded(t *testing.T) {
	w := newWorld(t)
	server, node := w.client("browser"), w.client("node")
	serveRaw(t, server, "/molly/enable", "std_srvs/SetBool", nil)
	var o outcome
	caller := bus.NewCaller(node, enable)
	for range 65 {
		caller.Call(request{}, time.Second, o.done)
	}
	settle(server, node)
	o.want(t, "service /molly/enable: busy")
	node.Advance(time.Second) // the callers give up
	caller.Call(request{}, time.Second, o.done)
	if settle(server, node); len(o.list) != 65 {
		t.Errorf("%d answers, the last %q: a server that never answers is busy for ever", len(o.list), o.list[len(o.list)-1])
	}
}

// TestRawServersComeAndGo has the same service advertised, called and withdrawn by many at once.
func TestRawServersComeAndGo(t *testing.T) {
	w := newWorld(t)
	var wg sync.WaitGroup
	for i := range 4 {
		server := w.client(fmt.Sprint("browser ", i))
		wg.Go(func() {
			for range 200 {
				s, err := bus.ServeRaw(server, "/zoo", "foo_msgs/Feed", nil, func(req []byte, reply func([]byte, error)) { reply(req, nil) })
				if err != nil && !errors.Is(err, bus.ErrServed) {
					t.Error(err)
				}
				server.Drain()
				if s != nil {
					s.Close()
				}
			}
		})
		wg.Go(func() {
			for range 200 {
				ctx, cancel := context.WithCancel(t.Context())
				go cancel()
				resp, err := w.CallRaw(ctx, "/zoo", []byte(digits))
				if err == nil && string(resp) != digits {
					t.Errorf("response %s", resp)
				}
				cancel()
			}
		})
	}
	wg.Wait()
	if g := w.Graph(); len(g.Services) != 0 {
		t.Errorf("services are left: %+v", g.Services)
	}
}
