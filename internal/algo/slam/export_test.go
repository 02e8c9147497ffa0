package slam

import (
	"math"
	"strings"
	"testing"

	"sarathi/internal/algo/mapfile"
	"sarathi/internal/algo/scanmatch"
	"sarathi/internal/algo/slameval"
	"sarathi/internal/geom"
)

func TestTrajectoriesAreWritten(t *testing.T) {
	trajectory := []Sample{{976052857.348896, geom.Pose2{X: 1.5, Y: -2, Theta: math.Pi / 2}}, {976052858.3, geom.Pose2{}}}
	text := AppendText(nil, trajectory)
	back, err := slameval.ReadTrajectory(strings.NewReader(string(text)))
	if err != nil || len(back) != 2 || math.Abs(back[0].Pose.Theta-math.Pi/2) > 1e-6 || back[0].Time != trajectory[0].Time {
		t.Errorf("%s%+v, %v", text, back, err)
	}
	want := "976052857.348896 1.500000 -2.000000 0 0 0 0.707106781 0.707106781\n976052858.300000 0.000000 0.000000 0 0 0 0.000000000 1.000000000\n"
	if got := string(AppendTUM(nil, trajectory)); got != want {
		t.Errorf("TUM: %s", got)
	}
}

func TestMapFileKeepsTheCells(t *testing.T) {
	r := scanmatch.Raster{Origin: geom.Vec2{X: -1, Y: 2}, Resolution: 0.05, Width: 3, Height: 1, Cells: []int8{-1, 10, 90}}
	yaml, pgm := mapfile.EncodeSite(MapFile(r), "map.pgm")
	m, err := mapfile.Decode(yaml, pgm)
	if err != nil || m.Width != 3 || m.Meta.Resolution != 0.05 || m.Meta.Origin.Y != 2 || m.Cells[2] != 100 {
		t.Errorf("%+v, %v", m, err)
	}
}
