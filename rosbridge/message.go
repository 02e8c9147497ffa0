package rosbridge

import (
	"sync"
	"time"

	"sarathi/internal/idl"
)

// Value is a message of the process that a broker runs in. Each method returns one encoding, which nobody changes any more; they are
// called from any goroutine, and only when a client wants that encoding. The binary ones return nil for a type that is not known.
// A bus's Sample is a Value.
type Value interface {
	JSON() []byte
	CDR() []byte
	ROS1() []byte
}

// encoding is a form in which a message goes to a subscriber.
type encoding uint8

const (
	encJSON encoding = iota
	encPNG
	encCBOR
	encRawCDR
	encRawROS1
)

// message is one published message. It is shared by all who get it, and each encoding is made once, by whoever needs it first.
type message struct {
	codec *codec // nil for a type that is not known
	at    time.Time
	size  int // bytes that it counts for in a queue

	client uint64 // that published it; 0 for an attachment

	text  []byte // JSON; nil for a Value that nobody asked for JSON
	value Value  // of this process, or nil
	topic *topic // that learns the size of a value; nil otherwise

	mu   sync.Mutex // held while encoding: others who want the same wait for it
	made *encodings // nil before the first
}

// encodings are the forms beside JSON.
type encodings struct {
	parsed               idl.Message
	cdr, ros1            []byte
	cbor, rawCDR, rawROS []byte
	png                  []namedPNG // usually one: subscribers write the topic in the same way
}

// namedPNG is a png frame, in which the topic stands as the subscriber wrote it.
type namedPNG struct {
	topic string
	frame []byte
}

// messageOverhead is what a message in a queue costs beside its bytes.
const messageOverhead = 256

func newMessage(c *codec, text []byte, parsed idl.Message, at time.Time) *message {
	m := &message{codec: c, text: text, at: at, size: len(text) + messageOverhead}
	if parsed != nil {
		m.made = &encodings{parsed: parsed}
	}
	return m
}

// by notes the client that publishes the message.
func (m *message) by(p *peer) *message {
	m.client = p.number
	return m
}

// json returns the JSON of the message.
func (m *message) json() []byte {
	if m.value == nil {
		return m.text
	}
	text := m.value.JSON()
	m.topic.lastSize.Store(int64(len(text)))
	return text
}

// body returns the message as the value of msg in a frame, or nil when it has no such form.
func (m *message) body(e encoding) []byte {
	if e == encJSON || e == encPNG {
		return m.json()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.made == nil {
		m.made = &encodings{}
	}
	switch e {
	case encCBOR:
		return m.cborLocked()
	case encRawCDR:
		if data := m.cdrLocked(); m.made.rawCDR == nil && data != nil {
			m.made.rawCDR = appendCBORRaw(nil, m.at, data)
		}
		return m.made.rawCDR
	default:
		if data := m.ros1Locked(); m.made.rawROS == nil && data != nil {
			m.made.rawROS = appendCBORRaw(nil, m.at, data)
		}
		return m.made.rawROS
	}
}

// parsedLocked returns the message itself, or nil when its type is not known.
func (m *message) parsedLocked() idl.Message {
	if m.made.parsed != nil || m.codec == nil {
		return m.made.parsed
	}
	if v, ok := m.value.(interface{ Message() idl.Message }); ok { // a bus's sample has the message itself
		m.made.parsed = v.Message()
	} else if p := m.codec.typ.New(); p.ParseJSON(m.json()) == nil {
		m.made.parsed = p
	}
	return m.made.parsed
}

func (m *message) cdrLocked() []byte {
	if m.made.cdr != nil {
		return m.made.cdr
	}
	if m.value != nil {
		m.made.cdr = m.value.CDR()
		m.topic.lastSize.Store(int64(len(m.made.cdr)))
	} else if p := m.parsedLocked(); p != nil {
		m.made.cdr = p.AppendCDR(nil)
	}
	return m.made.cdr
}

func (m *message) ros1Locked() []byte {
	if m.made.ros1 != nil {
		return m.made.ros1
	}
	if m.value != nil {
		m.made.ros1 = m.value.ROS1()
	} else if p := m.parsedLocked(); p != nil {
		m.made.ros1 = p.AppendROS1([]byte{})
	}
	return m.made.ros1
}

func (m *message) cborLocked() []byte {
	if m.made.cbor != nil {
		return m.made.cbor
	}
	if cdr := m.cdrLocked(); cdr != nil && m.codec != nil {
		m.made.cbor = m.codec.appendCBOR(nil, cdr)
	} else {
		m.made.cbor = appendJSONAsCBOR(nil, m.json())
	}
	return m.made.cbor
}

// pngFrame returns the png frame for subscribers who wrote the topic so; prefix is the head of their JSON frame.
func (m *message) pngFrame(topic string, prefix []byte) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.made == nil {
		m.made = &encodings{}
	}
	for _, p := range m.made.png {
		if p.topic == topic {
			return p.frame
		}
	}
	body := m.json()
	text := append(append(append(make([]byte, 0, len(prefix)+len(body)+1), prefix...), body...), '}')
	frame := pngOf(text)
	m.made.png = append(m.made.png, namedPNG{topic, frame})
	return frame
}

// pngOf wraps the text of a frame in a png frame.
func pngOf(text []byte) []byte {
	f := Frame{Op: OpPNG, Data: EncodePNG(text)}
	return f.AppendJSON(nil)
}
