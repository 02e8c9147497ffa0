package handheld

import (
	"fmt"
	"strings"
	"time"

	"sarathi/teleop"
)

// TickPeriod is how often [Model.Tick] is to be called.
const TickPeriod = 50 * time.Millisecond

const (
	firstSpeed  = 0.5 // of the robot's limits
	leastSpeed  = 0.05
	speedStep   = 0.1                    // of the speed, for each press of q or z
	neutralFor  = 500 * time.Millisecond // of a stick at rest, on which the control mux arms
	confirmTime = 3 * time.Second        // for the second key of an e-stop release
	mostLines   = 50                     // of the log
	releaseKey  = "ctrl+r"
	stopKey     = "esc"
)

// A screen is what the keys mean and the terminal shows.
type screen uint8

const (
	screenMap screen = iota
	screenState
	screenHelp
	screenPalette
)

// A Model is the handheld's state. One loop owns it.
type Model struct {
	dialect *teleop.Dialect
	width   int
	height  int
	screen  screen
	before  screen // to which the palette returns

	keys         keyboard
	pad          gamepad
	speed        float64 // part of the robot's limits, above 0 to 1
	driving      bool    // the last effect was drive
	velocity     teleop.Velocity
	blurred      bool
	neutralUntil time.Time
	confirmUntil time.Time // an e-stop release waits for its second key

	palette palette
	log     []string
	snap    teleop.Snapshot
	mode    string
	stopped bool
	lidar   bool
	scene   scene
}

// New returns a handheld that is not connected.
func New(d *teleop.Dialect) *Model {
	return &Model{dialect: d, width: 80, height: 24, speed: firstSpeed, lidar: true, scene: scene{scale: firstScale}}
}

// Streams is what the handheld wants to be sent.
func (m *Model) Streams() teleop.Streams { return teleop.Streams{Lidar: m.lidar} }

// Resize takes the size of the terminal in characters.
func (m *Model) Resize(width, height int) { m.width, m.height = max(width, 20), max(height, 8) }

// ReportsReleases says that the terminal tells when a key is let go.
func (m *Model) ReportsReleases() { m.keys.reports = true }

// Focus takes that the terminal has the keyboard, or has lost it. Without it nothing moves.
func (m *Model) Focus(has bool) []Effect {
	m.blurred = !has
	if has {
		return nil
	}
	return m.letGo()
}

// letGo ends all input.
func (m *Model) letGo() []Effect {
	m.keys.clear()
	m.pad.lock()
	m.neutralUntil = time.Time{}
	return m.halt()
}

func (m *Model) halt() []Effect {
	m.velocity = teleop.Velocity{}
	if !m.driving {
		return nil
	}
	m.driving = false
	return []Effect{{Kind: EffectRelease}}
}

// Key takes a key.
func (m *Model) Key(now time.Time, k Key) []Effect {
	if k.Release {
		m.keys.release(k)
		return m.steer(now)
	}
	confirming := now.Before(m.confirmUntil)
	m.confirmUntil = time.Time{}
	switch {
	case m.stops(k):
		return append(m.letGo(), Effect{Kind: EffectCommand, Name: teleop.CommandEStop})
	case k.Name == "ctrl+c":
		return append(m.letGo(), Effect{Kind: EffectQuit})
	case k.Name == releaseKey:
		m.confirmUntil = now.Add(confirmTime)
		return m.letGo()
	case confirming && k.Name == "y":
		return []Effect{{Kind: EffectCommand, Name: "estop_release"}}
	case m.screen == screenPalette:
		return m.typed(k)
	}
	return m.driveKey(now, k)
}

// stops reports whether a key is, or may be, the e-stop. Over a slow line a terminal that tells no releases sends ESC and the key after it
// together, which is how it sends that key with alt, too; and a frightened operator presses ESC twice.
func (m *Model) stops(k Key) bool {
	return k.Name == stopKey || strings.HasSuffix(k.Name, "+"+stopKey) || !m.keys.reports && strings.HasPrefix(k.Name, "alt+")
}

// driveKey takes a key outside of the palette. What means nothing stops the robot.
func (m *Model) driveKey(now time.Time, k Key) []Effect {
	if _, moves := direction(k.Name); moves && m.screen != screenHelp {
		m.keys.press(now, k)
		return m.steer(now)
	}
	switch k.Name {
	case "q", "z":
		factor := 1 + speedStep
		if k.Name == "z" {
			factor = 1 - speedStep
		}
		m.speed = min(max(m.speed*factor, leastSpeed), 1)
		return m.steer(now)
	case "+":
		m.scene.zoom(1 / zoomStep)
		return nil
	case "-":
		m.scene.zoom(zoomStep)
		return nil
	}
	out := m.letGo()
	switch k.Name {
	case "r":
		out = append(out, m.setMode("remote"))
	case "t":
		out = append(out, m.setMode("auto"))
	case "x":
		m.lidar = !m.lidar
		m.scene.points = nil
		out = append(out, Effect{Kind: EffectStreams, Streams: m.Streams()})
	case "tab":
		m.screen = (m.screen + 1) % screenHelp
	case "?":
		m.screen = screenHelp
	case ":", "/":
		m.before, m.screen, m.palette = m.screen, screenPalette, palette{}
		if m.before == screenHelp {
			m.before = screenMap
		}
	default:
		if m.screen == screenHelp {
			m.screen = screenMap
		}
	}
	return out
}

func (m *Model) setMode(mode string) Effect {
	return Effect{Kind: EffectCommand, Name: "set_mode", Args: teleop.Args{}.With("mode", teleop.Text(mode))}
}

// Tick lets time pass and takes what the client knows.
func (m *Model) Tick(now time.Time, snap teleop.Snapshot) []Effect {
	m.snap = snap
	m.keys.tick(now)
	return m.steer(now)
}

// steer turns what is held into what the robot is told, again and again while it is. In remote mode the stick is sent at rest, too: the
// control mux arms on it, and disarms when it hears nothing. Whatever begins anew begins at rest.
func (m *Model) steer(now time.Time) []Effect {
	wish, held := m.keys.wish()
	speed := m.speed
	if !held && m.pad.driving() {
		wish, held = m.pad.pad.wish(), true
		if m.pad.pad.Turbo {
			speed = 1
		}
	}
	resting := m.mode == "remote" && !m.stopped
	if m.blurred || !m.snap.Connected || !held && !resting {
		return m.halt()
	}
	if !m.driving {
		m.driving, m.neutralUntil = true, now.Add(neutralFor)
	}
	m.velocity = teleop.Velocity{}
	if held && !now.Before(m.neutralUntil) {
		l := m.limits()
		m.velocity = teleop.Velocity{VX: wish.VX * l.VX * speed, VY: wish.VY * l.VY * speed, WZ: wish.WZ * l.WZ * speed}
	}
	return []Effect{{Kind: EffectDrive, Velocity: m.velocity}}
}

func (m *Model) limits() teleop.Velocity {
	if m.snap.Welcome == nil {
		return teleop.Velocity{}
	}
	return m.snap.Welcome.Limits
}

// Event takes something that happened at the client. It keeps what the event refers to.
func (m *Model) Event(now time.Time, e teleop.Event) []Effect {
	switch e.Kind {
	case teleop.EventConnected:
		m.snap.Connected, m.snap.Welcome = true, e.Welcome
		m.say("connected to %s", e.Welcome.Name)
		m.mode, m.stopped = "", false
	case teleop.EventLost:
		m.snap.Connected = false
		m.say("connection lost: %s", e.Reason)
		m.keys.lock()
		m.pad.lock()
		return m.letGo()
	case teleop.EventRefused:
		m.say("refused: %s", e.Reason)
	case teleop.EventPending:
		m.say("%s …", e.Command)
	case teleop.EventResult:
		m.result(e)
	case teleop.EventState:
		return m.takeState(now, e.State)
	case teleop.EventLidar:
		m.scene.points = e.Points
	case teleop.EventRoute:
		m.scene.route = e.Route
	case teleop.EventMap:
		if err := m.scene.setMap(e.Map); err != nil {
			m.say("map: %v", err)
		}
	default:
	}
	return nil
}

func (m *Model) result(e teleop.Event) {
	switch {
	case e.Err != nil:
		m.say("%v", e.Err)
	case e.Ack.OK:
		m.say("%s done%s", e.Command, after(": ", e.Ack.Msg))
	default:
		m.say("%s refused%s", e.Command, after(": ", e.Ack.Msg))
	}
	if len(e.Ack.Data) > 0 {
		m.say("%s", e.Ack.Data)
	}
}

// after returns text behind a separator, or nothing.
func after(separator, text string) string {
	if text == "" {
		return ""
	}
	return separator + text
}

// takeState looks for what must end the present input: another mode, an e-stop or its release. Then the stick is shown at rest for a
// moment, on which the control mux arms.
func (m *Model) takeState(now time.Time, st *teleop.State) []Effect {
	m.snap.State = st
	mode, stopped := st.Mode.V, st.EStop.V
	changed := mode != m.mode || stopped != m.stopped
	m.mode, m.stopped = mode, stopped
	if !changed {
		return nil
	}
	m.keys.lock()
	m.pad.lock()
	return append(m.halt(), m.steer(now)...) // what was sent before was sent to another mode
}

// Note adds a line to what the operator is told.
func (m *Model) Note(text string) { m.say("%s", text) }

// say adds a line to the log.
func (m *Model) say(format string, args ...any) {
	if len(m.log) >= mostLines {
		m.log = append(m.log[:0], m.log[len(m.log)-mostLines+1:]...)
	}
	m.log = append(m.log, clean(fmt.Sprintf(format, args...)))
}
