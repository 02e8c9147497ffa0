// Package rosconv is the border between the values that decisions work with (geom, time.Time) and the messages on the bus.
//
// A function named after a message makes that message: [Stamp], [Pose], [Twist]. Its partner with From in front reads one:
// [FromStamp], [FromPose], [FromTwist]. Reading refuses, with an error that names the field, whatever is not a finite number, since a
// NaN that gets past here turns up as a wrong decision far away. [FromTwist] is the exception: velocities are judged where they are
// obeyed, and there a value that is no number means stop, not nothing.
//
// What a message cannot express: times before 1901 and after 2038 (they are clamped), and anything finer than a nanosecond.
package rosconv
