// Package drivertest is the suite that every robot body passes, simulated or real, over whatever wire.
//
//	func TestContract(t *testing.T) {
//		drivertest.Test(t, func(tb testing.TB) drivertest.Harness {
//			return drivertest.Harness{Driver: mybody.New(...)}
//		})
//	}
//
// A Stepper is tested in virtual time, a Runner in real time or, when its I/O is in memory, in the virtual time of
// testing/synctest: see [TestInBubble]. The suite looks at a body as its host does, through its Sink; it needs a floor
// with a few metres of room around the body.
//
// What it asserts is what the layers above rely on: the body stands still until it is told to move, stops by itself
// 500 ms after the last valid command, stops at once for a command that is not finite, latches an e-stop and does not
// move while it is latched whatever it is told, refuses a release while a cause is held, reports each skill with exactly
// one final result, and reports what its capabilities promise.
package drivertest
