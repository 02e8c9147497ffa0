package arbitration

import "fmt"

// Mode says who drives, in the words of the specification.
type Mode uint8

// The modes. The zero value is the one after start.
const (
	Auto   Mode = iota // navigation drives
	Remote             // a person drives
)

// String is the word the specification uses.
func (m Mode) String() string {
	switch m {
	case Auto:
		return "auto"
	case Remote:
		return "remote"
	}
	return fmt.Sprintf("arbitration.Mode(%d)", uint8(m))
}

// ParseMode understands auto and remote, letter for letter.
func ParseMode(name string) (Mode, error) {
	switch name {
	case "auto":
		return Auto, nil
	case "remote":
		return Remote, nil
	}
	return 0, fmt.Errorf("unknown mode %.40q: use \"auto\" or \"remote\"", name)
}

// Source is who asks for motion.
type Source uint8

// The sources. None is nobody.
const (
	None Source = iota
	Navigation
	Handheld
	Dashboard

	sourceCount
)

// String is the word the specification uses; None is empty.
func (s Source) String() string {
	if names := [...]string{"", "navigation", "handheld", "dashboard"}; int(s) < len(names) {
		return names[s]
	}
	return fmt.Sprintf("arbitration.Source(%d)", uint8(s))
}

// ParseRemoteSource understands handheld and dashboard, letter for letter.
func ParseRemoteSource(name string) (Source, error) {
	switch name {
	case "handheld":
		return Handheld, nil
	case "dashboard":
		return Dashboard, nil
	}
	return None, fmt.Errorf("unknown remote source %.40q: use \"handheld\" or \"dashboard\"", name)
}
