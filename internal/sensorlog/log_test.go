package sensorlog_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/foxglove/mcap/go/mcap"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sarathi/internal/geom"
	"sarathi/internal/sensorlog"
	"sarathi/internal/sensorlog/sensorlogtest"
	"sarathi/msg/builtin"
	"sarathi/msg/geometry"
	"sarathi/msg/nav"
	"sarathi/msg/sensor"
	"sarathi/msg/std"
)

type topics = sensorlog.Topics

func read(file []byte, named topics) (*sensorlog.Log, error) {
	return sensorlog.Read(bytes.NewReader(file), int64(len(file)), named)
}

func room(t testing.TB) *sensorlog.Log {
	t.Helper()
	log, err := read([]byte(sensorlogtest.Room()), topics{})
	if err != nil {
		t.Fatal(err)
	}
	return log
}

func mcapFile(t testing.TB, encoding string, compression mcap.CompressionFormat, messages []sensorlogtest.Message) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := sensorlogtest.WriteMCAP(&file, encoding, compression, messages); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func bagFile(t testing.TB, compression string, messages []sensorlogtest.Message) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.bag")
	if err := sensorlogtest.WriteBag(path, compression, messages); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func TestEveryKindGivesTheSame(t *testing.T) {
	want := room(t)
	if len(want.Scans) != 21 || len(want.Odometry) != 42 {
		t.Fatalf("%d scans, %d readings of odometry", len(want.Scans), len(want.Odometry))
	}
	messages := sensorlogtest.Messages(want)
	for name, file := range map[string][]byte{
		"cdr":         mcapFile(t, "cdr", mcap.CompressionNone, messages),
		"cdr in zstd": mcapFile(t, "cdr", mcap.CompressionZSTD, messages),
		"ros1 in lz4": mcapFile(t, "ros1", mcap.CompressionLZ4, messages),
		"bag":         bagFile(t, "none", messages),
		"bag in lz4":  bagFile(t, "lz4", messages),
	} {
		got, err := read(file, topics{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(sensorlog.Log{}, "About")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if about := "scans of /scan, odometry of /odom, lidar laser taken to be at the centre: /tf_static does not say where it is"; got.About != about {
			t.Errorf("%s: %s", name, got.About)
		}
	}
}

func TestMount(t *testing.T) {
	messages := sensorlogtest.Messages(room(t))
	at := geom.Pose2{X: 0.25, Y: -0.125, Theta: math.Pi / 2}
	upside := geom.Transform{T: geom.Vec3{X: 0.1, Z: 0.5}, R: geom.FromRPY(math.Pi, 0, 0)}
	for _, tt := range []struct {
		name   string
		static []sensorlogtest.Message
		want   geom.Transform
		about  string
	}{
		{"direct", []sensorlogtest.Message{sensorlogtest.Static("base_link", "laser", at.Transform())}, at.Transform(), "laser at x 0.250 m, y -0.125 m, 90.0° in base_link"},
		{"through a plate, upside down", []sensorlogtest.Message{
			sensorlogtest.Static("/plate", "/laser", upside), sensorlogtest.Static("base_link", "plate", at.Transform()),
		}, at.Transform().Mul(upside), "in base_link"},
		{"in a circle", []sensorlogtest.Message{
			sensorlogtest.Static("plate", "laser", upside), sensorlogtest.Static("laser", "plate", upside),
		}, geom.IdentityTransform(), "at the centre"},
	} {
		for _, file := range [][]byte{
			mcapFile(t, "cdr", mcap.CompressionZSTD, append(tt.static, messages...)),
			bagFile(t, "lz4", append(slices.Clip(messages), tt.static...)),
		} {
			log, err := read(file, topics{})
			if err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
			if diff := cmp.Diff(tt.want, log.Scans[20].Reading.Mount, cmpopts.EquateApprox(0, 1e-12)); diff != "" || !strings.Contains(log.About, tt.about) {
				t.Errorf("%s: %s %s", tt.name, diff, log.About)
			}
		}
	}
}

func TestTopics(t *testing.T) {
	messages := sensorlogtest.Messages(room(t))
	var alone, two []sensorlogtest.Message
	for _, m := range messages {
		two = append(two, m)
		if m.Topic == "/scan" {
			alone = append(alone, m)
			m.Topic = "/rear"
			two = append(two, m)
		}
	}
	for _, tt := range []struct {
		name     string
		messages []sensorlogtest.Message
		named    topics
		want     string // error, or About
	}{
		{"only scans", alone, topics{}, "scans of /scan, no odometry"},
		{"the second of two", two, topics{Scan: "/rear"}, "scans of /rear, odometry of /odom"},
		{"two", two, topics{}, "sensor_msgs/LaserScan on several topics: name one of /rear (21), /scan (21) with --scan"},
		{"none of that name", two, topics{Scan: "/odom"}, "no sensor_msgs/LaserScan on /odom: name one of /rear (21), /scan (21) with --scan"},
		{"no odometry of any name", alone, topics{Odometry: "/odom"}, "no nav_msgs/Odometry on /odom, nor on any other topic: leave --odom out"},
		{"no scan", messages[:1], topics{}, "no sensor_msgs/LaserScan in it: record the topic of a planar lidar"},
	} {
		for _, file := range [][]byte{mcapFile(t, "cdr", mcap.CompressionZSTD, tt.messages), bagFile(t, "lz4", tt.messages)} {
			log, err := read(file, tt.named)
			got := ""
			if err != nil {
				got = err.Error()
			} else {
				got = log.About
				if len(log.Scans) != 21 {
					t.Errorf("%s: %d scans", tt.name, len(log.Scans))
				}
			}
			if !strings.HasPrefix(got, tt.want) {
				t.Errorf("%s: %s", tt.name, got)
			}
		}
	}
	if _, err := read([]byte(sensorlogtest.Room()), topics{Scan: "/scan"}); err == nil || !strings.Contains(err.Error(), "has no topics") {
		t.Errorf("topics of a CARMEN log: %v", err)
	}
}

func TestMessagesWithoutSenseAreLeftOut(t *testing.T) {
	nan := float32(math.NaN())
	scan := func(change func(*sensor.LaserScan)) sensorlogtest.Message {
		m := &sensor.LaserScan{
			Header: std.Header{Stamp: builtin.Time{Sec: 5}}, AngleIncrement: 0.1, TimeIncrement: 0.01, RangeMin: nan, RangeMax: 30, Ranges: []float32{1, nan},
		}
		change(m)
		return sensorlogtest.Message{Topic: "/scan", Time: 5, Value: m}
	}
	odometry := func(change func(*nav.Odometry)) sensorlogtest.Message {
		m := sensorlogtest.Odometry(5, geom.Pose2{})
		change(m)
		return sensorlogtest.Message{Topic: "/odom", Time: 5, Value: m}
	}
	good := []sensorlogtest.Message{scan(func(*sensor.LaserScan) {}), odometry(func(*nav.Odometry) {})}
	for _, tt := range []struct {
		bad  sensorlogtest.Message
		want string
	}{
		{scan(func(m *sensor.LaserScan) { m.Header.Stamp = builtin.Time{} }), "a message on /scan: a stamp of 0 s: nobody stamped it"},
		{scan(func(m *sensor.LaserScan) { m.Header.Stamp.Nanosec = 1e9 }), "a stamp with 1000000000 nanoseconds"},
		{scan(func(m *sensor.LaserScan) { m.AngleMin = nan }), "beams from NaN rad"},
		{scan(func(m *sensor.LaserScan) { m.AngleIncrement = 0 }), "in steps of 0 rad"},
		{scan(func(m *sensor.LaserScan) { m.Ranges = nil }), "a scan of 0 beams"},
		{scan(func(m *sensor.LaserScan) { m.Ranges = make([]float32, 1<<15+1) }), "a scan of 32769 beams"},
		{odometry(func(m *nav.Odometry) { m.Header.Stamp.Sec = -1 }), "a stamp of -1 s"},
		{odometry(func(m *nav.Odometry) { m.Pose.Pose.Position.X = math.Inf(1) }), "a message on /odom: "},
		{odometry(func(m *nav.Odometry) { m.Pose.Pose.Orientation = geometry.Quaternion{W: math.NaN()} }), "a message on /odom: "},
	} {
		log, err := read(mcapFile(t, "cdr", mcap.CompressionNone, append([]sensorlogtest.Message{tt.bad}, good...)), topics{})
		if err != nil {
			t.Errorf("%s: %v", tt.want, err)
			continue
		}
		if log.Refused != 1 || !strings.Contains(log.Reason, tt.want) || len(log.Scans) != 1 || len(log.Odometry) != 1 {
			t.Errorf("%d refused: %s, not %s; %d scans, %d readings of odometry", log.Refused, log.Reason, tt.want, len(log.Scans), len(log.Odometry))
		}
		if r := log.Scans[0].Reading; r.RangeMin != 0 || r.RangeMax != 30 || math.Abs(r.Duration-0.01) > 1e-9 || !math.IsNaN(float64(r.Ranges[1])) {
			t.Errorf("%+v", r)
		}
		if _, err := read(bagFile(t, "none", []sensorlogtest.Message{tt.bad, good[0]}), topics{}); tt.bad.Topic == "/odom" &&
			(err == nil || !strings.Contains(err.Error(), "no odometry of /odom makes sense; first a message on /odom: ")) {
			t.Errorf("odometry without sense: %v", err)
		}
	}
}

func TestDamagedFiles(t *testing.T) {
	messages := sensorlogtest.Messages(room(t))
	inMCAP, inBag := mcapFile(t, "cdr", mcap.CompressionZSTD, messages), bagFile(t, "lz4", messages)
	change := func(file []byte, at int, b ...byte) []byte {
		out := bytes.Clone(file)
		copy(out[at:], b)
		return out
	}
	chunk := 8 + 9 + int(binary.LittleEndian.Uint64(inMCAP[9:])) + 9 // the first, after the header
	lastChunk := bytes.LastIndex(inBag, []byte("\x04\x00\x00\x00op=\x05")) - 4
	huge := binary.LittleEndian.AppendUint64(nil, math.MaxUint64)
	for _, tt := range []struct {
		name, want string
		file       []byte
	}{
		{"empty", "name a CARMEN log, an MCAP file or a ROS 1 bag", nil},
		{"words", "name a CARMEN log, an MCAP file or a ROS 1 bag", []byte("hello\n")},
		{"old bag", "rosbag fix", []byte("#ROSBAG V1.2\n")},
		{"SQLite", "ros2 bag convert", []byte("SQLite format 3\x00")},
		{"MCAP in half", "cut short: copy it again, or repair it with `mcap recover`", inMCAP[:len(inMCAP)/2]},
		{"MCAP without end", "cut short", inMCAP[:8]},
		{"MCAP with a huge record", "cut short", change(inMCAP, 9, huge...)},
		{"MCAP with a chunk of a huge name", "parts are longer than the whole", change(inMCAP, chunk+28, huge[:4]...)},
		{"MCAP with a chunk of huge records", "parts are longer than the whole", change(inMCAP, chunk+32+len("zstd"), huge...)},
		{"MCAP with a chunk that becomes huge", "record with chunks of at most", change(inMCAP, chunk+16, huge...)},
		{"MCAP with another sum", "has the sum", change(inMCAP, chunk+24, 1, 2, 3, 4)},
		{"MCAP with changed bytes", "damaged", change(inMCAP, 300, 1, 2, 3)},
		{"MCAP of JSON", `encoded as "json": record them in cdr`, mcapFile(t, "json", "", messages)},
		{"bag in half", "cut short: copy it again, or repair it with `rosbag reindex`", inBag[:len(inBag)/2]},
		{"bag between chunks", "cut short", inBag[:lastChunk]},
		{"bag without end", "cut short", inBag[:13]},
		{"bag with a huge record", "cut short", change(inBag, 13, huge[:4]...)},
		{"bag that was not closed", "rosbag reindex", bytes.Replace(inBag, inBag[bytes.Index(inBag, []byte("index_pos=")):][:18], []byte("index_pos=\x00\x00\x00\x00\x00\x00\x00\x00"), 1)},
		{"bag in unknown compression", `"lz5"`, bytes.Replace(inBag, []byte("compression=lz4"), []byte("compression=lz5"), 1)},
		{"bag with changed bytes", "damaged", change(inBag, bytes.Index(inBag, []byte("compression=lz4"))+60, 1, 2, 3)},
	} {
		if log, err := read(tt.file, topics{}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v %+v", tt.name, err, log)
		}
	}
}

func TestNoCutGivesHalfALog(t *testing.T) {
	messages := sensorlogtest.Messages(room(t))
	for name, file := range map[string][]byte{"MCAP": mcapFile(t, "cdr", "", messages), "bag": bagFile(t, "none", messages)} {
		whole := len(file)
		for n := 20; n < whole; n += 37 {
			// What follows the footer of an MCAP file, and the last indexes of a bag, say nothing of scans.
			if log, err := read(file[:n], topics{}); err == nil && (len(log.Scans) != 21 || len(log.Odometry) != 42) {
				t.Errorf("%s of %d bytes out of %d: %d scans", name, n, whole, len(log.Scans))
			}
		}
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	if _, err := sensorlog.Load(filepath.Join(dir, "no"), topics{}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, err := sensorlog.Load(dir, topics{}); err == nil || !strings.Contains(err.Error(), "folder") {
		t.Error(err)
	}
	path := filepath.Join(dir, "a.clf") // the name says nothing
	if err := os.WriteFile(path, mcapFile(t, "cdr", "", sensorlogtest.Messages(room(t))), 0o600); err != nil {
		t.Fatal(err)
	}
	if log, err := sensorlog.Load(path, topics{}); err != nil || len(log.Scans) != 21 {
		t.Error(err)
	}
}

func FuzzRead(f *testing.F) {
	messages := sensorlogtest.Messages(room(f))[:5]
	messages = append(messages, sensorlogtest.Static("base_link", "laser", geom.IdentityTransform()))
	for _, compression := range []mcap.CompressionFormat{mcap.CompressionNone, mcap.CompressionZSTD, mcap.CompressionLZ4} {
		f.Add(mcapFile(f, "cdr", compression, messages))
	}
	for _, compression := range []string{"none", "lz4"} {
		f.Add(bagFile(f, compression, messages))
	}
	f.Add([]byte(sensorlogtest.Room()[:2000]))
	f.Fuzz(func(t *testing.T, file []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		log, err := read(file, topics{})
		runtime.ReadMemStats(&after)
		// What is there decides how much memory is taken, not what sizes promise. zstd makes 4 kB of one byte, or more.
		if took := after.TotalAlloc - before.TotalAlloc; took > 64<<20+uint64(len(file))*(64<<10) {
			t.Errorf("%d bytes took %d MB", len(file), took>>20)
		}
		if err != nil {
			return
		}
		if len(log.Scans) == 0 {
			t.Error("no scan and no error")
		}
		for i := range log.Scans {
			s := &log.Scans[i]
			if len(s.Reading.Ranges) < 2 || !geom.Finite(s.Time, s.Reading.AngleMin, s.Reading.AngleIncrement) || !s.Reading.Mount.IsFinite() {
				t.Errorf("%+v", s)
			}
			if i > 0 && s.Time < log.Scans[i-1].Time {
				t.Error("times go back")
			}
		}
		for _, o := range log.Odometry {
			if !geom.Finite(o.Time) || !o.Pose.IsFinite() {
				t.Errorf("%+v", o)
			}
		}
	})
}
