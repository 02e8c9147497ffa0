package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"sarathi/internal/algo/mapfile"
	"sarathi/internal/algo/scanmatch"
	"sarathi/internal/algo/slam"
	"sarathi/internal/sensorlog"
)

// slamRun is `sarathi slam run`.
type slamRun struct {
	Log  string `arg:"" help:"CARMEN log, MCAP file or ROS 1 bag, whatever its name."`
	Scan string `placeholder:"TOPIC" help:"Topic of the scans in an MCAP file or bag; needed if several have sensor_msgs/LaserScan."`
	Odom string `placeholder:"TOPIC" help:"Topic of the odometry; needed if several have nav_msgs/Odometry. A file without odometry is run with scans alone."`
	Out  string `placeholder:"DIR" help:"Folder for map.yaml, map.pgm, map.png, trajectory.txt and trajectory.tum; made if it does not exist."`
}

// slamReport is what a run did and took.
type slamReport struct {
	Log        string  `json:"log"`
	Scans      int     `json:"scans"`
	Refused    int     `json:"refused"`         // scans
	BadLines   int     `json:"bad_lines"`       // of the log, or messages
	Bad        string  `json:"bad,omitempty"`   // the first of them
	About      string  `json:"about,omitempty"` // the topics, and where the lidar is
	Seconds    float64 `json:"seconds"`         // from the first scan to the last
	WallSec    float64 `json:"wall_sec"`        // that the run took
	RealTime   float64 `json:"real_time"`       // how many times as fast
	FrontMeanS float64 `json:"front_mean_s"`    // that a scan waits: mean, 99 % and worst
	FrontP99S  float64 `json:"front_p99_s"`
	FrontMaxS  float64 `json:"front_max_s"`
	MemoryMB   float64 `json:"memory_mb"` // that the program holds at the end
	Keyframes  int     `json:"keyframes"`
	Loops      int     `json:"loops"`     // closed
	Revisits   int     `json:"revisits"`  // matches to places that were seen before
	Searches   int     `json:"searches"`  // scans that were looked for in a window
	Lost       int     `json:"lost"`      // scans that fitted nowhere
	MapWidth   int     `json:"map_width"` // [cells]
	MapHeight  int     `json:"map_height"`
	Resolution float64 `json:"resolution"` // [m]
}

// Run runs the log, writes what came of it and prints the report.
func (c *slamRun) Run(ctx context.Context, e *env) error {
	log, err := sensorlog.Load(c.Log, sensorlog.Topics{Scan: c.Scan, Odometry: c.Odom})
	if err != nil {
		return usage("%w", err)
	}
	engine, waits, took, err := runLog(ctx, e, log)
	if err != nil {
		return err
	}
	raster := engine.Map()
	if c.Out != "" {
		if err := c.write(engine, raster, log); err != nil {
			return fmt.Errorf("write results: %w: name an --out folder that can be written", err)
		}
	}
	r := summary(engine.Stats(), waits)
	r.Log, r.BadLines, r.Bad, r.About = filepath.Base(c.Log), log.Refused, log.Reason, log.About
	r.Seconds = log.Scans[len(log.Scans)-1].Time - log.Scans[0].Time
	r.WallSec, r.RealTime = took.Seconds(), r.Seconds/max(took.Seconds(), 1e-9)
	r.MapWidth, r.MapHeight, r.Resolution = raster.Width, raster.Height, raster.Resolution
	if e.json {
		return e.printJSON(r)
	}
	r.print(e)
	return nil
}

// runLog feeds a log to an engine, whose back end works beside it. waits is how long each scan waited for its pose [s].
func runLog(ctx context.Context, e *env, log *sensorlog.Log) (engine *slam.Engine, waits []float64, took time.Duration, err error) {
	var (
		began   = e.now()
		told    = began
		started *slam.Work
		beside  sync.WaitGroup
		next    int // odometry reading
	)
	engine = slam.New(slam.DefaultConfig())
	defer beside.Wait()
	for i := range log.Scans {
		if ctx.Err() != nil {
			return nil, nil, 0, ctx.Err()
		}
		s := &log.Scans[i]
		for ; next < len(log.Odometry) && log.Odometry[next].Time <= s.Time; next++ {
			engine.AddOdometry(log.Odometry[next].Time, log.Odometry[next].Pose)
		}
		if engine.Due() {
			beside.Wait()
		}
		from := e.now()
		engine.AddScan(s.Time, &s.Reading)
		now := e.now()
		waits = append(waits, now.Sub(from).Seconds())
		if w := engine.Work(); w != nil && w != started {
			started = w
			beside.Go(w.Run)
		}
		if now.Sub(told) >= progressEvery {
			told = now
			fmt.Fprintf(e.stderr, "scan %d of %d, %.1f s\n", i+1, len(log.Scans), now.Sub(began).Seconds())
		}
	}
	beside.Wait()
	engine.Finish()
	return engine, waits, e.now().Sub(began), nil
}

// progressEvery is how often a long run says how far it is.
const progressEvery = 5 * time.Second

func summary(s slam.Stats, waits []float64) slamReport {
	var sum float64
	for _, w := range waits {
		sum += w
	}
	slices.Sort(waits)
	n := len(waits)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return slamReport{
		Scans: s.Scans, Refused: s.Refused, Keyframes: s.Keyframes, Loops: s.Closures, Revisits: s.Proximity, Searches: s.Searches, Lost: s.Lost,
		FrontMeanS: sum / float64(n), FrontP99S: waits[n*99/100], FrontMaxS: waits[n-1], MemoryMB: float64(m.HeapAlloc) / 1e6,
	}
}

func (r *slamReport) print(e *env) {
	fmt.Fprintf(e.stdout, "%s: %s of %.0f s in %.1f s, %.0f times real time\n",
		r.Log, plural(r.Scans, "scan"), r.Seconds, r.WallSec, r.RealTime)
	if r.About != "" {
		fmt.Fprintf(e.stdout, "  %s\n", r.About)
	}
	fmt.Fprintf(e.stdout, "  a scan waits %.2f ms, 99 %% at most %.2f ms, the worst %.2f ms\n", r.FrontMeanS*1e3, r.FrontP99S*1e3, r.FrontMaxS*1e3)
	fmt.Fprintf(e.stdout, "  %s, %s closed, %s, %.0f MB\n",
		plural(r.Keyframes, "keyframe"), plural(r.Loops, "loop"), plural(r.Revisits, "revisit"), r.MemoryMB)
	fmt.Fprintf(e.stdout, "  map of %.1f m by %.1f m\n", float64(r.MapWidth)*r.Resolution, float64(r.MapHeight)*r.Resolution)
	for _, odd := range []struct {
		n    int
		what string
	}{
		{r.BadLines, "lines or messages of the log that cannot be read"},
		{r.Refused, "scans left out, with too few hits or a time that goes back"},
		{r.Lost, "scans that fitted nowhere, placed by prediction"},
	} {
		if odd.n > 0 {
			fmt.Fprintf(e.stdout, "  %s: %d\n", odd.what, odd.n)
		}
	}
	if r.Bad != "" {
		fmt.Fprintf(e.stdout, "  the first that cannot be read: %s\n", r.Bad)
	}
}

// write writes the map and the trajectory. The trajectory has the pose at each scan and at each odometry reading between.
func (c *slamRun) write(engine *slam.Engine, raster scanmatch.Raster, log *sensorlog.Log) error {
	if err := os.MkdirAll(c.Out, 0o755); err != nil {
		return err
	}
	trajectory := slam.Dense(engine.Trajectory(), log.Odometry)
	m := slam.MapFile(raster)
	yaml, pgm := mapfile.EncodeSite(m, "map.pgm")
	picture, err := mapfile.EncodePNG(m)
	if err != nil {
		return err
	}
	var faults []error
	for _, f := range []struct {
		name string
		text []byte
	}{
		{"map.yaml", yaml},
		{"map.pgm", pgm},
		{"map.png", picture},
		{"trajectory.txt", slam.AppendText(nil, trajectory)},
		{"trajectory.tum", slam.AppendTUM(nil, trajectory)},
	} {
		faults = append(faults, os.WriteFile(filepath.Join(c.Out, f.name), f.text, 0o644))
	}
	return errors.Join(faults...)
}
