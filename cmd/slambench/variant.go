package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"sarathi/internal/algo/carmen"
	"sarathi/internal/algo/scanmatch"
	"sarathi/internal/algo/slam"
	"sarathi/internal/geom"
)

// input is what the engine is fed, in order of time.
type input struct {
	times    []float64
	readings []scanmatch.Reading
	odometry []slam.Sample
	gyro     []slam.Sample // Theta is the rate [rad/s]
}

// variant makes a log harder.
type variant struct {
	name      string
	backwards bool // the relations must be turned round too
	change    func(input) input
}

func plain(log *carmen.Log) input {
	var in input
	for _, o := range log.Odometry {
		in.odometry = append(in.odometry, slam.Sample(o))
	}
	for _, s := range log.Scans {
		in.times = append(in.times, s.Time)
		in.odometry = append(in.odometry, slam.Sample{Time: s.Time, Pose: s.Odometry})
		r := scanmatch.Reading{AngleMin: s.AngleMin, AngleIncrement: s.AngleIncrement, RangeMax: s.RangeMax, Ranges: s.Ranges}
		r.Mount = s.Mount.Transform()
		in.readings = append(in.readings, r)
	}
	slices.SortStableFunc(in.odometry, func(a, b slam.Sample) int {
		switch {
		case a.Time < b.Time:
			return -1
		case a.Time > b.Time:
			return 1
		}
		return 0
	})
	return in
}

func variants() []variant {
	return []variant{
		{name: "plain", change: func(in input) input { return in }},
		{name: "backwards", backwards: true, change: backwards},
		{name: "half-scans", change: halfScans},
		{name: "quarter-beams", change: quarterBeams},
		{name: "no-odometry", change: func(in input) input { in.odometry = nil; return in }},
		{name: "nan", change: withNaN},
		{name: "gyro-bias", change: gyroBias},
	}
}

// backwards lets time run the other way. The robot drives backwards then.
func backwards(in input) input {
	out := input{}
	for i, t := range slices.Backward(in.times) {
		out.times, out.readings = append(out.times, -t), append(out.readings, in.readings[i])
	}
	for _, o := range slices.Backward(in.odometry) {
		out.odometry = append(out.odometry, slam.Sample{Time: -o.Time, Pose: o.Pose})
	}
	return out
}

func halfScans(in input) input {
	out := input{odometry: in.odometry}
	for i := 0; i < len(in.times); i += 2 {
		out.times, out.readings = append(out.times, in.times[i]), append(out.readings, in.readings[i])
	}
	return out
}

func quarterBeams(in input) input {
	in.readings = slices.Clone(in.readings)
	for i := range in.readings {
		r := &in.readings[i]
		var few []float32
		for k := 0; k < len(r.Ranges); k += 4 {
			few = append(few, r.Ranges[k])
		}
		r.Ranges, r.AngleIncrement = few, 4*r.AngleIncrement
	}
	return in
}

// withNaN replaces two readings in a hundred.
func withNaN(in input) input {
	rng := rand.New(rand.NewPCG(2, 3))
	in.readings = slices.Clone(in.readings)
	for i := range in.readings {
		r := &in.readings[i]
		r.Ranges = slices.Clone(r.Ranges)
		for k := range r.Ranges {
			if rng.Float64() < 0.02 {
				r.Ranges[k] = float32(math.NaN())
			}
		}
	}
	return in
}

// gyroBias adds a gyro whose rate is that of odometry, 0.02 rad/s too high.
func gyroBias(in input) input {
	const bias, period = 0.02, 0.02 // [rad/s], [s]
	for i := 1; i < len(in.odometry); i++ {
		a, b := in.odometry[i-1], in.odometry[i]
		if b.Time <= a.Time {
			continue
		}
		rate := a.Pose.Between(b.Pose).Theta/(b.Time-a.Time) + bias
		// Readings at both ends of the stretch, so that its integral is the turn however short it is.
		edge := min(1e-4, (b.Time-a.Time)/4)
		for t := a.Time + edge; t < b.Time-edge; t += period {
			in.gyro = append(in.gyro, slam.Sample{Time: t, Pose: geom.Pose2{Theta: rate}})
		}
		in.gyro = append(in.gyro, slam.Sample{Time: b.Time - edge, Pose: geom.Pose2{Theta: rate}})
	}
	return in
}
