package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"sarathi/internal/handheld"
	"sarathi/teleop"
)

// driveEvents is how many events may wait for the screen. A slow terminal must not hold up the connection: what is too much is lost,
// and the next state or scan is as good.
const driveEvents = 64

// A driveScreen is the terminal around the handheld's model. Only bubbletea's loop touches the model.
type driveScreen struct {
	m      *handheld.Model
	h      *teleop.Handheld
	events chan teleop.Event
	pads   chan padMsg
	now    time.Time // of the last message
	done   <-chan struct{}
	send   func(name string, args teleop.Args) (teleop.Ack, error)
}

type (
	tickMsg  struct{}
	eventMsg teleop.Event
)

// tell takes an event of the connection; what it refers to is valid during the call only.
func (u *driveScreen) tell(ev teleop.Event) {
	if ev.Kind == teleop.EventResult || ev.Kind == teleop.EventCamera {
		return // results come from the command that waits for them
	}
	ev.Points = slices.Clone(ev.Points)
	select {
	case u.events <- ev:
	default: // see driveEvents
	}
}

// show runs the screen until the operator leaves or ctx ends.
func (u *driveScreen) show(ctx context.Context, e *env) error {
	u.now, u.done = time.Now(), ctx.Done()
	u.send = func(name string, args teleop.Args) (teleop.Ack, error) { return u.h.Command(ctx, name, args) }
	p := tea.NewProgram(u, tea.WithContext(ctx), tea.WithInput(e.stdin), tea.WithOutput(e.stdout), tea.WithoutSignalHandler())
	if _, err := p.Run(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("terminal: %w", err)
	}
	return nil
}

// Init implements tea.Model.
func (u *driveScreen) Init() tea.Cmd { return tea.Batch(u.tick(), u.wait(), u.waitPad()) }

func (u *driveScreen) tick() tea.Cmd {
	return tea.Tick(handheld.TickPeriod, func(time.Time) tea.Msg { return tickMsg{} })
}

// wait waits for the next event of the connection.
func (u *driveScreen) wait() tea.Cmd {
	return func() tea.Msg {
		select {
		case ev := <-u.events:
			return eventMsg(ev)
		case <-u.done:
			return nil
		}
	}
}

// waitPad waits for the next movement of the gamepad.
func (u *driveScreen) waitPad() tea.Cmd {
	return func() tea.Msg {
		select {
		case msg := <-u.pads:
			return msg
		case <-u.done:
			return nil
		}
	}
}

// Update implements tea.Model.
func (u *driveScreen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	u.now = time.Now()
	switch msg := msg.(type) {
	case tickMsg:
		return u, tea.Batch(u.do(u.m.Tick(u.now, u.h.Snapshot())), u.tick())
	case eventMsg:
		next := u.wait()
		if msg.Kind == teleop.EventResult {
			next = nil // it did not come from the queue
		}
		return u, tea.Batch(u.do(u.m.Event(u.now, teleop.Event(msg))), next)
	case padMsg:
		if !msg.present {
			return u, tea.Batch(u.do(u.m.NoGamepad(u.now)), u.waitPad())
		}
		return u, tea.Batch(u.do(u.m.Gamepad(u.now, msg.pad)), u.waitPad())
	case tea.KeyPressMsg:
		return u, u.do(u.m.Key(u.now, handheld.Key{Name: msg.String(), Text: msg.Text, Code: msg.Code}))
	case tea.KeyReleaseMsg:
		return u, u.do(u.m.Key(u.now, handheld.Key{Name: msg.String(), Code: msg.Code, Release: true}))
	case tea.KeyboardEnhancementsMsg:
		if msg.SupportsEventTypes() {
			u.m.ReportsReleases()
		}
	case tea.FocusMsg:
		return u, u.do(u.m.Focus(true))
	case tea.BlurMsg:
		return u, u.do(u.m.Focus(false))
	case tea.WindowSizeMsg:
		u.m.Resize(msg.Width, msg.Height)
	}
	return u, nil
}

// do carries out effects. Driving does not wait for anything, so that it happens at once and in order.
func (u *driveScreen) do(effects []handheld.Effect) tea.Cmd {
	var cmds []tea.Cmd
	for _, e := range effects {
		switch e.Kind {
		case handheld.EffectDrive:
			u.h.Drive(e.Velocity)
		case handheld.EffectRelease:
			u.h.Release()
		case handheld.EffectStreams:
			u.h.SetStreams(e.Streams)
		case handheld.EffectCommand:
			cmds = append(cmds, u.command(e.Name, e.Args))
		case handheld.EffectQuit:
			cmds = append(cmds, tea.Quit)
		}
	}
	return tea.Batch(cmds...)
}

func (u *driveScreen) command(name string, args teleop.Args) tea.Cmd {
	return func() tea.Msg {
		ack, err := u.send(name, args)
		return eventMsg(teleop.Event{Kind: teleop.EventResult, Command: name, Ack: ack, Err: err})
	}
}

// View implements tea.Model.
func (u *driveScreen) View() tea.View {
	v := tea.NewView(u.m.View(u.now))
	v.AltScreen, v.ReportFocus, v.WindowTitle = true, true, "sarathi drive"
	v.KeyboardEnhancements.ReportEventTypes = true
	return v
}
