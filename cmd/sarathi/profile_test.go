package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sarathi/internal/profile"
)

// output runs a command that must succeed and returns what it prints.
func output(t *testing.T, args ...string) []byte {
	t.Helper()
	var stdout, stderr bytes.Buffer
	e := testEnv(t)
	e.stdout, e.stderr = &stdout, &stderr
	if code := run(t.Context(), e, args); code != 0 {
		t.Fatalf("%s: exit code %d; stderr: %s", strings.Join(args, " "), code, stderr.String())
	}
	return stdout.Bytes()
}

func TestAPrintedProfileIsTheSameProfile(t *testing.T) {
	t.Setenv(profile.SitesVariable, "")
	for _, name := range profile.Names() {
		file := filepath.Join(t.TempDir(), name+".yaml")
		if err := os.WriteFile(file, output(t, "profile", "print", name, "--set", "seed=5"), 0o600); err != nil {
			t.Fatal(err)
		}
		want, err := profile.Load(name, []string{"seed=5"})
		if err != nil {
			t.Fatal(err)
		}
		got, err := profile.Load(file, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-loaded +printed and loaded):\n%s", name, diff)
		}
	}
}

func TestAProfilePrintedAsJSON(t *testing.T) {
	var got struct {
		Robot struct {
			Name   string
			Limits []float64
		}
		State struct{ Dir string }
	}
	text := output(t, "profile", "print", "molly", "--json", "--set", "robot.limits=[0.5, 0.25, 1]", "--set", "state.dir=/var/lib/molly")
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	if got.Robot.Name != "Molly" || !cmp.Equal(got.Robot.Limits, []float64{0.5, 0.25, 1}) || got.State.Dir != "/var/lib/molly" {
		t.Errorf("got %+v", got)
	}
}

func TestATraceIsWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trace")
	output(t, "sim", "--scenario", "testdata/scenarios/passes.yaml", "--trace", file)
	if text, err := os.ReadFile(file); err != nil || string(text) != "the trace" {
		t.Errorf("the trace is %q, %v", text, err)
	}
}
