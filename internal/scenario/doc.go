// Package scenario is whole-system tests as data. A scenario file names a profile, a
// world, a script of inputs, events that go wrong, and what is expected; the lockstep
// simulation (package app) runs it over many seeds.
//
//	name: e-stop at top speed
//	profile: molly
//	world: {scene: corridor}
//	duration: 8s
//	script:
//	  - {at: 200ms, cmd: set_mode, args: {mode: remote}}
//	  - {at: 500ms, joy: [0, 0, 0], for: 300ms}
//	  - {at: 800ms, joy: [1, 0, 0], for: 6s}
//	  - {at: 3s, cmd: estop}
//	expect:
//	  - {stops: {after: 3s, within: 700ms, distance: 0.5}}
//
// Besides its own expectations every scenario is held to the invariants of safety,
// see [Record.Judge] and docs/4-scenarios.md, which also explains every key.
//
// A run is seen through a [Record]; judging it is pure.
package scenario
