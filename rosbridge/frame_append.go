package rosbridge

import (
	"strconv"
	"time"

	"sarathi/internal/wire"
)

// AppendJSON appends the frame as JSON: op first, then id and the fields that its op has. Body, QoS and ID must be JSON.
func (f *Frame) AppendJSON(dst []byte) []byte {
	w := frameWriter{append(dst, `{"op":`...)}
	w.dst = appendString(w.dst, f.Op)
	w.raw("id", string(f.ID))
	switch f.Op {
	case OpAdvertise, OpUnadvertise, OpPublish, OpSubscribe, OpUnsubscribe:
		w.topicFields(f)
	case OpCallService, OpServiceResponse, OpAdvertiseService, OpUnadvertiseService:
		w.serviceFields(f)
	case OpAdvertiseAction, OpUnadvertiseAction, OpSendActionGoal, OpCancelActionGoal, OpActionFeedback, OpActionResult:
		w.actionFields(f)
	case OpFragment, OpPNG:
		w.text("data", f.Data)
		if f.Total > 0 {
			w.count("num", f.Num)
			w.count("total", f.Total)
		}
	case OpSetLevel, OpStatus:
		w.optional("level", f.Level)
		w.raw("msg", string(f.Body))
	case OpHello:
		w.text("node", f.Node)
	}
	return append(w.dst, '}')
}

// frameWriter appends members of an object that has one already.
type frameWriter struct{ dst []byte }

func (w *frameWriter) topicFields(f *Frame) {
	w.text("topic", f.Topic)
	w.optional("type", f.Type)
	w.flag("latch", f.Latch)
	w.positive("queue_size", f.QueueSize)
	w.optional("definition", f.Definition)
	w.delivery(f)
	w.raw("qos", string(f.QoS))
	w.raw("msg", string(f.Body))
}

func (w *frameWriter) serviceFields(f *Frame) {
	w.text("service", f.Service)
	w.optional("type", f.Type)
	switch f.Op {
	case OpCallService:
		w.raw("args", string(f.Body))
		w.delivery(f)
		if f.Timeout != nil {
			w.name("timeout")
			w.dst = wire.JSONFloat64(w.dst, f.Timeout.Seconds())
		}
	case OpServiceResponse:
		w.raw("values", string(f.Body))
		w.name("result")
		w.dst = strconv.AppendBool(w.dst, f.Result)
	}
}

func (w *frameWriter) actionFields(f *Frame) {
	w.text("action", f.Action)
	switch f.Op {
	case OpAdvertiseAction:
		w.optional("type", f.Type)
	case OpSendActionGoal:
		w.optional("action_type", f.Type)
		w.raw("args", string(f.Body))
		w.flag("feedback", f.Feedback)
		w.delivery(f)
	case OpActionFeedback:
		w.raw("values", string(f.Body))
	case OpActionResult:
		w.raw("values", string(f.Body))
		w.count("status", int(f.Status))
		w.name("result")
		w.dst = strconv.AppendBool(w.dst, f.Result)
	}
}

// delivery appends how the server shall send what the frame asks for.
func (w *frameWriter) delivery(f *Frame) {
	w.positive("throttle_rate", int(f.Throttle/time.Millisecond))
	w.positive("queue_length", f.QueueLength)
	w.positive("fragment_size", f.FragmentSize)
	w.optional("compression", f.Compression)
}

func (w *frameWriter) name(key string) {
	w.dst = append(append(append(w.dst, ',', '"'), key...), '"', ':')
}

func (w *frameWriter) text(key, s string) {
	w.name(key)
	w.dst = appendString(w.dst, s)
}

func (w *frameWriter) optional(key, s string) {
	if s != "" {
		w.text(key, s)
	}
}

func (w *frameWriter) raw(key, text string) {
	if text != "" {
		w.name(key)
		w.dst = append(w.dst, text...)
	}
}

func (w *frameWriter) flag(key string, on bool) {
	if on {
		w.raw(key, "true")
	}
}

func (w *frameWriter) count(key string, n int) {
	w.name(key)
	w.dst = strconv.AppendInt(w.dst, int64(n), 10)
}

func (w *frameWriter) positive(key string, n int) {
	if n > 0 {
		w.count(key, n)
	}
}

func appendString(dst []byte, s string) []byte { return wire.JSONString(dst, s) }
