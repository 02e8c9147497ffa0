package rosrobot

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestStampsKeepTheirDistances: whatever the clocks and the delays, times are never from the future, and as far apart as at the robot once
// the least delay is known.
func TestStampsKeepTheirDistances(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 0))
		var s stamps
		now := time.Unix(1_700_000_000, 0)
		skew := time.Duration(rng.Int64N(int64(2*time.Hour))) - time.Hour
		for i := range 2000 {
			now = now.Add(20 * time.Millisecond)
			delay := time.Millisecond + time.Duration(rng.ExpFloat64()*float64(5*time.Millisecond))
			arrival := now.Add(delay)
			stamp := now.Add(skew)
			s.learn(arrival, stamp)
			at := s.local(arrival, stamp)
			if at.After(arrival) {
				t.Fatalf("seed %d: message %d is from the future: %v after its arrival", seed, i, at.Sub(arrival))
			}
			const settled, precision = 200, time.Millisecond
			if early := at.Sub(now); i > settled && (early < time.Millisecond || early > time.Millisecond+precision) {
				t.Fatalf("seed %d: message %d is placed %v after it was made, want the least delay of 1ms", seed, i, early)
			}
		}
	}
}

func TestStampsFollowClocksThatAreSet(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	for _, jump := range []time.Duration{-time.Hour, -2 * time.Second, 300 * time.Millisecond, time.Hour} {
		var s stamps
		s.learn(now, now)
		stamp := now.Add(time.Second + jump)
		s.learn(now.Add(time.Second), stamp)
		if at := s.local(now.Add(time.Second), stamp); !at.Equal(now.Add(time.Second)) {
			t.Errorf("after a jump of %v a message is %v old", jump, now.Add(time.Second).Sub(at))
		}
	}
}

func TestStampsOfOtherClocks(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	var s stamps
	if at := s.local(now, time.Time{}); !at.Equal(now) {
		t.Errorf("before anything is known: %v", at)
	}
	s.learn(now, now.Add(-time.Hour))
	for _, stamp := range []time.Time{{}, time.Unix(0, 0), now, now.Add(time.Hour)} {
		if at := s.local(now, stamp); !at.Equal(now) {
			t.Errorf("stamp %v becomes %v", stamp, at)
		}
	}
	if at := s.local(now, now.Add(-time.Hour-100*time.Millisecond)); !at.Equal(now.Add(-100 * time.Millisecond)) {
		t.Errorf("an older stamp becomes %v", at)
	}
}
