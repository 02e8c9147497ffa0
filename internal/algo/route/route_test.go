package route

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var close6 = cmpopts.EquateApprox(0, 1e-6)

func TestParse(t *testing.T) {
	const quarter = math.Pi / 2
	two := []Point{{1, 2, quarter, 0}, {1, 3, quarter, 10}}
	tests := []struct {
		name, text string
		want       []Point
	}{
		{"as written", Header + "1,2,90,0\n1,3,90,10\n", two},
		{"no head", "1,2,90,0\n1,3,90,10", two},
		{"comments and blanks", "# site a\n\n" + Header + "# first\n 1 , 2 , 90 , 0 \n\n1,3,90,10\n", two},
		{"CRLF and BOM", "\xef\xbb\xbf" + strings.ReplaceAll(Header+"1,2,90,0\n1,3,90,10\n", "\n", "\r\n"), two},
		{"other order and columns", "dwell_sec,z,y,x,yaw_rad\n0,9,2,1,1.5707963267948966\n10,9,3,1,1.5707963267948966\n", two},
		{"old: no dwell", "x,y,yaw_deg\n1,2,90\n", []Point{{1, 2, quarter, 0}}},
		{"old: positions alone", "1,2\n1,3\n2,3\n", []Point{{1, 2, quarter, 0}, {1, 3, 0, 0}, {2, 3, 0, 0}}},
		{"old: a head of positions", "X,Y\n1,2\n1,3\n", []Point{{1, 2, quarter, 0}, {1, 3, quarter, 0}}},
		{"empty fields", "1,2,,\n", []Point{{1, 2, 0, 0}}},
		{"turns wrap", "1,2,-270,0\n1,2,450,0\n", []Point{{1, 2, quarter, 0}, {1, 2, quarter, 0}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Parse([]byte(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got, close6); diff != "" {
				t.Errorf("points (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFaultsNameTheRow(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"empty", "", "no point in it"},
		{"head alone", Header, "no point in it"},
		{"not a number", Header + "1,2,0,0\n1,two,0,0\n", "line 3: y is \"two\""},
		{"NaN", "NaN,2,0,0\n", "line 1: x is \"NaN\""},
		{"infinite", "1,2,inf,0\n", "line 1: yaw_deg is \"inf\""},
		{"far", "1,2e9,0,0\n", "line 1: y is \"2e9\""},
		{"dwell", "1,2,0,-1\n", "line 1: dwell_sec is \"-1\": write a number from 0 to 3600"},
		{"long dwell", "1,2,0,3601\n", "line 1: dwell_sec"},
		{"missing", "# c\n1\n", "line 2: y is missing"},
		{"head without y", "x,yaw_deg\n1,2\n", "line 1: the head names no x and y"},
		{"several", "1,2,x,0\n1,2,0,0\n1,2,0,y\n", "line 3: dwell_sec is \"y\""},
		{"something else", "\x00\x01\x02", "line 1: x is"},
		{"too many", strings.Repeat("1,2\n", MaxPoints+1), "too many points"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse([]byte(tt.text))
			if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
	_, err := Parse([]byte(strings.Repeat("1,x\n", 1000)))
	if n := strings.Count(err.Error(), "\n") + 1; n != shownFaults {
		t.Errorf("%d rows are named, want %d", n, shownFaults)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{Header + "1,2,90,0\n", "1,2\n3,4\n", "dwell,y,x\n1,2,3\n", "# c\n", "1,2,,\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		points, err := Parse(data)
		if err != nil {
			if !errors.Is(err, ErrFormat) {
				t.Fatalf("error %v does not wrap ErrFormat", err)
			}
			return
		}
		again, err := Parse(Format(points))
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if len(again) != len(points) {
			t.Fatalf("%d points became %d", len(points), len(again))
		}
		for i := range points {
			if math.Abs(points[i].X-again[i].X) > 1e-4 || math.Abs(points[i].Dwell-again[i].Dwell) > 0.01 {
				t.Fatalf("%v became %v", points[i], again[i])
			}
		}
	})
}

// noisy is a line from a to b with points every 0.2 m, each off by 3 cm.
func noisy(r *rand.Rand, ax, ay, bx, by float64) []Point {
	n := int(math.Hypot(bx-ax, by-ay) / 0.2)
	var out []Point
	for i := range n + 1 {
		f := float64(i) / float64(n)
		out = append(out, Point{X: ax + f*(bx-ax) + 0.03*r.NormFloat64(), Y: ay + f*(by-ay) + 0.03*r.NormFloat64()})
	}
	return out
}

// sharpest is the highest curvature over three points [1/m].
func sharpest(points []Point) float64 {
	most := 0.0
	for i := 1; i+1 < len(points); i++ {
		a, b, c := points[i-1].Position(), points[i].Position(), points[i+1].Position()
		most = max(most, 2*math.Abs(b.Sub(a).Cross(c.Sub(b)))/(a.Distance(b)*b.Distance(c)*a.Distance(c)))
	}
	return most
}

func TestSmoothingKeepsStops(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	taught := noisy(r, 0, 0, 12, 0)
	taught[30].Dwell, taught[30].Yaw = 5, 1.25
	got, err := Prepare(taught, Default())
	if err != nil {
		t.Fatal(err)
	}
	if got.Points[0] != taught[0] || got.Points[len(got.Points)-1] != taught[len(taught)-1] || !slices.Contains(got.Points, taught[30]) || got.Stops() != 1 {
		t.Error("ends or stop point moved")
	}
	for _, p := range got.Points {
		if math.Abs(p.Y) > 0.15 {
			t.Errorf("%v is %.2f m off the line", p, p.Y)
		}
	}
	if raw := sharpest(resample(dedupe(taught, 0.1), 0.1)); sharpest(got.Points) > raw/5 {
		t.Errorf("curvature %.2f, raw %.2f", sharpest(got.Points), raw)
	}
	if got.Moved < 0.01 || got.Moved > 0.15 || math.Abs(got.Length-12) > 0.3 || got.Loop {
		t.Errorf("moved %.3f m, length %.2f m, loop %t", got.Moved, got.Length, got.Loop)
	}
	for i := 1; i < len(got.Points); i++ {
		if d := got.Points[i-1].Position().Distance(got.Points[i].Position()); d < 0.04 || d > 0.16 {
			t.Errorf("points %d and %d are %.3f m apart", i-1, i, d)
		}
	}
}

func TestPrepareShapes(t *testing.T) {
	square := []Point{{0, 0, 0, 0}, {4, 0, 0, 0}, {4, 4, 0, 0}, {0, 4, 0, 0}, {0, 0.5, 0, 0}}
	tests := []struct {
		name   string
		points []Point
		want   func(Route) bool
		err    error
	}{
		{"none", nil, nil, ErrShort},
		{"one", []Point{{X: 1}}, nil, ErrShort},
		{"in one place", []Point{{X: 1}, {X: 1}, {X: 1, Dwell: 3}}, nil, ErrShort},
		{"short", []Point{{X: 1}, {X: 1.02}}, func(r Route) bool { return len(r.Points) == 2 && !r.Loop }, nil},
		{"loop", square, func(r Route) bool { return r.Loop && math.Abs(r.Length-15) < 0.6 }, nil},
		{"stops side by side", []Point{{X: 0}, {X: 1, Dwell: 1}, {X: 1.03, Dwell: 2}, {X: 2}}, func(r Route) bool { return r.Stops() == 2 }, nil},
		{"a stop in the place of a point", []Point{{X: 0}, {X: 1}, {X: 1, Dwell: 2, Yaw: 1}, {X: 2}}, func(r Route) bool { return r.Stops() == 1 }, nil},
		{"a stop at the start", []Point{{X: 0}, {X: 0, Dwell: 2}, {X: 2}}, func(r Route) bool { return r.Points[0].Dwell == 2 }, nil},
		{"a stop just before the end", []Point{{X: 0}, {X: 1.98, Dwell: 2}, {X: 2}}, func(r Route) bool {
			return r.Stops() == 1 && r.Points[len(r.Points)-1].X == 2
		}, nil},
		{"headings the short way", []Point{{X: 0, Yaw: 3}, {X: 1, Yaw: -3}}, func(r Route) bool { return math.Abs(r.Points[5].Yaw) > 3 }, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Prepare(tt.points, Default())
			if !errors.Is(err, tt.err) {
				t.Fatalf("error %v, want %v", err, tt.err)
			}
			if tt.want != nil && !tt.want(got) {
				t.Errorf("route %+v", got)
			}
		})
	}
	bad := Default()
	bad.SmoothRate = 0.5
	if _, err := Prepare(square, bad); !errors.Is(err, ErrConfig) {
		t.Errorf("a smooth rate of 0.5: %v", err)
	}
}

func TestManyPoints(t *testing.T) {
	points := make([]Point, 100_000)
	for i := range points {
		s, c := math.Sincos(float64(i) * 0.002)
		points[i] = Point{X: 50 * c, Y: 50 * s, Yaw: math.Atan2(c, -s)}
	}
	parsed, err := Parse(Format(points))
	if err != nil || len(parsed) != len(points) {
		t.Fatalf("%d points, %v", len(parsed), err)
	}
	cfg := Default()
	cfg.MaxRounds = 20 // the race detector is slow
	if got, err := Prepare(parsed, cfg); err != nil || math.Abs(got.Length-9999.9) > 1 {
		t.Errorf("%.1f m, %v", got.Length, err)
	}
}
