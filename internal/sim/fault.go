package sim

// Sensor names a sensor of a robot, to break it.
type Sensor int

// Sensors that can be broken.
const (
	SensorLidar Sensor = iota
	SensorCloud
	SensorCamera
	SensorIMU
	SensorOdometry
	SensorLidarOdometry
	SensorBattery
	sensors // their number
)

// Fault is a way in which a sensor fails.
type Fault int

// Faults of sensors.
const (
	FaultNone   Fault = iota
	FaultSilent       // it gives nothing
	FaultNaN          // it gives NaN in place of numbers; a camera, a black image
)

// SetFault breaks a sensor, or mends it with FaultNone. A sensor goes on measuring while it is broken.
func (r *Robot) SetFault(s Sensor, f Fault) {
	if s >= 0 && s < sensors {
		r.faults[s] = f
	}
}
