// Package handheld is what a terminal handheld decides and shows: which keys move the robot and for how long, what the commands typed
// into it are, and how its screen looks. It has no terminal, socket or clock: keys, events of the robot and time go in, effects and
// text come out.
//
//	keys, gamepad, focus ──► Model ──► effects: drive, let go, command, quit
//	events, time ──────────►       ──► View
//
// Safety. A key counts for [KeyTimeout] after the terminal last repeated it, also where the terminal reports releases: a frozen
// connection reports none. The focus lost, another screen, another mode or an e-stop let go of everything, and what is still held
// then counts only after it was let go. A gamepad drives while its deadman is held, and only after it was seen at rest. The e-stop key works in every screen; releasing it takes two keys.
package handheld
