package main

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"github.com/holoplot/go-evdev"

	"sarathi/internal/handheld"
)

// gamepadEvery is how often a gamepad is looked for: it may be plugged in later.
const gamepadEvery = 2 * time.Second

// errMissedEvents is a kernel buffer that overflowed: what is held is not known any more.
var errMissedEvents = errors.New("events of the gamepad were lost")

// A padMsg is what a gamepad shows, or that there is none any more.
type padMsg struct {
	present bool
	pad     handheld.Pad
}

// readGamepads sends what the gamepad shows until ctx ends. None is no error; one that goes away is looked for again.
func readGamepads(ctx context.Context, path string, out chan<- padMsg) {
	for {
		if device := openGamepad(path); device != nil {
			readGamepad(ctx, device, out)
			sendPad(ctx, out, padMsg{})
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(gamepadEvery):
		}
	}
}

func sendPad(ctx context.Context, out chan<- padMsg, msg padMsg) bool {
	select {
	case out <- msg:
		return true
	case <-ctx.Done():
		return false
	}
}

// openGamepad opens the named device, or the first that is a gamepad; nil if there is none.
func openGamepad(path string) *evdev.InputDevice {
	paths := []evdev.InputPath{{Path: path}}
	if path == "" {
		var err error
		if paths, err = evdev.ListDevicePaths(); err != nil {
			return nil // without input devices there is no gamepad
		}
	}
	for _, p := range paths {
		device, err := evdev.OpenWithFlags(p.Path, os.O_RDONLY)
		if err != nil {
			continue // not ours to read
		}
		if slices.Contains(device.CapableEvents(evdev.EV_KEY), evdev.BTN_GAMEPAD) && slices.Contains(device.CapableEvents(evdev.EV_ABS), evdev.ABS_X) {
			return device
		}
		device.Close() //nolint:errcheck // it was only looked at
	}
	return nil
}

// readGamepad reads until the device goes away, events are lost or ctx ends, and closes it.
func readGamepad(ctx context.Context, device *evdev.InputDevice, out chan<- padMsg) {
	closed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		device.Close() //nolint:errcheck // it ends the read below
		close(closed)
	})
	defer func() {
		if stop() {
			device.Close() //nolint:errcheck // nothing was written that could be lost
			return
		}
		<-closed
	}()
	axes, err := device.AbsInfos()
	if err != nil {
		return
	}
	keys, err := device.State(evdev.EV_KEY)
	if err != nil {
		return
	}
	if device.NonBlock() != nil { // last, see its documentation: without it Close does not end a read
		return
	}
	s := newPadState(axes, keys)
	if !sendPad(ctx, out, padMsg{true, s.pad}) {
		return
	}
	for {
		ev, err := device.ReadOne()
		if err != nil {
			return
		}
		complete, err := s.take(ev)
		if err != nil || complete && !sendPad(ctx, out, padMsg{true, s.pad}) {
			return
		}
	}
}

// A padState puts a gamepad's events together.
type padState struct {
	axes map[evdev.EvCode]evdev.AbsInfo
	pad  handheld.Pad
}

func newPadState(axes map[evdev.EvCode]evdev.AbsInfo, keys evdev.StateMap) *padState {
	s := &padState{axes: axes}
	for code, info := range axes {
		s.axis(code, info.Value)
	}
	for code, down := range keys {
		s.button(code, down)
	}
	return s
}

// take takes an event, and reports whether the state is complete again.
func (s *padState) take(ev *evdev.InputEvent) (complete bool, err error) {
	switch ev.Type {
	case evdev.EV_ABS:
		s.axis(ev.Code, ev.Value)
	case evdev.EV_KEY:
		s.button(ev.Code, ev.Value != 0)
	case evdev.EV_SYN:
		if ev.Code == evdev.SYN_DROPPED {
			return false, errMissedEvents
		}
		return ev.Code == evdev.SYN_REPORT, nil
	default:
	}
	return false, nil
}

func (s *padState) button(code evdev.EvCode, down bool) {
	switch code {
	case evdev.BTN_TL:
		s.pad.Deadman = down
	case evdev.BTN_TR:
		s.pad.Turbo = down
	case evdev.BTN_EAST:
		s.pad.Stop = down
	default:
	}
}

// axis scales an axis to -1 to 1 of its range. One without a range stays in the middle.
func (s *padState) axis(code evdev.EvCode, value int32) {
	info := s.axes[code]
	low, high := float64(info.Minimum), float64(info.Maximum)
	part := 0.0
	if high > low {
		part = min(max(2*(float64(value)-low)/(high-low)-1, -1), 1)
	}
	switch code {
	case evdev.ABS_X:
		s.pad.LX = part
	case evdev.ABS_Y:
		s.pad.LY = part
	case evdev.ABS_RX:
		s.pad.RX = part
	default:
	}
}
