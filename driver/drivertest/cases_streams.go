package drivertest

import (
	"strings"
	"sync"
	"time"

	"sarathi/driver"
)

// capabilities are complete and do not change.
func capabilities(r *rig) {
	if err := r.caps.Validate(); err != nil {
		r.Errorf("%v", err)
	}
	r.wait(r.Settle)
	after := r.Driver.Capabilities()
	if after.Kind != r.caps.Kind || after.Drive != r.caps.Drive || after.Limits != r.caps.Limits ||
		strings.Join(after.Skills, " ") != strings.Join(r.caps.Skills, " ") {
		r.Errorf("capabilities changed after the start from %+v to %+v", r.caps, after)
	}
}

// streamTypes: every stream that is promised shows, and carries what it must.
func streamTypes(r *rig) {
	r.sink.want()
	for _, s := range r.caps.Streams {
		if took, ok := r.until(r.Patience, func() bool { return r.sink.count(s) > 0 }); !ok {
			r.Errorf("nothing on %s after %v", s, took)
		}
	}
	if r.mobile() {
		_ = r.drive(r.half(), time.Second) // asserted elsewhere
	}
	for _, text := range r.sink.complaints() {
		r.Errorf("%s", text)
	}
}

// telemetryRate: odometry comes about as often as promised.
func telemetryRate(r *rig) {
	if !r.caps.Has(driver.StreamOdometry) {
		return
	}
	const span = 4 * time.Second
	r.until(r.Patience, func() bool { return r.sink.count(driver.StreamOdometry) > 0 })
	began, before := r.now(), r.sink.count(driver.StreamOdometry)
	r.wait(span)
	rate := float64(r.sink.count(driver.StreamOdometry)-before) / r.now().Sub(began).Seconds()
	if rate < 0.8*r.caps.RateHz || rate > 1.2*r.caps.RateHz {
		r.Errorf("odometry comes at %.1f Hz, the capabilities say %v Hz", rate, r.caps.RateHz)
	}
}

// poseIsSeeded: odometry goes on from the pose that was set, and the body stays where it is.
func poseIsSeeded(r *rig) {
	p, ok := r.Driver.(driver.PoseSetter)
	if !ok || !r.caps.Has(driver.StreamOdometry) {
		return
	}
	r.until(r.Patience, func() bool { return r.sink.count(driver.StreamOdometry) > 0 })
	want := spot{3, -2, 1}
	if err := p.SetPose(r.now(), want.x, want.y, want.theta); err != nil {
		r.Fatalf("set pose: %v", err)
	}
	near := func(a, b float64) bool { return a-b < 0.01 && b-a < 0.01 }
	reached := func() bool {
		got := r.sink.place()
		return near(got.x, want.x) && near(got.y, want.y) && near(got.theta, want.theta)
	}
	if took, ok := r.until(r.Settle, reached); !ok {
		r.Errorf("%v after the pose %+v was set, odometry says %+v", took, want, r.sink.place())
	}
	if !r.still() {
		r.Errorf("setting the pose moved the body by %+v", r.velocity())
	}
}

// anyGoroutine: a Runner is called from many at once; the race detector watches.
func anyGoroutine(r *rig) {
	if r.stepper != nil {
		return
	}
	var callers sync.WaitGroup
	for i := range 4 {
		callers.Go(func() {
			for range 20 {
				_ = r.Driver.Command(r.now(), driver.Velocity{}) // only that it may be called
				if i == 0 {
					r.Driver.EStop(r.now(), "stress")
					_ = r.Driver.Release(r.now()) // only that it may be called
				}
				_ = r.Driver.Capabilities()
			}
		})
	}
	callers.Wait()
	if err := r.Driver.Release(r.now()); err != nil {
		r.Errorf("release: %v", err)
	}
}
