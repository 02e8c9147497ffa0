package slameval

import (
	"errors"
	"math"
	"strings"
	"testing"

	"sarathi/internal/geom"
)

const (
	trajectory = "# t x y theta\n0 0 0 0\n1 1 0.02 0.01\n2 2.1 0 0.02\n2.5 2.6 0.01 0\n90 0.05 -0.1 0.1 extra\n\n"
	relations  = "0 1 1 0 0 0 0 0\n1.05 2 1 0 0 0 0 0\n0 2.25 2.3 0 0 0 0 0.05\n0 90 0 0 0 0 0 0\n500 501 1 1 0 0 0 0\n"
)

func read(t *testing.T) ([]Sample, []Relation) {
	t.Helper()
	traj, err := ReadTrajectory(strings.NewReader(trajectory))
	if err != nil {
		t.Fatal(err)
	}
	rel, err := ReadRelations(strings.NewReader(relations))
	if err != nil {
		t.Fatal(err)
	}
	return traj, rel
}

// What is expected is what the reference tool, eval_relations.py, prints for these files.
func TestEvaluateAgreesWithTheReferenceTool(t *testing.T) {
	traj, rel := read(t)
	for _, tt := range []struct {
		name     string
		odometry []Sample
		want     Report
	}{
		{"interpolated", nil, Report{
			Relations: 4, Skipped: 1,
			Translation: Spread{0.0716, 0.0440}, SquaredTranslation: Spread{0.00658, 0.00601},
			Rotation: Spread{2.292, 2.431}, SquaredRotation: Spread{9.68, 15.60},
			Median: 0.1045, P95: 0.1118, Max: 0.112,
			CartographerTranslation: Spread{0.0729, 0.0484}, CartographerRotation: Spread{2.285, 2.438},
			Local: Part{3, 0.0582, 1.146},
		}},
		{"carried by odometry", []Sample{{0, geom.Pose2{}}, {2, geom.Pose2{X: 2}}, {2.25, geom.Pose2{X: 2.2, Theta: 0.1}}}, Report{
			Relations: 4, Skipped: 1,
			Translation: Spread{0.0601, 0.0560}, SquaredTranslation: Spread{0.00596, 0.00667},
			Rotation: Spread{2.722, 2.578}, SquaredRotation: Spread{12.39, 15.52},
			Median: 0.1045, P95: 0.1118, Max: 0.112,
			CartographerTranslation: Spread{0.0729, 0.0484}, CartographerRotation: Spread{2.285, 2.438},
			Local: Part{3, 0.0428, 1.719},
		}},
	} {
		got, err := Evaluate(traj, tt.odometry, rel)
		if err != nil {
			t.Fatal(err)
		}
		compare := func(what string, got, want, tolerance float64) {
			if !(math.Abs(got-want) <= tolerance) {
				t.Errorf("%s: %s is %.6f, the tool says %g", tt.name, what, got, want)
			}
		}
		w := tt.want
		if got.Relations != w.Relations || got.Skipped != w.Skipped || got.Local.Relations != w.Local.Relations || got.Loop.Relations != 1 {
			t.Errorf("%s: counts %+v", tt.name, got)
		}
		compare("translation", got.Translation.Mean, w.Translation.Mean, 1e-4)
		compare("its deviation", got.Translation.Std, w.Translation.Std, 1e-4)
		compare("squared translation", got.SquaredTranslation.Mean, w.SquaredTranslation.Mean, 1e-5)
		compare("its deviation", got.SquaredTranslation.Std, w.SquaredTranslation.Std, 1e-5)
		compare("rotation", got.Rotation.Mean, w.Rotation.Mean, 1e-3)
		compare("its deviation", got.Rotation.Std, w.Rotation.Std, 1e-3)
		compare("squared rotation", got.SquaredRotation.Mean, w.SquaredRotation.Mean, 1e-2)
		compare("its deviation", got.SquaredRotation.Std, w.SquaredRotation.Std, 1e-2)
		compare("median", got.Median, w.Median, 1e-4)
		compare("p95", got.P95, w.P95, 1e-4)
		compare("max", got.Max, w.Max, 1e-3)
		compare("Cartographer's translation", got.CartographerTranslation.Mean, w.CartographerTranslation.Mean, 1e-4)
		compare("its deviation", got.CartographerTranslation.Std, w.CartographerTranslation.Std, 1e-4)
		compare("Cartographer's rotation", got.CartographerRotation.Mean, w.CartographerRotation.Mean, 1e-3)
		compare("its deviation", got.CartographerRotation.Std, w.CartographerRotation.Std, 1e-3)
		compare("local translation", got.Local.Translation, w.Local.Translation, 1e-4)
		compare("local rotation", got.Local.Rotation, w.Local.Rotation, 1e-3)
	}
}

func TestEvaluateOfTheTruthIsZero(t *testing.T) {
	truth := make([]Sample, 100)
	for i := range truth {
		v := geom.Velocity{VX: 0.5, WZ: 0.3}
		truth[i] = Sample{float64(i), v.Integrate(float64(i))}
	}
	var rel []Relation
	for i := range 80 {
		rel = append(rel, Relation{float64(i), float64(i + 19), truth[i].Pose.Between(truth[i+19].Pose)})
	}
	// The metric must not depend on where the trajectory begins.
	for i := range truth {
		truth[i].Pose = geom.Pose2{X: 7, Y: -3, Theta: 2}.Mul(truth[i].Pose)
	}
	got, err := Evaluate(truth, nil, rel)
	if err != nil || got.Relations != 80 || got.Max > 1e-9 || got.Rotation.Mean > 1e-9 || got.CartographerTranslation.Mean > 1e-9 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestEvaluateOfNothing(t *testing.T) {
	traj, rel := read(t)
	for name, run := range map[string]func() (Report, error){
		"no trajectory":      func() (Report, error) { return Evaluate(nil, nil, rel) },
		"no relations":       func() (Report, error) { return Evaluate(traj, nil, nil) },
		"all outside":        func() (Report, error) { return Evaluate(traj, nil, rel[4:]) },
		"all before":         func() (Report, error) { return Evaluate(traj, nil, []Relation{{From: -9, To: 1}}) },
		"ends at other time": func() (Report, error) { return Evaluate(traj[:1], nil, rel[2:3]) },
	} {
		if _, err := run(); !errors.Is(err, ErrEmpty) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got, err := Evaluate(traj, nil, rel[:1]); err != nil || got.Translation.Std != 0 {
		t.Errorf("one relation: %+v, %v", got, err)
	}
}

func TestReadRefuses(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"0 1 2\n", "line 1 has 3 columns, not 4"},
		{"# a\n\n0 1 2 x\n", `line 3, column 4: "x" is no finite number`},
		{"0 1 NaN 3\n", `line 1, column 3: "NaN" is no finite number`},
	} {
		if _, err := ReadTrajectory(strings.NewReader(tt.text)); err == nil || err.Error() != tt.want {
			t.Errorf("%q: %v", tt.text, err)
		}
	}
	if _, err := ReadRelations(strings.NewReader("0 1 2 3 4 5 6\n")); err == nil {
		t.Error("seven columns make no relation")
	}
	got, err := ReadTrajectory(strings.NewReader("2 1 1 1\n1 2 2 2\n1 1 2 2\n"))
	if err != nil || got[0].Pose.X != 1 || got[2].Time != 2 {
		t.Errorf("not in order: %v, %v", got, err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(trajectory)
	f.Add(relations)
	f.Add("1e999 0 0 0")
	f.Fuzz(func(t *testing.T, text string) {
		traj, err := ReadTrajectory(strings.NewReader(text))
		rel, err2 := ReadRelations(strings.NewReader(text))
		if err != nil || err2 != nil {
			return
		}
		if rep, err := Evaluate(traj, traj, rel); err == nil && rep.Relations+rep.Skipped != len(rel) {
			t.Errorf("%d relations measured, %d skipped, of %d", rep.Relations, rep.Skipped, len(rel))
		}
	})
}
