package teleop

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve runs a robot on a loopback socket until the test ends.
func serve(t *testing.T, d *Dialect, token string) (addr string, effects <-chan Effect) {
	t.Helper()
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	cfg := everyCommand(d)
	cfg.Token = token
	s, err := NewSession(d, cfg)
	if err != nil {
		t.Fatal(err)
	}
	s.SetState(fullState())
	out := make(chan Effect, 10_000)
	var done sync.WaitGroup
	done.Go(func() {
		buf := make([]byte, 1<<16)
		for {
			at, ok := s.Deadline()
			if !ok {
				at = time.Time{}
			}
			conn.SetReadDeadline(at)
			n, from, err := conn.ReadFromUDPAddrPort(buf)
			var o Output
			switch {
			case errors.Is(err, net.ErrClosed):
				return
			case err != nil:
				o = s.Tick(time.Now())
			default:
				o = s.HandleDatagram(time.Now(), from, buf[:n])
			}
			send(conn, o)
			for _, e := range copied(o).effects {
				out <- e
				if e.Kind == EffectCommand {
					send(conn, s.Finish(time.Now(), e.Command.Ref, Result{OK: true, Msg: "done"}))
				}
			}
		}
	})
	t.Cleanup(func() {
		conn.Close()
		done.Wait()
	})
	return conn.LocalAddr().String(), out
}

func send(conn *net.UDPConn, o Output) {
	for _, d := range o.Datagrams {
		conn.WriteToUDPAddrPort(d.Data, d.To)
	}
}

func await(t *testing.T, effects <-chan Effect, kind EffectKind, ok func(Effect) bool) Effect {
	t.Helper()
	limit := time.After(20 * time.Second)
	for {
		select {
		case e := <-effects:
			if e.Kind == kind && ok(e) {
				return e
			}
		case <-limit:
			t.Fatal("nothing came")
		}
	}
}

func TestHandheldDrivesOverASocket(t *testing.T) {
	addr, effects := serve(t, Molly(), "secret")
	events := make(chan Event, 10_000)
	cfg := DefaultClientConfig()
	cfg.Token = "secret"
	h, err := Dial(t.Context(), Molly(), addr, cfg, func(e Event) { events <- e })
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := h.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	for e := range events {
		if e.Kind == EventState {
			break
		}
	}
	any := func(Effect) bool { return true }
	await(t, effects, EffectStarted, any)
	h.Drive(Velocity{VX: 0.5})
	await(t, effects, EffectVelocity, func(e Effect) bool { return e.Velocity == Velocity{VX: 0.5} })
	h.Release()
	await(t, effects, EffectVelocity, func(e Effect) bool { return e.Velocity.IsZero() })
	a, err := h.Command(ctx, CommandEStop, nil)
	if err != nil || !a.OK || a.Msg != "done" {
		t.Errorf("%+v %v", a, err)
	}
	if a, err := h.Command(ctx, "fly", nil); err != nil || a.OK {
		t.Errorf("%+v %v", a, err)
	}
	if s := h.Snapshot(); !s.Connected || s.Welcome.Name != "molly-7" || s.State.Mode.V != "remote" {
		t.Errorf("%+v", s)
	}
	h.SetStreams(Streams{Lidar: true})
	await(t, effects, EffectStreams, func(e Effect) bool { return e.Streams.Lidar })
	cancel()
	running.Wait()
	await(t, effects, EffectEnded, func(e Effect) bool { return e.Reason == "bye" })
	if err := h.Run(t.Context()); !errors.Is(err, net.ErrClosed) {
		t.Errorf("a second run: %v", err)
	}
}

func TestDialExplainsWhatIsWrong(t *testing.T) {
	for _, host := range []string{"127.0.0.1:x", "127.0.0.1:70000", ""} {
		if _, err := Dial(t.Context(), Molly(), host, DefaultClientConfig(), nil); err == nil {
			t.Errorf("%q was dialled", host)
		}
	}
}

func TestDiscoverFindsRobots(t *testing.T) {
	addr, _ := serve(t, Pashupati(), "secret")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var all []Found
	err := Discover(ctx, []*Dialect{Pashupati()}, []netip.AddrPort{netip.MustParseAddrPort(addr)}, func(f Found) {
		if f.Addr.String() == addr {
			all = append(all, f)
			cancel()
		}
	})
	if err != nil || len(all) != 1 {
		t.Fatalf("%v %v", all, err)
	}
	want(t, "name", all[0].Beacon.Name, "molly-7")
	want(t, "secured", all[0].Beacon.Secured, true)
	want(t, "battery", all[0].Beacon.Battery.V.Percent, 82)
	want(t, "dialect", all[0].Dialect.Name, PashupatiName)
}

func TestBroadcastAddressesFollowThePrefix(t *testing.T) {
	for network, broadcast := range map[string]string{
		"192.168.1.7/24": "192.168.1.255", "10.1.2.3/8": "10.255.255.255", "172.16.5.4/20": "172.16.15.255", "10.0.0.1/31": "10.0.0.1",
		"1.2.3.4/0": "255.255.255.255", "1.2.3.4/32": "1.2.3.4",
	} {
		want(t, network, directedBroadcast(netip.MustParsePrefix(network)).String(), broadcast)
	}
	found := map[string]bool{}
	for _, a := range broadcastAddrs() {
		found[a.String()] = true
	}
	want(t, "limited broadcast and this machine", found["255.255.255.255"] && found["127.0.0.1"], true)
}
