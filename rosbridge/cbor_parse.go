package rosbridge

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"sarathi/internal/wire"
)

// ParseCBOR reads a frame that came as CBOR in a binary WebSocket message. Its body becomes JSON as the rest of this package has it:
// byte strings are base64, typed arrays are arrays of numbers, what is not finite is null. The message of a cbor-raw publish is in
// Raw and Stamp instead. The error is a [FrameError].
func ParseCBOR(data []byte) (Frame, error) {
	r := cborReader{src: data}
	f := Frame{Result: true}
	what := r.frame(&f)
	if r.err == nil && r.pos < len(data) {
		r.fail(errors.New("bytes follow the frame"))
	}
	if r.err != nil {
		what = fmt.Sprintf("CBOR at byte %d: %v", r.pos, r.err)
	}
	if what == "" {
		what = f.missing()
	}
	if what != "" {
		return f, &FrameError{Op: f.Op, ID: f.ID, What: what}
	}
	return f, nil
}

// cborReader turns CBOR into JSON text without a tree. The first fault sticks.
type cborReader struct {
	src   []byte
	pos   int
	depth int
	err   error
}

func (r *cborReader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

var errCBOREnd = errors.New("the data ends inside an item")

// indefinite is the length of an item that ends with a break.
const indefinite = math.MaxUint64

// head reads the first bytes of an item. info is the low five bits.
func (r *cborReader) head() (major, info byte, n uint64) {
	if r.err != nil || r.pos >= len(r.src) {
		r.fail(errCBOREnd)
		return 0, 0, 0
	}
	b := r.src[r.pos]
	r.pos++
	major, info = b&0xe0, b&0x1f
	switch {
	case info < 24:
		return major, info, uint64(info)
	case info <= 27:
		size := 1 << (info - 24)
		if len(r.src)-r.pos < size {
			r.fail(errCBOREnd)
			return 0, 0, 0
		}
		for _, c := range r.src[r.pos : r.pos+size] {
			n = n<<8 | uint64(c)
		}
		r.pos += size
		return major, info, n
	case info == 31 && major >= cborBytes && major != cborTag:
		return major, info, indefinite
	}
	r.fail(fmt.Errorf("item 0x%02x is not CBOR", b))
	return 0, 0, 0
}

// isBreak consumes the end of an item of indefinite length, if it is next.
func (r *cborReader) isBreak() bool {
	if r.err == nil && r.pos < len(r.src) && r.src[r.pos] == cborBreak {
		r.pos++
		return true
	}
	return false
}

// more reports whether item i of n follows.
func (r *cborReader) more(i, n uint64) bool {
	if r.err != nil || n == indefinite {
		return r.err == nil && !r.isBreak()
	}
	return i < n
}

// content returns the bytes of a string whose head was read.
func (r *cborReader) content(major byte, n uint64) []byte {
	if n != indefinite {
		if r.err != nil || n > uint64(len(r.src)-r.pos) {
			r.fail(errCBOREnd)
			return nil
		}
		b := r.src[r.pos : r.pos+int(n)]
		r.pos += int(n)
		return b
	}
	var all []byte
	for r.err == nil && !r.isBreak() {
		chunk, _, size := r.head()
		if r.err == nil && (chunk != major || size == indefinite) {
			r.fail(errors.New("bad chunk of a string"))
		}
		all = append(all, r.content(major, size)...)
	}
	return all
}

// textItem reads a text string.
func (r *cborReader) textItem() string {
	major, _, n := r.head()
	if r.err == nil && major != cborText {
		r.fail(errors.New("a name is not a text string"))
		return ""
	}
	s := r.content(cborText, n)
	if !utf8.Valid(s) {
		r.fail(errors.New("a text string is not UTF-8"))
	}
	return string(s)
}

// frame reads the outermost map into f and returns which field is wrong.
func (r *cborReader) frame(f *Frame) (what string) {
	major, _, n := r.head()
	if r.err == nil && major != cborMap {
		r.fail(errors.New("the frame is not a map"))
	}
	for i := uint64(0); r.more(i, n); i++ {
		key := r.textItem()
		if key == "msg" && r.rawMessage(f) {
			continue
		}
		value := r.json(nil)
		if r.err != nil || string(value) == "null" {
			continue
		}
		if fault := f.set([]byte(key), value); fault != "" && what == "" {
			what = fault
		}
	}
	return what
}

// rawMessage reads the message of a cbor-raw publish, if that is next: a map of secs, nsecs and a byte string.
func (r *cborReader) rawMessage(f *Frame) bool {
	start := r.pos
	raw, stamp := []byte(nil), [2]uint64{}
	major, _, n := r.head()
	ok := major == cborMap && n == 3
	for i := 0; i < 3 && ok && r.err == nil; i++ {
		key := r.textItem()
		kind, _, value := r.head()
		switch {
		case r.err != nil:
		case key == "secs" && kind == cborUint:
			stamp[0] = value
		case key == "nsecs" && kind == cborUint:
			stamp[1] = value
		case key == "bytes" && kind == cborBytes:
			raw = append([]byte{}, r.content(kind, value)...)
		default:
			ok = false
		}
	}
	if !ok || raw == nil || r.err != nil {
		r.pos, r.err = start, nil
		return false
	}
	f.Raw, f.Stamp = raw, time.Unix(int64(min(stamp[0], math.MaxInt32)), int64(min(stamp[1], 999_999_999)))
	return true
}

// json appends the next item as JSON.
func (r *cborReader) json(dst []byte) []byte {
	if r.depth++; r.depth > maxDepth {
		r.fail(fmt.Errorf("nested deeper than %d", maxDepth))
	}
	defer func() { r.depth-- }()
	major, info, n := r.head()
	if r.err != nil {
		return dst
	}
	switch major {
	case cborUint:
		return strconv.AppendUint(dst, n, 10)
	case cborInt:
		return appendNegative(dst, n)
	case cborBytes:
		return wire.JSONBytes(dst, r.content(major, n))
	case cborText:
		return appendString(dst, string(r.content(major, n)))
	case cborArray:
		return r.array(dst, n)
	case cborMap:
		return r.object(dst, n)
	case cborTag:
		return r.tagged(dst, n)
	default:
		return r.simple(dst, info, n)
	}
}

// appendNegative appends -1-n.
func appendNegative(dst []byte, n uint64) []byte {
	if n == math.MaxUint64 {
		return append(dst, "-18446744073709551616"...)
	}
	return strconv.AppendUint(append(dst, '-'), n+1, 10)
}

func (r *cborReader) array(dst []byte, n uint64) []byte {
	dst = append(dst, '[')
	for i := uint64(0); r.more(i, n); i++ {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = r.json(dst)
	}
	return append(dst, ']')
}

func (r *cborReader) object(dst []byte, n uint64) []byte {
	dst = append(dst, '{')
	for i := uint64(0); r.more(i, n); i++ {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, r.textItem()), ':')
		dst = r.json(dst)
	}
	return append(dst, '}')
}

func (r *cborReader) simple(dst []byte, info byte, n uint64) []byte {
	switch info | cborSimple {
	case cborFalse, cborTrue:
		return strconv.AppendBool(dst, info|cborSimple == cborTrue)
	case cborNull, cborUndefined:
		return append(dst, "null"...)
	case cborFloat16:
		return wire.JSONFloat32(dst, float16(uint16(n)))
	case cborFloat32:
		return wire.JSONFloat32(dst, math.Float32frombits(uint32(n)))
	case cborFloat64:
		return wire.JSONFloat64(dst, math.Float64frombits(n))
	}
	r.fail(fmt.Errorf("simple value %d is not JSON", n))
	return dst
}

// float16 returns the value of a half-precision number (RFC 8949 appendix D).
func float16(h uint16) float32 {
	exponent, mantissa := int(h>>10&0x1f), float64(h&0x3ff)
	var v float64
	switch exponent {
	case 0:
		v = math.Ldexp(mantissa, -24)
	case 31:
		v = math.Inf(1)
		if mantissa != 0 {
			v = math.NaN()
		}
	default:
		v = math.Ldexp(mantissa+1024, exponent-25)
	}
	if h>>15 != 0 {
		v = -v
	}
	return float32(v)
}

// tagged appends the item after a tag: a typed array as an array of numbers, any other as if there were no tag.
func (r *cborReader) tagged(dst []byte, tag uint64) []byte {
	if tag < tagUint8 || tag > 87 || r.err != nil {
		return r.json(dst)
	}
	start := r.pos
	major, _, n := r.head()
	if r.err == nil && major != cborBytes {
		r.pos = start
		return r.json(dst)
	}
	elem, ok := typedArray(tag)
	if !ok {
		r.fail(fmt.Errorf("typed arrays with tag %d are not spoken here", tag))
		return dst
	}
	b := r.content(major, n)
	if r.err == nil && len(b)%elem.size != 0 {
		r.fail(fmt.Errorf("typed array of %d bytes with elements of %d", len(b), elem.size))
		return dst
	}
	if tag == tagUint8 {
		return wire.JSONBytes(dst, b)
	}
	dst = append(dst, '[')
	for i := 0; i < len(b); i += elem.size {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = elem.append(dst, b[i:])
	}
	return append(dst, ']')
}

// element is how one element of a typed array becomes JSON.
type element struct {
	size   int
	append func(dst, b []byte) []byte
}

func typedArray(tag uint64) (element, bool) {
	le := binary.LittleEndian
	switch tag {
	case tagUint8:
		return element{1, nil}, true
	case tagInt8:
		return element{1, func(dst, b []byte) []byte { return wire.JSONInt(dst, int8(b[0])) }}, true
	case tagUint16:
		return element{2, func(dst, b []byte) []byte { return wire.JSONUint(dst, le.Uint16(b)) }}, true
	case tagInt16:
		return element{2, func(dst, b []byte) []byte { return wire.JSONInt(dst, int16(le.Uint16(b))) }}, true
	case tagUint32:
		return element{4, func(dst, b []byte) []byte { return wire.JSONUint(dst, le.Uint32(b)) }}, true
	case tagInt32:
		return element{4, func(dst, b []byte) []byte { return wire.JSONInt(dst, int32(le.Uint32(b))) }}, true
	case tagFloat32:
		return element{4, func(dst, b []byte) []byte { return wire.JSONFloat32(dst, math.Float32frombits(le.Uint32(b))) }}, true
	case tagUint64:
		return element{8, func(dst, b []byte) []byte { return wire.JSONUint(dst, le.Uint64(b)) }}, true
	case tagInt64:
		return element{8, func(dst, b []byte) []byte { return wire.JSONInt(dst, int64(le.Uint64(b))) }}, true
	case tagFloat64:
		return element{8, func(dst, b []byte) []byte { return wire.JSONFloat64(dst, math.Float64frombits(le.Uint64(b))) }}, true
	}
	return element{}, false
}
