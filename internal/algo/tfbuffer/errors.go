package tfbuffer

import (
	"fmt"
	"strings"
	"time"
)

// UnknownFrameError says that a frame was never heard of.
type UnknownFrameError struct {
	Frame string
	Known []string // all frames, sorted
}

// mostNamed bounds how many frames an error lists.
const mostNamed = 24

func (e *UnknownFrameError) Error() string {
	if len(e.Known) == 0 {
		return fmt.Sprintf("frame %q is not known: no transform has arrived yet", e.Frame)
	}
	known, more := e.Known, ""
	if len(known) > mostNamed {
		known, more = known[:mostNamed], fmt.Sprintf(" and %d more", len(e.Known)-mostNamed)
	}
	return fmt.Sprintf("frame %q is not known; known are %s%s", e.Frame, strings.Join(known, ", "), more)
}

// ConnectivityError says that two frames are in different trees.
type ConnectivityError struct {
	Target, Source         string
	TargetRoot, SourceRoot string // where each way up ends
}

func (e *ConnectivityError) Error() string {
	return fmt.Sprintf("%s and %s are not connected: %s belongs to the tree of %s, %s to that of %s",
		e.Target, e.Source, e.Target, e.TargetRoot, e.Source, e.SourceRoot)
}

// ExtrapolationError says that a link has no sample at or around the time asked for.
type ExtrapolationError struct {
	Parent, Child  string // the link
	At             time.Time
	Oldest, Newest time.Time // what the link has
}

// By returns how far the time lies outside: negative before the oldest sample, positive after the newest.
func (e *ExtrapolationError) By() time.Duration {
	if e.At.Before(e.Oldest) {
		return e.At.Sub(e.Oldest)
	}
	return e.At.Sub(e.Newest)
}

func (e *ExtrapolationError) Error() string {
	link := e.Parent + " -> " + e.Child
	if by := e.By(); by < 0 {
		return fmt.Sprintf("%s is not known %s before its oldest transform; it goes back %s", link, -by, e.Newest.Sub(e.Oldest))
	}
	return fmt.Sprintf("%s is not known yet: the time is %s after its newest transform", link, e.By())
}

// AgeError says that the newest transform is too old, or further in the future than a clock may be wrong.
type AgeError struct {
	Target, Source string
	Age, Limit     time.Duration // Age is negative in the future
}

func (e *AgeError) Error() string {
	if e.Age < 0 {
		return fmt.Sprintf("%s -> %s is stamped %s in the future: set the clocks", e.Target, e.Source, -e.Age)
	}
	return fmt.Sprintf("%s -> %s is %s old, at most %s is allowed", e.Target, e.Source, e.Age, e.Limit)
}

// LoopError says that a link would make a frame its own ancestor.
type LoopError struct {
	Parent, Child string
	Path          []string // from Parent up to Child
}

func (e *LoopError) Error() string {
	return fmt.Sprintf("%s -> %s would close a loop: %s is already below %s (%s)",
		e.Parent, e.Child, e.Parent, e.Child, strings.Join(e.Path, " <- "))
}

// RefusedError says why a transform was not taken.
type RefusedError struct {
	Parent, Child string
	Reason        string
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("transform %s -> %s refused: %s", e.Parent, e.Child, e.Reason)
}
