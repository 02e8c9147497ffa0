package rosrobot

import "time"

// stamps translates the stamps of a robot's clock into times of this computer's. The clocks differ by an unknown amount, and messages take a
// varying time to arrive: the smallest difference between arrival and stamp that was seen lately is the difference of the clocks and the
// least delay, which is small. So the distances between messages stay those of the robot, and nothing is from the future. Odometry is what
// it learns from; streams of sensors with a clock of their own get the time of arrival.
type stamps struct {
	known          bool
	began          time.Time     // of the present window
	present, other time.Duration // least differences of the present window and of the one before
}

const (
	stampWindow = 10 * time.Second // in which the clocks drift by a few 100 µs
	stampLimit  = time.Second      // no message is later than that: the clocks were set, or are others
)

// learn takes the stamp of an odometry message.
func (s *stamps) learn(now, stamp time.Time) {
	delay := now.Sub(stamp)
	switch {
	case !s.known || delay-s.offset() > stampLimit || s.began.Sub(now) > stampLimit:
		s.known, s.began, s.present, s.other = true, now, delay, delay
	case now.Sub(s.began) >= stampWindow:
		s.began, s.present, s.other = now, delay, s.present
	default:
		s.present = min(s.present, delay)
	}
}

func (s *stamps) offset() time.Duration { return min(s.present, s.other) }

// local returns the time of a stamp here, and now when it cannot be told.
func (s *stamps) local(now, stamp time.Time) time.Time {
	if !s.known {
		return now
	}
	at := stamp.Add(s.offset())
	if at.After(now) || now.Sub(at) > stampLimit {
		return now
	}
	return at
}
