package sim

import (
	"errors"
	"math"
	"time"

	"sarathi/internal/geom"
)

// BatterySpec describes a pack of lithium-ion cells in series, and what the robot takes from it.
type BatterySpec struct {
	Cells      int           // in series
	Capacity   float64       // [Ah]
	Charge     float64       // at the beginning, 0 empty to 1 full
	Resistance float64       // of the pack [Ω]
	Idle       float64       // current of the standing robot [A]
	PerSpeed   float64       // more of it per linear speed [A/(m/s)]
	PerTurn    float64       // more of it per turning speed [A/(rad/s)]
	Charging   float64       // largest current of the charger [A]
	Ambient    float64       // temperature around it [°C]
	Heating    float64       // rise in the long run per square of the current [°C/A²]
	Cooling    time.Duration // time constant of its temperature
}

func (s BatterySpec) validate() error {
	names := []string{"charge", "resistance", "idle", "per_speed", "per_turn", "charging", "heating"}
	err := nonNegative(names, s.Charge, s.Resistance, s.Idle, s.PerSpeed, s.PerTurn, s.Charging, s.Heating)
	switch {
	case err != nil:
		return err
	case s.Cells < 1 || s.Cells > 100:
		return errors.New("cells are not between 1 and 100")
	case !(s.Capacity > 0) || math.IsInf(s.Capacity, 0):
		return errors.New("capacity is not positive")
	case s.Charge > 1:
		return errors.New("charge is above 1")
	case s.Cooling <= 0:
		return errors.New("cooling is not positive")
	case !(s.Ambient > -60 && s.Ambient < 80):
		return errors.New("ambient is not between -60 and 80 °C")
	}
	return nil
}

// BatteryState is what a battery reports.
type BatteryState struct {
	Voltage     float64 // at the terminals [V]
	Current     float64 // into the battery: negative while discharging [A]
	Charge      float64 // [Ah]
	Capacity    float64 // [Ah]
	Percentage  float64 // 0 to 1
	Temperature float64 // [°C]
	Charging    bool    // on the charger, current flows in
	Full        bool    // on the charger, and full
	Cells       int
}

type battery struct {
	spec        BatterySpec
	charge      float64 // 0 to 1
	current     float64
	temperature float64
	docked      bool
}

func newBattery(s BatterySpec) *battery {
	return &battery{spec: s, charge: s.Charge, current: -s.Idle, temperature: s.Ambient}
}

func (b *battery) empty() bool { return b.charge <= 0 && !b.docked }

// tapering is the charge above which a charger lowers its current, down to a tenth when full.
const tapering = 0.8

func (b *battery) step(v geom.Velocity, docked bool) {
	s := b.spec
	b.docked = docked
	b.current = -(s.Idle + s.PerSpeed*v.Speed() + s.PerTurn*math.Abs(v.WZ))
	if docked { // the charger feeds the robot too
		b.current = 0
		if b.charge < 1 {
			b.current = s.Charging * min(1, 1-0.9*(b.charge-tapering)/(1-tapering))
		}
	}
	b.charge = min(max(b.charge+b.current*tickSeconds/3600/s.Capacity, 0), 1)
	if b.charge <= 0 && b.current < 0 {
		b.current = 0
	}
	rest := s.Ambient + s.Heating*b.current*b.current
	b.temperature += (rest - b.temperature) * float64(Tick) / float64(s.Cooling)
}

// cellVoltage is the open-circuit voltage of a lithium-ion cell at a charge of 0 to 1, between points of a typical curve.
func cellVoltage(charge float64) float64 {
	curve := [...][2]float64{{0, 3}, {0.05, 3.35}, {0.1, 3.47}, {0.2, 3.57}, {0.5, 3.7}, {0.8, 3.95}, {1, 4.2}}
	for i := 1; i < len(curve); i++ {
		if a, b := curve[i-1], curve[i]; charge <= b[0] {
			return a[1] + (b[1]-a[1])*(charge-a[0])/(b[0]-a[0])
		}
	}
	return curve[len(curve)-1][1]
}

// Battery is the state of the battery. False when the robot has none, or it is silent.
func (r *Robot) Battery() (BatteryState, bool) {
	if r.battery == nil || r.faults[SensorBattery] == FaultSilent {
		return BatteryState{}, false
	}
	b := r.battery
	out := BatteryState{
		Voltage:     float64(b.spec.Cells)*cellVoltage(b.charge) + b.current*b.spec.Resistance,
		Current:     b.current,
		Charge:      b.charge * b.spec.Capacity,
		Capacity:    b.spec.Capacity,
		Percentage:  b.charge,
		Temperature: b.temperature,
		Charging:    b.docked && b.charge < 1,
		Full:        b.docked && b.charge >= 1,
		Cells:       b.spec.Cells,
	}
	if r.faults[SensorBattery] == FaultNaN {
		nan := math.NaN()
		out.Voltage, out.Current, out.Charge, out.Percentage, out.Temperature = nan, nan, nan, nan, nan
	}
	return out, true
}

// SetCharge fills the battery to a part between 0 and 1 of its capacity.
func (r *Robot) SetCharge(part float64) error {
	if r.battery == nil {
		return errors.New("the robot has no battery")
	}
	if !(part >= 0 && part <= 1) {
		return errors.New("the charge is not between 0 and 1")
	}
	r.battery.charge = part
	return nil
}
