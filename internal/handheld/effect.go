package handheld

import "sarathi/teleop"

// An EffectKind says what an [Effect] asks for.
type EffectKind uint8

// The kinds of effect.
const (
	EffectDrive   EffectKind = iota // Velocity is the operator's
	EffectRelease                   // there is no input any more
	EffectCommand                   // send Name with Args
	EffectStreams                   // ask for Streams
	EffectQuit                      // leave
)

// An Effect is something that the program around the [Model] must do.
type Effect struct {
	Kind     EffectKind
	Velocity teleop.Velocity
	Name     string
	Args     teleop.Args
	Streams  teleop.Streams
}
