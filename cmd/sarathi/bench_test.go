package main

import (
	"bufio"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"sarathi/internal/gateway/rosbridge/graph"
)

// buildBinary builds sarathi as `make build` does.
func buildBinary(b *testing.B) string {
	b.Helper()
	binary := filepath.Join(b.TempDir(), "sarathi")
	build := exec.CommandContext(b.Context(), "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("build: %v\n%s", err, out)
	}
	return binary
}

// startRobot starts `sarathi run` with folders of its own and returns once it says that it is up.
func startRobot(b *testing.B, binary string) (pid int, url string, stop func()) {
	b.Helper()
	dir := b.TempDir()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	port := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	l.Close()
	robot := exec.Command(binary, "run", "--set", "state.dir="+dir, "--set", "sites.dir="+filepath.Join(dir, "sites"),
		"--set", "teleop.bind=127.0.0.1", "--set", "teleop.molly.port=0", "--set", "rosbridge.port="+port)
	out, err := robot.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := robot.Start(); err != nil {
		b.Fatal(err)
	}
	said := bufio.NewScanner(out)
	if !said.Scan() {
		b.Fatal("the robot ended before it was up")
	}
	return robot.Process.Pid, "ws://127.0.0.1:" + port, func() {
		if err := robot.Process.Signal(syscall.SIGINT); err != nil {
			b.Fatal(err)
		}
		for said.Scan() { // to the end, before Wait closes the pipe
		}
		if err := robot.Wait(); err != nil {
			b.Errorf("the robot did not stop in order: %v", err)
		}
	}
}

// BenchmarkStart measures from the start of the process to the first /control/status that another process gets.
func BenchmarkStart(b *testing.B) {
	binary := buildBinary(b)
	var total time.Duration
	for b.Loop() {
		began := time.Now()
		_, url, stop := startRobot(b, binary)
		waitForStatus(b, url)
		total += time.Since(began)
		b.StopTimer()
		stop()
		b.StartTimer()
	}
	b.ReportMetric(float64(total.Milliseconds())/float64(b.N), "start-ms")
	b.ReportMetric(300, "start-ms:max")
}

func waitForStatus(b *testing.B, url string) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), 5*time.Second)
	defer cancel()
	robot, err := dialRemote(ctx, url, "")
	if err != nil {
		b.Fatal(err)
	}
	if err := robot.Watch(ctx, graph.Watch{Topic: "/control/status", Depth: 1}, func(graph.Sample) bool { return false }); err != nil {
		b.Fatal(err)
	}
	if err := robot.Close(); err != nil {
		b.Error(err)
	}
}

// BenchmarkIdle measures what a robot costs that nobody looks at: processor and resident memory over five seconds.
func BenchmarkIdle(b *testing.B) {
	const watched = 5 * time.Second
	binary := buildBinary(b)
	pid, _, stop := startRobot(b, binary)
	defer stop()
	var used time.Duration
	for b.Loop() {
		before := processorTime(b, pid)
		time.Sleep(watched) // the measurement is of doing nothing
		used += processorTime(b, pid) - before
	}
	b.ReportMetric(100*used.Seconds()/(watched.Seconds()*float64(b.N)), "cpu-%")
	b.ReportMetric(10, "cpu-%:max")
	b.ReportMetric(resident(b, pid), "resident-MB")
	b.ReportMetric(80, "resident-MB:max")
}

// processorTime reads user and system time of a process, proc(5).
func processorTime(b *testing.B, pid int) time.Duration {
	b.Helper()
	const ticks = 100 // a second; USER_HZ is 100 on every Linux that Go runs on
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		b.Fatal(err)
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+2:]))
	sum := 0
	for _, f := range fields[11:13] { // utime and stime
		n, err := strconv.Atoi(f)
		if err != nil {
			b.Fatal(err)
		}
		sum += n
	}
	return time.Duration(sum) * time.Second / ticks
}

// resident reads the resident memory of a process in MB.
func resident(b *testing.B, pid int) float64 {
	b.Helper()
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "statm"))
	if err != nil {
		b.Fatal(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	if err != nil {
		b.Fatal(err)
	}
	return float64(pages*os.Getpagesize()) / 1e6
}
