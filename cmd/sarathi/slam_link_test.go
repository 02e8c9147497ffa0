package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"sarathi/msg/geometry"
	"sarathi/msg/nav"
	"sarathi/msg/sensor"
	"sarathi/rosbridge"
)

// slamBroker is a rosbridge server that belongs to nobody.
func slamBroker(t *testing.T) string {
	t.Helper()
	broker, err := rosbridge.NewBroker(rosbridge.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(broker)
	t.Cleanup(func() {
		if err := broker.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
		server.Close()
	})
	return "ws" + strings.TrimPrefix(server.URL, "http")
}

// beside runs a command until the test or end ends it; said is what it prints, line by line.
func beside(t *testing.T, words ...string) (said *bufio.Reader, end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	e := testEnv(t)
	e.now = time.Now
	r, w := io.Pipe()
	e.stdout, e.stderr = w, t.Output()
	var running sync.WaitGroup
	running.Go(func() {
		if code := run(ctx, e, words); code != exitDone {
			t.Errorf("%s: exit code %d", words, code)
		}
		w.Close()
	})
	end = sync.OnceFunc(func() {
		cancel()
		io.Copy(io.Discard, r)
		running.Wait()
	})
	t.Cleanup(end)
	return bufio.NewReader(r), end
}

// line is the next line that a command prints.
func line(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	text, err := r.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// first waits for a message on a topic.
func first[T any, P rosbridge.Generated[T]](t *testing.T, url, topic string, ok func(*T) bool) {
	t.Helper()
	c, err := rosbridge.Dial(t.Context(), rosbridge.ClientConfig{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	came := make(chan struct{})
	once := sync.OnceFunc(func() { close(came) })
	if _, err := rosbridge.SubscribeAs[T, P](c, topic, rosbridge.SubscribeOptions{}, func(m *T) {
		if ok(m) {
			once()
		}
	}); err != nil {
		t.Fatal(err)
	}
	select {
	case <-came:
	case <-time.After(time.Minute):
		t.Fatalf("nothing on %s", topic)
	}
}

// A world in one program, fusion and slam in another, and a server between that is neither's.
func TestSlamAttachMapsWhatAWorldSays(t *testing.T) {
	url, picture := slamBroker(t), filepath.Join(t.TempDir(), "map.png")
	said, attach := beside(t, "slam", "attach", "--url", url, "--png", picture)
	if text := line(t, said); !strings.Contains(text, "Mapping with /scan") {
		t.Error(text)
	}
	driven, world := beside(t, "slam", "world", "--url", url, "--seed", "3")
	if text := line(t, driven); !strings.Contains(text, "through the office") {
		t.Error(text)
	}
	first(t, url, "/ground_truth", func(m *nav.Odometry) bool { return m.Pose.Pose.Position.X > 0.3 })
	first(t, url, "/fused_pose", func(m *geometry.PoseWithCovarianceStamped) bool { return m.Pose.Pose.Position.X > 0.3 })
	first(t, url, "/map", func(m *nav.OccupancyGrid) bool {
		return m.Info.Width > 50 && len(m.Data) == int(m.Info.Width*m.Info.Height)
	})
	world()
	attach()
	if b, err := os.ReadFile(picture); err != nil || !bytes.HasPrefix(b, []byte("\x89PNG")) {
		t.Errorf("the picture: %v", err)
	}
}

// Foreign names, no odometry, no gyro, and scans that are odd now and then.
func TestSlamAttachTakesOtherNames(t *testing.T) {
	url := slamBroker(t)
	said, _ := beside(t, "slam", "attach", "--url", url, "--scan", "/lidar/points", "--odom", "none", "--imu", "none", "--frame", "base", "--map-frame", "world")
	line(t, said)
	c, err := rosbridge.Dial(t.Context(), rosbridge.ClientConfig{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	scans, err := rosbridge.AdvertiseAs[sensor.LaserScan](c, "/lidar/points", rosbridge.AdvertiseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var saying sync.WaitGroup
	saying.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			m := sensor.LaserScan{AngleMin: -3, AngleIncrement: 0.05, RangeMin: 0.1, RangeMax: 10, Ranges: make([]float32, 120)}
			for k := range m.Ranges {
				m.Ranges[k] = 2 + float32(k%7)/10
			}
			if i%5 == 4 {
				m.Ranges = nil
			}
			scans.Publish(&m) // the next one tries again
			time.Sleep(20 * time.Millisecond)
		}
	})
	first(t, url, "/scan_match_pose", func(m *geometry.PoseWithCovarianceStamped) bool { return m.Header.FrameID == "world" })
	stop()
	saying.Wait()
}

func TestSlamLaunchServesWhatItDoes(t *testing.T) {
	said, launch := beside(t, "slam", "launch", "--listen", "127.0.0.1:0", "--json")
	var started struct{ Event, Address string }
	if err := json.Unmarshal([]byte(line(t, said)), &started); err != nil || started.Event != "started" {
		t.Fatal(started, err)
	}
	url := "ws://" + started.Address
	first(t, url, "/fused_pose", func(m *geometry.PoseWithCovarianceStamped) bool { return m.Pose.Pose.Position.X > 0.1 })
	first(t, url, "/scan", func(m *sensor.LaserScan) bool { return len(m.Ranges) == 180 })
	launch()
}

func TestSlamLaunchAsFastAsPossible(t *testing.T) {
	picture := filepath.Join(t.TempDir(), "map.png")
	said, end := beside(t, "slam", "launch", "--seed", "3", "--laps", "1", "--speed", "max", "--png", picture)
	for _, part := range []string{"office, seed 3: arrived after", "fused pose:", "laid over the truth", "loops closed"} {
		if text := line(t, said); !strings.Contains(text, part) {
			t.Errorf("no %q in %s", part, text)
		}
	}
	end()
	if _, err := os.Stat(picture); err != nil {
		t.Error(err)
	}
}
