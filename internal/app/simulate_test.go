package app

import (
	"path/filepath"
	"testing"

	"sarathi/internal/scenario"
)

// TestScenarios runs every scenario of the repository over a few seeds.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("../../scenarios/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios found: %v", err)
	}
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			t.Parallel()
			s, err := scenario.Load(f)
			if err != nil {
				t.Fatal(err)
			}
			for seed := uint64(1); seed <= 2; seed++ {
				r, err := simulate(t.Context(), s, SimOptions{Path: f, Seed: seed})
				if err != nil {
					t.Fatal(err)
				}
				for _, what := range r.Failures {
					t.Errorf("seed %d: %s", seed, what)
				}
			}
		})
	}
}
