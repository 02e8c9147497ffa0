package rosbridge_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"sarathi/rosbridge"
)

// hub is the yardstick: the simplest server on a WebSocket library that passes what one client sends to all others. It neither reads
// nor checks what passes, and it waits for slow clients.
type hub struct {
	mu    sync.Mutex
	conns map[*websocket.Conn]struct{}
}

func (h *hub) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.conns)
}

func (h *hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	c.SetReadLimit(16 << 20)
	h.mu.Lock()
	h.conns[c] = struct{}{}
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		delete(h.conns, c)
		h.mu.Unlock()
		c.CloseNow()
	}()
	for {
		kind, data, err := c.Read(context.Background())
		if err != nil {
			return
		}
		h.mu.Lock()
		for o := range h.conns {
			if o != c {
				o.Write(context.Background(), kind, data)
			}
		}
		h.mu.Unlock()
	}
}

// load is one publisher and its subscribers on raw connections, so that the clients cost little.
type load struct {
	b    *testing.B
	pub  net.Conn
	subs []*bufio.Reader
}

func newLoad(b *testing.B, server string, subs int) *load {
	b.Helper()
	address := ""
	var h *hub
	switch server {
	case "sarathi":
		address = start(b, config()).url
	default:
		h = &hub{conns: map[*websocket.Conn]struct{}{}}
		s := httptest.NewServer(h)
		b.Cleanup(s.Close)
		address = s.URL
	}
	_, address, _ = strings.Cut(address, "://")
	dial := func() (net.Conn, *bufio.Reader) {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { conn.Close() })
		fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
		r := bufio.NewReaderSize(conn, 64<<10)
		if resp, err := http.ReadResponse(r, nil); err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
			b.Fatal(resp, err)
		}
		return conn, r
	}
	l := &load{b: b}
	l.pub, _ = dial()
	if server == "sarathi" {
		shout(b, l.pub, advertise("/bench", "std_msgs/String"))
	}
	for range subs {
		conn, r := dial()
		if server == "sarathi" {
			shout(b, conn, subscribe("/bench"))
			conn.Write(clientFrame(0x89, "")) // the answer to the ping says that the subscription is made
			l.skip(r)
		}
		l.subs = append(l.subs, r)
	}
	if h != nil {
		until(b, "all are there", func() bool { return h.count() == subs+1 })
	}
	return l
}

// skip reads one frame and forgets it.
func (l *load) skip(r *bufio.Reader) {
	head, err := r.Peek(2)
	if err != nil {
		l.b.Fatal(err)
	}
	n, size := int(head[1]), 2
	switch n {
	case 126:
		size = 4
	case 127:
		size = 10
	}
	if size > 2 {
		if head, err = r.Peek(size); err != nil {
			l.b.Fatal(err)
		}
		n = int(binary.BigEndian.Uint16(head[2:]))
		if size == 10 {
			n = int(binary.BigEndian.Uint64(head[2:]))
		}
	}
	if _, err := io.CopyN(io.Discard, r, int64(size+n)); err != nil {
		l.b.Fatal(err)
	}
}

// window sends b.N messages of n bytes, of which at most so many are on their way to any subscriber.
func (l *load) window(n, window int) {
	frame := clientFrame(0x81, publish("/bench", `{"data":"`+strings.Repeat("x", n)+`"}`))
	free := make(chan struct{}, window*len(l.subs))
	var read sync.WaitGroup
	count := l.b.N
	for _, r := range l.subs {
		read.Go(func() {
			for range count {
				l.skip(r)
				free <- struct{}{}
			}
		})
	}
	l.b.ResetTimer()
	begin := time.Now()
	out := 0
	for range count {
		for out >= window*len(l.subs) {
			<-free
			out--
		}
		l.pub.Write(frame)
		out += len(l.subs)
	}
	for ; out > 0; out-- {
		<-free
	}
	read.Wait()
	perSecond := float64(count) / time.Since(begin).Seconds()
	l.b.ReportMetric(perSecond*float64(len(l.subs)), "deliveries/s")
}

var servers = []string{"sarathi", "coder-websocket-hub"}

// BenchmarkDeliver passes messages from one client over the broker to others, losslessly. The clients run in the same process and share
// its two cores; the tool rbbench measures the broker alone.
func BenchmarkDeliver(b *testing.B) {
	for _, c := range []struct {
		name                string
		subs, bytes, window int
		target              float64
	}{
		{"32B_1sub_window8", 1, 32, 8, 60_000},
		{"32B_10subs_window8", 10, 32, 8, 150_000},
		{"1MB_10subs_window2", 10, 1_000_000, 2, 1_000},
	} {
		b.Run(c.name, func(b *testing.B) {
			for _, server := range servers {
				b.Run(server, func(b *testing.B) {
					newLoad(b, server, c.subs).window(c.bytes, c.window)
					if server == "sarathi" {
						b.ReportMetric(c.target, "deliveries/s:min")
					}
				})
			}
		})
	}
}

// BenchmarkPingPong is the time from a client's write to another client's read.
func BenchmarkPingPong(b *testing.B) {
	for _, server := range servers {
		b.Run(server, func(b *testing.B) {
			l := newLoad(b, server, 1)
			frame := clientFrame(0x81, publish("/bench", `{"data":"0123456789abcdef0123456789abcdef"}`))
			times := make([]time.Duration, 0, b.N)
			for b.Loop() {
				begin := time.Now()
				l.pub.Write(frame)
				l.skip(l.subs[0])
				times = append(times, time.Since(begin))
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2]), "p50-ns")
			if server == "sarathi" {
				b.ReportMetric(100_000, "p50-ns:max")
			}
		})
	}
}

// BenchmarkIdleClients is the memory that a client costs that is connected and silent, with the test's end of its connection.
func BenchmarkIdleClients(b *testing.B) {
	const n = 1000
	for b.Loop() {
		b.StopTimer()
		r := start(b, config())
		before := memoryInUse()
		b.StartTimer()
		conns := make([]net.Conn, n)
		for i := range conns {
			conns[i] = r.mute()
		}
		until(b, "all are there", func() bool { return len(r.Stats().Clients) == n })
		b.StopTimer()
		b.ReportMetric(float64(memoryInUse()-before)/n, "B/client")
		for _, c := range conns {
			c.Close()
		}
		r.stop()
		b.StartTimer()
	}
	b.ReportMetric(60_000, "B/client:max")
}

// memoryInUse returns the bytes of heap and stacks.
func memoryInUse() int {
	residentHeap()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapInuse + m.StackInuse)
}

// BenchmarkParse reads a small publish frame.
func BenchmarkParse(b *testing.B) {
	text := []byte(publish("/bench", `{"data":"0123456789abcdef0123456789abcdef"}`))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := rosbridge.ParseFrame(text); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(1, "allocs/op:max")
}
