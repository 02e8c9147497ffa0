package localization

import "time"

// doubt is what speaks against the estimate.
type doubt struct {
	since time.Time // of the first contradiction since something agreed; zero: none
	count int
}

// leastDoubts are too few contradictions to give an estimate up for.
const leastDoubts = 5

// agree notes that something agrees with the estimate.
func (f *Filter) agree(time.Time) { f.doubt = doubt{} }

// contradict notes that something does not, and gives the estimate up when nothing else has agreed for long enough.
func (f *Filter) contradict(t time.Time, what string) {
	if !f.localized {
		return
	}
	if f.doubt.since.IsZero() || t.Before(f.doubt.since) {
		f.doubt = doubt{since: t}
	}
	f.doubt.count++
	if f.doubt.count >= leastDoubts && t.Sub(f.doubt.since) >= f.cfg.LostAfter {
		f.localized, f.lost = false, true
		f.message = "localization lost: " + what + "; localize anew"
		f.doubt, f.votes = doubt{}, votes{}
	}
}

// Support tells whether the scan at time t fits the map where the robot is believed to be.
func (f *Filter) Support(t time.Time, fits bool) {
	if fits {
		f.agree(t)
		return
	}
	f.contradict(t, "the scan does not fit the map here")
}
