package teleop_test

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"sarathi/teleop"
)

// device is a socket that says exactly what a test wants, from an address of its own.
type device struct {
	t    testing.TB
	conn *net.UDPConn
	buf  []byte
}

func newDevice(t testing.TB, ip string, to netip.AddrPort) *device {
	t.Helper()
	conn, err := net.DialUDP("udp4", &net.UDPAddr{IP: net.ParseIP(ip)}, net.UDPAddrFromAddrPort(to))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &device{t, conn, make([]byte, 1<<16)}
}

func (d *device) send(format string, args ...any) {
	d.t.Helper()
	if _, err := fmt.Fprintf(d.conn, format, args...); err != nil {
		d.t.Fatal(err)
	}
}

// expect waits for a datagram that contains text.
func (d *device) expect(text string) string {
	d.t.Helper()
	d.conn.SetReadDeadline(time.Now().Add(limit))
	for {
		n, err := d.conn.Read(d.buf)
		if err != nil {
			d.t.Fatalf("waiting for %s: %v", text, err)
		}
		if got := string(d.buf[:n]); strings.Contains(got, text) {
			return got
		}
	}
}

// ask sends until the answer contains text: for what takes effect soon after something else.
func (d *device) ask(question, text string) string {
	d.t.Helper()
	late := time.Now().Add(limit)
	for time.Now().Before(late) {
		d.send("%s", question)
		d.conn.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
		for {
			n, err := d.conn.Read(d.buf)
			if err != nil {
				break
			}
			if got := string(d.buf[:n]); strings.Contains(got, text) {
				return got
			}
		}
	}
	d.t.Fatalf("no answer to %s contains %s", question, text)
	return ""
}

// frame waits for a whole frame of the lidar stream, and returns how many bytes it has.
func (d *device) frame(r *teleop.Reassembler) int {
	d.t.Helper()
	d.conn.SetReadDeadline(time.Now().Add(limit))
	for {
		n, err := d.conn.Read(d.buf)
		if err != nil {
			d.t.Fatalf("waiting for a cloud: %v", err)
		}
		h, payload, err := teleop.Molly().ParseChunk(d.buf[:n])
		if err != nil || h.Stream != teleop.StreamLidar {
			continue
		}
		if f, ok := r.Add(time.Now(), h, payload); ok {
			return len(f)
		}
	}
}
