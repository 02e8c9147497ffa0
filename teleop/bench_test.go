package teleop

import (
	"testing"
	"time"
)

const joyMessage = `{"t":"joy","vx":0.48312345678901,"vy":-0.125,"wz":0.70000000000000007,"k":"0123456789abcdef01234567"}`

func secured(tb testing.TB) *Session {
	tb.Helper()
	cfg := everyCommand(Molly())
	cfg.Token = "0123456789abcdef01234567"
	s, err := NewSession(Molly(), cfg)
	if err != nil {
		tb.Fatal(err)
	}
	s.SetState(fullState())
	s.HandleDatagram(epoch, phone, []byte(`{"t":"hello","name":"x","streams":{"lidar":true},"k":"0123456789abcdef01234567"}`))
	return s
}

func TestHotPathsDoNotAllocate(t *testing.T) {
	s, now := secured(t), epoch
	messages := map[string][]byte{
		"joy":         []byte(joyMessage),
		"ping":        []byte(`{"t":"ping","ts":17.25,"k":"0123456789abcdef01234567"}`),
		"wrong token": []byte(`{"t":"joy","vx":1,"k":"x"}`),
		"foreign":     []byte(`{"t":"what"`),
	}
	for name, m := range messages {
		s.HandleDatagram(now, phone, m)
		if n := testing.AllocsPerRun(1000, func() { s.HandleDatagram(now, phone, m) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	if s.Client().Session != 1 || s.Stats().Joy == 0 {
		t.Error("no session")
	}
	states := s.Stats().States
	if n := testing.AllocsPerRun(1000, func() {
		now = now.Add(100 * time.Millisecond)
		s.HandleDatagram(now, phone, messages["joy"])
	}); n > 1 {
		t.Errorf("state: %v allocations", n)
	}
	want(t, "states", s.Stats().States >= states+1000, true)
	points := pattern(3000 * LidarPointSize)
	if n := testing.AllocsPerRun(1000, func() {
		now = now.Add(3 * time.Millisecond)
		s.HandleDatagram(now, phone, messages["joy"])
		s.Lidar(now, points)
	}); n > 1 {
		t.Errorf("lidar: %v allocations", n)
	}
}

func BenchmarkJoyDecode(b *testing.B) {
	var d document
	data := []byte(joyMessage)
	b.ReportAllocs()
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		root, err := d.parse(data)
		if err != nil {
			b.Fatal(err)
		}
		for _, name := range [...]string{"vx", "vy", "wz"} {
			if _, ok := root.get(name).finite(); !ok {
				b.Fatal(name)
			}
		}
	}
}

func BenchmarkJoySession(b *testing.B) {
	s, data, now := secured(b), []byte(joyMessage), epoch
	b.ReportAllocs()
	for b.Loop() {
		now = now.Add(time.Microsecond)
		if o := s.HandleDatagram(now, phone, data); len(o.Effects) != 1 {
			b.Fatal(o.Effects)
		}
	}
}

func BenchmarkForeignHello(b *testing.B) {
	s, data := secured(b), []byte(`{"t":"hello","name":"someone","k":"wrong"}`)
	b.ReportAllocs()
	for b.Loop() {
		s.HandleDatagram(epoch, tablet, data)
	}
}

func BenchmarkState(b *testing.B) {
	for _, d := range Dialects() {
		b.Run(d.Name, func(b *testing.B) {
			st := fullState()
			var dst []byte
			b.ReportAllocs()
			for b.Loop() {
				dst = d.AppendState(dst[:0], &st)
			}
			b.SetBytes(int64(len(dst)))
		})
	}
}

func BenchmarkLidarFrame(b *testing.B) {
	s, now, packed := secured(b), epoch, []byte(nil)
	b.ReportAllocs()
	for b.Loop() {
		now = now.Add(5 * time.Millisecond)
		s.HandleDatagram(now, phone, []byte(joyMessage))
		packed = packed[:0]
		for i := range 3000 {
			packed = AppendLidarPoint(packed, float64(i)*0.01, 1, 2)
		}
		if o := s.Lidar(now, packed); len(o.Datagrams) != Chunks(len(packed)) {
			b.Fatalf("%d datagrams", len(o.Datagrams))
		}
	}
}

func BenchmarkReassemble(b *testing.B) {
	m := Molly()
	data := datagrams(m, StreamMap, 1, pattern(1<<20))
	r := Reassembler{Limit: 2 << 20}
	b.SetBytes(1 << 20)
	for b.Loop() {
		r.Reset()
		for _, d := range data {
			if h, payload, err := m.ParseChunk(d); err == nil {
				r.Add(epoch, h, payload)
			}
		}
	}
}
