package main

import (
	"errors"
	"testing"

	"github.com/holoplot/go-evdev"

	"sarathi/internal/handheld"
)

func TestGamepadEventsBecomeASnapshot(t *testing.T) {
	axes := map[evdev.EvCode]evdev.AbsInfo{
		evdev.ABS_X: {Value: 128, Minimum: 0, Maximum: 256}, evdev.ABS_Y: {Value: -32768, Minimum: -32768, Maximum: 32768}, evdev.ABS_RX: {Value: 5},
	}
	s := newPadState(axes, evdev.StateMap{evdev.BTN_TL: true, evdev.BTN_EAST: false})
	if want := (handheld.Pad{LY: -1, Deadman: true}); s.pad != want {
		t.Errorf("at first %+v, want %+v", s.pad, want)
	}
	for _, tt := range []struct {
		ev       evdev.InputEvent
		complete bool
		want     handheld.Pad
	}{
		{evdev.InputEvent{Type: evdev.EV_ABS, Code: evdev.ABS_X, Value: 192}, false, handheld.Pad{LX: 0.5, LY: -1, Deadman: true}},
		{evdev.InputEvent{Type: evdev.EV_ABS, Code: evdev.ABS_Y, Value: 40000}, false, handheld.Pad{LX: 0.5, LY: 1, Deadman: true}},
		{evdev.InputEvent{Type: evdev.EV_SYN, Code: evdev.SYN_REPORT}, true, handheld.Pad{LX: 0.5, LY: 1, Deadman: true}},
		{evdev.InputEvent{Type: evdev.EV_KEY, Code: evdev.BTN_TL}, false, handheld.Pad{LX: 0.5, LY: 1}},
		{evdev.InputEvent{Type: evdev.EV_KEY, Code: evdev.BTN_TR, Value: 1}, false, handheld.Pad{LX: 0.5, LY: 1, Turbo: true}},
		{evdev.InputEvent{Type: evdev.EV_KEY, Code: evdev.BTN_EAST, Value: 1}, false, handheld.Pad{LX: 0.5, LY: 1, Turbo: true, Stop: true}},
		{evdev.InputEvent{Type: evdev.EV_KEY, Code: evdev.BTN_SOUTH, Value: 1}, false, handheld.Pad{LX: 0.5, LY: 1, Turbo: true, Stop: true}},
	} {
		complete, err := s.take(&tt.ev)
		if err != nil || complete != tt.complete || s.pad != tt.want {
			t.Errorf("%v: %+v, %t, %v; want %+v", tt.ev, s.pad, complete, err, tt.want)
		}
	}
	if _, err := s.take(&evdev.InputEvent{Type: evdev.EV_SYN, Code: evdev.SYN_DROPPED}); !errors.Is(err, errMissedEvents) {
		t.Errorf("lost events are no reason to stop: %v", err)
	}
}

func TestWhatIsNoGamepadIsNotOpened(t *testing.T) {
	for _, path := range []string{"/dev/null", "testdata/none"} {
		if device := openGamepad(path); device != nil {
			t.Errorf("%s was opened", path)
		}
	}
}
