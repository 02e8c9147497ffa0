package rosbridge

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sarathi/rosbridge/internal/ws"
)

// memory is a connection that keeps what is written.
type memory struct {
	net.Conn
	bytes.Buffer
}

func (m *memory) Read(p []byte) (int, error)       { return m.Buffer.Read(p) }
func (m *memory) Write(p []byte) (int, error)      { return m.Buffer.Write(p) }
func (*memory) Close() error                       { return nil }
func (*memory) SetReadDeadline(time.Time) error    { return nil }
func (*memory) SetWriteDeadline(t time.Time) error { return nil }

// session is a broker with clients that have no goroutines: what they say is handled at once, and what they get is looked at.
type session struct {
	t     *testing.T
	b     *Broker
	peers [3]*peer
	conns [3]*memory
}

func newSession(t *testing.T) *session {
	cfg := DefaultConfig()
	cfg.MaxMessage, cfg.Budget, cfg.MaxNames, cfg.MaxCalls, cfg.MaxParams = 4096, 64<<10, 20, 5, 4096
	cfg.CallTimeout, cfg.CancelAfter = 0, time.Hour
	b, err := NewBroker(cfg)
	if err != nil {
		t.Fatal(err)
	}
	s := &session{t: t, b: b}
	for i := range s.peers {
		s.join(i)
	}
	return s
}

func (s *session) join(i int) {
	s.conns[i] = &memory{}
	p := newPeer(s.b, ws.NewConn(s.conns[i], nil), "fuzz", Dialect(i%2))
	s.b.mu.Lock()
	s.b.clients[p] = struct{}{}
	s.b.mu.Unlock()
	s.peers[i] = p
}

// say lets client i say one text. An ! instead lets it leave and come back.
func (s *session) say(i int, text []byte) {
	if string(text) == "!" || s.peers[i].receive(text) != nil {
		s.peers[i].leave()
		s.join(i)
	}
	for i := range s.peers {
		s.look(i)
	}
}

// look writes what waits for client i and checks that it is what clients understand.
func (s *session) look(i int) {
	p, c := s.peers[i], s.conns[i]
	for {
		items, _, _, _ := p.out.take(nil)
		if len(items) == 0 {
			break
		}
		if err := p.writer.write(items, nil); err != nil {
			s.t.Fatal(err)
		}
		p.out.release(costOf(items))
	}
	if p.out.bytes != waiting(p.out) {
		s.t.Fatalf("%d bytes are counted, %d wait", p.out.bytes, waiting(p.out))
	}
	for c.Len() > 0 {
		kind, payload := nextFrame(s.t, &c.Buffer)
		if kind == ws.Binary {
			if f, err := ParseCBOR(payload); err != nil || f.Op != OpPublish {
				s.t.Fatalf("sent %x: %v", payload, err)
			}
			continue
		}
		f, err := ParseFrame(payload)
		switch {
		case (f.Op == OpActionResult || f.Op == OpActionFeedback) && f.ID == "": // of a goal that had no id
		case err != nil:
			s.t.Fatalf("sent %q: %v", payload, err)
		case f.Op == OpStatus:
			s.t.Fatalf("sent unasked: %s", payload)
		}
	}
}

// waiting counts the bytes of what the throttle holds back.
func waiting(o *outbox) (n int) {
	for _, s := range o.delayed {
		n += s.bytes
	}
	return n
}

func nextFrame(t *testing.T, b *bytes.Buffer) (ws.Kind, []byte) {
	head := b.Next(2)
	n := int(head[1])
	for range map[int]int{126: 2, 127: 8}[n] {
		c, err := b.ReadByte()
		if err != nil {
			t.Fatal(err)
		}
		if n == 126 || n == 127 {
			n = 0
		}
		n = n<<8 | int(c)
	}
	return ws.Kind(head[0] & 0x0f), bytes.Clone(b.Next(n))
}

// end lets everybody leave and checks that nothing of them is left.
func (s *session) end() {
	for _, p := range s.peers {
		p.leave()
	}
	s.b.mu.Lock()
	for name, t := range s.b.topics {
		if len(t.subscribers) > 0 || len(*t.receivers.Load()) > 0 || len(t.publishers) != len(t.localPubs) {
			s.t.Errorf("topic %s is still used", name)
		}
	}
	if n := len(s.b.services) + len(s.b.actions) + len(s.b.clients); n > 0 {
		s.t.Errorf("%d services, actions and clients are left", n)
	}
	s.b.mu.Unlock()
	if n := len(s.b.calls.open) + len(s.b.calls.byCaller) + len(s.b.calls.byServer); n > 0 {
		s.t.Errorf("%d calls are left", n)
	}
	if n := len(s.b.goals.open) + len(s.b.goals.byCaller) + len(s.b.goals.byServer); n > 0 {
		s.t.Errorf("%d goals are left", n)
	}
	if err := s.b.Close(context.Background()); err != nil {
		s.t.Error(err)
	}
}

// TestNamesOfTheMomentAreForgotten: a client that subscribes and unsubscribes ever new names leaves few behind.
func TestNamesOfTheMomentAreForgotten(t *testing.T) {
	s := newSession(t)
	for i := range maxTopics + 1000 {
		for _, op := range []string{OpSubscribe, OpUnsubscribe} {
			f := Frame{Op: op, Topic: fmt.Sprint("/t", i)}
			if err := s.peers[0].handle(f, 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := len(s.b.topics); n > maxTopics+2 {
		t.Errorf("%d topics", n)
	}
	s.end()
}

// FuzzSession lets three clients say anything, in any order. A line is what a client says; its first byte says who.
func FuzzSession(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		var script strings.Builder
		for line := range strings.Lines(string(text)) {
			if name, what, ok := strings.Cut(line, " > "); ok {
				script.WriteByte(name[0])
				script.WriteString(what)
			}
			if strings.HasSuffix(line, " !\n") {
				script.WriteString(line[:1] + "!\n")
			}
		}
		f.Add([]byte(script.String()))
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		s := newSession(t)
		for line := range bytes.SplitSeq(script, []byte{'\n'}) {
			if len(line) > 1 {
				s.say(int(line[0])%len(s.peers), bytes.Clone(line[1:]))
			}
		}
		s.end()
	})
}
