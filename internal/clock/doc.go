// Package clock is the one place that asks the operating system what time it is.
//
// Everything that needs the time takes it as an argument; whatever must fetch it (an executor, a body, a gateway) holds a [Clock].
// In production that is [Real]; under the lockstep executor and in tests it is [Manual] or the executor's own virtual clock.
package clock
