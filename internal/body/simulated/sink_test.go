package simulated_test

import (
	"time"

	"sarathi/driver"
	"sarathi/internal/body/simulated"
	"sarathi/internal/idl"
)

// sink keeps what a body reports.
type sink struct {
	wanted   map[driver.Stream]bool
	messages map[driver.Stream][]idl.Message
	faults   []driver.Fault
	states   []driver.EStopState
	results  []driver.SkillResult
}

func (s *sink) Publish(stream driver.Stream, m idl.Message) {
	s.messages[stream] = append(s.messages[stream], m)
}
func (s *sink) SkillResult(r driver.SkillResult) { s.results = append(s.results, r) }
func (s *sink) Fault(f driver.Fault)             { s.faults = append(s.faults, f) }
func (s *sink) EStop(e driver.EStopState)        { s.states = append(s.states, e) }
func (s *sink) Wanted(stream driver.Stream) bool { return s.wanted[stream] }
func (s *sink) count(stream driver.Stream) int   { return len(s.messages[stream]) }
func (s *sink) forget()                          { s.messages = map[driver.Stream][]idl.Message{} }
func (s *sink) last(stream driver.Stream) any    { m := s.messages[stream]; return m[len(m)-1] }
func (s *sink) result() driver.SkillResult       { return s.results[len(s.results)-1] }
func (s *sink) want(streams ...driver.Stream)    { s.wanted = set(streams) }
func set(list []driver.Stream) map[driver.Stream]bool {
	out := map[driver.Stream]bool{}
	for _, s := range list {
		out[s] = true
	}
	return out
}

// bench is a driver that a test steps.
type bench struct {
	plant  *simulated.Plant
	driver *simulated.Driver
	sink   *sink
	now    time.Time
}

func newBench(p *simulated.Plant) *bench {
	b := &bench{
		plant: p, driver: simulated.NewDriver(p), sink: &sink{},
		now: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC),
	}
	b.sink.forget()
	if err := b.driver.Start(b.now, b.sink); err != nil {
		panic(err)
	}
	return b
}

// run steps the driver for d.
func (b *bench) run(d time.Duration) {
	for end := b.now.Add(d); b.now.Before(end); {
		b.now = b.now.Add(simulated.Period)
		b.driver.Step(b.now)
	}
}

// drive commands v at 20 Hz for d and returns what the last command said.
func (b *bench) drive(v driver.Velocity, d time.Duration) (err error) {
	for end := b.now.Add(d); b.now.Before(end); {
		err = b.driver.Command(b.now, v)
		b.run(50 * time.Millisecond)
	}
	return err
}

// skill runs a skill to its end and returns how it ended.
func (b *bench) skill(name string, args driver.SkillArgs) (driver.SkillResult, error) {
	if err := b.driver.Skill(b.now, driver.SkillRequest{Name: name, Args: args, ReqID: name}); err != nil {
		return driver.SkillResult{}, err
	}
	for range 2000 {
		if b.sink.result().Status.Final() {
			break
		}
		b.run(simulated.Period)
	}
	return b.sink.result(), nil
}
