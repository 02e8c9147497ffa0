package tflistener

import (
	"fmt"

	"sarathi/internal/algo/tfbuffer"
	"sarathi/internal/bus"
	"sarathi/internal/rosconv"
	"sarathi/msg/geometry"
	"sarathi/msg/tf2"
)

// Listener is a transform buffer that follows the bus.
type Listener struct {
	*tfbuffer.Buffer

	changes uint64
	refused uint64
	last    error
}

// Subscribe follows tf and static, which are topics.TF and topics.TFStatic, for the life of the client.
func Subscribe(c bus.Client, tf, static *bus.Topic[tf2.TFMessage]) *Listener {
	l := Static(c, static)
	bus.Subscribe(c, tf, func(m tf2.TFMessage) {
		for i := range m.Transforms {
			l.moved(&m.Transforms[i])
		}
	})
	return l
}

// Static follows static, which is topics.TFStatic, for the life of the client.
func Static(c bus.Client, static *bus.Topic[tf2.TFMessage]) *Listener {
	l := &Listener{Buffer: tfbuffer.New(tfbuffer.DefaultConfig())}
	bus.Subscribe(c, static, func(m tf2.TFMessage) {
		l.changes++
		for i := range m.Transforms {
			l.fixed(&m.Transforms[i])
		}
	})
	return l
}

// Changes counts the messages of static transforms so far. What was derived from static transforms holds while it is the same.
func (l *Listener) Changes() uint64 { return l.changes }

// Refused returns how many transforms were dropped, and why the last one was.
func (l *Listener) Refused() (n uint64, last error) { return l.refused, l.last }

func (l *Listener) moved(m *geometry.TransformStamped) {
	p, err := rosconv.FromTransform(m.Transform)
	if err == nil {
		err = l.Set(m.Header.FrameID, m.ChildFrameID, rosconv.FromStamp(m.Header.Stamp), p)
	}
	l.note(m, err)
}

func (l *Listener) fixed(m *geometry.TransformStamped) {
	p, err := rosconv.FromTransform(m.Transform)
	if err == nil {
		err = l.SetStatic(m.Header.FrameID, m.ChildFrameID, p)
	}
	l.note(m, err)
}

func (l *Listener) note(m *geometry.TransformStamped, err error) {
	if err != nil {
		l.refused++
		l.last = fmt.Errorf("transform %s -> %s: %w", m.Header.FrameID, m.ChildFrameID, err)
	}
}
