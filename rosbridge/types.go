package rosbridge

import (
	"fmt"
	"slices"
	"sync"

	"sarathi/internal/idl"
	"sarathi/msg"
)

// codec converts the messages of one known type. It is immutable.
type codec struct {
	typ   *idl.Type
	shape *shape
}

// Bounds of what clients may teach.
const (
	maxLearnt     = 256
	maxLearntText = 1 << 16 // bytes
)

// learntType is a definition that a client sent with its advertisement.
type learntType struct {
	text string
	set  *idl.Set
	def  *idl.Definition
}

// typeTable holds what the broker knows of types: those of this program, made ready when first used, and those that clients taught.
// It is safe for concurrent use.
type typeTable struct {
	mu     sync.RWMutex
	codecs map[string]*codec // by canonical name
	learnt map[string]learntType
	order  []string // of learning
}

func newTypeTable() *typeTable {
	return &typeTable{codecs: map[string]*codec{}, learnt: map[string]learntType{}}
}

// codec returns the codec of a message type, or nil when the type is not known.
func (t *typeTable) codec(name string) *codec {
	typ, ok := msg.Lookup(name)
	if !ok {
		return nil
	}
	return t.codecOf(typ)
}

func (t *typeTable) codecOf(typ *idl.Type) *codec {
	key := typ.ROS1Name()
	t.mu.RLock()
	c := t.codecs[key]
	t.mu.RUnlock()
	if c != nil {
		return c
	}
	set, def, err := idl.ParseFullText(idl.ROS2, key, typ.Definition)
	if err != nil {
		return nil // cannot happen: the definitions of this program are read back by its tests
	}
	c = &codec{typ: typ, shape: newShape(set, def, map[string]*shape{})}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.codecs[key] = c
	return c
}

// learn keeps the definition that a client sent, unless the type is known. The newest ones stay.
func (t *typeTable) learn(typeName, text string) error {
	key := canonical(typeName)
	if _, known := msg.Lookup(key); known || text == "" {
		return nil
	}
	if len(text) > maxLearntText {
		return fmt.Errorf("definition of %d bytes: at most %d are kept", len(text), maxLearntText)
	}
	dialect := idl.ROS2
	if key == typeName {
		dialect = idl.ROS1
	}
	set, def, err := idl.ParseFullText(dialect, key, text)
	if err != nil {
		return fmt.Errorf("definition of %s: %w", key, err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, again := t.learnt[key]; !again {
		if len(t.order) == maxLearnt {
			delete(t.learnt, t.order[0])
			t.order = slices.Delete(t.order, 0, 1)
		}
		t.order = append(t.order, key)
	}
	t.learnt[key] = learntType{text, set, def}
	return nil
}

// definition returns the full text of a type in a dialect, "" when it is not known.
func (t *typeTable) definition(typeName string, d Dialect) string {
	if typ, ok := msg.Lookup(typeName); ok {
		if d == ROS1 {
			return typ.DefinitionROS1
		}
		return typ.Definition
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.learnt[canonical(typeName)].text
}

// parsed returns the definitions of a type in a dialect. ok is false when it is not known.
func (t *typeTable) parsed(typeName string, d Dialect) (set *idl.Set, def *idl.Definition, ok bool) {
	typ, known := msg.Lookup(typeName)
	if !known {
		t.mu.RLock()
		defer t.mu.RUnlock()
		l, learnt := t.learnt[canonical(typeName)]
		return l.set, l.def, learnt
	}
	text, dialect := typ.Definition, idl.ROS2
	if d == ROS1 {
		text, dialect = typ.DefinitionROS1, idl.ROS1
	}
	set, def, err := idl.ParseFullText(dialect, typ.ROS1Name(), text)
	return set, def, err == nil
}
