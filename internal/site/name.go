package site

import (
	"fmt"
	"strings"
	"unicode"
)

// maxName is the most letters of the name of a site and of the id of a POI or tour.
const maxName = 48

// backupPrefix begins the names of folders that a reset made.
const backupPrefix = "backup-"

// ValidName reports whether s may be the name of a site, or the id of a POI or tour: ^[a-z0-9][a-z0-9_-]{0,47}$.
func ValidName(s string) bool {
	for i, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
		case i > 0 && (r == '_' || r == '-'):
		default:
			return false
		}
	}
	return s != "" && len(s) <= maxName
}

// checkName says what is wrong with a name; what is "site", "POI" or "tour".
func checkName(what, s string) error {
	if ValidName(s) {
		return nil
	}
	return fmt.Errorf("%q is no name of a %s: write up to %d of a-z, 0-9, _ and -, with a letter or digit first", s, what, maxName)
}

// newID makes an id of a name for people that nothing has yet: "Lobby, west" becomes lobby-west, and a second one lobby-west-2.
// A name without Latin letters and digits gives kind.
func newID(kind, name string, taken func(string) bool) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(name) {
		if r > unicode.MaxASCII || (!unicode.IsLetter(r) && !unicode.IsDigit(r)) {
			gap = b.Len() > 0
			continue
		}
		if gap {
			b.WriteByte('-')
			gap = false
		}
		b.WriteRune(r)
	}
	base := b.String()
	if base == "" {
		base = kind
	}
	for n := 1; ; n++ {
		suffix := ""
		if n > 1 {
			suffix = fmt.Sprintf("-%d", n)
		}
		id := strings.TrimRight(base[:min(len(base), maxName-len(suffix))], "-") + suffix
		if !taken(id) {
			return id
		}
	}
}
