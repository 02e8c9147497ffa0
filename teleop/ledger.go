package teleop

import (
	"crypto/sha256"
	"net/netip"
	"slices"
)

// Bounds of what is remembered of commands.
const (
	mostCommands = 256     // commands of a session whose acks are kept
	mostPending  = 32      // commands that run at the same time
	mostAckBytes = 1 << 20 // of kept acks
	mostDetached = 32      // e-stops without a session
)

// A ledgerKey names a command. Within a session From is not set: there is only one peer.
type ledgerKey struct {
	from netip.AddrPort
	id   int64
	name string
}

type ledgerEntry struct {
	hash [sha256.Size]byte // of the arguments
	ack  []byte            // nil while it runs
}

// A ledger remembers commands, so that a copy is answered and not run again.
type ledger struct {
	most    int
	entries map[ledgerKey]*ledgerEntry
	order   []ledgerKey // oldest first
	bytes   int
	pending int
}

func (l *ledger) reset() { *l = ledger{most: l.most} }

// add remembers a command, or reports that most of them run already. It forgets the oldest finished ones to stay within its bounds.
func (l *ledger) add(key ledgerKey, e *ledgerEntry, most int) bool {
	if l.pending >= most {
		return false
	}
	l.remove(key)
	l.shrink(l.most - 1)
	if l.entries == nil {
		l.entries = map[ledgerKey]*ledgerEntry{}
	}
	l.entries[key] = e
	l.order = append(l.order, key)
	l.pending++
	return true
}

// finish keeps the ack of a command that runs and reports whether there was one.
func (l *ledger) finish(key ledgerKey, ack []byte) bool {
	e := l.entries[key]
	if e == nil || e.ack != nil {
		return false
	}
	e.ack = slices.Clone(ack)
	l.bytes += len(ack)
	l.pending--
	l.shrink(l.most)
	return true
}

func (l *ledger) shrink(most int) {
	for i := 0; i < len(l.order) && (len(l.order) > most || l.bytes > mostAckBytes); {
		if key := l.order[i]; l.entries[key].ack != nil {
			l.remove(key)
			continue
		}
		i++
	}
}

func (l *ledger) remove(key ledgerKey) {
	e := l.entries[key]
	if e == nil {
		return
	}
	if e.ack == nil {
		l.pending--
	}
	l.bytes -= len(e.ack)
	delete(l.entries, key)
	i := slices.Index(l.order, key)
	l.order = slices.Delete(l.order, i, i+1)
}
