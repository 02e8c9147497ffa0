package slam

import (
	"math"

	"sarathi/internal/algo/posegraph"
	"sarathi/internal/algo/scanmatch"
	"sarathi/internal/geom"
)

// Engine estimates where a robot is and what surrounds it. See the package comment for how it is driven.
type Engine struct {
	cfg Config

	// the front end
	odometry track
	gyro     gyro
	grid     *scanmatch.Grid
	scan     scanmatch.Scan
	searcher scanmatch.Searcher
	field    scanmatch.Field
	started  bool
	time     float64
	pose     geom.Pose2
	velocity geom.Velocity
	inserted geom.Pose2
	stats    Stats

	// keyframes and what hangs on them
	frames   []*keyframe
	poses    []geom.Pose2 // of frames, as known to the front end
	scans    []hung
	recent   []placed // scans that were inserted since the present work was cut out
	lastInfo scanmatch.Information

	back   *backEnd
	work   *Work
	canvas canvas
}

// placed is a scan in the map of the front end.
type placed struct {
	pose geom.Pose2
	scan scanmatch.Scan
}

// Stats counts what the engine did.
type Stats struct {
	Scans, Refused int // scans taken, and those without enough hits or with a time that goes back
	Searches       int // scans that were looked for in a window
	Lost           int // scans that fitted nowhere, and were placed by prediction
	Inserted       int
	Keyframes      int
	Proximity      int // matches to earlier visits whose place was known
	Closures       int // loops closed
	Rejected       int // candidates for loops that were not believed
	Rebuilds       int // maps of the front end that were built anew
}

// New makes an engine. It panics on a configuration that does not validate.
func New(cfg Config) *Engine {
	if err := cfg.Validate(); err != nil {
		panic(err)
	}
	return &Engine{cfg: cfg, grid: scanmatch.NewGrid(cfg.Resolution, cfg.Reach), back: newBackEnd(&cfg)}
}

// AddOdometry tells the engine an odometry pose; readings need not come in order, but before the scans they are to help.
func (e *Engine) AddOdometry(time float64, pose geom.Pose2) { e.odometry.add(Sample{time, pose}) }

// AddGyro tells the engine a turn rate [rad/s], counter-clockwise, in order of time. It may have a bias.
func (e *Engine) AddGyro(time, rate float64) { e.gyro.add(time, rate) }

// Stats is what happened until now; of the back end, until its work was last taken over.
func (e *Engine) Stats() Stats { return e.stats }

// Pose is the pose of the robot at the latest scan.
func (e *Engine) Pose() Sample { return Sample{e.time, e.pose} }

const minHitsOfScan = 8

// Fix is where a scan was taken.
type Fix struct {
	Pose       geom.Pose2
	Covariance posegraph.Matrix // in the axes of the map
	Inliers    float64          // part of the hits that fit the map
	OK         bool             // false: the scan was refused, and Pose is that of the scan before
}

// AddScan adds a scan taken at time. It is refused when it has too few hits, or its time is not after that of the scan before.
func (e *Engine) AddScan(time float64, r *scanmatch.Reading) Fix {
	e.handOver()
	if !geom.Finite(time) || e.started && time <= e.time {
		e.stats.Refused++
		return Fix{Pose: e.pose}
	}
	e.scan.Set(r, e.velocity, e.cfg.Limits)
	if len(e.scan.Hits) < minHitsOfScan {
		e.stats.Refused++
		return Fix{Pose: e.pose}
	}
	e.stats.Scans++
	if !e.started {
		e.started, e.time = true, time
		e.insert()
		e.addKeyframe()
		return Fix{Pose: e.pose, Inliers: 1, OK: true}
	}
	inliers := e.track(time)
	last := len(e.frames) - 1
	rel := e.poses[last].Between(e.pose)
	if e.cfg.Insert.over(e.inserted.Between(e.pose)) {
		e.insert()
	}
	if e.cfg.Keyframe.over(rel) {
		e.addKeyframe()
	} else {
		e.scans = append(e.scans, hung{time, last, rel})
	}
	e.cutWork()
	return Fix{Pose: e.pose, Covariance: covariance(e.lastInfo), Inliers: inliers, OK: true}
}

func (e *Engine) insert() {
	e.grid.Insert(e.pose, &e.scan)
	e.inserted = e.pose
	e.stats.Inserted++
	if e.work != nil {
		e.recent = append(e.recent, placed{e.pose, e.scan.Clone()})
	}
}

func (e *Engine) addKeyframe() {
	k := &keyframe{time: e.time, scan: e.scan.Clone()}
	if n := len(e.frames); n > 0 {
		k.step = e.poses[n-1].Between(e.pose)
		d, a := size(k.step)
		k.travel = e.frames[n-1].travel + d
		info := rotate(&e.lastInfo, e.poses[n-1].Theta)
		k.stepInfo = soften(&info, e.cfg.Scan.of(d, a))
	}
	e.frames = append(e.frames, k)
	e.poses = append(e.poses, e.pose)
	e.stats.Keyframes++
}

// information is that of the prediction, in the axes of the map.
func (s Sigma) information() scanmatch.Information {
	return posegraph.Diagonal(s.Translation, s.Translation, s.Rotation)
}

// track finds the pose of the scan that was just set, and which part of its hits fits.
func (e *Engine) track(time float64) (inliers float64) {
	dt := time - e.time
	motion, sigma, sure := e.predict(time, dt)
	prior := scanmatch.Prior{Pose: e.pose.Mul(motion), Information: sigma.information()}
	m := scanmatch.Refine(e.grid, &e.scan, &prior, prior.Pose, &e.cfg.Tuning)
	if e.doubtful(&m, &prior, sigma, sure) {
		m = e.search(&m, &prior, sigma)
	}
	e.lastInfo = m.Information
	for i, v := range prior.Information {
		e.lastInfo[i] += v
	}
	moved := e.pose.Between(m.Pose)
	e.velocity = geom.Velocity{}
	if dt < maxCoast && m.Inliers >= poorInliers {
		e.velocity = moved.Log().Scale(1 / max(dt, minCoast)).Clamp(geom.Velocity{VX: maxSpeed, VY: maxSpeed, WZ: maxTurnRate})
	}
	e.gyro.learn(e.time, time, moved.Theta)
	e.time, e.pose = time, m.Pose
	return m.Inliers
}

const (
	maxCoast      = 3.0  // [s] a velocity is good for
	minCoast      = 0.1  // [s] that a velocity is taken over at least, because stamps are not exact
	maxTurnRate   = 6.0  // [rad/s] of a robot
	goodInliers   = 0.75 // of a match that needs no doubt
	poorInliers   = 0.5  // of a match that is no match
	surprise      = 3.0  // standard deviations of the prediction
	maxSearchMove = 2.0  // [m]
	maxSearchTurn = 1.9  // [rad]
)

// predict is the motion since the scan before, and how sure that is.
func (e *Engine) predict(time, dt float64) (motion geom.Pose2, sigma Sigma, sure bool) {
	motion, sure = e.odometry.motion(e.time, time)
	if sure {
		d, a := size(motion)
		sigma = e.cfg.Odometry.of(d, a)
		if turn, ok := e.gyro.turn(e.time, time); ok {
			// The gyro sees what wheels that slip do not; where the two differ much, neither is sure.
			sigma.Rotation += max(math.Abs(geom.AngleDiff(turn, motion.Theta))-surprise*sigma.Rotation, 0)
			motion.Theta = geom.NormalizeAngle(turn)
		}
		return motion, sigma, true
	}
	coast := min(dt, maxCoast)
	motion = e.velocity.Integrate(coast)
	d, a := size(motion)
	sigma = Sigma{0.03 + 0.2*dt + 0.3*d, 0.03 + 0.3*dt + 0.3*a}
	if turn, ok := e.gyro.turn(e.time, time); ok {
		motion.Theta = turn
		sigma.Rotation = e.cfg.Odometry.of(0, turn).Rotation
	}
	return motion, sigma, false
}

// doubtful says whether a match may be in a wrong minimum.
func (e *Engine) doubtful(m *scanmatch.Match, p *scanmatch.Prior, s Sigma, sure bool) bool {
	d, a := size(p.Pose.Between(m.Pose))
	if m.Inliers < goodInliers {
		return true
	}
	return sure && (d > surprise*s.Translation || a > surprise*s.Rotation)
}

// search looks for the scan in a window around the prediction, and returns the better of what it finds and m.
func (e *Engine) search(m *scanmatch.Match, p *scanmatch.Prior, s Sigma) scanmatch.Match {
	e.stats.Searches++
	w := scanmatch.Window{
		Middle:      p.Pose,
		Linear:      min(0.1+surprise*s.Translation, maxSearchMove),
		Angular:     min(0.05+surprise*s.Rotation, maxSearchTurn),
		SigmaLinear: s.Translation, SigmaAngular: s.Rotation, Reluctance: reluctance,
	}
	e.field.Fill(e.grid, around(&e.scan, w), fieldWidth, w.Linear)
	best := *m
	if c, ok := e.searcher.Best(&e.field, &e.scan, w, 0.2); ok {
		found := scanmatch.Refine(e.grid, &e.scan, p, c.Pose, &e.cfg.Tuning)
		if worth(&found, p, s) > worth(&best, p, s)+0.02 {
			best = found
		}
	}
	if best.Inliers < poorInliers {
		e.stats.Lost++
	}
	return best
}

// reluctance is what part of the hits must speak for a pose a standard deviation from the prediction.
const reluctance = 0.02

// worth is how good a match is, given the prediction.
func worth(m *scanmatch.Match, p *scanmatch.Prior, s Sigma) float64 {
	d, a := size(p.Pose.Between(m.Pose))
	d, a = d/s.Translation, a/s.Rotation
	return m.Inliers - reluctance*(d*d+a*a)
}

const fieldWidth = 0.1 // [m]

// around is the part of the map that a scan can touch in a window.
func around(s *scanmatch.Scan, w scanmatch.Window) geom.Rect {
	const apart = 0.2 // [rad] between the headings that are looked at
	box := geom.Rect{Min: w.Middle.Position(), Max: w.Middle.Position()}
	reach := 0.0
	steps := math.Ceil(w.Angular / apart)
	for k := -steps; k <= steps; k++ {
		at := geom.Pose2{X: w.Middle.X, Y: w.Middle.Y, Theta: w.Middle.Theta + k*w.Angular/max(steps, 1)}
		for _, p := range s.Hits {
			q := at.Apply(p)
			box.Min = geom.Vec2{X: min(box.Min.X, q.X), Y: min(box.Min.Y, q.Y)}
			box.Max = geom.Vec2{X: max(box.Max.X, q.X), Y: max(box.Max.Y, q.Y)}
			reach = max(reach, p.Norm())
		}
	}
	more := w.Linear + reach*apart*apart/8 + 0.1 // an arc rises that much above its chord
	return geom.Rect{
		Min: geom.Vec2{X: box.Min.X - more, Y: box.Min.Y - more}, Max: geom.Vec2{X: box.Max.X + more, Y: box.Max.Y + more},
	}
}
