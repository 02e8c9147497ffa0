package teleop_test

import (
	"bytes"
	"context"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"sarathi/internal/bus"
	"sarathi/internal/geom"
	"sarathi/internal/node"
	"sarathi/internal/rosconv"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/sensor"
	"sarathi/msg/std"
	"sarathi/msg/tf2"
	"sarathi/teleop"
)

// BenchmarkJoyToDriver measures the time from a joystick datagram until the driver has its velocity: socket, gateway, mux, host. The
// yardstick is the round trip of a plain UDP echo; both are sent in turns at 100 Hz, so that they find the machine in the same mood.
func BenchmarkJoyToDriver(b *testing.B) {
	r := startRobot(b, config(), &fixture{}) // which does not listen: a robot has nobody else who does
	d := newDevice(b, "127.0.0.1", r.gateway.Addr(teleop.MollyName))
	d.send(`{"t":"hello"}`)
	d.expect(`"t":"welcome"`)
	echo := newEcho(b)
	if resp, err := bus.Call(context.Background(), r.bus, topics.SetMode, dharma.SetModeRequest{Mode: "remote", Source: "handheld"}); err != nil || !resp.Success {
		b.Fatal(resp, err)
	}
	// Two speeds that the ramp reaches at once, so that the driver's answer tells which datagram it comes from.
	speeds := [2]float64{0.1, 0.101}
	joys := [2][]byte{[]byte(`{"t":"joy","vx":0.1}`), []byte(`{"t":"joy","vx":0.101}`)}
	const period = 10 * time.Millisecond
	for range 4 { // arm
		d.send(`{"t":"joy"}`)
		time.Sleep(period)
	}
	for r.body.velocity().VX != speeds[0] {
		d.conn.Write(joys[0])
		<-r.body.commands
	}
	ours, plain := make([]time.Duration, 0, b.N), make([]time.Duration, 0, b.N)
	due := time.Now()
	for i := 1; b.Loop(); i++ {
		due = due.Add(period / 2)
		time.Sleep(time.Until(due))
		plain = append(plain, echo.round(b))
		due = due.Add(period / 2)
		time.Sleep(time.Until(due))
		sent := time.Now()
		d.conn.Write(joys[i%2])
		for v := range r.body.commands {
			if v.VX == speeds[i%2] {
				break
			}
		}
		ours = append(ours, r.body.toldAt().Sub(sent))
	}
	slices.Sort(ours)
	slices.Sort(plain)
	b.ReportMetric(at(ours, 50), "p50-ns")
	b.ReportMetric(at(ours, 99), "p99-ns")
	b.ReportMetric(at(plain, 50), "echo-p50-ns")
	b.ReportMetric(at(plain, 99), "echo-p99-ns")
	b.ReportMetric(at(ours, 50)/at(plain, 50), "p50/echo")
	b.ReportMetric(1, "p50/echo:max")
	b.ReportMetric(at(ours, 99)/at(plain, 99), "p99/echo")
	b.ReportMetric(2, "p99/echo:max")
}

// BenchmarkJoyAmongGarbage measures what 2,000 datagrams a second of garbage, wrong tokens and foreign hellos cost the one who drives: from
// its joystick datagram until the gateway has asked the mux.
func BenchmarkJoyAmongGarbage(b *testing.B) {
	cfg := config()
	cfg.Token = "t"
	r := newRobot(b, cfg, nil)
	d := newDevice(b, "127.0.0.1", r.gateway.Addr(teleop.MollyName))
	d.send(`{"t":"hello","k":"t"}`)
	d.expect(`"t":"welcome"`)
	noise := newDevice(b, "127.0.0.2", r.gateway.Addr(teleop.MollyName))
	garbage := [][]byte{
		{},
		[]byte("{"), []byte(`{"t":"hello"}`), []byte(`{"t":"hello","k":"x"}`), []byte(`{"t":"hello","k":"t","name":"foreign"}`),
		[]byte(`{"t":"joy","vx":1,"k":"t"}`), []byte("\xff\xfe"), bytes.Repeat([]byte("["), 200), bytes.Repeat([]byte("x"), 1400),
	}
	const period = 10 * time.Millisecond
	measure := func(b *testing.B, among int) (took []time.Duration) {
		joy := []byte(`{"t":"joy","vx":0.1,"k":"t"}`)
		due, step := time.Now(), 0
		for b.Loop() {
			for range among {
				noise.conn.Write(garbage[step%len(garbage)])
				step++
				due = due.Add(period / time.Duration(among+1))
				time.Sleep(time.Until(due))
			}
			due = due.Add(period / time.Duration(among+1))
			time.Sleep(time.Until(due))
			sent := time.Now()
			d.conn.Write(joy)
			<-r.fixture.asked
			took = append(took, time.Since(sent))
		}
		slices.Sort(took)
		return took
	}
	var quiet float64
	b.Run("quiet", func(b *testing.B) {
		took := measure(b, 0)
		quiet = at(took, 99)
		b.ReportMetric(at(took, 50), "p50-ns")
		b.ReportMetric(quiet, "p99-ns")
	})
	b.Run("sarathi", func(b *testing.B) {
		took := measure(b, 20)
		b.ReportMetric(at(took, 50), "p50-ns")
		b.ReportMetric(at(took, 99), "p99-ns")
		b.ReportMetric(at(took, 99)/quiet, "p99/quiet")
		b.ReportMetric(2, "p99/quiet:max")
	})
}

// at returns a percentile of sorted durations [ns].
func at(sorted []time.Duration, percent int) float64 { return float64(sorted[len(sorted)*percent/100]) }

// BenchmarkCloudToHandheld measures a cloud of 6,000 points, half of them in voxels of their own, from its publication until the last of
// its datagrams is at the handheld: voxel filter, packing, chunks, sending.
func BenchmarkCloudToHandheld(b *testing.B) {
	var cloud *bus.Publisher[sensor.PointCloud2]
	cfg := config()
	cfg.Lidar.Hz, cfg.TelemetryHz = 20, 1
	r := newRobot(b, cfg, func(c *node.Context) {
		cloud = bus.NewPublisher(c, topics.BodyPoints)
		publish(c, topics.TFStatic, tf2.TFMessage{Transforms: append(tf2.TFMessage{}.Transforms,
			rosconv.TransformStamped(c.Now(), "base_link", "livox_frame", geom.Transform{R: geom.FromYaw(0.3)}))})
	})
	d := newDevice(b, "127.0.0.1", r.gateway.Addr(teleop.MollyName))
	d.send(`{"t":"hello","streams":{"lidar":true}}`)
	d.expect(`"t":"welcome"`)
	var points []float32
	for i := range 6000 {
		points = append(points, 0.3*float32(i/2%60), 0.3*float32(i/120), 0.01*float32(i%2))
	}
	for !cloud.Wanted() {
		time.Sleep(time.Millisecond)
	}
	frames := teleop.Reassembler{Limit: 1 << 20}
	took := make([]time.Duration, 0, b.N)
	for b.Loop() {
		time.Sleep(time.Until(time.Now().Add(time.Second/20 + 5*time.Millisecond)))
		d.send(`{"t":"joy"}`)
		sent := time.Now()
		cloud.Publish(rosconv.PointCloud(std.Header{FrameID: "livox_frame", Stamp: rosconv.Stamp(r.bus.Now())}, points))
		d.frame(&frames)
		took = append(took, time.Since(sent))
	}
	slices.Sort(took)
	b.ReportMetric(at(took, 50)/1e6, "ms")
	b.ReportMetric(2, "ms:max")
}

// echo is a plain UDP server and its client.
type echo struct {
	client *net.UDPConn
	buf    [64]byte
}

func newEcho(b *testing.B) *echo {
	b.Helper()
	server, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		b.Fatal(err)
	}
	var serve sync.WaitGroup
	serve.Go(func() {
		buf := make([]byte, 2048)
		for {
			n, from, err := server.ReadFromUDPAddrPort(buf)
			if err != nil {
				return
			}
			server.WriteToUDPAddrPort(buf[:n], from)
		}
	})
	client, err := net.DialUDP("udp4", nil, server.LocalAddr().(*net.UDPAddr))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		server.Close()
		client.Close()
		serve.Wait()
	})
	return &echo{client: client}
}

func (e *echo) round(b *testing.B) time.Duration {
	sent := time.Now()
	if _, err := e.client.Write([]byte(`{"t":"joy","vx":0.1}`)); err != nil {
		b.Fatal(err)
	}
	if _, err := e.client.Read(e.buf[:]); err != nil {
		b.Fatal(err)
	}
	return time.Since(sent)
}
