package wire

import (
	"encoding/hex"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// mixed has every alignment, in an order that needs padding everywhere.
type mixed struct {
	A uint8
	B float64
	C uint8
	D uint16
	E uint8
	F int32
	G string
	H []int16
	I []float64
	J string // wide
	K []bool
}

func (m *mixed) AppendWire(dst []byte, l Layout) []byte {
	dst = Int8(dst, l, m.A)
	dst = Float64(dst, l, m.B)
	dst = Int8(dst, l, m.C)
	dst = Int16(dst, l, m.D)
	dst = Int8(dst, l, m.E)
	dst = Int32(dst, l, m.F)
	dst = String(dst, l, m.G)
	dst = Int16s(Len(dst, l, len(m.H)), l, m.H)
	dst = Float64s(Len(dst, l, len(m.I)), l, m.I)
	dst = WString(dst, l, m.J)
	return Bools(Len(dst, l, len(m.K)), l, m.K)
}

func (m *mixed) ReadWire(r *Reader) {
	m.A = r.Uint8()
	m.B = r.Float64()
	m.C = r.Uint8()
	m.D = r.Uint16()
	m.E = r.Uint8()
	m.F = r.Int32()
	m.G = r.String(0)
	m.H = Make[int16](r, 0, 2)
	ReadInts(r, m.H)
	m.I = Make[float64](r, 0, 8)
	r.Float64s(m.I)
	m.J = r.WString(0)
	m.K = Make[bool](r, 0, 1)
	r.Bools(m.K)
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The vectors are laid out by hand from the CDR rules: alignment counts from after the first 4 bytes.
func TestLayoutVectors(t *testing.T) {
	m := mixed{
		A: 1, B: 1.5, C: 2, D: 0x0304, E: 5, F: -2, G: "hé", H: []int16{-1}, I: []float64{2}, J: "a😀", K: []bool{true, false},
	}
	const (
		little = "00010000" +
			"01 00000000000000 000000000000f83f" + // A, pad 7, B
			"02 00 0403 05 000000 feffffff" + // C, pad 1, D, E, pad 3, F at 24
			"04000000 68c3a900" + // G at 28: length 4 with the zero
			"01000000 ffff 0000" + // H at 36, pad 2
			"01000000 0000000000000040" + // I at 44: 48 is a multiple of 8
			"03000000 6100 3dd8 00de" + "0000" + // J at 56: three code units, pad 2
			"02000000 0100" // K at 68
		big = "00000000" +
			"01 00000000000000 3ff8000000000000" +
			"02 00 0304 05 000000 fffffffe" +
			"00000004 68c3a900" +
			"00000001 ffff 0000" +
			"00000001 4000000000000000" +
			"00000003 0061 d83d de00" + "0000" +
			"00000002 0100"
		ros1 = "01 000000000000f83f 02 0403 05 feffffff" +
			"03000000 68c3a9" +
			"01000000 ffff" +
			"01000000 0000000000000040" +
			"05000000 61f09f9880" + // a wide string is a string
			"02000000 0100"
	)
	for _, prefix := range []string{"", "xyz"} {
		dst, l := BeginCDR([]byte(prefix))
		if diff := cmp.Diff(append([]byte(prefix), unhex(t, little)...), m.AppendWire(dst, l)); diff != "" {
			t.Errorf("CDR after %q:\n%s", prefix, diff)
		}
		if diff := cmp.Diff(append([]byte(prefix), unhex(t, ros1)...), m.AppendWire([]byte(prefix), ROS1)); diff != "" {
			t.Errorf("ROS 1 after %q:\n%s", prefix, diff)
		}
	}
	for _, data := range []string{little, big, little + "000000"} {
		var got mixed
		if err := ParseCDR(unhex(t, data), &got, "mixed"); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(m, got); diff != "" {
			t.Errorf("CDR:\n%s", diff)
		}
	}
	var got mixed
	if err := ParseROS1(unhex(t, ros1), &got, "mixed"); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(m, got); diff != "" {
		t.Errorf("ROS 1:\n%s", diff)
	}
}

// sequence reads what its function says.
type sequence func(r *Reader)

func (s sequence) ReadWire(r *Reader) { s(r) }

func TestReaderErrors(t *testing.T) {
	str := sequence(func(r *Reader) { _ = r.String(3) })
	tests := []struct {
		name, data string
		m          sequence
		want       string
	}{
		{"no header", "0001", str, "the encapsulation header alone takes 4"},
		{"parameter list", "00030000 00000000", str, "CDR encapsulation 0x0003"},
		{"nothing", "00010000", str, "parse t CDR at byte 0 of 0: input ends inside"},
		{"no zero", "00010000 02000000 6161", str, "string without terminating zero"},
		{"too long", "00010000 05000000 6161616100", str, "string of 4 bytes where the definition allows 3"},
		{"huge string", "00010000 ffffffff 61", str, "4294967295 elements announced, 1 bytes left"},
		{"huge list", "00010000 ffffff7f 6161", func(r *Reader) { _ = Make[[1 << 20]float64](r, 0, 8<<20) }, "elements announced"},
		{"bounded list", "00010000 03000000 616161", func(r *Reader) { _ = Make[byte](r, 2, 1) }, "3 elements where the definition allows 2"},
		{"rest", "00010000 00000000 00000000", str, "4 bytes follow the message"},
		{"wide", "00010000 02000000 6100", func(r *Reader) { _ = r.WString(0) }, "input ends"},
		{"alignment beyond the end", "00010000 61", func(r *Reader) { _, _ = r.Uint8(), r.Uint64() }, "input ends"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := ParseCDR(unhex(t, test.data), test.m, "t")
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q in it", err, test.want)
			}
		})
	}
}

func TestReaderAfterFault(t *testing.T) {
	err := ParseROS1([]byte{1}, sequence(func(r *Reader) {
		r.Uint32()
		floats := []float32{1, 2}
		r.Float32s(floats)
		if r.Uint8() != 0 || r.String(0) != "" || r.WString(0) != "" || Make[int64](r, 0, 8) != nil || floats[0] != 1 {
			t.Error("values after a fault")
		}
	}), "t")
	if err == nil {
		t.Error("no error")
	}
}

func TestEmptyStringAndSequence(t *testing.T) {
	dst, l := BeginCDR(nil)
	dst = Float64s(Len(String(dst, l, ""), l, 0), l, nil)
	if want := unhex(t, "00010000 01000000 00 000000 00000000"); string(dst) != string(want) {
		t.Errorf("got %x, want %x", dst, want)
	}
	// Some writers send length 0 for an empty string, without the zero.
	err := ParseCDR(unhex(t, "00010000 00000000"), sequence(func(r *Reader) {
		if s := r.String(0); s != "" {
			t.Errorf("got %q", s)
		}
	}), "t")
	if err != nil {
		t.Error(err)
	}
}

func TestFloatBitsSurvive(t *testing.T) {
	payload := math.Float64frombits(0x7ff8000000001234)
	var got float64
	err := ParseROS1(Float64(nil, ROS1, payload), sequence(func(r *Reader) { got = r.Float64() }), "t")
	if err != nil || math.Float64bits(got) != 0x7ff8000000001234 {
		t.Errorf("got %x, %v", math.Float64bits(got), err)
	}
}
