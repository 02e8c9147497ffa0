package schedule

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

const route = "hall/routes/a.csv"

// world is a keeper, and a robot that does what it is told.
type world struct {
	t      *testing.T
	k      *Keeper
	now    time.Time
	facts  Facts
	refuse error // of the next start
	deaf   bool  // it does not stop
	log    []string
}

func day(name, start, until string, change ...func(*Entry)) Entry {
	var c, u TimeOfDay
	if c.UnmarshalText([]byte(start)) != nil || u.UnmarshalText([]byte(until)) != nil {
		panic("bad time in a test")
	}
	e := Entry{Name: name, Route: route, Days: Daily, Start: c, Until: u, Late: LateSkip, Finish: 10 * time.Minute}
	for _, f := range change {
		f(&e)
	}
	return e
}

func late(e *Entry) { e.Late = LateStart }

func along(route string) func(*Entry) { return func(e *Entry) { e.Route = route } }

func newWorld(t *testing.T, now string, entries ...Entry) *world {
	w := &world{t: t, k: New(entries, berlin(t)), now: at(t, now)}
	w.step(0)
	return w
}

// step moves the clock and steps once.
func (w *world) step(d time.Duration) {
	w.now = w.now.Add(d)
	w.facts.Now = w.now
	w.take(w.k.Step(w.facts))
}

func (w *world) take(effects []Effect) {
	for _, e := range effects {
		w.log = append(w.log, strings.TrimSpace(fmt.Sprintf("%s %s %s: %s", w.now.In(w.k.zone).Format("15:04"), e.Kind, e.Entry.Name, e.Reason)))
		switch e.Kind {
		case Start:
			err := w.refuse
			if err == nil {
				w.facts.Navigation = Navigation{Active: true, Path: e.Entry.Route}
			}
			w.take(w.k.Started(w.now, err))
		case Stop:
			if !w.deaf {
				w.cancel()
			}
		case Skipped, Waits, Ended:
		}
	}
}

func (w *world) cancel() {
	w.facts.Navigation.Active = false
	w.facts.Navigation.Outcome = "somebody stopped it"
}

// until steps every ten seconds until the clock shows a time within the next day.
func (w *world) until(hhmm string) {
	w.t.Helper()
	for range 24 * 360 {
		w.step(10 * time.Second)
		if w.now.In(w.k.zone).Format("15:04:05") == hhmm+":00" {
			return
		}
	}
	w.t.Fatalf("it is never %s", hhmm)
}

func (w *world) want(lines ...string) {
	w.t.Helper()
	if !slices.Equal(w.log, lines) {
		w.t.Errorf("got\n  %s\nwant\n  %s", strings.Join(w.log, "\n  "), strings.Join(lines, "\n  "))
	}
	w.log = nil
}

func TestADay(t *testing.T) {
	w := newWorld(t, "2026-03-02 07:00:00 +01", day("patrol", "08:00", "18:00"))
	if s := w.k.Status(); s.State != Idle || s.Next != "patrol" || !s.NextStart.Equal(at(t, "2026-03-02 08:00:00 +01")) {
		t.Errorf("before: %+v", s)
	}
	w.until("09:00")
	w.want("08:00 start patrol:")
	if s := w.k.Status(); s.State != Running || s.Running != "patrol" || s.Route != route || !s.Until.Equal(at(t, "2026-03-02 18:00:00 +01")) {
		t.Errorf("running: %+v", s)
	}
	w.facts.Navigation.Lap = 40
	w.until("18:04")
	w.want()
	if s := w.k.Status(); s.State != Finishing {
		t.Errorf("after the window: %+v", s)
	}
	w.facts.Navigation.Lap = 41
	w.step(time.Second)
	w.want("18:04 stop patrol: the lap is finished")
	w.step(time.Second)
	w.want("18:04 ended patrol: the lap is finished")
	if s := w.k.Status(); s.State != Idle || s.Running != "" || s.Message != "patrol ended: the lap is finished" {
		t.Errorf("after: %+v", s)
	}
	w.now = w.now.Add(-2 * time.Second)
	w.until("09:00")
	w.want("08:00 start patrol:")
}

func TestEnds(t *testing.T) {
	begin := func(t *testing.T, e Entry) *world {
		w := newWorld(t, "2026-03-02 07:59:00 +01", e)
		w.until("08:01")
		w.want("08:00 start p:")
		return w
	}
	t.Run("a lap that is too long", func(t *testing.T) {
		w := begin(t, day("p", "08:00", "09:00"))
		w.until("09:20")
		w.want("09:10 stop p: its window has ended", "09:10 ended p: its window has ended")
	})
	t.Run("at once", func(t *testing.T) {
		w := begin(t, day("p", "08:00", "09:00", func(e *Entry) { e.Finish = 0 }))
		w.until("09:20")
		w.want("09:00 stop p: its window has ended", "09:00 ended p: its window has ended")
	})
	t.Run("held at the end", func(t *testing.T) {
		w := begin(t, day("p", "08:00", "09:00"))
		w.facts.Navigation.Held = true
		w.until("09:20")
		w.want("09:00 stop p: its window ended while a person held it", "09:00 ended p: its window ended while a person held it")
	})
	t.Run("nobody hears", func(t *testing.T) {
		w := begin(t, day("p", "08:00", "09:00"))
		w.deaf = true
		w.until("09:10")
		w.step(10 * time.Second)
		w.deaf = false
		w.step(10 * time.Second)
		w.step(10 * time.Second)
		w.want("09:10 stop p: its window has ended", "09:10 stop p: its window has ended", "09:10 stop p: its window has ended",
			"09:10 ended p: its window has ended")
	})
	t.Run("one round", func(t *testing.T) {
		w := begin(t, day("p", "08:00", ""))
		w.until("08:30")
		w.want()
		w.facts.Navigation.Lap = 1
		w.until("08:31")
		w.want("08:30 stop p: the lap is finished", "08:30 ended p: the lap is finished")
	})
	t.Run("an operator cancels", func(t *testing.T) {
		w := begin(t, day("p", "08:00", "18:00", late))
		w.cancel()
		w.until("19:00")
		w.want("08:01 ended p: somebody stopped it")
		w.until("08:01")
		w.want("08:00 start p:")
	})
	t.Run("another goal", func(t *testing.T) {
		w := begin(t, day("p", "08:00", "09:00", late))
		w.facts.Navigation.Path = "goal"
		w.until("10:00") // and is not stopped
		w.want(`08:01 ended p: navigation follows "goal" now`)
	})
	t.Run("it never begins", func(t *testing.T) {
		w := newWorld(t, "2026-03-02 07:59:50 +01", day("p", "08:00", "09:00"))
		w.step(10 * time.Second)
		w.cancel()
		w.until("09:30")
		w.want("08:00 start p:", "08:00 ended p: navigation did not begin")
	})
}

func TestSkips(t *testing.T) {
	lost := Hindrance{"the robot is not localized", true}
	t.Run("hindered", func(t *testing.T) {
		w := newWorld(t, "2026-03-02 07:59:00 +01", day("p", "08:00", "18:00"))
		w.facts.Hindrance = lost
		w.until("08:30")
		w.facts.Hindrance = Hindrance{}
		w.until("19:00")
		w.want("08:00 skipped p: the robot is not localized")
		s := w.k.Status()
		if s.Skipped != "p" || s.Reason != lost.Reason || !s.SkippedAt.Equal(at(t, "2026-03-02 08:00:00 +01")) || s.State != Idle {
			t.Errorf("%+v", s)
		}
	})
	t.Run("late waits for what passes", func(t *testing.T) {
		w := newWorld(t, "2026-03-02 07:59:00 +01", day("p", "08:00", "18:00", late))
		w.facts.Hindrance = lost
		w.until("08:30")
		if s := w.k.Status(); s.State != Waiting || s.Running != "p" || s.Message != lost.Reason {
			t.Errorf("%+v", s)
		}
		w.facts.Hindrance = Hindrance{}
		w.until("08:40")
		w.want("08:00 waits p: the robot is not localized", "08:30 start p:")
	})
	t.Run("late does not wait for a person", func(t *testing.T) {
		w := newWorld(t, "2026-03-02 07:59:00 +01", day("p", "08:00", "18:00", late))
		w.facts.Hindrance = lost
		w.until("08:30")
		w.facts.Hindrance = Hindrance{Reason: "the e-stop is engaged"}
		w.until("08:40")
		w.facts.Hindrance = Hindrance{}
		w.until("19:00")
		w.want("08:00 waits p: the robot is not localized", "08:30 skipped p: the e-stop is engaged")
	})
	t.Run("waited in vain", func(t *testing.T) {
		w := newWorld(t, "2026-03-02 07:59:00 +01", day("p", "08:00", "09:00", late))
		w.facts.Hindrance = lost
		w.until("10:00")
		w.want("08:00 waits p: the robot is not localized", "09:00 skipped p: its window ended while it waited: the robot is not localized")
	})
	t.Run("refused", func(t *testing.T) {
		w := newWorld(t, "2026-03-02 07:59:00 +01", day("p", "08:00", "18:00"))
		w.refuse = errors.New("there is no such route")
		w.until("19:00")
		w.want("08:00 start p:", "08:00 skipped p: there is no such route")
	})
	t.Run("switched on in the middle", func(t *testing.T) {
		w := newWorld(t, "2026-03-02 12:00:00 +01", day("p", "08:00", "18:00"))
		w.until("19:00")
		w.want("12:00 skipped p: the robot was not on, or its clock not right, at the start at 08:00")
	})
	t.Run("switched on in the middle, late", func(t *testing.T) {
		w := newWorld(t, "2026-03-03 01:00:00 +01", day("p", "22:00", "02:00", late))
		w.until("01:30")
		w.want("01:00 start p:")
	})
	t.Run("switched on outside", func(t *testing.T) {
		w := newWorld(t, "2026-03-02 18:00:00 +01", day("p", "08:00", "18:00", late), day("once", "08:00", ""))
		w.until("23:00")
		w.want()
	})
}

func TestOverlap(t *testing.T) {
	t.Run("the running one stays", func(t *testing.T) {
		w := newWorld(t, "2026-03-02 07:59:00 +01", day("a", "08:00", "12:00"), day("b", "11:00", "13:00", late))
		w.until("13:30")
		w.want("08:00 start a:", "11:00 skipped b: a is running", "12:10 stop a: its window has ended", "12:10 ended a: its window has ended")
	})
	t.Run("both at once: the first of the list", func(t *testing.T) {
		w := newWorld(t, "2026-03-02 07:59:00 +01", day("a", "08:00", "12:00"), day("b", "08:00", "13:00"))
		w.until("08:30")
		w.want("08:00 start a:", "08:00 skipped b: a is running")
	})
	t.Run("one after the other", func(t *testing.T) {
		w := newWorld(t, "2026-03-02 07:59:00 +01", day("a", "08:00", "12:00"), day("b", "12:00", "13:00", along("hall/routes/b.csv")))
		w.until("12:03")
		w.facts.Navigation.Lap = 1
		w.until("12:30")
		w.want("08:00 start a:", "12:00 waits b: a finishes first", "12:03 stop a: the lap is finished", "12:03 ended a: the lap is finished",
			"12:03 start b:")
	})
}

func TestClocks(t *testing.T) {
	t.Run("put forward: the first instant after the gap", func(t *testing.T) {
		w := newWorld(t, "2026-03-29 01:50:00 +01", day("p", "02:30", "04:00"))
		w.until("03:10")
		w.want("03:00 start p:")
	})
	t.Run("put back: once", func(t *testing.T) {
		w := newWorld(t, "2026-10-25 01:50:00 +02", day("p", "02:30", "02:40", func(e *Entry) { e.Finish = 0 }))
		w.until("04:00")
		w.want("02:30 start p:", "02:40 stop p: its window has ended", "02:40 ended p: its window has ended")
	})
	for _, back := range []time.Duration{30 * time.Second, 5 * time.Minute, 3 * time.Hour} {
		t.Run("steps back by "+back.String(), func(t *testing.T) {
			w := newWorld(t, "2026-03-02 07:59:00 +01", day("p", "08:00", "18:00", late))
			w.until("08:00")
			w.step(10 * time.Second)
			w.cancel()
			w.step(10 * time.Second)
			w.step(-back)
			w.until("19:00")
			w.want("08:00 start p:", "08:00 ended p: somebody stopped it")
		})
	}
	t.Run("was wrong by years", func(t *testing.T) {
		w := newWorld(t, "2036-03-02 09:00:00 +01", day("p", "08:00", "18:00"))
		w.step(at(t, "2026-03-02 07:00:00 +01").Sub(w.now))
		w.until("08:30")
		w.want("09:00 skipped p: the robot was not on, or its clock not right, at the start at 08:00", "08:00 start p:")
	})
	t.Run("jumps over a start", func(t *testing.T) {
		w := newWorld(t, "2026-03-02 07:00:00 +01", day("p", "08:00", "18:00"), day("l", "08:30", "18:00", late), day("once", "08:10", ""))
		w.step(2 * time.Hour)
		w.want("09:00 skipped p: the robot was not on, or its clock not right, at the start at 08:00",
			"09:00 skipped once: the robot was not on, or its clock not right, at the start at 08:10", "09:00 start l:")
	})
}

func TestOff(t *testing.T) {
	if s := New(nil, time.UTC).Status(); s.State != Off || s.Next != "" {
		t.Errorf("%+v", s)
	}
	if s := New([]Entry{day("p", "08:00", "18:00")}, time.UTC).Status(); s.State != Idle || s.Next != "" {
		t.Errorf("before it knows the time: %+v", s)
	}
}
