package controlmux

import (
	"math"
	"time"

	"sarathi/internal/algo/arbitration"
	"sarathi/internal/algo/arbitration/field"
	"sarathi/internal/geom"
	"sarathi/internal/rosconv"
	"sarathi/msg/dharma"
	"sarathi/msg/geometry"
)

// velocity is the planar part of m. A number that is not finite makes the whole command one, also in a component that is not used.
func velocity(m geometry.Twist) geom.Velocity {
	v := rosconv.FromTwist(m)
	if !geom.Finite(m.Linear.Z, m.Angular.X, m.Angular.Y) {
		v.WZ = math.NaN()
	}
	return v
}

func scan(m *dharma.SectorScan) field.Scan {
	return field.Scan{
		Stamp:    rosconv.FromStamp(m.Header.Stamp),
		AngleMin: float64(m.AngleMin), AngleIncrement: float64(m.AngleIncrement), RangeMax: float64(m.RangeMax),
		Ranges: m.Ranges,
	}
}

func status(now time.Time, frame string, s *arbitration.Status) dharma.ControlStatus {
	return dharma.ControlStatus{
		Header:       rosconv.Header(now, frame),
		Mode:         s.Mode.String(),
		RemoteSource: s.RemoteSource.String(),
		ActiveSource: s.Active.String(),
		Armed:        s.Armed, ArmingLeft: uint8(s.ArmingLeft),
		Estop: s.EStop, HardwareEstop: s.HardwareEStop, EstopReasons: s.Reasons, EstopHolds: s.Holds,
		Field: s.Field.String(), FieldDistance: float32(s.FieldDistance),
		SpeedScale: float32(s.SpeedScale),
		Requested:  rosconv.Twist(s.Requested), Command: rosconv.Twist(s.Sent),
		Message: s.Message,
	}
}
