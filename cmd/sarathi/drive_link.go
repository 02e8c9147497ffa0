package main

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"
	"time"

	"sarathi/teleop"
)

const (
	connectLimit = 3 * time.Second        // until the robot's welcome
	beaconLimit  = 600 * time.Millisecond // until it says whether it is in use
	askEvery     = 100 * time.Millisecond // a datagram may be lost
)

// handheldLink says which robot a handheld speaks to, and how.
type handheldLink struct {
	Token   string `env:"SARATHI_TOKEN" placeholder:"TEXT" help:"Token of the robot; other users of this computer do not see $$SARATHI_TOKEN."`
	Dialect string `enum:"molly,pashupati" default:"molly" help:"Protocol: molly (UDP 9880) or pashupati (UDP 9870)."`
}

// dialect returns the chosen protocol.
func (l *handheldLink) dialect() *teleop.Dialect {
	if l.Dialect == teleop.PashupatiName {
		return teleop.Pashupati()
	}
	return teleop.Molly()
}

// randomID is where the ids of commands begin: a robot that still knows an earlier program must not answer for it.
func randomID() int64 {
	var b [4]byte
	rand.Read(b[:])
	return int64(binary.LittleEndian.Uint32(b[:]))
}

// config returns the handheld's settings.
func (l *handheldLink) config(streams teleop.Streams) teleop.ClientConfig {
	cfg := teleop.DefaultClientConfig()
	cfg.Token, cfg.Streams, cfg.FirstID = l.Token, streams, randomID()
	return cfg
}

// ask repeats a question until use takes an answer, without a session: nobody loses the robot because of it. unsure, if given, is called
// once when there was no answer for a second.
func (l *handheldLink) ask(ctx context.Context, host string, question []byte, unsure func(), use func(answer []byte) bool) error {
	if _, _, err := net.SplitHostPort(host); err != nil {
		host = net.JoinHostPort(host, strconv.Itoa(int(l.dialect().Port)))
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, "udp4", host) // the public robots listen on IPv4
	if err != nil {
		if conn, err = d.DialContext(ctx, "udp", host); err != nil {
			return usage("find robot %s: %w", host, err)
		}
	}
	defer conn.Close() //nolint:errcheck // nothing was written that could be lost
	defer context.AfterFunc(ctx, func() {
		//nolint:errcheck // the socket is closed: nobody waits
		conn.SetReadDeadline(time.Unix(1, 0))
	})()
	buf := make([]byte, 1<<16)
	refused := false
	for asked := 0; ctx.Err() == nil; asked++ {
		if asked == int(time.Second/askEvery) && unsure != nil {
			unsure()
		}
		//nolint:errcheck // an unreachable network is silence: the caller's time-out decides
		conn.Write(question)
		until := time.Now().Add(askEvery)
		for ctx.Err() == nil && time.Now().Before(until) {
			if err := conn.SetReadDeadline(until); err != nil {
				return fmt.Errorf("ask %s: %w", host, err)
			}
			n, err := conn.Read(buf)
			refused = refused || errors.Is(err, syscall.ECONNREFUSED)
			if err == nil && use(buf[:n]) {
				return nil
			}
		}
	}
	if err := ctx.Err(); errors.Is(err, context.Canceled) {
		return err // the user does not wait for an answer
	}
	if refused {
		return fmt.Errorf("no robot listens on %s: is it on, and is its %s gateway enabled? `sarathi discover` shows who is there", host, l.Dialect)
	}
	return fmt.Errorf("%s does not answer: is it on and in this network? `sarathi discover` shows who is there", host)
}

// inUseBy asks the robot who drives it, without taking part; "" is nobody, or a robot that does not tell in time.
func (l *handheldLink) inUseBy(ctx context.Context, host string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, beaconLimit)
	defer cancel()
	var name string
	err := l.ask(ctx, host, []byte(`{"t":"discover"}`), nil, func(answer []byte) bool {
		b, err := teleop.ParseBeacon(answer)
		if err == nil {
			name = b.InUseBy
		}
		return err == nil
	})
	return name, err
}

// with connects to the robot, calls fn and leaves. Events go to tell, one at a time; tell may be called until with returns.
func (l *handheldLink) with(
	ctx context.Context, host string, streams teleop.Streams, tell func(teleop.Event), fn func(context.Context, *teleop.Handheld) error,
) error {
	answered := make(chan teleop.Event, 1)
	h, err := teleop.Dial(ctx, l.dialect(), host, l.config(streams), func(ev teleop.Event) {
		if ev.Kind == teleop.EventConnected || ev.Kind == teleop.EventRefused {
			select {
			case answered <- ev:
			default: // only the first matters
			}
		}
		tell(ev)
	})
	if err != nil {
		return usage("%w", err)
	}
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- h.Run(running) }()
	limit := time.NewTimer(connectLimit)
	defer limit.Stop()
	select {
	case ev := <-answered:
		if err = refusal(host, ev); err == nil {
			err = fn(ctx, h)
		}
	case <-limit.C:
		err = fmt.Errorf("%s does not answer: is it on and in this network? `sarathi discover` shows who is there", host)
	case <-ctx.Done():
		err = ctx.Err()
	}
	stop()
	return errors.Join(err, <-ended)
}

// refusal is what the robot's first answer means: nil for a welcome.
func refusal(host string, ev teleop.Event) error {
	if ev.Kind == teleop.EventConnected {
		return nil
	}
	return fmt.Errorf("%s refuses: %s (`sarathi discover` shows who drives; a robot with a token needs --token)", host, ev.Reason)
}
