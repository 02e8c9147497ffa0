package graph

import (
	"encoding/json"
	"time"
)

// Graph is a snapshot of a robot, every list sorted by name.
type Graph struct {
	Topics   []Topic   `json:"topics"`
	Nodes    []Node    `json:"nodes"`
	Services []Service `json:"services"`
}

// Topic is one topic that somebody publishes or subscribes to.
type Topic struct {
	Name        string       `json:"name"`
	Type        string       `json:"type"` // ROS 1 spelling, "" while unknown
	QoS         string       `json:"qos"`  // "latest", "latched" or "queue(n)"
	Doc         string       `json:"doc,omitempty"`
	Rate        float64      `json:"rate"`               // Hz, smoothed over about eight messages; 0 when silent
	Last        time.Time    `json:"last,omitzero"`      // when the last message was published
	Published   uint64       `json:"published"`          // messages since the robot started
	Publishers  []Publisher  `json:"publishers"`         // by node name
	Subscribers []Subscriber `json:"subscribers"`        // by node name
	Reserved    string       `json:"reserved,omitempty"` // why clients may not publish it
	Dropped     uint64       `json:"dropped"`            // messages that slow subscribers lost, of those that subscribe now
	Handler     HandlerTime  `json:"handler_totals"`     // of all handlers of the topic together
}

// Publisher is one node that publishes a topic.
type Publisher struct {
	Node      string `json:"node"`
	Published uint64 `json:"published"`
}

// Subscriber is one subscription of a topic.
type Subscriber struct {
	Node     string      `json:"node"`
	Depth    int         `json:"depth"` // messages that may wait
	Received uint64      `json:"received"`
	Dropped  uint64      `json:"dropped"`
	Sampled  bool        `json:"sampled"` // read by the node at its own pace, without a handler
	Handler  HandlerTime `json:"handler"`
}

// HandlerTime tells how long a handler took.
type HandlerTime struct {
	Runs  uint64        `json:"runs"`
	Mean  time.Duration `json:"mean_ns"`
	Worst time.Duration `json:"worst_ns"`
}

// Node is one node. Stage, State and what follows are empty for a node of which the executor knows nothing.
type Node struct {
	Name       string   `json:"name"`
	Stage      string   `json:"stage"` // when it starts: "body", "control", …, "gateway"
	State      string   `json:"state"` // "running", "backing off", "halted", …
	Restarts   int      `json:"restarts"`
	LastError  string   `json:"last_error,omitempty"`
	Skipped    uint64   `json:"skipped_ticks"` // timer ticks left out because the loop was late
	Publishes  []string `json:"publishes"`
	Subscribes []string `json:"subscribes"`
	Serves     []string `json:"serves"`
}

// Service is one service that somebody offers.
type Service struct {
	Name    string      `json:"name"`
	Type    string      `json:"type"` // ROS 1 spelling
	Doc     string      `json:"doc,omitempty"`
	Node    string      `json:"node"` // who offers it
	Calls   uint64      `json:"calls"`
	Refused uint64      `json:"refused"` // because too many waited
	Handler HandlerTime `json:"handler"`
}

// Watch says what to watch.
type Watch struct {
	Topic     string
	Depth     int  // messages that may wait for a slow watcher, at least 1
	TimesOnly bool // leave the messages themselves out
}

// Sample is one message of a watched topic.
type Sample struct {
	At      time.Time       `json:"at"`                // when it was published
	Lost    uint64          `json:"lost"`              // messages lost so far because the watcher was slow
	Message json.RawMessage `json:"message,omitempty"` // rosbridge JSON; absent when only the times were asked for
}

// Publication is a message for a topic.
type Publication struct {
	Topic   string          `json:"topic"`
	Type    string          `json:"type,omitempty"` // ROS 1 or ROS 2 spelling; may be left out when the topic has a type already
	Message json.RawMessage `json:"message"`        // rosbridge JSON; fields left out get their defaults
}
