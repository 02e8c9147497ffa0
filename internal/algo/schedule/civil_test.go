package schedule

import (
	"testing"
	"time"
	_ "time/tzdata" // the tests know Berlin everywhere
)

func berlin(t testing.TB) *time.Location {
	t.Helper()
	z, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// at reads a time with its offset from UTC.
func at(t testing.TB, text string) time.Time {
	t.Helper()
	out, err := time.Parse("2006-01-02 15:04:05 -07", text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func clock(t testing.TB, text string) TimeOfDay {
	t.Helper()
	var out TimeOfDay
	if err := out.UnmarshalText([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestInstantOfCivilTime(t *testing.T) {
	for _, c := range []struct{ name, zone, day, clock, want string }{
		{"winter", "Europe/Berlin", "2026-01-05", "08:00", "2026-01-05 08:00:00 +01"},
		{"summer", "Europe/Berlin", "2026-07-01", "08:00", "2026-07-01 08:00:00 +02"},
		{"before the gap", "Europe/Berlin", "2026-03-29", "01:59", "2026-03-29 01:59:00 +01"},
		{"first minute of the gap", "Europe/Berlin", "2026-03-29", "02:00", "2026-03-29 03:00:00 +02"},
		{"in the gap", "Europe/Berlin", "2026-03-29", "02:30", "2026-03-29 03:00:00 +02"},
		{"after the gap", "Europe/Berlin", "2026-03-29", "03:00", "2026-03-29 03:00:00 +02"},
		{"before the repeat", "Europe/Berlin", "2026-10-25", "01:59", "2026-10-25 01:59:00 +02"},
		{"repeated: the first", "Europe/Berlin", "2026-10-25", "02:30", "2026-10-25 02:30:00 +02"},
		{"after the repeat", "Europe/Berlin", "2026-10-25", "03:00", "2026-10-25 03:00:00 +01"},
		{"gap at midnight", "America/Santiago", "2026-09-06", "00:00", "2026-09-06 01:00:00 -03"},
		{"gap of half an hour", "Australia/Lord_Howe", "2026-10-04", "02:10", "2026-10-03 15:30:00 +00"},
		{"a day that was left out", "Pacific/Apia", "2011-12-30", "12:00", "2011-12-31 00:00:00 +14"},
	} {
		t.Run(c.name, func(t *testing.T) {
			zone, err := time.LoadLocation(c.zone)
			if err != nil {
				t.Fatal(err)
			}
			day, err := time.Parse(time.DateOnly, c.day)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := dateOf(day, time.UTC).instant(clock(t, c.clock), zone), at(t, c.want); !got.Equal(want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

func TestWindows(t *testing.T) {
	for _, c := range []struct {
		name, days, start, until string
		now                      string
		latest, end, next        string // latest may be empty
	}{
		{
			"a working day", "weekdays", "08:00", "18:00", "2026-03-02 09:00:00 +01",
			"2026-03-02 08:00:00 +01", "2026-03-02 18:00:00 +01", "2026-03-03 08:00:00 +01",
		},
		{
			"the start itself", "daily", "08:00", "18:00", "2026-03-02 08:00:00 +01",
			"2026-03-02 08:00:00 +01", "2026-03-02 18:00:00 +01", "2026-03-03 08:00:00 +01",
		},
		{
			"from Friday over the weekend", "weekdays", "08:00", "18:00", "2026-03-06 12:00:00 +01",
			"2026-03-06 08:00:00 +01", "2026-03-06 18:00:00 +01", "2026-03-09 08:00:00 +01",
		},
		{
			"past midnight, on the day after", "mon", "22:00", "02:00", "2026-03-03 01:00:00 +01",
			"2026-03-02 22:00:00 +01", "2026-03-03 02:00:00 +01", "2026-03-09 22:00:00 +01",
		},
		{
			"past midnight into the repeated hour", "sat", "22:00", "02:30", "2026-10-25 00:30:00 +02",
			"2026-10-24 22:00:00 +02", "2026-10-25 02:30:00 +02", "2026-10-31 22:00:00 +01",
		},
		{
			"past midnight over the gap", "sat", "22:00", "02:30", "2026-03-29 00:30:00 +01",
			"2026-03-28 22:00:00 +01", "2026-03-29 03:00:00 +02", "2026-04-04 22:00:00 +02",
		},
		{
			"nothing is left of it by the gap", "sun", "02:10", "02:50", "2026-03-29 12:00:00 +02",
			"2026-03-22 02:10:00 +01", "2026-03-22 02:50:00 +01", "2026-04-05 02:10:00 +02",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := Entry{Start: clock(t, c.start), Until: clock(t, c.until)}
			if err := e.Days.UnmarshalText([]byte(c.days)); err != nil {
				t.Fatal(err)
			}
			got, _ := e.Latest(at(t, c.now), berlin(t))
			if !got.Start.Equal(at(t, c.latest)) || !got.End.Equal(at(t, c.end)) {
				t.Errorf("latest %v to %v", got.Start, got.End)
			}
			if next, _ := e.Next(at(t, c.now), berlin(t)); !next.Start.Equal(at(t, c.next)) {
				t.Errorf("next %v, want %v", next.Start, c.next)
			}
		})
	}
}

// Through two years every day has one start, in order, and Latest and Next agree.
func TestEveryDayStartsOnce(t *testing.T) {
	zone := berlin(t)
	for _, start := range []string{"00:00", "01:59", "02:00", "02:30", "03:00", "23:59"} {
		e := Entry{Days: Daily, Start: clock(t, start)}
		now, count := at(t, "2026-01-01 12:00:00 +01"), 0
		for end := at(t, "2028-01-01 12:00:00 +01"); now.Before(end); count++ {
			w, ok := e.Next(now, zone)
			if !ok || !w.Start.After(now) || w.Start.Sub(now) > 25*time.Hour {
				t.Fatalf("%s: %v after %v", start, w.Start, now)
			}
			if l, _ := e.Latest(w.Start, zone); !l.Start.Equal(w.Start) {
				t.Fatalf("%s: latest %v, want %v", start, l.Start, w.Start)
			}
			now = w.Start
		}
		if count != 730 && count != 731 { // the last lies beyond the end
			t.Errorf("%s: %d starts in two years", start, count)
		}
	}
}

func TestRefusesWhatIsNoTime(t *testing.T) {
	for _, s := range []string{"8:00", "24:00", "08:60", "08.00", "0800", "-8:00", "08:00:00", "+8:0", "ab:cd", " 08:00"} {
		var v TimeOfDay
		if err := v.UnmarshalText([]byte(s)); err == nil {
			t.Errorf("%q became %v", s, v)
		}
	}
	for _, s := range []string{"", ",", "monday", "Mon", "weekday", "mon; tue"} {
		var v Days
		if err := v.UnmarshalText([]byte(s)); err == nil {
			t.Errorf("%q became %v", s, v)
		}
	}
}

func TestDaysAreWrittenAsTheyAreRead(t *testing.T) {
	for in, want := range map[string]string{
		"mon": "mon", "sun,mon": "mon, sun", "mon tue wed thu fri": "weekdays", "weekdays, sat,sun": "daily", "daily": "daily", "thu, tue": "tue, thu",
	} {
		var v Days
		if err := v.UnmarshalText([]byte(in)); err != nil || v.String() != want {
			t.Errorf("%q is written %q (%v), want %q", in, v, err, want)
		}
	}
}

// What is read is written so that it is read again as the same.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "08:00", "23:59", "24:00", "mon", "mon, tue", "weekdays", "daily", "sat sun", "\xff:00", "é:00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var c, again TimeOfDay
		if c.UnmarshalText([]byte(s)) == nil {
			if text, _ := c.MarshalText(); string(text) != s || again.UnmarshalText(text) != nil || again != c {
				t.Errorf("%q is written %q", s, text)
			}
		}
		var d, same Days
		if d.UnmarshalText([]byte(s)) == nil {
			if text, _ := d.MarshalText(); d == 0 || same.UnmarshalText(text) != nil || same != d {
				t.Errorf("%q is written %q", s, text)
			}
		}
	})
}
