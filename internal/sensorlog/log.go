package sensorlog

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"github.com/foxglove/go-rosbag"
	"github.com/foxglove/mcap/go/mcap"

	"sarathi/internal/algo/carmen"
	"sarathi/internal/algo/scanmatch"
	"sarathi/internal/algo/slam"
)

// Scan is one turn of the lidar, stamped with the time of its first beam.
type Scan struct {
	Time    float64 // [s]
	Reading scanmatch.Reading
}

// Log is what a file holds. Scans and Odometry are each in order of time.
type Log struct {
	Scans    []Scan
	Odometry []slam.Sample // none: the file has scans only
	Refused  int           // lines or messages that were left out
	Reason   string        // why the first of them was
	About    string        // topics that were used and where the lidar is mounted, for people; empty for CARMEN logs
}

// Topics chooses among the topics of a file. Empty is the only one of its type.
type Topics struct{ Scan, Odometry string }

// Load reads the log in a file. An error names the file and says what to do.
func Load(path string, topics Topics) (log *Log, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open log: %w: name a CARMEN log, an MCAP file or a ROS 1 bag", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	if info.IsDir() {
		return nil, fmt.Errorf("read log %s: it is a folder: name the file in it", path)
	}
	size := info.Size()
	if !info.Mode().IsRegular() {
		size = math.MaxInt64 // nobody knows how much a pipe will bring
	}
	if log, err = Read(file, size, topics); err != nil {
		return nil, fmt.Errorf("read log %s: %w", path, err)
	}
	return log, nil
}

// foreign is the error of files that people are likely to have and that cannot be read, by how they start.
func foreign(start []byte) error {
	switch {
	case bytes.HasPrefix(start, []byte("#ROSBAG ")):
		return errors.New("a ROS bag of another version than 2.0: convert it with `rosbag fix`")
	case bytes.HasPrefix(start, []byte("SQLite format 3\x00")):
		return errors.New("a ROS 2 recording in SQLite: convert it to MCAP with `ros2 bag convert`")
	}
	return nil
}

// Read reads a log of at most size bytes.
func Read(r io.Reader, size int64, topics Topics) (*Log, error) {
	buffered := bufio.NewReaderSize(r, 1<<16)
	start, err := buffered.Peek(16)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	var (
		c    = newCollector(topics)
		read = readMCAP
	)
	switch {
	case bytes.HasPrefix(start, mcap.Magic):
	case bytes.HasPrefix(start, rosbag.Magic):
		read = readBag
	default:
		if err := foreign(start); err != nil {
			return nil, err
		}
		return readCARMEN(buffered, topics)
	}
	if err := read(buffered, size, c); err != nil {
		return nil, err
	}
	return c.finish()
}

func readCARMEN(r io.Reader, topics Topics) (*Log, error) {
	in, err := carmen.Read(r)
	switch {
	case errors.Is(err, carmen.ErrNoScan):
		return nil, fmt.Errorf("%w: name a CARMEN log, an MCAP file or a ROS 1 bag", err)
	case err != nil:
		return nil, err
	case topics != Topics{}:
		return nil, errors.New("a CARMEN log has no topics: leave the names of topics out")
	}
	out := &Log{Refused: in.Refused}
	if len(in.Faults) > 0 {
		out.Reason = in.Faults[0].String()
	}
	for _, o := range in.Odometry {
		out.Odometry = append(out.Odometry, slam.Sample(o))
	}
	for i := range in.Scans {
		s := &in.Scans[i]
		out.Scans = append(out.Scans, Scan{s.Time, scanmatch.Reading{
			AngleMin: s.AngleMin, AngleIncrement: s.AngleIncrement, RangeMax: s.RangeMax, Ranges: s.Ranges, Mount: s.Mount.Transform(),
		}})
		out.Odometry = append(out.Odometry, slam.Sample{Time: s.Time, Pose: s.Odometry}) // a scan of CARMEN says where it was taken
	}
	out.order()
	return out, nil
}

// order sorts both lists by time; what has the same time stays in the order of the file.
func (l *Log) order() {
	slices.SortStableFunc(l.Scans, func(a, b Scan) int { return cmp.Compare(a.Time, b.Time) })
	slices.SortStableFunc(l.Odometry, func(a, b slam.Sample) int { return cmp.Compare(a.Time, b.Time) })
}

func (l *Log) refuse(reason string) {
	if l.Refused == 0 {
		l.Reason = reason
	}
	l.Refused++
}
