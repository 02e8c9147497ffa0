package teleop

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLidarPointsAreCentimetres(t *testing.T) {
	data := AppendLidarPoint(nil, 1.234, -2, 0.005)
	wantAll(t, "bytes", data, 123, 0, 0x38, 0xFF, 1, 0)
	points, err := ParseLidar(nil, data)
	if err != nil {
		t.Fatal(err)
	}
	wantAll(t, "points", points, LidarPoint{123, -200, 1})
	for _, x := range []float64{math.NaN(), math.Inf(1), 327.68, -400} {
		if got := AppendLidarPoint(nil, 0, x, 0); len(got) != 0 {
			t.Errorf("%v was packed", x)
		}
	}
	if _, err := ParseLidar(nil, data[:5]); err == nil {
		t.Error("half a point was read")
	}
}

func TestRouteIsAsDocumented(t *testing.T) {
	points := []RoutePoint{{1, 2.5, 0}, {-3.25, 0, 10}}
	data := AppendRoute(nil, points)
	want(t, "JSON", string(data), `{"t":"route","points":[[1,2.5,0],[-3.25,0,10]]}`)
	got, err := ParseRoute(data)
	if err != nil {
		t.Fatal(err)
	}
	wantAll(t, "points", got, points...)
}

func TestMapIsAsDocumented(t *testing.T) {
	m := &Map{Rev: 5, Resolution: 0.05, OX: -10, OY: -7.5, W: 400, H: 300, Site: "lobby", PNG: []byte("png")}
	data := AppendMap(nil, m)
	text := `{"t":"map","rev":5,"res":0.05,"ox":-10,"oy":-7.5,"w":400,"h":300,"site":"lobby"}`
	want(t, "frame", string(data), string(rune(len(text)))+"\x00\x00\x00"+text+"png")
	got, err := ParseMap(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m, got); diff != "" {
		t.Error(diff)
	}
	other := *m
	other.PNG = []byte("pnh")
	moved := *m
	moved.OX++
	if m.Revision() == other.Revision() || m.Revision() == moved.Revision() {
		t.Error("another map has the same revision")
	}
	for _, bad := range []string{"", "abc", "\xff\xff\xff\xff{}", "\x02\x00\x00\x00{}", "\x12\x00\x00\x00{\"t\":\"map\",\"w\":-1}"} {
		if _, err := ParseMap([]byte(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

func testSite() *Site {
	return &Site{
		Name:  "lobby",
		POIs:  []POI{{"desk", "Desk", "the front desk", 1.5, -2, 1.571, "welcome", "en", "hello", 5}},
		Tours: []Tour{{"welcome", "Welcome", "", []string{"desk"}, "desk"}},
	}
}

func TestSiteIsAsDocumented(t *testing.T) {
	s := testSite()
	s.Rev = 3
	data := AppendSite(nil, s)
	want(t, "JSON", string(data), `{"t":"site","rev":3,"name":"lobby","pois":[{"id":"desk","name":"Desk","description":"the front desk",`+
		`"x":1.5,"y":-2,"yaw":1.571,"narration":"welcome","language":"en","gesture":"hello","dwell":5}],`+
		`"tours":[{"id":"welcome","name":"Welcome","description":"","poi_ids":["desk"],"return_poi_id":"desk"}]}`)
	got, err := ParseSite(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s, got); diff != "" {
		t.Error(diff)
	}
	before := s.Revision()
	s.POIs[0].Dwell = 6
	if s.Revision() == before {
		t.Error("another site has the same revision")
	}
}

func FuzzParsePayloads(f *testing.F) {
	f.Add(AppendRoute(nil, []RoutePoint{{1, 2, 3}}))
	f.Add(AppendMap(nil, &Map{W: 1, H: 1, PNG: []byte("x")}))
	f.Add(AppendSite(nil, testSite()))
	f.Add([]byte(`{"t":"ack","id":1,"ok":null,"data":"x"}`))
	f.Add([]byte(`{"t":"welcome","limits":[1,2,3],"video":{"port":8890,"path":"robot"}}`))
	f.Add([]byte(`{"t":"beacon","battery":{"pct":5},"mode":"auto"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if m, err := ParseMap(data); err == nil {
			if again, err := ParseMap(AppendMap(nil, m)); err != nil || !cmp.Equal(m, again) {
				t.Fatalf("%+v became %+v, %v", m, again, err)
			}
		}
		if s, err := ParseSite(data); err == nil {
			if _, err := ParseSite(AppendSite(nil, s)); err != nil {
				t.Fatal(err)
			}
		}
		if p, err := ParseRoute(data); err == nil {
			if again, err := ParseRoute(AppendRoute(nil, p)); err != nil || len(again) != len(p) {
				t.Fatalf("%v became %v, %v", p, again, err)
			}
		}
		if a, err := ParseAck(data); err == nil && len(a.Data) > 0 && !a.Pending {
			again, err := ParseAck(appendAck(nil, a.ID, Result{a.OK, "", a.Data}))
			if err != nil || string(again.Data) != string(a.Data) {
				t.Fatalf("%+v became %+v, %v", a, again, err)
			}
		}
		ParseWelcome(data)
		ParseBeacon(data)
		ParseLidar(nil, data)
	})
}
