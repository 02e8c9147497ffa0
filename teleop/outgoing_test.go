package teleop

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// chunksOf returns the stream datagrams as stream:frame:index/count.
func chunksOf(t *testing.T, o outcome) []string {
	t.Helper()
	var out []string
	for _, d := range o.sent {
		if h, _, err := Molly().ParseChunk(d.Data); err == nil {
			out = append(out, fmt.Sprintf("%s:%d:%d/%d", h.Stream, h.Frame, h.Index, h.Count))
		}
	}
	return out
}

func testMap(n int) *Map {
	return &Map{Resolution: 0.05, W: 10, H: 10, Site: "lobby", PNG: pattern(n)}
}

func TestRouteMapAndSiteComeWithWelcomeOnChangeAndOnRequest(t *testing.T) {
	r := newRobot(t, Molly())
	route := []RoutePoint{{1, 2, 0}}
	r.s.SetRoute(r.now, route)
	r.s.SetMap(r.now, testMap(10))
	r.s.SetSite(r.now, testSite())
	wantAll(t, "welcome", chunksOf(t, r.hello(phone)), "route:1:0/1", "map:1:0/1", "site:1:0/1")
	r.now = r.now.Add(100 * time.Millisecond)
	want(t, "no change", len(chunksOf(t, copied(r.s.SetMap(r.now, testMap(10))))), 0)
	wantAll(t, "another map", chunksOf(t, copied(r.s.SetMap(r.now, testMap(11)))), "map:2:0/1")
	r.now = r.now.Add(100 * time.Millisecond)
	wantAll(t, "another route", chunksOf(t, copied(r.s.SetRoute(r.now, append(route, route...)))), "route:2:0/1")
	for i, name := range []string{"get_route", "get_map", "get_site"} {
		r.now = r.now.Add(100 * time.Millisecond)
		o := r.in(phone, cmd(int64(i), name, "{}"))
		want(t, name, len(chunksOf(t, o)), 1)
		wantAll(t, name, o.of("ack"), ack(phone, int64(i), `"ok":true,"msg":""`))
		want(t, name+" is not passed on", len(o.commands()), 0)
	}
}

func TestPashupatiHasNoMapAndNoSite(t *testing.T) {
	r := newRobot(t, Pashupati())
	r.s.SetMap(r.now, testMap(10))
	r.s.SetSite(r.now, testSite())
	r.s.SetRoute(r.now, nil)
	o := r.hello(phone)
	want(t, "datagrams", len(o.sent), 3) // welcome, state, route
	if last := o.sent[2].Data; !bytes.HasPrefix(last, []byte("PSH1\x03")) || !bytes.HasSuffix(last, []byte(`{"t":"route","points":[]}`)) {
		t.Errorf("%q", last)
	}
}

func TestRevisionsAreThoseOfTheStreams(t *testing.T) {
	r := newRobot(t, Molly())
	r.s.SetState(State{Site: Some(SiteStatus{Name: "lobby"})})
	if st := r.hello(phone).of("state")[0]; !strings.Contains(st, `"map_rev":null`) {
		t.Error(st)
	}
	revs := map[string]bool{}
	for _, n := range []int{10, 11, 10} {
		r.s.SetMap(r.now, testMap(n))
		r.s.SetSite(r.now, testSite())
		r.s.SetState(State{Site: Some(SiteStatus{Name: "lobby"})})
		r.now = r.now.Add(time.Second)
		r.in(phone, `{"t":"joy"}`)
		r.now = r.now.Add(time.Second)
		o := r.in(phone, cmd(int64(len(revs)+n*100), "get_map", "{}"))
		st, err := Molly().ParseState(lastState(o))
		if err != nil {
			t.Fatal(err)
		}
		want(t, "map_rev", st.MapRev, Some(testMap(n).Revision()))
		want(t, "site.rev", st.Site.V.Rev, testSite().Revision())
		revs[fmt.Sprint(st.MapRev.V)] = true
	}
	want(t, "different revisions", len(revs), 2)
	r.s.SetMap(r.now, nil)
	want(t, "no map", r.s.state.MapRev.OK, false)
}

func lastState(o outcome) []byte {
	for _, d := range slices.Backward(o.sent) {
		if bytes.HasPrefix(d.Data, []byte(`{"t":"state"`)) {
			return d.Data
		}
	}
	return nil
}

func TestSubscriptionsFollowTheClient(t *testing.T) {
	r := newRobot(t, Molly())
	wantAll(t, "nobody listens", chunksOf(t, copied(r.s.Lidar(r.now, pattern(6)))))
	r.in(phone, `{"t":"hello"}`)
	wantAll(t, "not asked for", chunksOf(t, copied(r.s.Camera(r.now, []byte("jpeg")))))
	o := r.in(phone, `{"t":"streams","camera":true,"camera_fps":4}`)
	want(t, "camera", o.effects[0].Streams, Streams{Camera: true, CameraFPS: 4})
	o = r.in(phone, `{"t":"streams","lidar":true}`)
	want(t, "lidar too", o.effects[0].Streams, Streams{Camera: true, Lidar: true, CameraFPS: 4})
	want(t, "the same again", len(r.in(phone, `{"t":"streams","lidar":true,"camera":"yes"}`).effects), 0)
	r.now = r.now.Add(500 * time.Millisecond)
	wantAll(t, "camera", chunksOf(t, copied(r.s.Camera(r.now, []byte("jpeg")))), "camera:1:0/1")
	r.now = r.now.Add(500 * time.Millisecond)
	wantAll(t, "lidar", chunksOf(t, copied(r.s.Lidar(r.now, pattern(6)))), "lidar:1:0/1")
	o = r.in(phone, `{"t":"streams","camera":false,"video":true}`)
	want(t, "video", o.effects[0].Streams, Streams{Lidar: true, Video: true, CameraFPS: 4})
	want(t, "bye", r.in(phone, `{"t":"bye"}`).effects[1].Streams, Streams{})
}

func TestCameraRateIsCapped(t *testing.T) {
	for wish, want := range map[string]float64{`100`: 8, `2`: 2, `0`: 8, `-1`: 8, `NaN`: 8, `"3"`: 8, `0.001`: 0.1} {
		r := newRobot(t, Molly())
		o := r.in(phone, `{"t":"hello","streams":{"camera":true,"camera_fps":`+wish+`}}`)
		if got := o.effects[2].Streams.CameraFPS; got != want {
			t.Errorf("%s: %v", wish, got)
		}
	}
	for _, source := range []float64{8.1, 30, 200} {
		r := newRobot(t, Molly())
		r.hello(phone)
		frames := 0
		for i := range int(10 * source) {
			r.now = epoch.Add(time.Duration(float64(i) / source * float64(time.Second)))
			o := copied(r.s.HandleDatagram(r.now, phone, []byte(`{"t":"joy"}`)))
			frames += len(chunksOf(t, o)) + len(chunksOf(t, copied(r.s.Camera(r.now, []byte("jpeg")))))
		}
		if frames < 75 || frames > 82 {
			t.Errorf("a source of %v Hz: %d frames in 10 s", source, frames)
		}
	}
}

func TestTagsOnlyWithCameraOrVideo(t *testing.T) {
	r := newRobot(t, Molly())
	r.in(phone, `{"t":"hello"}`)
	for i, tc := range []struct {
		streams string
		null    bool
	}{{`"camera":false`, true}, {`"camera":true`, false}, {`"camera":false,"video":true`, false}, {`"video":false,"lidar":true`, true}} {
		r.in(phone, `{"t":"streams",`+tc.streams+`}`)
		r.s.SetState(fullState())
		o := r.after(time.Duration(100+i) * time.Millisecond)
		if st := o.of("state")[0]; strings.Contains(st, `"tags":null`) != tc.null {
			t.Errorf("%s: %s", tc.streams, st)
		}
	}
}

func TestLargeMapDoesNotStarveTheOthers(t *testing.T) {
	r := newRobot(t, Molly())
	r.s.SetMap(r.now, testMap(1<<20))
	whole, lidar, burst, start := Reassembler{Limit: 2 << 20}, 0, 0, r.now
	o := r.hello(phone)
	for step := 0; whole.Stats.Frames == 0 && step < 1000; step++ {
		chunks := 0
		for _, d := range o.sent {
			h, payload, err := Molly().ParseChunk(d.Data)
			if err != nil {
				continue
			}
			chunks++
			if h.Stream == StreamLidar {
				lidar++
			} else {
				whole.Add(r.now, h, payload)
			}
		}
		burst = max(burst, chunks)
		at, _ := r.s.Deadline()
		if at.Before(r.now) {
			t.Fatalf("due %v ago", r.now.Sub(at))
		}
		r.now = at
		o = copied(r.s.Lidar(r.now, pattern(600)))
		o.sent = append(o.sent, r.in(phone, `{"t":"joy"}`).sent...)
	}
	want(t, "map", whole.Stats.Frames, 1)
	want(t, "chunks at once", burst, r.s.cfg.Burst)
	if took := r.now.Sub(start); took > 250*time.Millisecond || lidar < 20 {
		t.Errorf("the map took %v, %d lidar frames meanwhile", took, lidar)
	}
	if got, least := int(r.s.Stats().States), int(r.now.Sub(start)/(100*time.Millisecond)); got < least {
		t.Errorf("%d states", got)
	}
}

func TestFastSourcesNeitherPileUpNorStarveThemselves(t *testing.T) {
	r := newRobot(t, Molly())
	r.hello(phone)
	whole, last := Reassembler{Limit: 1 << 20}, 0
	for i := range 1000 { // a frame of 50 chunks each millisecond: three times what the pace allows
		r.now = r.now.Add(time.Millisecond)
		o := copied(r.s.Lidar(r.now, bytes.Repeat([]byte{byte(i)}, 50*MaxChunk)))
		for _, d := range o.sent {
			if h, payload, err := Molly().ParseChunk(d.Data); err == nil {
				if frame, ok := whole.Add(r.now, h, payload); ok {
					if last = int(frame[0]); !bytes.Equal(frame, bytes.Repeat(frame[:1], len(frame))) {
						t.Fatal("a mixed frame")
					}
				}
			}
		}
		r.in(phone, `{"t":"joy"}`)
	}
	s := r.s.Stats()
	if whole.Stats.Frames < 90 || whole.Stats.Incomplete != 0 || s.Dropped < 800 {
		t.Errorf("%+v, %d dropped", whole.Stats, s.Dropped)
	}
	if age := byte(999-256*3) - byte(last); age > 30 {
		t.Errorf("the last frame is %d ms old", age)
	}
}
