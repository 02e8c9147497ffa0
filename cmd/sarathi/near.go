package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sarathi/internal/gateway/rosbridge/graph"
)

// mostNear is how many names are suggested.
const mostNear = 3

// near returns the names that the user may have meant, best first: those that differ by a few letters, and those that contain what
// was written.
func near(name string, names []string) []string {
	type candidate struct {
		name  string
		score int // letters that differ
	}
	wanted := strings.ToLower(strings.Trim(name, "/"))
	var found []candidate
	for _, n := range names {
		have := strings.ToLower(strings.Trim(n, "/"))
		score := distance(wanted, have)
		switch {
		case score < len(wanted) && score <= max(2, len(wanted)/4):
		case len(wanted) >= 3 && strings.Contains(have, wanted):
			score = len(have) - len(wanted) + 3
		default:
			continue
		}
		found = append(found, candidate{n, score})
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.score, b.score) })
	var out []string
	for _, c := range found[:min(len(found), mostNear)] {
		if found[0].score <= 1 && c.score > found[0].score {
			break // beside one wrong letter nothing else is likely
		}
		out = append(out, c.name)
	}
	return out
}

// distance counts the insertions, deletions and replacements between a and b (Levenshtein), byte by byte.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

// unknown returns the error for a name that is not there.
func unknown(what, name string, names []string) error {
	if suggestions := near(name, names); len(suggestions) > 0 {
		return usage("there is no %s %s: did you mean %s?", what, name, strings.Join(suggestions, " or "))
	}
	return usage("there is no %s %s: `sarathi %s list` shows what there is", what, name, what)
}

// absolute returns a name as the robot spells it.
func absolute(name string) string {
	if strings.HasPrefix(name, "/") {
		return name
	}
	return "/" + name
}

func topicNames(g *graph.Graph) []string {
	var out []string
	for i := range g.Topics {
		out = append(out, g.Topics[i].Name)
	}
	return out
}

func serviceNames(g *graph.Graph) []string {
	var out []string
	for i := range g.Services {
		out = append(out, g.Services[i].Name)
	}
	return out
}

func findTopic(g *graph.Graph, name string) (*graph.Topic, bool) {
	for i := range g.Topics {
		if g.Topics[i].Name == absolute(name) {
			return &g.Topics[i], true
		}
	}
	return nil, false
}

// plural prints a count with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
