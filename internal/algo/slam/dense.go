package slam

// maxBridge is the longest gap between two scans that odometry is trusted to fill [s].
const maxBridge = 10

// Dense adds to a trajectory the poses at the times of odometry readings between its samples: odometry gives the way there, and what it is
// off at the next sample is spread over the time. Both are in order of time, and so is the result; readings at the time of a sample, and
// before the first and after the last one, are left out.
func Dense(trajectory, odometry []Sample) []Sample {
	out := make([]Sample, 0, len(trajectory)+len(odometry))
	k := 0
	for i, s := range trajectory {
		out = append(out, s)
		if i+1 == len(trajectory) {
			break
		}
		next := trajectory[i+1]
		for k < len(odometry) && odometry[k].Time <= s.Time {
			k++
		}
		end := k
		for end < len(odometry) && odometry[end].Time < next.Time {
			end++
		}
		if next.Time-s.Time <= maxBridge {
			out = bridge(out, s, next, odometry[max(k-1, 0):min(end+1, len(odometry))])
		}
		k = end
	}
	return out
}

// bridge appends the poses between two samples.
func bridge(out []Sample, a, b Sample, odometry []Sample) []Sample {
	var t track
	for _, o := range odometry {
		t.add(o)
	}
	whole, ok := t.motion(a.Time, b.Time)
	if !ok {
		return out
	}
	for _, o := range t.samples {
		if o.Time <= a.Time || o.Time >= b.Time {
			continue
		}
		part, ok := t.motion(a.Time, o.Time)
		if !ok {
			continue
		}
		forth, end := a.Pose.Mul(part), b.Pose.Mul(part.Between(whole).Inverse())
		out = append(out, Sample{o.Time, forth.Interpolate(end, (o.Time-a.Time)/(b.Time-a.Time))})
	}
	return out
}
