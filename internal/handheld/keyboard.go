package handheld

import (
	"slices"
	"time"

	"sarathi/teleop"
)

// KeyTimeout is how long a key counts after it was last pressed or repeated: longer than the half second that keyboards wait before
// they repeat.
const KeyTimeout = 600 * time.Millisecond

// A Key is a key that was pressed, repeated or, where the terminal reports it, released.
type Key struct {
	Name    string // as bubbletea spells it: w, W, up, space, esc, ctrl+c
	Text    string // what it would type; "" for none
	Code    rune   // the key itself, the same with shift and without
	Release bool
}

// direction is what a key asks for, as parts of the speed: forward, left, counter-clockwise. Keys that do not move give false.
// The three rows u-i-o, j-k-l and m-,-. are those of teleop_twist_keyboard, with shift to go sideways.
func direction(name string) (teleop.Velocity, bool) {
	switch name {
	case "w", "up", "i", "I":
		return teleop.Velocity{VX: 1}, true
	case "s", "down", ",", "<":
		return teleop.Velocity{VX: -1}, true
	case "a", "left", "j":
		return teleop.Velocity{WZ: 1}, true
	case "d", "right", "l":
		return teleop.Velocity{WZ: -1}, true
	case "A", "shift+left", "J":
		return teleop.Velocity{VY: 1}, true
	case "D", "shift+right", "L":
		return teleop.Velocity{VY: -1}, true
	case "u":
		return teleop.Velocity{VX: 1, WZ: 1}, true
	case "o":
		return teleop.Velocity{VX: 1, WZ: -1}, true
	case "m":
		return teleop.Velocity{VX: -1, WZ: -1}, true
	case ".":
		return teleop.Velocity{VX: -1, WZ: 1}, true
	case "U":
		return teleop.Velocity{VX: 1, VY: 1}, true
	case "O":
		return teleop.Velocity{VX: 1, VY: -1}, true
	case "M":
		return teleop.Velocity{VX: -1, VY: 1}, true
	case ">":
		return teleop.Velocity{VX: -1, VY: -1}, true
	default:
		return teleop.Velocity{}, false
	}
}

// A keyboard knows which keys are held.
type keyboard struct {
	reports bool  // the terminal reports releases
	held    []Key // in the order of pressing
	at      time.Time
	locked  bool // what is held does not count until everything was let go
}

// press takes a key that moves. Without reports of releases only the last one is known to be held.
func (k *keyboard) press(now time.Time, key Key) {
	k.at = now
	if !k.reports {
		k.held = k.held[:0]
	}
	k.held = append(slices.DeleteFunc(k.held, func(h Key) bool { return h.Code == key.Code }), key)
}

// release takes a key that was let go, of which shift may have been let go before.
func (k *keyboard) release(key Key) {
	k.held = slices.DeleteFunc(k.held, func(h Key) bool { return h.Code == key.Code })
	k.unlock()
}

// lock lets go of everything until the operator has.
func (k *keyboard) lock() {
	k.locked = true
	k.unlock()
}

func (k *keyboard) clear() {
	k.held = k.held[:0]
	k.unlock()
}

func (k *keyboard) unlock() {
	if len(k.held) == 0 {
		k.locked = false
	}
}

// tick forgets keys that are not repeated any more.
func (k *keyboard) tick(now time.Time) {
	if now.Sub(k.at) >= KeyTimeout {
		k.clear()
	}
}

// wish is what the held keys ask for together, as parts of the speed; false is nothing.
func (k *keyboard) wish() (teleop.Velocity, bool) {
	var sum teleop.Velocity
	for _, key := range k.held {
		d, _ := direction(key.Name)
		sum.VX, sum.VY, sum.WZ = sum.VX+d.VX, sum.VY+d.VY, sum.WZ+d.WZ
	}
	return sum.Clamp(teleop.Velocity{VX: 1, VY: 1, WZ: 1}), len(k.held) > 0 && !k.locked
}
