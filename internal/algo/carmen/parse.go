package carmen

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"sarathi/internal/geom"
)

const (
	maxLine  = 1 << 20 // [bytes] of a line; the longest real ones have some 20 kB
	maxBeams = 1 << 15
)

// ErrNoScan says that a file held no scan: most likely it is of another format.
var ErrNoScan = errors.New("no FLASER or ROBOTLASER1 line with a whole scan")

// Read reads a log to its end. The error is that of r, a line longer than a megabyte, or [ErrNoScan]; the log is what was read until then.
func Read(r io.Reader) (*Log, error) {
	log := new(Log)
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), maxLine)
	n := 0
	for lines.Scan() {
		n++
		if reason := log.line(lines.Bytes()); reason != "" {
			log.refuse(n, reason)
		}
	}
	log.order()
	if err := lines.Err(); err != nil {
		return log, fmt.Errorf("line %d: %w", n+1, err)
	}
	if len(log.Scans) == 0 {
		return log, ErrNoScan
	}
	return log, nil
}

// line reads one line. The reason is empty when the line is whole, or not of a kind that is read here.
func (l *Log) line(text []byte) (reason string) {
	f := &fields{rest: text}
	switch string(f.word()) {
	case "ODOM":
		return l.odometry(f)
	case "FLASER":
		return l.frontLaser(f)
	case "ROBOTLASER1":
		return l.robotLaser(f)
	default:
		return ""
	}
}

func (l *Log) odometry(f *fields) string {
	pose := f.pose()
	f.skip(3) // tv rv accel
	time := f.number()
	if f.bad != "" {
		return f.bad
	}
	l.addOdometry(Odometry{time, pose})
	return ""
}

func (l *Log) frontLaser(f *fields) string {
	n := f.count()
	if f.bad == "" && n < 2 {
		return "a scan of fewer than two beams"
	}
	ranges := f.ranges(n)
	laser, robot := f.pose(), f.pose()
	time := f.number()
	if f.bad != "" {
		return f.bad
	}
	start, step := flaserBeams(n)
	l.addScan(Scan{
		Time: time, AngleMin: start, AngleIncrement: step, Ranges: ranges, Mount: robot.Between(laser), Odometry: robot,
	})
	return ""
}

func (l *Log) robotLaser(f *fields) string {
	f.skip(1) // type
	start := f.number()
	f.skip(1) // field of view: the resolution and the count say it again
	step, far := f.number(), f.number()
	f.skip(2) // accuracy, remission mode
	n := f.count()
	ranges := f.ranges(n)
	f.skip(f.count()) // remissions
	laser, robot := f.pose(), f.pose()
	f.skip(5) // tv rv forward_safety side_safety turn_axis
	time := f.number()
	switch {
	case f.bad != "":
		return f.bad
	case n < 2:
		return "a scan of fewer than two beams"
	case step == 0:
		return "all beams point the same way"
	}
	l.addScan(Scan{
		Time: time, AngleMin: start, AngleIncrement: step, RangeMax: max(far, 0), Ranges: ranges, Mount: robot.Between(laser), Odometry: robot,
	})
	return ""
}

// fields reads a line word by word. After the first word that does not fit, bad says why and every value is zero.
type fields struct {
	rest []byte
	bad  string
}

// word takes the next word; it is empty at the end of the line.
func (f *fields) word() []byte {
	f.rest = bytes.TrimLeft(f.rest, " \t\r")
	end := bytes.IndexAny(f.rest, " \t\r")
	if end < 0 {
		end = len(f.rest)
	}
	word := f.rest[:end]
	f.rest = f.rest[end:]
	return word
}

func (f *fields) fail(reason string) {
	if f.bad == "" {
		f.bad = reason
	}
}

// parse takes a word as a number; NaN and infinities are numbers here.
func (f *fields) parse() float64 {
	if f.bad != "" {
		return 0
	}
	word := f.word()
	if len(word) == 0 {
		f.fail("cut short")
		return 0
	}
	v, err := strconv.ParseFloat(string(word), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		f.fail(fmt.Sprintf("%.20q is no number", word))
		return 0
	}
	return v
}

// number takes a finite number.
func (f *fields) number() float64 {
	v := f.parse()
	if !geom.Finite(v) {
		f.fail("a pose, an angle or a time is not finite")
		return 0
	}
	return v
}

func (f *fields) pose() geom.Pose2 {
	x, y, theta := f.number(), f.number(), f.number()
	return geom.Pose2{X: x, Y: y, Theta: geom.NormalizeAngle(theta)}
}

func (f *fields) skip(n int) {
	for range n {
		if len(f.word()) == 0 {
			f.fail("cut short")
			return
		}
	}
}

func (f *fields) count() int {
	v := f.number()
	if f.bad == "" && (v < 0 || v > maxBeams || v != float64(int(v))) {
		f.fail(fmt.Sprintf("%g is no count of beams", v))
	}
	if f.bad != "" {
		return 0
	}
	return int(v)
}

// ranges takes n readings. What is not finite stays so: the matcher knows what to do with it.
func (f *fields) ranges(n int) []float32 {
	if f.bad != "" || 2*n > len(f.rest)+1 { // a reading needs two bytes: a wrong count allocates nothing
		f.fail("cut short")
		return nil
	}
	r := make([]float32, n)
	for i := range r {
		r[i] = float32(f.parse())
	}
	return r
}
