package tfbuffer

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"sarathi/internal/geom"
)

// Config bounds what a buffer remembers.
type Config struct {
	History    time.Duration `doc:"how far back transforms are remembered"`
	MaxSamples int           `doc:"most transforms remembered for one link"`
	MaxFrames  int           `doc:"most frames; transforms for more are refused"`
}

// DefaultConfig remembers ten seconds, as tf2 does.
func DefaultConfig() Config {
	return Config{History: 10 * time.Second, MaxSamples: 8192, MaxFrames: 1024}
}

// Validate reports every value that a buffer cannot work with, in texts that begin with the key.
func (c Config) Validate() error {
	var errs []error
	if c.History < reorder || c.History > 10*time.Minute {
		errs = append(errs, fmt.Errorf("history: %s is out of range %s..10m: write a duration between them", c.History, reorder))
	}
	if c.MaxSamples < 2 || c.MaxSamples > 1<<20 {
		errs = append(errs, fmt.Errorf("max_samples: %d is out of range 2..%d: write a whole number between them", c.MaxSamples, 1<<20))
	}
	if c.MaxFrames < 2 || c.MaxFrames > 1<<16 {
		errs = append(errs, fmt.Errorf("max_frames: %d is out of range 2..%d: write a whole number between them", c.MaxFrames, 1<<16))
	}
	return errors.Join(errs...)
}

// Buffer is the memory of all frames. Use [New].
type Buffer struct {
	cfg    Config
	frames map[string]*frame
	stats  Stats
}

// Stats counts what happened to transforms.
type Stats struct {
	Restarts uint64 // tracks begun anew because a clock went back
	Moves    uint64 // frames that got another parent
}

// frame is one frame and the link to its parent.
type frame struct {
	name   string
	parent *frame // nil for a root
	static bool
	fixed  geom.Transform // parentTframe of a static link
	track  track          // parentTframe of a link that moves
}

// New returns an empty buffer. It panics on a Config that Validate refuses.
func New(cfg Config) *Buffer {
	if err := cfg.Validate(); err != nil {
		panic(fmt.Sprintf("tfbuffer.New: %v", err))
	}
	return &Buffer{cfg: cfg, frames: map[string]*frame{}}
}

// Stats returns the counters.
func (b *Buffer) Stats() Stats { return b.stats }

// Frames returns the names of all frames, sorted.
func (b *Buffer) Frames() []string {
	out := make([]string, 0, len(b.frames))
	for name := range b.frames {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// Set files where child was seen from parent at stamp: parentTchild. Errors are a [*RefusedError] or a [*LoopError]; the buffer is as
// before then. A leading slash in a name, as old ROS programs write it, is dropped.
func (b *Buffer) Set(parent, child string, stamp time.Time, tf geom.Transform) error {
	parent, child = plain(parent), plain(child)
	if !stampable(stamp) {
		return &RefusedError{parent, child, "it has no usable time: stamp transforms that move"}
	}
	if f := b.frames[child]; f != nil && f.parent != nil {
		switch at := stamp.UnixNano(); {
		case f.static:
			return &RefusedError{parent, child, child + " has a static transform, which never changes: publish it in one place only"}
		case f.parent.name != parent && !f.track.empty() && at <= f.track.newest() && at >= f.track.newest()-int64(reorder):
			return &RefusedError{parent, child, child + " has moved to " + f.parent.name + " since: two programs publish it"}
		}
	}
	f, err := b.link(parent, child, tf)
	if err != nil {
		return err
	}
	if f.track.add(sample{stamp.UnixNano(), unit(tf)}, b.cfg.History, b.cfg.MaxSamples) {
		b.stats.Restarts++
	}
	return nil
}

// SetStatic files where child is seen from parent at all times. It replaces what was known of child. Errors are those of Set.
func (b *Buffer) SetStatic(parent, child string, tf geom.Transform) error {
	f, err := b.link(plain(parent), plain(child), tf)
	if err != nil {
		return err
	}
	f.static, f.fixed = true, unit(tf)
	f.track = track{}
	return nil
}

// link makes child hang below parent, or says why it may not.
func (b *Buffer) link(parent, child string, tf geom.Transform) (*frame, error) {
	switch {
	case parent == "" || child == "":
		return nil, &RefusedError{parent, child, "a frame has no name"}
	case !tf.IsFinite():
		return nil, &RefusedError{parent, child, "it has numbers that are not finite"}
	case parent == child:
		return nil, &LoopError{parent, child, []string{parent}}
	}
	p, c := b.frames[parent], b.frames[child]
	if err := loop(p, c, parent, child); err != nil {
		return nil, err
	}
	missing := 0
	for _, f := range []*frame{p, c} {
		if f == nil {
			missing++
		}
	}
	if len(b.frames)+missing > b.cfg.MaxFrames {
		return nil, &RefusedError{parent, child, fmt.Sprintf("there are %d frames already", len(b.frames))}
	}
	p, c = b.frame(parent), b.frame(child)
	if c.parent != p {
		if c.parent != nil {
			b.stats.Moves++
		}
		c.parent, c.static, c.track = p, false, track{}
	}
	return c, nil
}

// loop returns an error when p is c or hangs below it.
func loop(p, c *frame, parent, child string) error {
	up := p
	for up != nil && up != c {
		up = up.parent
	}
	if up == nil {
		return nil
	}
	path := []string{c.name}
	for f := p; f != c; f = f.parent {
		path = slices.Insert(path, len(path)-1, f.name)
	}
	return &LoopError{parent, child, path}
}

func (b *Buffer) frame(name string) *frame {
	f := b.frames[name]
	if f == nil {
		f = &frame{name: name}
		b.frames[name] = f
	}
	return f
}

// plain is a frame name without the leading slash of old ROS programs.
func plain(name string) string { return strings.TrimPrefix(name, "/") }

// unit is tf with a rotation of unit length.
func unit(tf geom.Transform) geom.Transform {
	tf.R = tf.R.Normalized()
	return tf
}

// stampable reports whether t is a time, and one that nanoseconds since 1970 can express with room to spare.
func stampable(t time.Time) bool {
	const most = math.MaxInt64 / int64(time.Second) / 2
	s := t.Unix()
	return !t.IsZero() && s > -most && s < most
}
