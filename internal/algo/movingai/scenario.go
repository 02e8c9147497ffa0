package movingai

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
)

// MaxQueries is how many queries of a scenario file are read at most.
const MaxQueries = 1 << 20

// Query is one row of a scenario.
type Query struct {
	StartX, StartY, GoalX, GoalY int
	Optimal                      float64 // length of a shortest path [cells]; 0 with start ≠ goal: there is none
}

// Reachable reports whether the row says that a path exists.
func (q Query) Reachable() bool {
	return q.Optimal > 0 || (q.StartX == q.GoalX && q.StartY == q.GoalY)
}

// ParseScenario reads a .scen file for a map of the given size. A query outside the map is an error.
func ParseScenario(data []byte, width, height int) ([]Query, error) {
	var out []Query
	for line := 1; len(data) > 0; line++ {
		var text []byte
		text, data, _ = bytes.Cut(data, []byte("\n"))
		fields := bytes.Fields(text)
		if len(fields) == 0 || (line == 1 && string(fields[0]) == "version") {
			continue
		}
		if len(out) == MaxQueries {
			return nil, fault(line, "too many queries", fmt.Sprintf("the limit is %d", MaxQueries))
		}
		q, err := parseQuery(line, fields, width, height)
		if err != nil {
			return nil, err
		}
		out = append(out, q)
	}
	if len(out) == 0 {
		return nil, fault(1, "there is no query", "is it a .scen file?")
	}
	return out, nil
}

func parseQuery(line int, fields [][]byte, width, height int) (Query, error) {
	const columns = 9
	if len(fields) != columns {
		return Query{}, fault(line, fmt.Sprintf("%d columns", len(fields)), "bucket, map, width, height, start x and y, goal x and y, and length are 9")
	}
	var n [columns]int
	for _, i := range []int{0, 2, 3, 4, 5, 6, 7} {
		var err error
		if n[i], err = strconv.Atoi(string(fields[i])); err != nil {
			return Query{}, fault(line, fmt.Sprintf("column %d is %q", i+1, clip(fields[i])), "write a whole number")
		}
	}
	// Sizes other than the map's are kept by old scenarios that scale; there is none of those for octile maps any more.
	if n[2] != width || n[3] != height {
		return Query{}, fault(line, fmt.Sprintf("is about a map of %d × %d cells", n[2], n[3]), fmt.Sprintf("the map has %d × %d", width, height))
	}
	for i := 4; i < 8; i++ {
		limit := width
		if i%2 == 1 {
			limit = height
		}
		if n[i] < 0 || n[i] >= limit {
			return Query{}, fault(line, fmt.Sprintf("column %d is %d", i+1, n[i]), fmt.Sprintf("cells are numbered 0 to %d", limit-1))
		}
	}
	length, err := strconv.ParseFloat(string(fields[8]), 64)
	if err != nil || length < 0 || math.IsNaN(length) || math.IsInf(length, 0) {
		return Query{}, fault(line, fmt.Sprintf("the length is %q", clip(fields[8])), "write a number from 0")
	}
	return Query{n[4], n[5], n[6], n[7], length}, nil
}
