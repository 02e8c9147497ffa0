package app

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sarathi/internal/config"
	"sarathi/internal/gateway/slamlink"
	slamnode "sarathi/internal/nodes/slam"
	"sarathi/internal/sim/slamworld"
	"sarathi/internal/topics"
)

func TestSlamMapsTheWorldAndSaysHowWell(t *testing.T) {
	told := 0
	r, err := Slam(t.Context(), SlamOptions{
		World: &slamworld.Config{Building: "office", Seed: 3, Laps: 1}, Map: true, Lockstep: true,
		Progress: func(time.Duration, slamworld.Errors) { told++ },
	})
	if err != nil {
		t.Fatal(err)
	}
	if f := r.Fused; !r.Arrived || f.Poses < 1000 || f.RMS > 0.04 || f.AlignedRMS > 0.03 || f.Last > 0.03 || f.HeadingRMS > 0.01 || r.Matched.RMS > 0.04 {
		t.Errorf("%+v", r)
	}
	if s := r.Stats; s.Scans < 1000 || s.Lost > 0 {
		t.Errorf("%+v", s)
	}
	if m := r.Map; m == nil || m.Width < 100 || m.Height < 100 {
		t.Error("no map")
	}
	if at := r.Simulated; at < time.Minute || told != int((at+settling)/ProgressPeriod) {
		t.Errorf("told %d times in %v", told, at)
	}
}

func TestSlamIsTheSameForTheSameSeed(t *testing.T) {
	begin := func(seed uint64) *SlamResult {
		ctx, cancel := context.WithCancel(t.Context())
		r, err := Slam(ctx, SlamOptions{
			World: &slamworld.Config{Building: "hotel", Seed: seed}, Map: true, Lockstep: true,
			Progress: func(time.Duration, slamworld.Errors) { cancel() },
		})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := begin(7)
	if r.Arrived || r.Stats.Scans < 90 || r.Simulated < ProgressPeriod-time.Second || r.Simulated > ProgressPeriod+2*settling {
		t.Errorf("%+v", r)
	}
	if diff := cmp.Diff(r, begin(7)); diff != "" {
		t.Error(diff)
	}
	if cmp.Equal(r.Fused, begin(8).Fused) {
		t.Error("another seed gives the same")
	}
}

func TestSlamEndsWhenItIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, err := Slam(ctx, SlamOptions{
		World: &slamworld.Config{Building: "office", Seed: 1}, Map: true,
		Started: cancel,
	})
	if err != nil || r.Arrived || r.Stats.Scans > 20 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestSlamThatCannotStart(t *testing.T) {
	for name, o := range map[string]SlamOptions{
		"nobody answers":   {Map: true, Link: &slamlink.Config{URL: "ws://127.0.0.1:1"}},
		"no such building": {Lockstep: true, World: &slamworld.Config{Building: "tent"}},
		"no topic":         {Map: true, Link: &slamlink.Config{URL: "ws://127.0.0.1:1", In: []slamlink.Route{{Topic: topics.Scan.Info(), Name: "scan"}}}},
		"two for one": {Map: true, Link: &slamlink.Config{
			URL: "ws://127.0.0.1:1", In: []slamlink.Route{{Topic: topics.Scan.Info(), Name: "/x"}, {Topic: topics.Odom.Info(), Name: "/x"}},
		}},
	} {
		if _, err := Slam(t.Context(), o); !errors.Is(err, config.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Slam(t.Context(), SlamOptions{Map: true, Lockstep: true}); err == nil {
		t.Error("lockstep without a world")
	}
}

// heavy is an engine whose work takes until somebody lets it end.
type heavy struct {
	slamnode.Engine
	work *weight
}

func (h *heavy) Job() slamnode.Job { return h.work }

type weight struct {
	runs          int
	began, ending chan struct{}
}

func (w *weight) Run() {
	w.runs++
	close(w.began)
	<-w.ending
}

func TestSlamWaitsForItsWork(t *testing.T) {
	h := &heavy{work: &weight{began: make(chan struct{}), ending: make(chan struct{})}}
	j := &jobs{Engine: h}
	if j.Job() != j.Job() {
		t.Error("the same work is another job each time")
	}
	ended := make(chan struct{})
	go j.Job().Run()
	<-h.work.began
	go func() { j.close(); close(ended) }()
	select {
	case <-ended:
		t.Fatal("the end did not wait for the work")
	case <-time.After(20 * time.Millisecond):
	}
	close(h.work.ending)
	<-ended
	j.Job().Run()
	if h.work.runs != 1 {
		t.Errorf("the work ran %d times", h.work.runs)
	}
}
