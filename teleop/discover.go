package teleop

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"time"

	"sarathi/internal/clock"
)

// discoverEvery is how often the question is repeated: a broadcast is not acknowledged.
const discoverEvery = 300 * time.Millisecond

// A Found is a robot that answered.
type Found struct {
	Dialect *Dialect
	Addr    netip.AddrPort
	Beacon  Beacon
}

// Discover asks on every network interface for robots of the given dialects until ctx ends, and calls found for each when it first
// answers. Where broadcasts do not get through, name addresses to ask in also.
func Discover(ctx context.Context, dialects []*Dialect, also []netip.AddrPort, found func(Found)) error {
	conn, err := net.ListenUDP("udp4", nil)
	if err != nil {
		return fmt.Errorf("open a socket to discover robots: %w", err)
	}
	defer conn.Close() //nolint:errcheck // nothing was written that could be lost
	stop := context.AfterFunc(ctx, func() {
		//nolint:errcheck // the socket is closed: nobody waits
		conn.SetReadDeadline(time.Unix(1, 0))
	})
	defer stop()
	seen := map[netip.AddrPort]bool{}
	buf := make([]byte, 1<<16)
	for ctx.Err() == nil {
		ask(conn, dialects, also)
		if err := conn.SetReadDeadline(clock.Real{}.Now().Add(discoverEvery)); err != nil {
			return fmt.Errorf("discover robots: %w", err)
		}
		for ctx.Err() == nil {
			n, from, err := conn.ReadFromUDPAddrPort(buf)
			if errors.Is(err, os.ErrDeadlineExceeded) {
				break
			}
			if err != nil {
				continue // an ICMP answer of a machine that has no robot
			}
			from = netip.AddrPortFrom(from.Addr().Unmap(), from.Port())
			if b, err := ParseBeacon(buf[:n]); err == nil && !seen[from] {
				seen[from] = true
				found(Found{dialectOf(dialects, from.Port()), from, *b})
			}
		}
	}
	return nil
}

// dialectOf tells the dialect by the robot's port; on another port it is the only one asked for, or not known.
func dialectOf(dialects []*Dialect, port uint16) *Dialect {
	for _, d := range dialects {
		if d.Port == port {
			return d
		}
	}
	if len(dialects) == 1 {
		return dialects[0]
	}
	return nil
}

func ask(conn *net.UDPConn, dialects []*Dialect, also []netip.AddrPort) {
	question := []byte(`{"t":"discover"}`)
	targets := slices.Clone(also)
	for _, a := range broadcastAddrs() {
		for _, d := range dialects {
			targets = append(targets, netip.AddrPortFrom(a, d.Port))
		}
	}
	for _, to := range targets {
		//nolint:errcheck // an interface without a network is no reason not to ask on the others
		conn.WriteToUDPAddrPort(question, to)
	}
}

// broadcastAddrs are the directed broadcast address of every IPv4 network that this machine is in, the limited broadcast, which many
// networks drop, and this machine.
func broadcastAddrs() []netip.Addr {
	out := []netip.Addr{netip.AddrFrom4([4]byte{255, 255, 255, 255}), netip.AddrFrom4([4]byte{127, 0, 0, 1})}
	interfaces, err := net.Interfaces()
	if err != nil {
		return out
	}
	for i := range interfaces {
		if interfaces[i].Flags&(net.FlagUp|net.FlagBroadcast) != net.FlagUp|net.FlagBroadcast {
			continue
		}
		addrs, err := interfaces[i].Addrs()
		if err != nil {
			continue
		}
		for _, a := range addrs {
			if p, err := netip.ParsePrefix(a.String()); err == nil && p.Addr().Is4() {
				out = append(out, directedBroadcast(p))
			}
		}
	}
	slices.SortFunc(out, netip.Addr.Compare)
	return slices.Compact(out)
}

// directedBroadcast is the last address of a network, whatever the length of its prefix.
func directedBroadcast(p netip.Prefix) netip.Addr {
	a := p.Addr().As4()
	n := binary.BigEndian.Uint32(a[:]) | uint32(uint64(1)<<(32-p.Bits())-1)
	binary.BigEndian.PutUint32(a[:], n)
	return netip.AddrFrom4(a)
}
