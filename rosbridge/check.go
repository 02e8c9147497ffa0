package rosbridge

import (
	"bytes"
	"fmt"
	"strconv"
	"time"

	"sarathi/internal/idl"
)

// convert brings the JSON of a message into the form that subscribers get. Text that is complete and plain already is returned
// itself, so that its bytes are shared; for other text the message is returned too. What does not fit the type is an error that names the field.
//
// As in rosbridge_suite, a header without stamp gets the present time, and so does a time of "now"; the seq of ROS 1 headers is dropped.
func (c *codec) convert(text []byte, now time.Time) ([]byte, idl.Message, error) {
	k := checker{scanner: scanner{src: text}, plain: true, now: now}
	k.message(c.shape)
	if k.plain {
		return text, nil, nil
	}
	m := c.typ.New()
	if err := m.ParseJSON(k.edited()); err != nil {
		return nil, nil, fmt.Errorf("message of %s: %w", c.typ.ROS1Name(), err)
	}
	return m.AppendJSON(nil), m, nil
}

// checker compares JSON text, which must be valid, with a shape. It does not report faults: what is not plain is parsed, and the
// parser reports. Plain is text that the type's AppendJSON could have written, but for white space, order and the spelling of numbers.
type checker struct {
	scanner
	plain bool
	now   time.Time
	edits []edit // in the order of the text
}

// edit replaces a part of the text before it is parsed.
type edit struct {
	span
	text string
}

func (k *checker) edited() []byte {
	if k.edits == nil {
		return k.src
	}
	var out []byte
	at := 0
	for _, e := range k.edits {
		out = append(append(out, k.src[at:e.from]...), e.text...)
		at = e.to
	}
	return append(out, k.src[at:]...)
}

// other consumes a value that is not plain.
func (k *checker) other() {
	k.plain = false
	k.value()
}

func (k *checker) stamp() string {
	return fmt.Sprintf(`{"sec":%d,"nanosec":%d}`, k.now.Unix(), k.now.Nanosecond())
}

// message consumes an object of shape sh.
func (k *checker) message(sh *shape) {
	if k.peek() != '{' {
		if sh.time && k.literal(`"now"`) {
			k.plain = false
			k.edits = append(k.edits, edit{span{k.pos - len(`"now"`), k.pos}, k.stamp()})
			return
		}
		k.other()
		return
	}
	k.pos++
	begin := k.pos
	stamped, seen, left := false, 0, 0
	var have [4]uint64 // the fields that came, as bits
	for first := true; !k.take('}') && k.err == nil; first = false {
		if !first {
			k.take(',')
		}
		from := k.pos
		key := plainKey(k.key())
		i, ok := sh.index[string(key)]
		if !ok || i >= 64*len(have) || have[i/64]&(1<<(i%64)) != 0 {
			k.other()
			if sh.header && string(key) == "seq" {
				k.drop(from, left)
			} else {
				left++
			}
			continue
		}
		have[i/64] |= 1 << (i % 64)
		seen++
		left++
		f := &sh.fields[i]
		stamped = stamped || f.name == "stamp"
		k.field(f)
	}
	if seen < len(sh.fields) {
		k.plain = false
	}
	if sh.header && !stamped {
		k.insertStamp(begin, seen)
	}
}

// insertStamp gives the header whose members begin at begin the present time. The place comes before edits inside the header.
func (k *checker) insertStamp(begin, members int) {
	text := `"stamp":` + k.stamp()
	if members > 0 {
		text += ","
	}
	at := len(k.edits)
	for at > 0 && k.edits[at-1].from >= begin {
		at--
	}
	k.edits = append(k.edits, edit{})
	copy(k.edits[at+1:], k.edits[at:])
	k.edits[at] = edit{span{begin, begin}, text}
}

// drop takes the member that begins at from and ends here out of the text, with the comma before it or, when no member before it
// is left, the one after it.
func (k *checker) drop(from, left int) {
	end := k.pos
	switch {
	case left > 0:
		from-- // the comma
	case k.peek() == ',':
		end = k.pos + 1
	}
	k.edits = append(k.edits, edit{span{from, end}, ""})
}

func (k *checker) field(f *shapeField) {
	switch {
	case f.array == idl.Scalar:
		k.scalar(f)
	case f.bytes:
		k.base64(f)
	default:
		k.elements(f)
	}
}

// elements consumes an array.
func (k *checker) elements(f *shapeField) {
	if k.peek() != '[' {
		k.other()
		return
	}
	k.pos++
	n := 0
	for ; !k.take(']') && k.err == nil; n++ {
		if n > 0 {
			k.take(',')
		}
		k.scalar(f)
	}
	if f.array == idl.Fixed && n != f.len || f.array == idl.Bounded && n > f.len {
		k.plain = false
	}
}

// scalar consumes one value of the field's element type.
func (k *checker) scalar(f *shapeField) {
	c := k.peek()
	switch {
	case f.kind == kindStruct:
		k.message(f.sub)
	case f.kind == kindBool && (c == 't' || c == 'f'):
		k.value()
	case (f.kind == kindString || f.kind == kindWString) && c == '"' && f.bound == 0:
		k.text()
	case (f.kind == kindInt || f.kind == kindUint) && (c == '-' || '0' <= c && c <= '9'):
		if text := k.value(); !plainInt(text, f) {
			k.plain = false
		}
	case f.kind == kindFloat && (c == '-' || c == 'n' || '0' <= c && c <= '9'):
		if text := k.value(); !plainFloat(text) {
			k.plain = false
		}
	default:
		k.other()
	}
}

// plainInt reports whether text is an integer without fraction and exponent in the range of the field.
func plainInt(text []byte, f *shapeField) bool {
	const longest = 18 // digits that any int64 has
	if len(text) > longest {
		return false
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return false
	}
	if f.kind == kindUint {
		return n >= 0 && (f.size == 8 || n < 1<<(8*f.size))
	}
	return f.size == 8 || n >= -(1<<(8*f.size-1)) && n < 1<<(8*f.size-1)
}

// plainFloat reports whether text is null or a number that certainly is in the range of a float32.
func plainFloat(text []byte) bool {
	const longest = 30
	return len(text) <= longest && bytes.IndexByte(text, 'e') < 0 && bytes.IndexByte(text, 'E') < 0
}

// base64 consumes the bytes of an array of uint8.
func (k *checker) base64(f *shapeField) {
	if k.peek() != '"' || f.array != idl.Unbounded {
		k.other()
		return
	}
	start := k.pos + 1
	k.text()
	if !plainBase64(k.src[start : k.pos-1]) {
		k.plain = false
	}
}

// plainBase64 reports whether b is base64 of the standard alphabet with padding.
func plainBase64(b []byte) bool {
	if len(b)%4 != 0 {
		return false
	}
	for range 2 {
		b = bytes.TrimSuffix(b, []byte{'='})
	}
	const (
		low  = 1<<'+' | 1<<'/' | (1<<10-1)<<'0'                // of the characters below 64
		high = (1<<26-1)<<('A'-64) | uint64(1<<26-1)<<('a'-64) // of the others
	)
	for _, c := range b {
		set := uint64(low)
		if c >= 64 {
			set = high
		}
		if c >= 128 || set>>(c&63)&1 == 0 {
			return false
		}
	}
	return true
}
