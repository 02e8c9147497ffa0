package slameval

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"sarathi/internal/geom"
)

// Sample is a pose at a time [s].
type Sample struct {
	Time float64
	Pose geom.Pose2
}

// Relation is the true motion between two times [s]: the pose at To seen from the pose at From.
type Relation struct {
	From, To float64
	Motion   geom.Pose2
}

const (
	trajectoryColumns = 4
	relationColumns   = 8
	yawColumn         = 7 // of a relation
)

// ReadTrajectory reads lines `t x y theta` and puts them in order of time. Columns after the fourth are passed over.
func ReadTrajectory(r io.Reader) ([]Sample, error) {
	var out []Sample
	err := readRows(r, trajectoryColumns, func(v []float64) {
		out = append(out, Sample{v[0], geom.Pose2{X: v[1], Y: v[2], Theta: v[3]}})
	})
	slices.SortStableFunc(out, compareSamples)
	return out, err
}

// compareSamples orders by time; poses of one time by their values, as the reference tool does.
func compareSamples(a, b Sample) int {
	return cmp.Or(
		cmp.Compare(a.Time, b.Time), cmp.Compare(a.Pose.X, b.Pose.X), cmp.Compare(a.Pose.Y, b.Pose.Y), cmp.Compare(a.Pose.Theta, b.Pose.Theta),
	)
}

// ReadRelations reads lines `t1 t2 x y z roll pitch yaw`; z, roll and pitch are of no use in the plane.
func ReadRelations(r io.Reader) ([]Relation, error) {
	var out []Relation
	err := readRows(r, relationColumns, func(v []float64) {
		out = append(out, Relation{v[0], v[1], geom.Pose2{X: v[2], Y: v[3], Theta: v[yawColumn]}})
	})
	return out, err
}

// readRows calls row with the first columns of each line.
func readRows(r io.Reader, columns int, row func([]float64)) error {
	lines := bufio.NewScanner(r)
	values := make([]float64, columns)
	for n := 1; lines.Scan(); n++ {
		words := strings.Fields(lines.Text())
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if len(words) < columns {
			return fmt.Errorf("line %d has %d columns, not %d", n, len(words), columns)
		}
		for i := range values {
			v, err := strconv.ParseFloat(words[i], 64)
			if err != nil || !geom.Finite(v) {
				return fmt.Errorf("line %d, column %d: %.20q is no finite number", n, i+1, words[i])
			}
			values[i] = v
		}
		row(values)
	}
	return lines.Err()
}
