package main

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"sarathi/internal/algo/mapfile"
	"sarathi/internal/algo/slam"
	"sarathi/internal/algo/slameval"
)

// result is a run and what it cost.
type result struct {
	engine              *slam.Engine
	trajectory          []slam.Sample
	stats               slam.Stats
	front, worst, total float64 // [ms] of the front end a scan, of its worst one, and of everything a scan
	memory              float64 // [MB] that the engine holds at the end
}

// drive runs the engine on one goroutine, so that the CPU time is that of its parts.
func drive(in input) *result {
	var (
		before, after runtime.MemStats
		work          float64
		worst         time.Duration
		e             = slam.New(slam.DefaultConfig())
		o, g          int
	)
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := cpu()
	for i, t := range in.times {
		for ; o < len(in.odometry) && in.odometry[o].Time <= t; o++ {
			e.AddOdometry(in.odometry[o].Time, in.odometry[o].Pose)
		}
		for ; g < len(in.gyro) && in.gyro[g].Time <= t; g++ {
			e.AddGyro(in.gyro[g].Time, in.gyro[g].Pose.Theta)
		}
		if e.Due() {
			from := cpu()
			e.Work().Run()
			work += cpu() - from
		}
		from := time.Now()
		e.AddScan(t, &in.readings[i])
		worst = max(worst, time.Since(from))
	}
	front := cpu() - start - work
	e.Finish()
	all := cpu() - start
	runtime.GC()
	runtime.ReadMemStats(&after)
	n := float64(len(in.times))
	return &result{
		engine: e, trajectory: e.Trajectory(), stats: e.Stats(),
		front: front * 1e3 / n, worst: worst.Seconds() * 1e3, total: all * 1e3 / n, memory: float64(after.HeapAlloc-before.HeapAlloc) / 1e6,
	}
}

// cpu is the processor time of this process [s].
func cpu() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // the pointer is good
	}
	return float64(u.Utime.Nano()) / 1e9
}

// measure compares with relations, at the times of scans and at those of odometry too.
func (r *result) measure(in input, path string, backwards bool) (rep, dense slameval.Report, err error) {
	relations, err := readRelations(path)
	if err != nil {
		return rep, dense, err
	}
	if backwards {
		for i, q := range relations {
			relations[i] = slameval.Relation{From: -q.From, To: -q.To, Motion: q.Motion}
		}
	}
	odometry := samples(in.odometry)
	if rep, err = slameval.Evaluate(samples(r.trajectory), odometry, relations); err != nil {
		return rep, dense, err
	}
	dense, err = slameval.Evaluate(samples(slam.Dense(r.trajectory, in.odometry)), odometry, relations)
	return rep, dense, err
}

func samples(from []slam.Sample) []slameval.Sample {
	to := make([]slameval.Sample, len(from))
	for i, s := range from {
		to[i] = slameval.Sample(s)
	}
	return to
}

// write writes the trajectory and the map.
func (r *result) write(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return err
	}
	picture, err := mapfile.EncodePNG(slam.MapFile(r.engine.Map()))
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(path+".txt", slam.AppendText(nil, r.trajectory), 0o600), os.WriteFile(path+".png", picture, 0o600),
	)
}
