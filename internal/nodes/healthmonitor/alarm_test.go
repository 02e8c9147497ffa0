package healthmonitor

import (
	"testing"
	"time"
)

func TestAlarm(t *testing.T) {
	const (
		bad     = 'b'
		good    = 'g'
		between = '-'
	)
	tests := []struct {
		name   string
		values string // one a second
		want   string // ! raised, . quiet
	}{
		{"good", "ggg", "..."},
		{"between is not bad", "---", "..."},
		{"raised at once", "gb", ".!"},
		{"over after 3 s", "bggggg", "!!!!.."},
		{"between holds", "b------", "!!!!!!!"},
		{"between begins the wait anew", "bggg-ggggg", "!!!!!!!!.."},
		{"bad begins the wait anew", "bgggbgggg", "!!!!!!!!."},
		{"raised again", "bggggb", "!!!!.!"},
		{"a wait from an earlier life is forgotten", "bgggg--bgg", "!!!!...!!!"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var a alarm
			now, got := start, ""
			for _, v := range tt.values {
				if a.update(now, v == bad, v == good) {
					got += "!"
				} else {
					got += "."
				}
				now = now.Add(time.Second)
			}
			if got != tt.want {
				t.Errorf("%s gives %s, want %s", tt.values, got, tt.want)
			}
		})
	}
}
