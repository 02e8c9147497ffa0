package slam

import (
	"strconv"

	"sarathi/internal/algo/scanmatch"
	algo "sarathi/internal/algo/slam"
	"sarathi/internal/geom"
)

// adapter is internal/algo/slam as the node uses it.
type adapter struct{ e *algo.Engine }

// Drive returns an engine for the node. Nobody else may use e while the node runs.
func Drive(e *algo.Engine) Engine { return adapter{e} }

func (a adapter) AddOdometry(time float64, pose geom.Pose2) { a.e.AddOdometry(time, pose) }

func (a adapter) AddScan(time float64, r *Reading) Match {
	fix := a.e.AddScan(time, &scanmatch.Reading{
		AngleMin: r.AngleMin, AngleIncrement: r.AngleIncrement, RangeMin: r.RangeMin, RangeMax: r.RangeMax, Ranges: r.Ranges,
		Mount: r.Mount, Duration: r.Duration,
	})
	m := Match{Pose: fix.Pose, OK: fix.OK}
	for i, v := range fix.Covariance {
		m.Cov[i/3][i%3] = v
	}
	return m
}

func (a adapter) Job() Job {
	if w := a.e.Work(); w != nil {
		return w
	}
	return nil
}

func (a adapter) Due() bool { return a.e.Due() }

func (a adapter) Map() Grid {
	r := a.e.Map()
	return Grid{
		Origin: geom.Pose2{X: r.Origin.X, Y: r.Origin.Y}, Resolution: r.Resolution, Width: r.Width, Height: r.Height, Cells: r.Cells,
	}
}

func (a adapter) Values() []Value {
	s := a.e.Stats()
	var out []Value
	for _, v := range []struct {
		key string
		n   int
	}{
		{"keyframes", s.Keyframes},
		{"loops_closed", s.Closures},
		{"loops_rejected", s.Rejected},
		{"revisits_matched", s.Proximity},
		{"scans_searched", s.Searches},
		{"scans_lost", s.Lost},
		{"maps_rebuilt", s.Rebuilds},
	} {
		out = append(out, Value{v.key, strconv.Itoa(v.n)})
	}
	return out
}
