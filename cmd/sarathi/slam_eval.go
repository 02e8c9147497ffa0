package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"sarathi/internal/algo/carmen"
	"sarathi/internal/algo/slameval"
)

// slamEval is `sarathi slam eval`.
type slamEval struct {
	Trajectory string `arg:"" help:"Trajectory: lines t x y theta."`
	Relations  string `arg:"" help:"Relations: lines t1 t2 x y z roll pitch yaw."`
	Log        string `placeholder:"FILE" help:"CARMEN log whose odometry carries poses to times that the trajectory has none for."`
}

// evalReport is the result for programs.
type evalReport struct {
	Relations          int     `json:"relations"`
	Skipped            int     `json:"skipped"`
	TranslationM       float64 `json:"translation_m"`
	TranslationStdM    float64 `json:"translation_std_m"`
	TranslationMedianM float64 `json:"translation_median_m"`
	TranslationP95M    float64 `json:"translation_p95_m"`
	TranslationMaxM    float64 `json:"translation_max_m"`
	SquaredM2          float64 `json:"translation_squared_m2"`
	RotationDeg        float64 `json:"rotation_deg"`
	RotationStdDeg     float64 `json:"rotation_std_deg"`
	SquaredDeg2        float64 `json:"rotation_squared_deg2"`
}

// Run reads the files and prints how far the trajectory is from the relations.
func (c *slamEval) Run(e *env) error {
	trajectory, err := readFile(c.Trajectory, slameval.ReadTrajectory)
	if err != nil {
		return err
	}
	relations, err := readFile(c.Relations, slameval.ReadRelations)
	if err != nil {
		return err
	}
	var odometry []slameval.Sample
	if c.Log != "" {
		log, fault := carmen.Load(c.Log)
		if fault != nil && !errors.Is(fault, carmen.ErrNoScan) { // odometry is all that is needed
			return usage("%w: name a CARMEN log", fault)
		}
		for _, o := range log.Odometry {
			odometry = append(odometry, slameval.Sample(o))
		}
	}
	r, err := slameval.Evaluate(trajectory, odometry, relations)
	if err != nil {
		return fmt.Errorf("%s and %s: %w", c.Trajectory, c.Relations, err)
	}
	if e.json {
		return e.printJSON(evalReport{
			r.Relations, r.Skipped, r.Translation.Mean, r.Translation.Std, r.Median, r.P95, r.Max, r.SquaredTranslation.Mean,
			r.Rotation.Mean, r.Rotation.Std, r.SquaredRotation.Mean,
		})
	}
	fmt.Fprintf(e.stdout, "%s, %d skipped\n", plural(r.Relations, "relation"), r.Skipped)
	fmt.Fprintf(e.stdout, "  translation %.4f ± %.4f m, squared %.5f ± %.5f m²; median %.4f, 95 %% %.4f, worst %.3f m\n",
		r.Translation.Mean, r.Translation.Std, r.SquaredTranslation.Mean, r.SquaredTranslation.Std, r.Median, r.P95, r.Max)
	fmt.Fprintf(e.stdout, "  rotation %.3f ± %.3f°, squared %.2f ± %.2f °²\n",
		r.Rotation.Mean, r.Rotation.Std, r.SquaredRotation.Mean, r.SquaredRotation.Std)
	for _, p := range []struct {
		name string
		slameval.Part
	}{{"up to a minute apart", r.Local}, {"more than a minute apart", r.Loop}} {
		if p.Relations > 0 {
			fmt.Fprintf(e.stdout, "  %d %s: %.4f m, %.3f°\n", p.Relations, p.name, p.Translation, p.Rotation)
		}
	}
	return nil
}

func readFile[T any](path string, read func(io.Reader) (T, error)) (out T, err error) {
	f, err := os.Open(path)
	if err != nil {
		return out, usage("%s: %w: name a file that exists", path, cause(err))
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if out, err = read(f); err != nil {
		return out, usage("%s: %w", path, err)
	}
	return out, nil
}
