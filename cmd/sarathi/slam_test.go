package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sarathi/internal/algo/mapfile"
	"sarathi/internal/algo/slameval"
	"sarathi/internal/sensorlog"
	"sarathi/internal/sensorlog/sensorlogtest"
)

// squareRoom is a log of a robot that drives 2 m through a room of 6 m by 4 m, 10 cm a scan.
func squareRoom(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	for i := range 21 {
		x := 0.1 * float64(i)
		fmt.Fprintf(&text, "ODOM %.3f 0 0 0 0 0 %.2f host 0\n", x-0.05, float64(i)-0.5)
		text.WriteString("FLASER 180")
		for k := range 180 {
			sin, cos := math.Sincos(float64(k-90) * math.Pi / 180)
			r := 2 / math.Max(math.Abs(sin), 1e-9)
			if cos > 1e-9 {
				r = math.Min(r, (4-x)/cos)
			}
			fmt.Fprintf(&text, " %.3f", r)
		}
		fmt.Fprintf(&text, " %.3f 0 0 %.3f 0 0 %d host 0\n", x, x, i)
	}
	path := filepath.Join(t.TempDir(), "room.clf")
	if err := os.WriteFile(path, []byte(text.String()+"FLASER 180 cut short\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSlamRun(t *testing.T) {
	log, out := squareRoom(t), filepath.Join(t.TempDir(), "a", "b")
	e := testEnv(t)
	var stdout, stderr bytes.Buffer
	e.stdout, e.stderr = &stdout, &stderr
	if code := run(t.Context(), e, []string{"slam", "run", log, "--out", out, "--json"}); code != exitDone {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	var report slamReport
	if err := json.Unmarshal(stdout.Bytes(), &report); err != nil {
		t.Fatal(err)
	}
	if report.Scans != 21 || report.BadLines != 1 || report.Lost != 0 || report.Seconds != 20 || report.MapWidth == 0 {
		t.Errorf("%+v", report)
	}
	if m, err := mapfile.LoadSite(filepath.Join(out, "map.yaml")); err != nil || m.Width != report.MapWidth || m.Height != report.MapHeight {
		t.Errorf("the map: %v", err)
	}
	f, err := os.Open(filepath.Join(out, "trajectory.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	trajectory, err := slameval.ReadTrajectory(f)
	if err != nil || len(trajectory) != 41 { // at each scan, and at the odometry between
		t.Fatalf("%d poses, %v", len(trajectory), err)
	}
	for _, s := range trajectory {
		if math.Hypot(s.Pose.X-0.1*s.Time, s.Pose.Y) > 0.02 || math.Abs(s.Pose.Theta) > 0.01 {
			t.Errorf("at %g: %+v", s.Time, s.Pose)
		}
	}
	for _, name := range []string{"map.png", "map.pgm", "trajectory.tum"} {
		if info, err := os.Stat(filepath.Join(out, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}

	stdout.Reset()
	if code := run(t.Context(), e, []string{"slam", "run", log}); code != exitDone || !strings.Contains(stdout.String(), "room.clf: 21 scans of 20 s") ||
		!strings.Contains(stdout.String(), "lines or messages of the log that cannot be read: 1") {
		t.Errorf("%s%s", stdout.String(), stderr.String())
	}
	if code := run(t.Context(), e, []string{"slam", "run", log, "--out", log}); code == exitDone {
		t.Error("a file was taken for a folder")
	}
}

// The same scans and odometry are the same trajectory, whatever wrote them.
func TestSlamRunOfRecordings(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(in("carmen"), []byte(sensorlogtest.Room()), 0o600); err != nil {
		t.Fatal(err)
	}
	log, err := sensorlog.Load(in("carmen"), sensorlog.Topics{})
	if err != nil {
		t.Fatal(err)
	}
	messages := sensorlogtest.Messages(log)
	var file bytes.Buffer
	if err := sensorlogtest.WriteMCAP(&file, "cdr", "zstd", messages); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(in("mcap"), file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := sensorlogtest.WriteBag(in("bag"), "lz4", messages); err != nil {
		t.Fatal(err)
	}
	e := testEnv(t)
	var stdout, stderr bytes.Buffer
	e.stdout, e.stderr = &stdout, &stderr
	var want []byte
	for _, name := range []string{"carmen", "mcap", "bag"} {
		args := []string{"slam", "run", in(name), "--out", in(name + ".out")}
		if name != "carmen" {
			args = append(args, "--scan", "/scan", "--odom", "/odom")
		}
		stdout.Reset()
		if code := run(t.Context(), e, args); code != exitDone {
			t.Fatalf("%s: exit code %d: %s", name, code, stderr.String())
		}
		got, err := os.ReadFile(filepath.Join(in(name+".out"), "trajectory.txt"))
		if err != nil {
			t.Fatal(err)
		}
		if name == "carmen" {
			want = got
		} else if !strings.Contains(stdout.String(), "scans of /scan, odometry of /odom, lidar laser taken to be at the centre") {
			t.Errorf("%s: %s", name, stdout.String())
		}
		if len(want) == 0 || !bytes.Equal(got, want) {
			t.Errorf("%s gives another trajectory:\n%s\nnot\n%s", name, got, want)
		}
	}
	if code := run(t.Context(), e, []string{"slam", "run", in("bag"), "--scan", "/rear"}); code != exitUsage ||
		!strings.Contains(stderr.String(), "no sensor_msgs/LaserScan on /rear: name one of /scan (21) with --scan") {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
}
