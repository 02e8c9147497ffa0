package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"sarathi/internal/gateway/controlsocket/graph"
)

const (
	// MaxRequest is the longest request, in bytes with its newline.
	MaxRequest = 1 << 20
	// MaxDepth is how many samples of a watch may wait for a slow reader.
	MaxDepth = 1024
	// MaxTimeout is the longest that a call may wait for its response.
	MaxTimeout = 10 * time.Minute

	defaultDepth   = 16
	defaultTimeout = 5 * time.Second
)

// Op is what a client asks for.
type Op string

// The operations.
const (
	OpGraph   Op = "graph"   // a snapshot of the robot
	OpWatch   Op = "watch"   // every message of Topic from now on, as samples with this request's id
	OpUnwatch Op = "unwatch" // end the watch that has this request's id
	OpPublish Op = "publish" // one message
	OpCall    Op = "call"    // one service call
)

// Request is one line from a client. Which fields count depends on Op.
type Request struct {
	ID int64 `json:"id"` // chosen by the client, above 0; repeated in the replies
	Op Op    `json:"op"`

	Topic     string `json:"topic,omitempty"`      // watch
	Depth     int    `json:"depth,omitempty"`      // watch: samples that may wait, 0 means 16
	TimesOnly bool   `json:"times_only,omitempty"` // watch: leave the messages out

	Publication *graph.Publication `json:"publication,omitempty"` // publish

	Service   string          `json:"service,omitempty"`    // call
	Request   json.RawMessage `json:"request,omitempty"`    // call: rosbridge JSON, absent for all defaults
	TimeoutMS int64           `json:"timeout_ms,omitempty"` // call: 0 means 5 s
}

// Timeout returns how long a call may wait.
func (r *Request) Timeout() time.Duration {
	if r.TimeoutMS == 0 {
		return defaultTimeout
	}
	return time.Duration(r.TimeoutMS) * time.Millisecond
}

// ParseRequest reads one line. An error says what is wrong with it; the request then has the id, when that could be read, so that
// the reply can carry it.
func ParseRequest(line []byte) (Request, error) {
	var r Request
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	err := d.Decode(&r)
	if err == nil {
		if _, more := d.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("there is more than one value on the line")
		}
	}
	if err != nil {
		var only struct {
			ID int64 `json:"id"`
		}
		if json.Unmarshal(line, &only) != nil || only.ID < 0 {
			only.ID = 0
		}
		return Request{ID: only.ID}, fmt.Errorf("not a request: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if err := r.check(); err != nil {
		return Request{ID: max(r.ID, 0)}, err
	}
	return r, nil
}

// check verifies what the operation needs and fills in defaults.
func (r *Request) check() error {
	if r.ID <= 0 {
		return fmt.Errorf("id is %d: number requests from 1", r.ID)
	}
	switch r.Op {
	case OpGraph, OpUnwatch:
		return nil
	case OpWatch:
		if r.Depth == 0 {
			r.Depth = defaultDepth
		}
		if r.Depth < 1 || r.Depth > MaxDepth {
			return fmt.Errorf("depth is %d: write 1 to %d", r.Depth, MaxDepth)
		}
		return checkName("topic", r.Topic)
	case OpPublish:
		if r.Publication == nil || len(r.Publication.Message) == 0 {
			return errors.New(`publish needs "publication":{"topic":…,"message":…}`)
		}
		return checkName("topic", r.Publication.Topic)
	case OpCall:
		if r.TimeoutMS < 0 || r.TimeoutMS > MaxTimeout.Milliseconds() {
			return fmt.Errorf("timeout_ms is %d: write 1 to %d", r.TimeoutMS, MaxTimeout.Milliseconds())
		}
		return checkName("service", r.Service)
	default:
		return fmt.Errorf("op %q is not known: write graph, watch, unwatch, publish or call", r.Op)
	}
}

// checkName refuses what cannot be the name of a topic or service, so that one thing has one name.
func checkName(what, name string) error {
	bare := strings.TrimPrefix(name, "/")
	if bare == "" || len(name) > 255 {
		return fmt.Errorf("%s %q is not a name", what, name)
	}
	for part := range strings.SplitSeq(bare, "/") {
		if part == "" || strings.IndexFunc(part, notInName) >= 0 {
			return fmt.Errorf("%s %q is not a name: write words of letters, digits and _ with single slashes between them", what, name)
		}
	}
	return nil
}

func notInName(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_')
}
