package config

import (
	"reflect"
	"strings"
)

// advise says what an unknown key was probably meant to be: a neighbour with nearly the same name, the same key in another section,
// or else all keys that the section has.
func advise(root, section reflect.Type, path, name string) string {
	fields := keys(section)
	names := make([]string, len(fields))
	for i, k := range fields {
		names[i] = k.name
	}
	if near := nearest(name, names); near != "" {
		return "did you mean " + near + "?"
	}
	if elsewhere := find(root, "", name, map[reflect.Type]bool{}); len(elsewhere) == 1 {
		return "did you mean " + elsewhere[0] + "?"
	}
	if len(names) == 0 {
		return "this section has no keys: remove it"
	}
	where := "at the top level"
	if path != "" {
		where = "here"
	}
	return "the keys " + where + " are " + strings.Join(names, ", ")
}

// find returns the paths of all keys called name.
func find(t reflect.Type, path, name string, open map[reflect.Type]bool) []string {
	if t == durationType() || t == rawType() || isText(t) || open[t] {
		return nil
	}
	switch t.Kind() {
	case reflect.Pointer:
		return find(t.Elem(), path, name, open)
	case reflect.Slice, reflect.Array:
		return find(t.Elem(), path+"[]", name, open)
	case reflect.Map:
		return find(t.Elem(), join(path, "<name>"), name, open)
	case reflect.Struct:
		open[t] = true
		defer delete(open, t)
		var out []string
		for _, k := range keys(t) {
			if k.name == name {
				out = append(out, join(path, k.name))
			}
			out = append(out, find(k.typ, join(path, k.name), name, open)...)
		}
		return out
	default:
		return nil
	}
}

// nearest returns the candidate that a slip of the fingers may have turned into name: at most a third of its letters differ. The
// first wins where two are equally near.
func nearest(name string, candidates []string) string {
	best, bestDistance := "", 1+max(1, len(name)/3)
	for _, c := range candidates {
		if d := distance(strings.ToLower(name), c); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// distance counts the insertions, deletions, replacements and swaps of neighbours between a and b (optimal string alignment), byte
// by byte: keys are ASCII.
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return max(len(a), len(b)) // no key is that long
	}
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
