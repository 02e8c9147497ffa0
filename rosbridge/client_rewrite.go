package rosbridge

import "bytes"

// rewriter renames and drops members of the JSON of a message, by their type: servers differ in small things. Text that needs no change
// is not copied. The text must be JSON.
type rewriter struct {
	scanner
	// name says how a member is called on the other side: nil for the same, and whether it has one at all.
	name    func(sh *shape, name []byte) (as []byte, keep bool)
	out     []byte
	done    int // up to where src was copied to out
	changed bool
}

// fromServer brings a message of a known type from somebody else's server into the form that ParseJSON takes. Fields that this program's
// definition of the type does not have are dropped (seq of ROS 1 headers; definitions differ between releases), and the upper case names
// of ROS 1 are found.
func (c *codec) fromServer(text []byte) []byte {
	w := rewriter{scanner: scanner{src: text}, name: func(sh *shape, name []byte) ([]byte, bool) {
		if sh.field(name) != nil || sh.clock() {
			return nil, true
		}
		lower := bytes.ToLower(name)
		return lower, sh.field(lower) != nil
	}}
	return w.rewrite(c.shape)
}

// toROS1 brings a message into the form that a ROS 1 server takes: times are {secs, nsecs}, and the matrices of a
// sensor_msgs/CameraInfo have upper case names.
func (c *codec) toROS1(text []byte) []byte {
	w := rewriter{scanner: scanner{src: text}, name: func(sh *shape, name []byte) ([]byte, bool) {
		switch {
		case sh.clock() && string(name) == "sec":
			return []byte("secs"), true
		case sh.clock() && string(name) == "nanosec":
			return []byte("nsecs"), true
		case len(name) == 1 && sh.name == "sensor_msgs/CameraInfo":
			return bytes.ToUpper(name), true
		}
		return nil, true
	}}
	return w.rewrite(c.shape)
}

// clock reports whether the shape is a time or a duration, whose fields have two names.
func (s *shape) clock() bool { return s.time || s.name == "builtin_interfaces/Duration" }

// field returns a field by name, or nil.
func (s *shape) field(name []byte) *shapeField {
	if i, ok := s.index[string(name)]; ok {
		return &s.fields[i]
	}
	return nil
}

func (w *rewriter) rewrite(sh *shape) []byte {
	w.message(sh)
	if w.err != nil || !w.changed {
		return w.src
	}
	return append(w.out, w.src[w.done:]...)
}

// copyTo brings out up to a position of src, and goes on at another.
func (w *rewriter) copyTo(pos, next int) {
	w.out = append(w.out, w.src[w.done:pos]...)
	w.done = next
	w.changed = true
}

// message consumes an object of shape sh. What is no object is passed on: the parser reports it.
func (w *rewriter) message(sh *shape) {
	if w.peek() != '{' {
		w.value()
		return
	}
	w.pos++
	for kept := 0; w.err == nil && !w.take('}'); {
		comma := w.pos
		w.take(',')
		w.peek()
		from := w.pos
		name := plainKey(w.key())
		as, keep := w.name(sh, name)
		if !keep {
			w.value()
			w.drop(comma, from, kept > 0)
			continue
		}
		kept++
		f := sh.field(name)
		if as != nil {
			w.copyTo(from, w.pos)
			w.out = append(appendString(w.out, string(as)), ':')
			if f == nil {
				f = sh.field(as)
			}
		}
		w.field(f)
	}
}

// drop leaves out the member that ends here, with the comma before it, or with the one after it when it is the first.
func (w *rewriter) drop(comma, from int, after bool) {
	if after {
		w.copyTo(comma, w.pos)
		return
	}
	w.take(',')
	w.copyTo(from, w.pos)
}

// field consumes the value of a field.
func (w *rewriter) field(f *shapeField) {
	switch {
	case f == nil || f.sub == nil:
		w.value()
	case w.peek() != '[':
		w.message(f.sub)
	default:
		w.pos++
		for w.err == nil && !w.take(']') {
			w.take(',')
			w.message(f.sub)
		}
	}
}
