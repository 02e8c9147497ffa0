package schedule

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// TimeOfDay is a time on the clock, such as 08:00. The zero value is none.
type TimeOfDay struct {
	given        bool
	hour, minute int
}

// At returns the time of day hour:minute.
func At(hour, minute int) TimeOfDay { return TimeOfDay{true, hour, minute} }

// IsZero reports whether no time was given.
func (t TimeOfDay) IsZero() bool { return !t.given }

// String returns the time as it is written, or nothing.
func (t TimeOfDay) String() string {
	if !t.given {
		return ""
	}
	return fmt.Sprintf("%02d:%02d", t.hour, t.minute)
}

// MarshalText implements encoding.TextMarshaler.
func (t TimeOfDay) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads 00:00 to 23:59; empty text is no time.
func (t *TimeOfDay) UnmarshalText(text []byte) error {
	s := string(text)
	if s == "" {
		*t = TimeOfDay{}
		return nil
	}
	if len(s) == len("00:00") && s[2] == ':' && digits(s[:2]) && digits(s[3:]) {
		hour, minute := number(s[:2]), number(s[3:])
		if hour < 24 && minute < 60 {
			*t = At(hour, minute)
			return nil
		}
	}
	return fmt.Errorf("%q is no time of day: write hours and minutes, 00:00 to 23:59", s)
}

func digits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// number is that of two digits.
func number(s string) int { return int(s[0]-'0')*10 + int(s[1]-'0') }

// Days is a set of days of the week.
type Days uint8

// Sets that have a name.
const (
	Weekdays Days = 1<<time.Monday | 1<<time.Tuesday | 1<<time.Wednesday | 1<<time.Thursday | 1<<time.Friday
	Daily    Days = Weekdays | 1<<time.Saturday | 1<<time.Sunday
)

// week is the days in the order in which they are written.
func week() []time.Weekday {
	return []time.Weekday{time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday, time.Saturday, time.Sunday}
}

// short is how a day is written.
func short(d time.Weekday) string { return strings.ToLower(d.String()[:3]) }

// Has reports whether a day is in the set.
func (d Days) Has(day time.Weekday) bool { return d&(1<<day) != 0 }

// String returns the days as they are written.
func (d Days) String() string {
	switch d {
	case Weekdays:
		return "weekdays"
	case Daily:
		return "daily"
	}
	var names []string
	for _, day := range week() {
		if d.Has(day) {
			names = append(names, short(day))
		}
	}
	return strings.Join(names, ", ")
}

// MarshalText implements encoding.TextMarshaler.
func (d Days) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads words with commas or blanks between them: mon to sun, weekdays, daily.
func (d *Days) UnmarshalText(text []byte) error {
	var out Days
	for _, word := range strings.FieldsFunc(string(text), func(r rune) bool { return r == ',' || r == ' ' }) {
		switch i := slices.IndexFunc(week(), func(day time.Weekday) bool { return short(day) == word }); {
		case i >= 0:
			out |= 1 << week()[i]
		case word == Weekdays.String():
			out |= Weekdays
		case word == Daily.String():
			out |= Daily
		default:
			return fmt.Errorf("%q is no day: write mon, tue, wed, thu, fri, sat, sun, weekdays or daily, with commas between them", word)
		}
	}
	if out == 0 {
		return fmt.Errorf("%q has no day: write daily, weekdays, or days such as mon, thu", text)
	}
	*d = out
	return nil
}

// A date is a day of the calendar.
type date struct {
	year  int
	month time.Month
	day   int
}

// dateOf returns the date of an instant in a zone.
func dateOf(t time.Time, zone *time.Location) date {
	y, m, d := t.In(zone).Date()
	return date{y, m, d}
}

// add returns the date n days later.
func (d date) add(n int) date { return dateOf(d.reading(TimeOfDay{}).AddDate(0, 0, n), time.UTC) }

func (d date) weekday() time.Weekday { return d.reading(TimeOfDay{}).Weekday() }

// reading is what calendar and clock show, as if it were UTC.
func (d date) reading(t TimeOfDay) time.Time {
	return time.Date(d.year, d.month, d.day, t.hour, t.minute, 0, 0, time.UTC)
}

// instant returns when the clocks of a zone show time t of the date: for the first time when they do so twice, and the end of the gap when
// they never do. time.Date does not say which of two it returns.
func (d date) instant(t TimeOfDay, zone *time.Location) time.Time {
	shown := d.reading(t)
	const aside = 24 * time.Hour // no zone changes its clocks twice within two days
	before, after := offset(shown.Add(-aside), zone), offset(shown.Add(aside), zone)
	early, late := shown.Add(-max(before, after)), shown.Add(-min(before, after))
	switch {
	case offset(early, zone) == max(before, after):
		return early.In(zone)
	case offset(late, zone) == min(before, after):
		return late.In(zone)
	}
	change, _ := late.In(zone).ZoneBounds()
	return change.In(zone)
}

// offset is how far the clocks of a zone are ahead of UTC.
func offset(t time.Time, zone *time.Location) time.Duration {
	_, seconds := t.In(zone).Zone()
	return time.Duration(seconds) * time.Second
}
