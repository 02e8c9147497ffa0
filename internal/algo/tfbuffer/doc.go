// Package tfbuffer remembers where coordinate frames were, and answers where one was seen from another at a given time.
//
// Frames form trees; each has one parent. A link from parent to child is static, or it is a track of samples with times:
//
//	      static          track              static
//	odom ─────── camera_init ───────── body ─────── base_link
//	                          ▲
//	            t₀ · · · · · · · · tₙ   at most History long
//
// [Buffer.Lookup] answers for one instant: between two samples it interpolates, straight in position and at a constant rate in
// rotation; on a sample it gives that sample exactly; outside of the track it refuses and says by how much. Nothing is extrapolated:
// a robot that is where it was is a guess that the caller must make knowingly. [Buffer.Latest] answers for the newest instant that all
// links on the way have in common, and refuses when that is too old. A path without tracks has no age.
//
// # Time
//
// Stamps come from many clocks. A sample up to a second older than the newest of its track is sorted in. An older one means that the
// clock of its source went back (a recording starts over, a computer set its time): the track begins anew with it, since two pasts
// must not be mixed. Until every link has begun anew, lookups across both fail as extrapolation, which they are. A sample far in the
// future does the same harm once, and the next good one heals it.
//
// # Refusals
//
// A link that would close a loop is refused and changes nothing. A static link says what never changes, so a sample for it is refused,
// and a static link replaces a track. A sample with another parent moves the frame there and forgets the track, unless it is older than
// the track: then it is a straggler of the former parent. Memory is bounded: by [Config].History and MaxSamples for a track, MaxFrames for all.
//
// The buffer is not safe for concurrent use: the loop of a node owns it.
package tfbuffer
