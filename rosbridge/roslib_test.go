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

// roslib returns the folder of the conformance script, with the npm package roslib installed, and node. The environment may name one in
// ROSLIB_CONFORMANCE; make setup prepares another. Without it the test is skipped, but not under CI=true.
func roslib(t *testing.T) (folder, node string) {
	t.Helper()
	folder = os.Getenv("ROSLIB_CONFORMANCE")
	if folder == "" {
		folder = filepath.Join("..", "bin", "roslib-conformance")
	}
	_, scriptErr := os.Stat(filepath.Join(folder, "roslib2_conformance.mjs"))
	_, roslibErr := os.Stat(filepath.Join(folder, "node_modules", "roslib"))
	node, nodeErr := exec.LookPath("node")
	if scriptErr != nil || roslibErr != nil || nodeErr != nil {
		absent(t, "node and roslib are not there")
	}
	return folder, node
}

// TestRoslib drives a broker with the npm package roslib, unmodified, by a script that checks what it does 23 times.
func TestRoslib(t *testing.T) {
	folder, node := roslib(t)
	r := start(t, config())
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, node, "roslib2_conformance.mjs", r.url, "--actions")
	c.Dir = folder
	out, err := c.CombinedOutput()
	if err != nil || !regexp.MustCompile(`(?m)^23 passed, 0 failed$`).Match(out) {
		t.Errorf("%v\n%s", err, out)
	}
}
