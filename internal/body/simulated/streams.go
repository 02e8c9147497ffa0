package simulated

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"sarathi/driver"
	"sarathi/internal/geom"
	"sarathi/internal/rosconv"
	"sarathi/internal/sim"
	"sarathi/msg/diagnostic"
	"sarathi/msg/sensor"
)

// slowRate is that of battery and diagnostics [Hz].
const slowRate = 1

// schedules are the streams of the body with their rates, in the order in which they are published.
func (d *Driver) schedules() []schedule {
	c := d.plant.cfg
	rates := map[driver.Stream]struct {
		rate float64
		read func(time.Time, *sim.Robot)
	}{
		driver.StreamOdometry:    {c.Odometry.Rate, d.odometry},
		driver.StreamIMU:         {c.IMU.Rate, d.imu},
		driver.StreamJoints:      {c.Joints.Rate, d.joints},
		driver.StreamBattery:     {slowRate, d.battery},
		driver.StreamDiagnostics: {slowRate, d.diagnostics},
		driver.StreamScan:        {c.Scan.Rate, d.scan},
		driver.StreamPoints:      {c.Points.Rate, d.points},
		driver.StreamImage:       {c.Camera.Rate, d.image},
		driver.StreamCameraInfo:  {c.Camera.Rate, d.cameraInfo},
	}
	var out []schedule
	for _, s := range d.caps.Streams {
		r := rates[s]
		out = append(out, schedule{stream: s, period: time.Duration(float64(time.Second) / r.rate), read: r.read})
	}
	return out
}

// odometry publishes what wheels or legs report. Its covariance grows with the way that was driven.
func (d *Driver) odometry(now time.Time, r *sim.Robot) {
	o, ok := r.Odometry()
	if !ok {
		return
	}
	f, c := d.plant.body.Frames, d.plant.cfg.Odometry
	pose := d.origin.Mul(o.Pose)
	if way := pose.Position().Distance(d.before.Position()); way-way == 0 {
		d.driven += way
	}
	d.before = pose
	m := rosconv.Odometry(now, f.Odom, f.Base, pose.Transform(), o.Velocity)
	square := func(v float64) float64 { return v * v }
	along := square(c.Position)*d.driven + square(c.Slip*d.driven) + 1e-6
	turned := (square(c.HeadingPerMetre)+square(c.Heading))*d.driven + 1e-6
	m.Pose.Covariance = rosconv.Covariance(rosconv.Planar{{along}, {0, along}, {0, 0, turned}})
	m.Twist.Covariance = rosconv.Covariance(rosconv.Planar{
		{square(0.01 + c.Slip*o.Velocity.VX)}, {0, square(0.01 + c.Slip*o.Velocity.VY)}, {0, 0, square(0.02 + c.Slip*o.Velocity.WZ)},
	})
	d.out.Publish(driver.StreamOdometry, &m)
}

func (d *Driver) imu(now time.Time, r *sim.Robot) {
	i, ok := r.IMU()
	if !ok {
		return
	}
	c := d.plant.cfg.IMU
	diagonal := func(sigma float64) [9]float64 {
		v := sigma * sigma
		return [9]float64{v, 0, 0, 0, v, 0, 0, 0, v}
	}
	const drifting = 0.1 // rad, how far the heading may be off: it is integrated from the gyro
	d.out.Publish(driver.StreamIMU, &sensor.Imu{
		Header:                       rosconv.Header(now, d.plant.body.Frames.IMU),
		Orientation:                  rosconv.Quaternion(i.Orientation),
		OrientationCovariance:        diagonal(drifting),
		AngularVelocity:              rosconv.Vector3(i.Rate),
		AngularVelocityCovariance:    diagonal(c.GyroNoise),
		LinearAcceleration:           rosconv.Vector3(i.Acceleration),
		LinearAccelerationCovariance: diagonal(c.AccelNoise),
	})
}

func (d *Driver) joints(now time.Time, r *sim.Robot) {
	j := d.plant.cfg.Joints
	positions := d.gait.angles(make([]float64, 0, len(d.names)), j, r.Truth().Velocity, d.posture.height(d.at))
	copy(positions, d.posture.joints)
	d.out.Publish(driver.StreamJoints, &sensor.JointState{Header: rosconv.Header(now, ""), Name: d.names, Position: positions})
}

func (d *Driver) battery(now time.Time, r *sim.Robot) {
	b, ok := r.Battery()
	if !ok {
		return
	}
	m := &sensor.BatteryState{
		Header: rosconv.Header(now, ""), Voltage: float32(b.Voltage), Temperature: float32(b.Temperature), Current: float32(b.Current),
		Charge: float32(b.Charge), Capacity: float32(b.Capacity), DesignCapacity: float32(b.Capacity), Percentage: float32(b.Percentage),
		PowerSupplyStatus: sensor.BatteryStatePowerSupplyStatusDischarging, PowerSupplyHealth: sensor.BatteryStatePowerSupplyHealthGood,
		PowerSupplyTechnology: sensor.BatteryStatePowerSupplyTechnologyLion, Present: true,
	}
	switch {
	case b.Charging:
		m.PowerSupplyStatus = sensor.BatteryStatePowerSupplyStatusCharging
	case b.Full:
		m.PowerSupplyStatus = sensor.BatteryStatePowerSupplyStatusFull
	}
	for range b.Cells {
		m.CellVoltage = append(m.CellVoltage, float32(b.Voltage/float64(b.Cells)))
	}
	d.out.Publish(driver.StreamBattery, m)
}

// diagnostics tell how the body stands and which sensors are silent.
func (d *Driver) diagnostics(now time.Time, r *sim.Robot) {
	p := d.plant
	e, b := p.guard.State(), diagnostic.DiagnosticStatus{Name: "body", HardwareID: d.caps.Kind, Message: string(d.posture.pose)}
	if e.Engaged {
		b.Level, b.Message = diagnostic.DiagnosticStatusWarn, "e-stop: "+e.Reason
	}
	b.Values = []diagnostic.KeyValue{
		{Key: "posture", Value: string(d.posture.pose)},
		{Key: "speed", Value: d.posture.speed},
		{Key: "driven", Value: fmt.Sprintf("%.1f m", d.driven)},
	}
	all := []diagnostic.DiagnosticStatus{b}
	for _, s := range d.caps.Streams {
		if s != driver.StreamDiagnostics && p.quiet(s) {
			all = append(all, diagnostic.DiagnosticStatus{
				Level: diagnostic.DiagnosticStatusStale, Name: s.String(), HardwareID: d.caps.Kind, Message: "reports nothing",
			})
		}
	}
	if battery, ok := r.Battery(); ok && battery.Percentage < lowBattery {
		all = append(all, diagnostic.DiagnosticStatus{
			Level: diagnostic.DiagnosticStatusWarn, Name: "battery", HardwareID: d.caps.Kind,
			Message: fmt.Sprintf("at %.0f %%", 100*battery.Percentage),
		})
	}
	d.out.Publish(driver.StreamDiagnostics, &diagnostic.DiagnosticArray{Header: rosconv.Header(now, ""), Status: all})
}

func (d *Driver) scan(now time.Time, r *sim.Robot) {
	s, ok := r.Scan()
	if !ok {
		return
	}
	d.out.Publish(driver.StreamScan, &sensor.LaserScan{
		Header:   rosconv.Header(now, d.plant.body.Frames.Scan),
		AngleMin: float32(s.AngleMin), AngleMax: float32(s.AngleMin + s.AngleIncrement*float64(len(s.Ranges)-1)),
		AngleIncrement: float32(s.AngleIncrement), ScanTime: float32(1 / d.plant.cfg.Scan.Rate),
		RangeMin: float32(s.RangeMin), RangeMax: float32(s.RangeMax), Ranges: s.Ranges,
	})
}

// pointStep is the length of a point [B]: x, y, z and intensity as float32.
const pointStep = 16

// points publishes a cloud while somebody wants it. Intensities are those of surfaces that all look alike: weaker from afar.
func (d *Driver) points(now time.Time, r *sim.Robot) {
	if !d.out.Wanted(driver.StreamPoints) {
		return
	}
	cloud, ok := r.Cloud()
	if !ok {
		return
	}
	data := make([]byte, 0, len(cloud)*pointStep)
	dense := true
	put := func(v float32) { data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v)) }
	for _, v := range cloud {
		distance := geom.Vec3{X: float64(v.X), Y: float64(v.Y), Z: float64(v.Z)}.Norm()
		put(v.X)
		put(v.Y)
		put(v.Z)
		put(float32(255 / (1 + distance)))
		dense = dense && distance-distance == 0
	}
	field := func(name string, offset uint32) sensor.PointField {
		return sensor.PointField{Name: name, Offset: offset, Datatype: sensor.PointFieldFloat32, Count: 1}
	}
	d.out.Publish(driver.StreamPoints, &sensor.PointCloud2{
		Header: rosconv.Header(now, d.plant.body.Frames.Points), Height: 1, Width: uint32(len(cloud)),
		Fields:    []sensor.PointField{field("x", 0), field("y", 4), field("z", 8), field("intensity", 12)},
		PointStep: pointStep, RowStep: uint32(len(data)), Data: data, IsDense: dense,
	})
}

// image publishes what the camera sees while somebody wants it.
func (d *Driver) image(now time.Time, r *sim.Robot) {
	if !d.out.Wanted(driver.StreamImage) {
		return
	}
	img, ok := r.Image()
	if !ok {
		return
	}
	data, err := sim.EncodeJPEG(img)
	if err != nil {
		d.out.Fault(driver.Fault{Code: "camera", Message: err.Error(), Severity: driver.Error})
		return
	}
	d.out.Publish(driver.StreamImage, &sensor.CompressedImage{
		Header: rosconv.Header(now, d.plant.body.Frames.Optical), Format: "jpeg", Data: data,
	})
}

// cameraInfo publishes the intrinsics with each image.
func (d *Driver) cameraInfo(now time.Time, r *sim.Robot) {
	if !d.out.Wanted(driver.StreamImage) && !d.out.Wanted(driver.StreamCameraInfo) {
		return
	}
	k := r.Spec().Camera.Intrinsics()
	// ROS puts the centre of the first pixel at 0, the simulator at a half.
	cx, cy := k.CX-0.5, k.CY-0.5
	d.out.Publish(driver.StreamCameraInfo, &sensor.CameraInfo{
		Header: rosconv.Header(now, d.plant.body.Frames.Optical), Width: uint32(k.Width), Height: uint32(k.Height),
		DistortionModel: "plumb_bob", D: make([]float64, 5),
		K: [9]float64{k.FX, 0, cx, 0, k.FY, cy, 0, 0, 1},
		R: [9]float64{1, 0, 0, 0, 1, 0, 0, 0, 1},
		P: [12]float64{k.FX, 0, cx, 0, 0, k.FY, cy, 0, 0, 0, 1, 0},
	})
}
