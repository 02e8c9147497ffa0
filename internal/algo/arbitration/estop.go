package arbitration

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// MaxReasons is how many different requests are listed; later ones are summed up in one line.
	MaxReasons = 8
	// MaxReasonLength is where the text of a request is cut [bytes].
	MaxReasonLength = 120

	noReason    = "no reason given"
	moreReasons = "and more"
)

// Cause is something that keeps the e-stop engaged as long as it lasts.
type Cause uint8

// The held causes.
const (
	HardwareEStop Cause = iota // the hardware e-stop is pressed
	BodyLatch                  // the body has latched a stop of its own
	MuxFault                   // the mux does not trust itself

	causeCount
)

// String is the reason as people read it.
func (c Cause) String() string {
	if names := [...]string{"hardware e-stop is pressed", "body has latched its own stop", "fault in the control mux"}; int(c) < len(names) {
		return names[c]
	}
	return fmt.Sprintf("arbitration.Cause(%d)", uint8(c))
}

// ReleaseError refuses a release and names what is still held.
type ReleaseError struct{ Held []Cause }

// Error says what is held and what to do.
func (e *ReleaseError) Error() string {
	held := make([]string, len(e.Held))
	for i, c := range e.Held {
		held[i] = c.String()
	}
	return fmt.Sprintf("e-stop stays engaged: %s: clear that first, then release again", strings.Join(held, ", "))
}

// estop is the latch. Its lists only grow or are replaced, so snapshots may be handed out.
type estop struct {
	engaged bool
	held    [causeCount]bool

	reasons  []string // oldest first
	requests int      // how many of the reasons are requests
	holds    []string
	message  string // for people
}

// request engages with a reason; the latch lists each text once.
func (e *estop) request(reason string) {
	e.engaged = true
	text := clean(reason)
	if !e.lists(text) {
		if e.requests >= MaxReasons {
			if text = moreReasons; e.lists(text) {
				return
			}
		}
		e.requests++
		e.list(text)
	}
}

// hold engages for as long as c lasts.
func (e *estop) hold(c Cause) {
	e.engaged, e.held[c] = true, true
	if !e.lists(c.String()) {
		e.list(c.String())
	}
	e.listHolds()
}

// drop ends c. The latch stays.
func (e *estop) drop(c Cause) {
	if e.held[c] {
		e.held[c] = false
		e.listHolds()
	}
}

// release opens the latch, or says what is held.
func (e *estop) release() error {
	var held []Cause
	for c, on := range e.held {
		if on {
			held = append(held, Cause(c))
		}
	}
	if held != nil {
		return &ReleaseError{Held: held}
	}
	*e = estop{}
	return nil
}

func (e *estop) lists(text string) bool { return slices.Contains(e.reasons, text) }

func (e *estop) list(text string) {
	e.reasons = append(e.reasons, text)
	e.message = "The e-stop is engaged (" + strings.Join(e.reasons, "; ") + "): release it to drive."
}

func (e *estop) listHolds() {
	e.holds = nil
	for c, on := range e.held {
		if on {
			e.holds = append(e.holds, Cause(c).String())
		}
	}
}

// clean makes one short printable line of what somebody sent.
func clean(reason string) string {
	text := strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError:
			return -1
		case unicode.IsSpace(r), !unicode.IsPrint(r):
			return ' '
		}
		return r
	}, truncate(reason, 4*MaxReasonLength)) // before the work, so that a huge text costs nothing
	text = strings.TrimSpace(truncate(strings.Join(strings.Fields(text), " "), MaxReasonLength))
	if text == "" {
		return noReason
	}
	return text
}

// truncate cuts s to n bytes, between runes.
func truncate(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
