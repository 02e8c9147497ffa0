package handheld

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"charm.land/lipgloss/v2"

	"sarathi/teleop"
)

// A role is why a text has a colour.
type role uint8

const (
	rolePlain role = iota
	roleFaint
	roleGood
	roleWarn
	roleAlarm
	roleTitle
)

func paint(r role, text string) string {
	s := lipgloss.NewStyle()
	switch r {
	case roleFaint:
		s = s.Faint(true)
	case roleGood:
		s = s.Foreground(lipgloss.Green)
	case roleWarn:
		s = s.Foreground(lipgloss.Yellow)
	case roleAlarm:
		s = s.Bold(true).Foreground(lipgloss.BrightWhite).Background(lipgloss.Red)
	case roleTitle:
		s = s.Bold(true)
	default:
	}
	return s.Render(text)
}

func paintLayer(l layer, text string) string {
	switch l {
	case layerLidar:
		return paint(roleWarn, text)
	case layerRoute:
		return paint(roleGood, text)
	case layerRobot:
		return paint(roleTitle, text)
	default:
		return text
	}
}

// clean removes what would move the cursor: much of the text comes from other machines.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, text)
}

// logLines is how much of the log is shown.
const logLines = 3

// View draws the screen; now is the time of the last tick.
func (m *Model) View(now time.Time) string {
	head := []string{m.linkLine(), m.robotLine(), m.stickLine(now)}
	foot := append(m.logTail(), m.footLine())
	if m.screen == screenPalette {
		foot = append(m.logTail(), m.paletteLines()...)
	}
	body := m.body(max(m.height-len(head)-len(foot), 1))
	cut := lipgloss.NewStyle().MaxWidth(m.width)
	var lines []string
	for _, part := range [][]string{head, body, foot} {
		for _, line := range part {
			lines = append(lines, strings.TrimRight(cut.Render(line), " "))
		}
	}
	return strings.Join(lines[:min(len(lines), m.height)], "\n")
}

func (m *Model) body(height int) []string {
	var lines []string
	shown := m.screen
	if shown == screenPalette {
		shown = m.before
	}
	switch shown {
	case screenHelp:
		lines = helpLines()
	case screenState:
		lines = m.stateLines()
	default:
		var pose teleop.Opt[teleop.Pose]
		if m.snap.State != nil {
			pose = m.snap.State.Pose
		}
		return m.scene.draw(m.width, height, pose).lines(paintLayer)
	}
	for len(lines) < height {
		lines = append(lines, "")
	}
	return lines[:height]
}

func (m *Model) linkLine() string {
	name := "robot"
	if m.snap.Welcome != nil {
		name = clean(m.snap.Welcome.Name)
	}
	if m.snap.Robot.IsValid() {
		name += " " + m.snap.Robot.String()
	}
	l := m.snap.Link
	status := paint(roleAlarm, " NOT CONNECTED ")
	if m.snap.Connected {
		status = paint(roleGood, "connected")
	}
	return fmt.Sprintf("%s %s  %.1f ms  lost: states %.1f %%, streams %.1f %%", paint(roleTitle, name), status,
		float64(l.RTT)/float64(time.Millisecond), 100*l.StateLoss, 100*l.StreamLoss)
}

func (m *Model) robotLine() string {
	st := m.snap.State
	if st == nil || !m.snap.Connected {
		return "no state"
	}
	if st.EStop.V {
		return paint(roleAlarm, " E-STOP ") + " " + clean(strings.Join(st.EStopReasons, ", "))
	}
	field := "-"
	if st.Field.OK {
		tone := roleGood
		if st.Field.V != "clear" && st.Field.V != "off" {
			tone = roleWarn
		}
		field = paint(tone, clean(st.Field.V))
	}
	battery := "-"
	if st.Battery.OK {
		battery = fmt.Sprintf("%.0f %%", st.Battery.V.Percent)
	}
	return fmt.Sprintf("mode %s  field %s  battery %s  moves %s", paint(roleTitle, text(st.Mode)), field, battery, velocity(st.Cmd.V))
}

func (m *Model) stickLine(now time.Time) string {
	switch {
	case now.Before(m.confirmUntil):
		return paint(roleAlarm, " release the e-stop? y ") + " any other key: no"
	case m.blurred:
		return paint(roleWarn, "the window has lost the keyboard: the robot is stopped")
	}
	line := fmt.Sprintf("stick %s  speed %.0f %% of the limits", velocity(m.velocity), 100*m.speed) + m.padStatus()
	if m.snap.Connected && m.mode != "remote" {
		line += paint(roleWarn, "  r: remote mode")
	}
	return line
}

func velocity(v teleop.Velocity) string {
	return fmt.Sprintf("%+.2f %+.2f m/s %+.2f rad/s", v.VX, v.VY, v.WZ)
}

func text(o teleop.Opt[string]) string {
	if !o.OK || o.V == "" {
		return "-"
	}
	return clean(o.V)
}

func (m *Model) logTail() []string {
	lines := make([]string, logLines)
	tail := m.log[max(0, len(m.log)-logLines):]
	copy(lines, tail)
	return lines
}

func (m *Model) footLine() string {
	return paint(roleFaint, "wasd drive  q/z speed  space stop  ESC E-STOP  r remote  t auto  : command  ? help")
}

func (m *Model) paletteLines() []string {
	return []string{
		paint(roleFaint, strings.Join(m.suggestions(), "  ")),
		paint(roleTitle, ": ") + m.palette.text + "█",
	}
}

// stateLines names what the robot reports and the upper lines do not show.
func (m *Model) stateLines() []string {
	st := m.snap.State
	if st == nil {
		return nil
	}
	var lines []string
	add := func(ok bool, format string, args ...any) {
		if ok {
			lines = append(lines, clean(fmt.Sprintf(format, args...)))
		}
	}
	add(st.Pose.OK, "pose          %.2f, %.2f m, %.0f°", st.Pose.V.X, st.Pose.V.Y, st.Pose.V.Yaw*57.29578)
	add(st.Localization.OK, "localization  %s", text(st.Localization))
	add(st.Nav.OK, "navigation    %s  %s%s", text(st.Nav), text(st.NavMsg), after("  paused: ", strings.Join(st.Pause, ", ")))
	add(st.Site.OK, "site          %s: %d POIs, %d tours, %d tags, %d routes",
		st.Site.V.Name, st.Site.V.POIs, st.Site.V.Tours, st.Site.V.Tags, st.Site.V.Routes)
	add(st.Planner.OK, "planner       %s  %s  %.1f m left", st.Planner.V.State, st.Planner.V.Msg, st.Planner.V.Remaining)
	add(st.Tour.OK, "tour          %s  %s  %d/%d", st.Tour.V.State, st.Tour.V.Name, st.Tour.V.Index, st.Tour.V.Total)
	add(st.Docking.OK, "docking       %s  %s", st.Docking.V.State, st.Docking.V.Msg)
	add(st.Mapping.OK && st.Mapping.V.Active, "mapping       %s: %d scans, %.0f m²", st.Mapping.V.Site, st.Mapping.V.Scans, st.Mapping.V.Area)
	add(st.Recording.OK, "recording     %t", st.Recording.V)
	add(st.Speech.OK, "speech        %s  %s", st.Speech.V.State, st.Speech.V.Text)
	add(st.Battery.OK, "battery       %.0f %%  %.1f V  %.1f A  %.0f °C", st.Battery.V.Percent, st.Battery.V.Volts, st.Battery.V.Amps, st.Battery.V.Temp)
	add(st.Driver.OK, "driver        %d  %s", st.Driver.V.Level, st.Driver.V.Msg)
	h := st.Health.V
	add(st.Health.OK, "computer      CPU %.0f %%  memory %.0f %%  %.0f °C%s", h.CPU, h.RAM, h.Temp, after("  ", strings.Join(h.Issues, ", ")))
	add(st.Trip.OK, "trip          %.1f m in %.0f s, top %.2f m/s", st.Trip.V.Metres, st.Trip.V.Moving, st.Trip.V.Top)
	add(st.Net.OK, "internet      %t  %.0f ms", st.Net.V.Online, st.Net.V.Millis)
	return lines
}

func helpLines() []string {
	return strings.Split(strings.TrimSpace(`
ESC           e-stop, in every screen
ctrl+r, y     release the e-stop
w a s d       drive and turn; so do the arrows; shift with a and d goes sideways
u i o         forward left, forward, forward right; with shift: sideways
j k l         turn left, stop, turn right
m , .         back right, back, back left
q z           10 % faster, slower
space         stop; so does every key that means nothing
r t           remote mode (this handheld drives), auto mode
:             type a command, such as  set_mode mode=remote  or  say text="good day"
tab           map, state
+ -           zoom the map
x             lidar on and off
ctrl+c        leave; the robot stops
gamepad       left shoulder: drive, right: at the limits; sticks; B: e-stop`), "\n")
}
