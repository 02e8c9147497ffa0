package carmen

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sarathi/internal/geom"
)

const (
	odom   = "ODOM 1 2 0.5 0.1 0.2 0 10.5 host 10.5\n"
	flaser = "FLASER 4 1 2 3 81.9 1 0 0 1 2 0 11.5 host 1.5\n"
	robot  = "ROBOTLASER1 0 -1.5 3.0 1.0 40 0.01 0 4 1 2 nan 40 2 7 8 1.5 0 0 1 0 0 0.1 0.2 0.3 0.3 1000 12.5 host 2.5\n"
)

func TestRead(t *testing.T) {
	log, err := Read(strings.NewReader("# comment\nPARAM a b\n\n" + odom + flaser + strings.Replace(robot, "nan", "3", 1)))
	if err != nil {
		t.Fatal(err)
	}
	want := &Log{
		Odometry: []Odometry{{10.5, geom.Pose2{X: 1, Y: 2, Theta: 0.5}}},
		Scans: []Scan{
			{
				Time: 11.5, AngleMin: -math.Pi / 2, AngleIncrement: math.Pi / 4, Ranges: []float32{1, 2, 3, 81.9},
				Mount: geom.Pose2{Y: -2}, Odometry: geom.Pose2{X: 1, Y: 2},
			},
			{
				Time: 12.5, AngleMin: -1.5, AngleIncrement: 1, RangeMax: 40, Ranges: []float32{1, 2, 3, 40},
				Mount: geom.Pose2{X: 0.5}, Odometry: geom.Pose2{X: 1},
			},
		},
	}
	if diff := cmp.Diff(want, log); diff != "" {
		t.Error(diff)
	}
}

func TestReadKeepsReadingsThatAreNotFinite(t *testing.T) {
	log, err := Read(strings.NewReader(robot))
	if err != nil || !math.IsNaN(float64(log.Scans[0].Ranges[2])) {
		t.Errorf("%v, %v", log.Scans, err)
	}
}

func TestBeamsOfFrontLaser(t *testing.T) {
	for _, tt := range []struct {
		n    int
		last float64 // [deg]
	}{{180, 89}, {181, 90}, {360, 89.5}, {361, 90}} {
		start, step := flaserBeams(tt.n)
		if last := (start + float64(tt.n-1)*step) * 180 / math.Pi; math.Abs(last-tt.last) > 1e-9 {
			t.Errorf("%d beams end at %g°, not %g°", tt.n, last, tt.last)
		}
	}
}

func TestReadLeavesBadLinesOut(t *testing.T) {
	for _, tt := range []struct{ name, line, want string }{
		{"cut in the ranges", "FLASER 4 1 2", "cut short"},
		{"cut in the poses", "FLASER 2 1 2 0 0 0 0 0", "cut short"},
		{"cut before the time", "ODOM 1 2 3 0 0", "cut short"},
		{"count too high", "FLASER 400 1 2 3 4 0 0 0 0 0 0 1 h 1", "cut short"},
		{"count too low", "FLASER 2 1 2 3 4 0 0 0 0 0 0 host h 1", ""},
		{"count is huge", "FLASER 999999999 1 2", "9.99999999e+08 is no count of beams"},
		{"count is negative", "FLASER -4 1 2", "-4 is no count of beams"},
		{"count is broken", "FLASER 2.5 1 2", "2.5 is no count of beams"},
		{"one beam", "FLASER 1 1 0 0 0 0 0 0 1 h 1", "a scan of fewer than two beams"},
		{"word among ranges", "FLASER 2 1 x 0 0 0 0 0 0 1 h 1", `"x" is no number`},
		{"pose not finite", "ODOM nan 0 0 0 0 0 1 h 1", "a pose, an angle or a time is not finite"},
		{"no resolution", strings.Replace(robot, "3.0 1.0", "3.0 0", 1), "all beams point the same way"},
	} {
		log, err := Read(strings.NewReader(tt.line + "\n" + flaser))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if tt.want == "" { // reads as something else, which nobody can know
			continue
		}
		if diff := cmp.Diff([]Fault{{1, tt.want}}, log.Faults); diff != "" || log.Refused != 1 || len(log.Scans) != 1 {
			t.Errorf("%s: %s, %d refused, %d scans", tt.name, diff, log.Refused, len(log.Scans))
		}
	}
}

func TestReadOrdersTimes(t *testing.T) {
	log, err := Read(strings.NewReader(flaser + strings.Replace(flaser, "11.5", "9", 1) + odom + strings.Replace(odom, " 10.5", " 3", 1)))
	if err != nil {
		t.Fatal(err)
	}
	if log.Reversed != 2 || log.Scans[0].Time != 9 || log.Odometry[0].Time != 3 {
		t.Errorf("%d reversed, scans %v, odometry %v", log.Reversed, log.Scans, log.Odometry)
	}
}

func TestFaultsAreBounded(t *testing.T) {
	log, err := Read(strings.NewReader(strings.Repeat("ODOM 1\n", 3*MaxFaults)))
	if !errors.Is(err, ErrNoScan) || len(log.Faults) != MaxFaults || log.Refused != 3*MaxFaults {
		t.Errorf("%d faults of %d, %v", len(log.Faults), log.Refused, err)
	}
	if got := log.Faults[1].String(); got != "line 2: cut short" {
		t.Error(got)
	}
}

func TestLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.clf")
	if _, err := Load(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	for _, tt := range []struct {
		text string
		want error
	}{{flaser, nil}, {odom, ErrNoScan}} {
		if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(path); !errors.Is(err, tt.want) {
			t.Errorf("%q: %v", tt.text, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{odom, flaser, robot, flaser[:20], "FLASER 32768 1", "FLASER 4 1 2 3 4 1e400 0 0 0 0 0 1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		log, err := Read(strings.NewReader(text))
		if err == nil && len(log.Scans) == 0 {
			t.Error("no scan and no error")
		}
		for i, s := range log.Scans {
			if len(s.Ranges) < 2 || 2*len(s.Ranges) > len(text) || !geom.Finite(s.Time, s.AngleMin, s.AngleIncrement) || !s.Odometry.IsFinite() {
				t.Errorf("scan %+v of %q", s, text)
			}
			if i > 0 && s.Time < log.Scans[i-1].Time {
				t.Error("times go back")
			}
		}
	})
}
