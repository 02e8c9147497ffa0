package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"sarathi/internal/gateway/rosbridge/graph"
)

// topicCommands is `sarathi topic`.
type topicCommands struct {
	List topicList `cmd:"" help:"List the topics in use: type, rate, who, what was lost, how long handlers take."`
	Echo topicEcho `cmd:"" help:"Print the messages of a topic as they come."`
	Hz   topicHz   `cmd:"" help:"Measure how often a topic is published."`
	Pub  topicPub  `cmd:"" help:"Publish on a topic, once or at a rate."`
}

// topicList is `sarathi topic list`.
type topicList struct {
	connection

	Verbose bool `short:"v" help:"Name the publishers and subscribers, with their counts."`
}

// Run lists the topics.
func (c *topicList) Run(ctx context.Context, e *env) error {
	return c.with(ctx, e, func(r robot) error {
		g, err := r.Graph(ctx)
		switch {
		case err != nil:
			return err
		case e.json:
			return e.printJSON(g.Topics)
		case c.Verbose:
			return e.describeTopics(g.Topics)
		}
		rows := [][]string{{"TOPIC", "TYPE", "RATE", "MESSAGES", "KEEPS", "PUB", "SUB", "LOST", "HANDLER MEAN/WORST"}}
		for i := range g.Topics {
			t := &g.Topics[i]
			rows = append(rows, []string{
				t.Name, orDash(t.Type), hertz(t.Rate), fmt.Sprint(t.Published), t.QoS,
				fmt.Sprint(len(t.Publishers)), fmt.Sprint(len(t.Subscribers)), fmt.Sprint(t.Dropped), handler(t.Handler),
			})
		}
		return e.printTable(rows)
	})
}

// handler prints how long a handler takes.
func handler(h graph.HandlerTime) string {
	if h.Runs == 0 {
		return "-"
	}
	return short(h.Mean) + "/" + short(h.Worst)
}

// describeTopics prints a paragraph for each topic.
func (e *env) describeTopics(topics []graph.Topic) error {
	for i := range topics {
		t := &topics[i]
		fmt.Fprintf(e.stdout, "%s  %s  %s  %s\n", t.Name, orDash(t.Type), t.QoS, hertz(t.Rate))
		if t.Doc != "" {
			fmt.Fprintf(e.stdout, "  %s\n", t.Doc)
		}
		for _, p := range t.Publishers {
			fmt.Fprintf(e.stdout, "  from %s: %d published\n", p.Node, p.Published)
		}
		for _, s := range t.Subscribers {
			fmt.Fprintf(e.stdout, "  to %s: %d received, %d lost, %s\n", s.Node, s.Received, s.Dropped, pace(s))
		}
	}
	return nil
}

func pace(s graph.Subscriber) string {
	if s.Sampled {
		return "read at its own pace"
	}
	return "handler " + handler(s.Handler)
}

// watch watches a topic that has a publisher, or waits for one when the robot has declared the topic. For one that is not there it
// says what there is instead.
func watch(ctx context.Context, e *env, r robot, w graph.Watch, each func(graph.Sample) bool) error {
	g, err := r.Graph(ctx)
	if err != nil {
		return err
	}
	if t, used := findTopic(g, w.Topic); used && len(t.Publishers) == 0 {
		fmt.Fprintf(e.stderr, "sarathi: nobody publishes %s now, waiting\n", w.Topic)
	}
	err = r.Watch(ctx, w, each)
	if refusal, ok := errors.AsType[*graph.Error](err); ok && refusal.Code == graph.UnknownTopic {
		return unknown("topic", w.Topic, topicNames(g))
	}
	return err
}

// lostNotice tells that the terminal was too slow.
func lostNotice(lost uint64) string {
	if lost == 0 {
		return ""
	}
	return fmt.Sprintf("  (%s lost so far: this terminal is too slow)", plural(int(lost), "message"))
}

// joined prints names in one line.
func joined(names []string) string { return strings.Join(names, " ") }
