package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sarathi/internal/gateway/rosbridge/graph"
)

// hzDepth is how many times may wait: a time is small, and a lost one would be a wrong rate.
const hzDepth = 1024

// topicHz is `sarathi topic hz`.
type topicHz struct {
	connection

	Topic    string        `arg:"" help:"Name of the topic."`
	Window   int           `default:"200" range:"2.." placeholder:"N" help:"Measure over the last N messages (${default})."`
	Duration time.Duration `range:"1ms.." placeholder:"5s" help:"End after this time, with exit code 1 when no message came (default: with Ctrl-C)."`
}

// hzLine is one measurement.
type hzLine struct {
	Topic string `json:"topic"`
	rateFacts
	Lost uint64 `json:"lost"` // messages that this program did not see in time
}

// Run measures once a second until it is told to end, and then for the last time.
func (c *topicHz) Run(ctx context.Context, e *env) error {
	return c.with(ctx, e, func(r robot) error {
		if c.Duration > 0 {
			limited, cancel := context.WithTimeout(ctx, c.Duration)
			defer cancel()
			ctx = limited
		}
		return c.measure(ctx, e, r)
	})
}

// measure lets a goroutine watch, and prints what it hands over.
func (c *topicHz) measure(ctx context.Context, e *env, r robot) error {
	ctx, cancel := context.WithCancel(ctx)
	samples, ended := make(chan graph.Sample), make(chan error, 1)
	go func() {
		ended <- watch(ctx, e, r, graph.Watch{Topic: absolute(c.Topic), Depth: hzDepth, TimesOnly: true}, func(s graph.Sample) bool {
			select {
			case samples <- s:
				return true
			case <-ctx.Done():
				return false
			}
		})
	}()
	ticks := time.NewTicker(time.Second)
	defer ticks.Stop()
	meter, line := newRateMeter(c.Window), hzLine{Topic: absolute(c.Topic)}
	for {
		select {
		case s := <-samples:
			meter.add(s.At)
			line.Lost = s.Lost
		case <-ticks.C:
			line.rateFacts = meter.facts()
			if err := printRate(e, line); err != nil {
				cancel()
				<-ended //nolint:errcheck // it ends because of the cancel above
				return err
			}
		case err := <-ended:
			cancel()
			line.rateFacts = meter.facts()
			return c.finish(e, line, err)
		}
	}
}

// finish prints the last measurement, or that there was nothing to measure.
func (c *topicHz) finish(e *env, line hzLine, err error) error {
	over := errors.Is(err, context.DeadlineExceeded)
	if err != nil && !over && !interrupted(err) {
		return err
	}
	silent := over && line.Messages == 0
	if e.json || !silent {
		if err := printRate(e, line); err != nil {
			return err
		}
	}
	if silent {
		return fmt.Errorf("nothing was published on %s in %v: `sarathi topic list -v` names the publishers", line.Topic, c.Duration)
	}
	return nil
}

func printRate(e *env, l hzLine) error {
	if e.json {
		return e.printLine(l)
	}
	if l.Window < 2 {
		fmt.Fprintf(e.stdout, "%s: %s so far\n", l.Topic, plural(l.Messages, "message"))
		return nil
	}
	fmt.Fprintf(e.stdout, "%s: %.3f Hz, interval %.4f to %.4f s, deviation %.4f s, over %d of %d messages%s\n",
		l.Topic, l.Rate, l.Shortest, l.Longest, l.Deviation, l.Window, l.Messages, lostNotice(l.Lost))
	return nil
}
