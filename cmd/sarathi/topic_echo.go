package main

import (
	"context"
	"fmt"

	"sarathi/internal/gateway/rosbridge/graph"
)

// topicEcho is `sarathi topic echo`.
type topicEcho struct {
	connection

	Topic string `arg:"" help:"Name of the topic."`
	Count int    `short:"n" range:"1.." placeholder:"N" help:"End after N messages (default: with Ctrl-C)."`
	Full  bool   `help:"Print long lists and texts in full."`
	Depth int    `default:"16" range:"1..1024" placeholder:"N" help:"Messages that may wait for a slow terminal before the oldest is lost (${default})."`
}

// Run prints messages until there were enough.
func (c *topicEcho) Run(ctx context.Context, e *env) error {
	return c.with(ctx, e, func(r robot) error {
		printed := 0
		var failed error
		err := watch(ctx, e, r, graph.Watch{Topic: absolute(c.Topic), Depth: c.Depth}, func(s graph.Sample) bool {
			failed = c.print(e, s)
			printed++
			return failed == nil && printed != c.Count
		})
		if failed != nil {
			return failed
		}
		return err
	})
}

func (c *topicEcho) print(e *env, s graph.Sample) error {
	if e.json {
		return e.printLine(s)
	}
	fmt.Fprintf(e.stdout, "--- %s%s\n", s.At.In(e.zone).Format("15:04:05.000"), lostNotice(s.Lost))
	return tree{e.stdout, c.Full}.print(s.Message)
}
