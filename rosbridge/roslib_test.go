package rosbridge_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"
)

// TestRoslib drives a broker with the npm package roslib, unmodified, by a script that checks what it does 23 times. The folder that
// ROSLIB_CONFORMANCE names holds the script, roslib2_conformance.mjs, with its installed node_modules; make setup prepares one. Without it
// the test is skipped, but not under CI=true.
func TestRoslib(t *testing.T) {
	folder := os.Getenv("ROSLIB_CONFORMANCE")
	if folder == "" {
		folder = filepath.Join("..", "bin", "roslib-conformance")
	}
	script, err := filepath.Abs(filepath.Join(folder, "roslib2_conformance.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	_, scriptErr := os.Stat(script)
	_, roslibErr := os.Stat(filepath.Join(folder, "node_modules", "roslib"))
	node, nodeErr := exec.LookPath("node")
	if scriptErr != nil || roslibErr != nil || nodeErr != nil {
		missing := "node and roslib are not there: run make setup"
		if os.Getenv("CI") == "true" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	r := start(t, config())
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, node, script, r.url, "--actions").CombinedOutput()
	if err != nil || !regexp.MustCompile(`(?m)^23 passed, 0 failed$`).Match(out) {
		t.Errorf("%v\n%s", err, out)
	}
}
