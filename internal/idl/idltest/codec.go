package idltest

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sarathi/internal/idl"
)

// codec is one of the three forms of a message.
type codec struct {
	name   string
	append func(idl.Message, []byte) []byte
	parse  func(idl.Message, []byte) error
}

func codecs() []codec {
	return []codec{
		{"JSON", idl.Message.AppendJSON, idl.Message.ParseJSON},
		{"CDR", idl.Message.AppendCDR, idl.Message.ParseCDR},
		{"ROS 1", idl.Message.AppendROS1, idl.Message.ParseROS1},
	}
}

// RoundTrip fills messages of a type with content from seeds 0 to n-1 and checks for each codec: what is parsed
// equals what was written, appending leaves the bytes before it alone and does not depend on them, every proper prefix is refused, and
// JSON is what encoding/json accepts.
func RoundTrip(t *testing.T, typ *idl.Type, n int) {
	t.Helper()
	for seed := range uint64(n) {
		m := typ.New()
		Fill(m, seed)
		for _, c := range codecs() {
			roundTrip(t, c, m)
		}
		if text := m.AppendJSON(nil); !json.Valid(text) {
			t.Errorf("%s: encoding/json refuses %s", typ.ROS2Name(), text)
		}
	}
}

func roundTrip(t *testing.T, c codec, m idl.Message) {
	t.Helper()
	name := m.Type().ROS2Name() + " " + c.name
	data := c.append(m, nil)
	if again := c.append(m, []byte("odd")); string(again) != "odd"+string(data) {
		t.Errorf("%s: appending to a slice gives other bytes", name)
	}
	back := m.Type().New()
	Fill(back, 12345) // parsing must not depend on what was there
	if err := c.parse(back, data); err != nil {
		t.Errorf("%s: %v\n%q", name, err, data)
		return
	}
	if c.name != "ROS 1" { // some fields have no place in ROS 1; the bytes below hold those that have
		if diff := cmp.Diff(m, back, cmpopts.EquateNaNs(), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-written +read):\n%s", name, diff)
		}
	}
	if again := c.append(back, nil); !bytes.Equal(again, data) {
		t.Errorf("%s: written again:\n%q\nwas\n%q", name, again, data)
	}
	for i := range data {
		if err := c.parse(m.Type().New(), data[:i]); err == nil {
			t.Errorf("%s: the first %d of %d bytes are accepted", name, i, len(data))
			return
		}
	}
	if c.name != "CDR" { // CDR allows padding
		if err := c.parse(m.Type().New(), append(slices.Clip(data), 'x')); err == nil {
			t.Errorf("%s: a byte after the message is accepted", name)
		}
	}
}

// CheckParsers feeds data to every parser of a type. Whatever is accepted must survive being written and read again.
// It is the body of fuzz tests.
func CheckParsers(t *testing.T, typ *idl.Type, data []byte) {
	t.Helper()
	for _, c := range codecs() {
		m := typ.New()
		if c.parse(m, data) != nil {
			continue
		}
		written := c.append(m, nil)
		back := typ.New()
		if err := c.parse(back, written); err != nil {
			t.Errorf("%s %s: accepted %q, wrote %q, refuses that: %v", typ.ROS2Name(), c.name, data, written, err)
			continue
		}
		if again := c.append(back, nil); !bytes.Equal(again, written) {
			t.Errorf("%s %s: accepted %q, wrote %q, then %q", typ.ROS2Name(), c.name, data, written, again)
		}
	}
}
