package teleop

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"syscall"

	"golang.org/x/net/ipv4"
	"golang.org/x/net/ipv6"
)

// socketBuffer is asked of the kernel for what arrives while the reader is busy, and for a burst [bytes]. It may give less.
const socketBuffer = 1 << 20

// Prepare implements node.Preparer: it opens the sockets, so that a port that is in use fails the start.
func (n *Node) Prepare(ctx context.Context) error {
	for i, l := range n.links {
		if err := l.listen(ctx, n.cfg.Bind); err != nil {
			for _, open := range n.links[:i] {
				err = errors.Join(err, open.conn.Close())
			}
			return err
		}
	}
	return nil
}

// Close implements node.Preparer.
func (n *Node) Close() error {
	var errs []error
	for _, l := range n.links {
		errs = append(errs, l.conn.Close())
	}
	return errors.Join(errs...)
}

func (l *link) listen(ctx context.Context, bind string) error {
	address := net.JoinHostPort(bind, strconv.Itoa(l.port))
	network := "udp4"
	if ip, err := netip.ParseAddr(bind); err == nil && !ip.Is4() {
		network = "udp"
	}
	var config net.ListenConfig
	conn, err := config.ListenPacket(ctx, network, address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("handheld gateway, %s: UDP port %d is in use: stop the program that has it, or choose another port for teleop.%s.port",
			l.dialect.Name, l.port, l.dialect.Name)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return fmt.Errorf("handheld gateway, %s: this computer has no address %s: correct teleop.bind", l.dialect.Name, bind)
	case err != nil:
		return fmt.Errorf("handheld gateway, %s: listen on %s: %w", l.dialect.Name, address, err)
	}
	udp, ok := conn.(*net.UDPConn)
	if !ok {
		return errors.Join(fmt.Errorf("handheld gateway, %s: %s is no UDP socket", l.dialect.Name, address), conn.Close())
	}
	//nolint:errcheck // the kernel's own size serves too
	udp.SetReadBuffer(socketBuffer)
	//nolint:errcheck // the same
	udp.SetWriteBuffer(socketBuffer)
	l.conn = udp
	if network == "udp4" {
		l.batch = ipv4.NewPacketConn(udp)
	} else {
		l.batch = ipv6.NewPacketConn(udp)
	}
	return nil
}

// Addr returns where the socket of a dialect listens, after Prepare; the zero value when the dialect is not enabled.
func (n *Node) Addr(dialect string) netip.AddrPort {
	for _, l := range n.links {
		if addr, ok := l.conn.LocalAddr().(*net.UDPAddr); ok && l.dialect.Name == dialect {
			return netip.AddrPortFrom(addr.AddrPort().Addr().Unmap(), addr.AddrPort().Port())
		}
	}
	return netip.AddrPort{}
}
