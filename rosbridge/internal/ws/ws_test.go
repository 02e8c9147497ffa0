package ws

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"
)

// masked is a client's frame.
func masked(first byte, payload string) []byte {
	out := []byte{first}
	switch n := len(payload); {
	case n <= maxControl:
		out = append(out, 0x80|byte(n))
	case n <= 0xffff:
		out = binary.BigEndian.AppendUint16(append(out, 0x80|126), uint16(n))
	default:
		out = binary.BigEndian.AppendUint64(append(out, 0x80|127), uint64(n))
	}
	mask := [4]byte{1, 2, 3, 250}
	out = append(out, mask[:]...)
	for i := range len(payload) {
		out = append(out, payload[i]^mask[i%4])
	}
	return out
}

func reading(frames ...[]byte) *Conn {
	return NewConn(nil, bufio.NewReader(bytes.NewReader(bytes.Join(frames, nil))))
}

type read struct {
	Kind    Kind
	Payload string
}

func readAll(c *Conn, limit int) (got []read, err error) {
	for {
		kind, payload, err := c.Read(limit)
		if err != nil {
			return got, err
		}
		got = append(got, read{kind, string(payload)})
	}
}

func TestMessagesAreRead(t *testing.T) {
	long, longer := strings.Repeat("x", 300), strings.Repeat("yz", 1<<20)
	got, err := readAll(reading(
		masked(0x81, "hello"), masked(0x82, ""), masked(0x81, long), masked(0x82, longer),
		masked(0x01, "one "), masked(0x89, "ping"), masked(0x00, "two "), masked(0x8a, ""), masked(0x80, "three"), // parts, control between
		masked(0x01, ""), masked(0x80, ""),
	), 4<<20)
	want := []read{
		{Text, "hello"}, {Binary, ""}, {Text, long}, {Binary, longer}, {Ping, "ping"}, {Pong, ""}, {Text, "one two three"}, {Text, ""},
	}
	if diff := cmp.Diff(want, got); diff != "" || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestBreachesOfTheProtocol(t *testing.T) {
	unmasked := AppendFrame(nil, Text, []byte("x"))
	tests := []struct {
		name   string
		frames [][]byte
		code   int
	}{
		{"not masked", [][]byte{unmasked}, ProtocolError},
		{"reserved bit", [][]byte{masked(0xc1, "x")}, ProtocolError},
		{"unknown opcode", [][]byte{masked(0x83, "x")}, ProtocolError},
		{"unknown control opcode", [][]byte{masked(0x8b, "x")}, ProtocolError},
		{"control in parts", [][]byte{masked(0x09, "x")}, ProtocolError},
		{"long control", [][]byte{masked(0x89, strings.Repeat("x", 126))}, ProtocolError},
		{"continuation of nothing", [][]byte{masked(0x80, "x")}, ProtocolError},
		{"message in a message", [][]byte{masked(0x01, ""), masked(0x81, "x")}, ProtocolError},
		{"too long", [][]byte{masked(0x81, strings.Repeat("x", 101))}, TooBig},
		{"too long together", [][]byte{masked(0x01, strings.Repeat("x", 60)), masked(0x80, strings.Repeat("x", 60))}, TooBig},
		{"close", [][]byte{masked(0x88, "\x03\xe8bye")}, Normal},
		{"close without code", [][]byte{masked(0x88, "")}, NoStatus},
		{"half a close code", [][]byte{masked(0x88, "x")}, ProtocolError},
		{"bad close code", [][]byte{masked(0x88, "\x00\x01")}, ProtocolError},
		{"reserved close code", [][]byte{masked(0x88, "\x03\xed")}, ProtocolError},
		{"bad close reason", [][]byte{masked(0x88, "\x03\xe8\xff")}, ProtocolError},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := readAll(reading(test.frames...), 100)
			if got, ok := errors.AsType[*CloseError](err); !ok || got.Code != test.code || got.Error() == "" {
				t.Errorf("error %v, want code %d", err, test.code)
			}
		})
	}
}

// TestLengthAloneGetsLittleMemory announces a gigabyte.
func TestLengthAloneGetsLittleMemory(t *testing.T) {
	frame := binary.BigEndian.AppendUint64([]byte{0x82, 0x80 | 127}, 1<<30)
	frame = append(frame, 0, 0, 0, 0, 'x')
	r := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			if _, _, err := reading(frame).Read(2 << 30); err == nil {
				b.Fatal("no error")
			}
		}
	})
	if n := r.AllocedBytesPerOp(); n > 3*maxTrust {
		t.Errorf("%d bytes were taken", n)
	}
}

// TestWithAClientLibrary lets another implementation check the handshake and what is written.
func TestWithAClientLibrary(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := Accept(w, r)
		if err != nil {
			return
		}
		defer c.Close()
		var out []byte
		for {
			kind, payload, err := c.Read(1 << 20)
			if ce, ok := errors.AsType[*CloseError](err); ok {
				c.Write(AppendClose(out, ce.Code, strings.Repeat("é", 200)))
				return
			}
			if err != nil {
				return
			}
			if kind == Ping {
				kind = Pong
			}
			c.Write(AppendFrame(out, kind, payload))
		}
	}))
	defer server.Close()
	ctx := context.Background()
	c, _, err := websocket.Dial(ctx, strings.Replace(server.URL, "http", "ws", 1), nil)
	if err != nil {
		t.Fatal(err)
	}
	c.SetReadLimit(1 << 20)
	for _, n := range []int{0, 1, 125, 126, 127, 65535, 65536, 300_000} {
		want := strings.Repeat("x", n)
		if err := c.Write(ctx, websocket.MessageText, []byte(want)); err != nil {
			t.Fatal(err)
		}
		if kind, got, err := c.Read(ctx); err != nil || kind != websocket.MessageText || string(got) != want {
			t.Fatalf("%d bytes came back as %d of kind %v, %v", n, len(got), kind, err)
		}
	}
	go c.Read(ctx) // answers to control frames are found while reading
	if err := c.Ping(ctx); err != nil {
		t.Errorf("ping: %v", err)
	}
	if err := c.Close(websocket.StatusNormalClosure, "bye"); err != nil {
		t.Errorf("close: %v", err)
	}
}

func TestBadHandshakes(t *testing.T) {
	good := func() *http.Request {
		r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
		r.Header.Set("Connection", "keep-alive, Upgrade")
		r.Header.Set("Upgrade", "WebSocket")
		r.Header.Set("Sec-WebSocket-Version", "13")
		r.Header.Set("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")
		return r
	}
	tests := []struct {
		name  string
		spoil func(*http.Request)
		code  int
	}{
		{"method", func(r *http.Request) { r.Method = http.MethodPost }, http.StatusMethodNotAllowed},
		{"HTTP/1.0", func(r *http.Request) { r.Proto, r.ProtoMinor = "HTTP/1.0", 0 }, http.StatusUpgradeRequired},
		{"HTTP/2", func(r *http.Request) { r.Proto, r.ProtoMajor, r.ProtoMinor = "HTTP/2.0", 2, 0 }, http.StatusUpgradeRequired},
		{"no upgrade", func(r *http.Request) { r.Header.Del("Upgrade") }, http.StatusUpgradeRequired},
		{"no connection", func(r *http.Request) { r.Header.Set("Connection", "close") }, http.StatusUpgradeRequired},
		{"version", func(r *http.Request) { r.Header.Set("Sec-WebSocket-Version", "8") }, http.StatusUpgradeRequired},
		{"key", func(r *http.Request) { r.Header.Set("Sec-WebSocket-Key", "short") }, http.StatusBadRequest},
		{"cannot be taken over", func(*http.Request) {}, http.StatusInternalServerError},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r, w := good(), httptest.NewRecorder()
			test.spoil(r)
			if _, err := Accept(w, r); err == nil || w.Code != test.code {
				t.Errorf("answered %d, %v, want %d", w.Code, err, test.code)
			}
		})
	}
	if got := acceptKey("dGhlIHNhbXBsZSBub25jZQ=="); got != "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" { // RFC 6455 section 1.3
		t.Errorf("key %s", got)
	}
}

// FuzzRead gives no message beyond the limit, whatever comes.
func FuzzRead(f *testing.F) {
	f.Add(append(masked(0x01, "a"), masked(0x80, "b")...))
	f.Add(masked(0x88, "\x03\xe8bye"))
	f.Add([]byte{0x82, 0xff, 0x7f, 255, 255, 255, 255, 255, 255, 255, 1, 2, 3, 4, 5})
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := readAll(reading(data), 1000)
		if err == nil {
			t.Fatal("no end")
		}
		for _, m := range got {
			if len(m.Payload) > 1000 {
				t.Fatalf("message of %d bytes", len(m.Payload))
			}
		}
	})
}
