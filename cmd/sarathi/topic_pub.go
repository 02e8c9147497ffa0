package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"sarathi/internal/gateway/rosbridge/graph"
	"sarathi/msg"
)

// largestMessage is how many bytes are read from the standard input.
const largestMessage = 1 << 20

// topicPub is `sarathi topic pub`.
type topicPub struct {
	connection

	Topic   string   `arg:"" help:"Name of the topic."`
	Message []string `arg:"" optional:"" sep:"none" help:"Message in JSON; fields left out get their defaults; - reads it from the standard input. With --rate several are published in turn, and the last one repeats."`
	Type    string   `placeholder:"PKG/TYPE" help:"Type of the messages, when the robot does not know the topic yet; else it is checked."`
	Rate    float64  `range:"0.01..1000" placeholder:"HZ" help:"Repeat at this rate (default: publish once)."`
	Count   int      `short:"n" range:"1.." placeholder:"N" help:"With --rate: end after N messages (default: with Ctrl-C)."`
}

// Run publishes.
func (c *topicPub) Run(ctx context.Context, e *env) error {
	if c.Count > 0 && c.Rate == 0 {
		return usage("--count %d is for repeating: write --rate HZ too", c.Count)
	}
	if err := knownType(c.Type); err != nil {
		return err
	}
	messages, err := c.messages(e)
	if err != nil {
		return err
	}
	return c.with(ctx, e, func(r robot) error {
		n, err := c.publish(ctx, r, messages)
		switch {
		case n == 0:
			return suggest(ctx, r, err, c.Topic)
		case err != nil && !interrupted(err):
			return fmt.Errorf("after %s: %w", plural(n, "message"), err)
		case e.json:
			return e.printLine(map[string]any{"topic": messages[0].Topic, "published": n})
		}
		fmt.Fprintf(e.stdout, "published %s on %s\n", plural(n, "message"), messages[0].Topic)
		return nil
	})
}

// messages returns what to publish in turn, one at least.
func (c *topicPub) messages(e *env) ([]graph.Publication, error) {
	texts := c.Message
	switch {
	case len(texts) == 0:
		texts = []string{"{}"}
	case len(texts) > 1 && c.Rate == 0:
		return nil, usage("several messages are published in turn: write --rate HZ too")
	case c.Count > 0 && len(texts) > c.Count:
		return nil, usage("%d messages and --count %d: leave messages out, or count more", len(texts), c.Count)
	}
	var out []graph.Publication
	for _, text := range texts {
		message, err := jsonArgument(e, "message", text)
		if err != nil {
			return nil, err
		}
		out = append(out, graph.Publication{Topic: absolute(c.Topic), Type: c.Type, Message: message})
	}
	return out, nil
}

// knownType refuses a type that nobody here has a definition of: its messages could be checked against nothing.
func knownType(name string) error {
	if name == "" {
		return nil
	}
	if _, ok := msg.Lookup(name); ok {
		return nil
	}
	var names []string
	for _, t := range msg.All() {
		if t.Kind == "msg" {
			names = append(names, t.ROS1Name())
		}
	}
	if meant := near(name, names); len(meant) > 0 {
		return usage("--type: there is no type %s: did you mean %s?", name, strings.Join(meant, " or "))
	}
	return usage("--type: there is no type %s: write one like geometry_msgs/Twist", name)
}

// publish publishes once, or one message after the other and the last one again and again, until there were enough or ctx ends.
func (c *topicPub) publish(ctx context.Context, r robot, messages []graph.Publication) (n int, err error) {
	if c.Rate == 0 {
		if err := r.Publish(ctx, messages[0]); err != nil {
			return 0, err
		}
		return 1, nil
	}
	ticks := time.NewTicker(time.Duration(float64(time.Second) / c.Rate))
	defer ticks.Stop()
	for {
		if err := r.Publish(ctx, messages[min(n, len(messages)-1)]); err != nil {
			return n, err
		}
		if n++; n == c.Count {
			return n, nil
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return n, ctx.Err()
		}
	}
}

// suggest adds to the refusal of a topic that nobody knows the names that may have been meant.
func suggest(ctx context.Context, r robot, err error, topic string) error {
	refusal, ok := errors.AsType[*graph.Error](err)
	if !ok || refusal.Code != graph.UnknownTopic {
		return err
	}
	g, graphErr := r.Graph(ctx)
	if graphErr != nil {
		return err
	}
	if len(near(topic, topicNames(g))) == 0 {
		return usage("%w with --type", err)
	}
	return unknown("topic", absolute(topic), topicNames(g))
}

// jsonArgument reads what a user wrote as JSON, from the command line or the standard input.
func jsonArgument(e *env, what, text string) ([]byte, error) {
	if text == "-" {
		all, err := io.ReadAll(io.LimitReader(e.stdin, largestMessage+1))
		if err != nil {
			return nil, fmt.Errorf("read the %s: %w", what, err)
		}
		if len(all) > largestMessage {
			return nil, usage("the %s is longer than %d bytes", what, largestMessage)
		}
		text = string(all)
	}
	var raw json.RawMessage
	if err := json.Unmarshal([]byte(text), &raw); err != nil {
		return nil, usage(`the %s is no JSON (%w): write it as '{"field": value}'`, what, err)
	}
	return raw, nil
}
