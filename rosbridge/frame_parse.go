package rosbridge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"
)

// maxName bounds the names of topics, services, actions, nodes and types, and ids, in bytes.
const maxName = 512

// ParseFrame reads one frame from JSON text: one object with a string op, and nothing after it. It checks the whole text, the bodies
// too, and that the fields which the op needs are there; other fields of the wrong kind are faults as well, null counts as
// absent, unknown fields and ops pass. The numbers NaN, Infinity and -Infinity, which Python writes, become null. Strings and
// bodies of the frame share memory with data. The error is a [FrameError]; the frame has what was read before it then.
func ParseFrame(data []byte) (Frame, error) {
	s := scanner{src: data}
	f, err := parseFrame(&s)
	if err == nil && s.nonFinite != nil {
		s = scanner{src: withNulls(data, s.nonFinite)}
		f, err = parseFrame(&s)
	}
	return f, err
}

func parseFrame(s *scanner) (Frame, error) {
	f := Frame{Result: true}
	what := ""
	if !s.take('{') {
		s.fail("expected an object")
	}
	s.depth++
	for first := true; s.err == nil && !s.take('}'); first = false {
		if !first && !s.take(',') {
			s.fail("expected a comma or }")
			break
		}
		key := s.key()
		value := s.value()
		if s.err != nil || string(value) == "null" {
			continue
		}
		if fault := f.set(plainKey(key), value); fault != "" && what == "" {
			what = fault
		}
	}
	if s.peek(); s.err == nil && s.pos < len(s.src) {
		s.fail("text follows the frame: send one object in one WebSocket message")
	}
	if s.err != nil {
		what = s.err.Error()
	}
	if what == "" {
		what = f.missing()
	}
	if what != "" {
		return f, &FrameError{Op: f.Op, ID: f.ID, What: what}
	}
	return f, nil
}

// plainKey returns the name of a member without quotes and escapes.
func plainKey(key []byte) []byte {
	if bytes.IndexByte(key, '\\') < 0 {
		return key[1 : len(key)-1]
	}
	return []byte(unquote(key))
}

// unquote decodes a JSON string that the scanner has checked.
func unquote(text []byte) string {
	if bytes.IndexByte(text, '\\') < 0 {
		return string(text[1 : len(text)-1])
	}
	var out string
	if json.Unmarshal(text, &out) != nil {
		return ""
	}
	return out
}

// set stores one member; it returns what is wrong with it.
func (f *Frame) set(key, value []byte) string {
	switch string(key) {
	case "op":
		return setOp(&f.Op, value)
	case "id":
		return f.setID(value)
	case "topic":
		return setName(&f.Topic, key, value)
	case "service":
		return setName(&f.Service, key, value)
	case "action":
		return setName(&f.Action, key, value)
	case "node":
		return setName(&f.Node, key, value)
	case "type", "action_type":
		return setName(&f.Type, key, value)
	case "msg", "args", "values":
		f.Body = value
	default:
		return f.setOption(key, value)
	}
	return ""
}

func (f *Frame) setOption(key, value []byte) string {
	switch string(key) {
	case "latch":
		return setBool(&f.Latch, key, value)
	case "queue_size":
		return setCount(&f.QueueSize, key, value)
	case "qos":
		if value[0] != '{' {
			return "qos is not an object"
		}
		f.QoS = value
	case "definition":
		return setString(&f.Definition, key, value)
	case "throttle_rate":
		ms := 0
		what := setCount(&ms, key, value)
		f.Throttle = time.Duration(ms) * time.Millisecond
		return what
	case "queue_length":
		return setCount(&f.QueueLength, key, value)
	case "fragment_size":
		return setCount(&f.FragmentSize, key, value)
	case "compression":
		return setName(&f.Compression, key, value)
	default:
		return f.setAnswer(key, value)
	}
	return ""
}

func (f *Frame) setAnswer(key, value []byte) string {
	switch string(key) {
	case "timeout":
		return f.setTimeout(value)
	case "result":
		return setBool(&f.Result, key, value)
	case "status":
		n := 0
		what := setCount(&n, key, value)
		f.Status = GoalStatus(n)
		return what
	case "feedback":
		return setBool(&f.Feedback, key, value)
	case "data":
		return setString(&f.Data, key, value)
	case "num":
		return setCount(&f.Num, key, value)
	case "total": // rosbridge_suite sends the length divided by the size, such as 2.97, where it means 3
		n, what := number(key, value)
		f.Total = int(min(math.Ceil(n), maxCount))
		return what
	case "level":
		return setName(&f.Level, key, value)
	}
	return ""
}

func setOp(dst *string, value []byte) string {
	if value[0] != '"' {
		return "op is not a string"
	}
	*dst = internOp(value)
	if len(*dst) > maxName {
		*dst = ""
		return "op is too long"
	}
	return ""
}

// internOp returns the op of a checked string. The usual ones cost no allocation.
func internOp(value []byte) string {
	switch string(value[1 : len(value)-1]) {
	case OpPublish:
		return OpPublish
	case OpCallService:
		return OpCallService
	case OpServiceResponse:
		return OpServiceResponse
	case OpActionFeedback:
		return OpActionFeedback
	case OpFragment:
		return OpFragment
	}
	return unquote(value)
}

func (f *Frame) setID(value []byte) string {
	if len(value) > maxName {
		return "id is too long"
	}
	if c := value[0]; c != '"' && c != '-' && (c < '0' || c > '9') {
		return "id is neither a string nor a number"
	}
	f.ID = ID(value)
	return ""
}

func setName(dst *string, key, value []byte) string {
	if len(value) > maxName {
		return fmt.Sprintf("%s is longer than %d bytes", key, maxName)
	}
	return setString(dst, key, value)
}

func setString(dst *string, key, value []byte) string {
	if value[0] != '"' {
		return fmt.Sprintf("%s is not a string", key)
	}
	*dst = unquote(value)
	return ""
}

func setBool(dst *bool, key, value []byte) string {
	if value[0] != 't' && value[0] != 'f' {
		return fmt.Sprintf("%s is neither true nor false", key)
	}
	*dst = value[0] == 't'
	return ""
}

// maxCount bounds every number of a frame.
const maxCount = 1 << 30

// setCount reads a number that is not negative; a negative one counts as 0 and a fraction is cut.
func setCount(dst *int, key, value []byte) string {
	n, what := number(key, value)
	*dst = int(min(max(n, 0), maxCount))
	return what
}

func number(key, value []byte) (n float64, what string) {
	if c := value[0]; c != '-' && (c < '0' || c > '9') {
		return 0, fmt.Sprintf("%s is not a number", key)
	}
	n, err := strconv.ParseFloat(string(value), 64)
	if err != nil {
		return 0, fmt.Sprintf("%s is out of range", key)
	}
	return n, ""
}

func (f *Frame) setTimeout(value []byte) string {
	seconds, what := number([]byte("timeout"), value)
	if what != "" {
		return what
	}
	const longest = 1e6 // s
	d := time.Duration(min(max(seconds, 0), longest) * float64(time.Second))
	f.Timeout = &d
	return ""
}

// missing returns which field a frame of this op lacks, or "".
func (f *Frame) missing() string {
	var need []string
	switch f.Op {
	case "":
		return "no op"
	case OpAdvertise, OpUnadvertise, OpSubscribe, OpUnsubscribe, OpPublish:
		need = []string{"topic", f.Topic}
	case OpCallService, OpServiceResponse, OpAdvertiseService, OpUnadvertiseService:
		need = []string{"service", f.Service}
	case OpAdvertiseAction, OpUnadvertiseAction, OpSendActionGoal:
		need = []string{"action", f.Action}
	case OpCancelActionGoal, OpActionFeedback, OpActionResult:
		need = []string{"action", f.Action, "id", string(f.ID)}
	case OpFragment:
		need = []string{"id", string(f.ID), "data", f.Data}
	case OpPNG:
		need = []string{"data", f.Data}
	case OpHello:
		need = []string{"node", f.Node}
	}
	for i := 0; i < len(need); i += 2 {
		if need[i+1] == "" {
			return "no " + need[i]
		}
	}
	switch {
	case f.Op == OpPublish && f.Body == nil && f.Raw == nil:
		return "no msg"
	case f.Op == OpAdvertise || f.Op == OpAdvertiseService || f.Op == OpAdvertiseAction:
		if f.Type == "" {
			return "no type"
		}
	case f.Op == OpFragment && (f.Total < 1 || f.Num >= f.Total):
		return fmt.Sprintf("num %d of total %d", f.Num, f.Total)
	}
	return ""
}
