package sim

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func twoJoints() ArmSpec {
	return ArmSpec{
		Joints: []JointSpec{
			{Name: "a", Min: -1, Max: 2, Speed: 1, Accel: 2, Brake: 8},
			{Name: "b", Min: -math.Pi, Max: math.Pi, Speed: 3, Accel: 10, Brake: 20},
		},
		Home: []float64{0, 0.5}, Gripper: 2,
	}
}

func newTestArm(t *testing.T) *Arm {
	t.Helper()
	a, err := NewArm(twoJoints())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Whatever it is asked for, at whatever step: range, speed and acceleration are kept, and it comes to rest at the target.
func TestArmKeepsItsLimits(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 1))
		a := newTestArm(t)
		dt := 0.001 + 0.02*rng.Float64()
		before := make([]float64, 2)
		for step := range 3000 {
			switch rng.IntN(200) {
			case 0:
				a.Aim([]float64{6*rng.Float64() - 3, 10*rng.Float64() - 5})
			case 1:
				a.Hold(rng.IntN(2) == 0)
			case 2:
				a.Grip(3*rng.Float64() - 1)
			case 3:
				a.Aim([]float64{math.MaxFloat64, -math.MaxFloat64})
			}
			copy(before, a.Velocity())
			gripper := a.Gripper()
			a.Step(dt)
			for i, j := range a.Spec().Joints {
				p, v := a.Position()[i], a.Velocity()[i]
				if p < j.Min || p > j.Max || math.Abs(v) > j.Speed*(1+1e-9) {
					t.Fatalf("seed %d step %d: joint %s at %v rad, %v rad/s", seed, step, j.Name, p, v)
				}
				atEnd := p == j.Min || p == j.Max
				if math.Abs(v-before[i]) > j.Brake*dt*(1+1e-9) && !atEnd {
					t.Fatalf("seed %d step %d: joint %s from %v to %v rad/s in %v s", seed, step, j.Name, before[i], v, dt)
				}
			}
			if g := a.Gripper(); g < 0 || g > 1 || math.Abs(g-gripper) > 2*dt+1e-12 {
				t.Fatalf("seed %d step %d: gripper from %v to %v", seed, step, gripper, g)
			}
		}
		a.Aim([]float64{1.5, -2})
		a.Grip(0.5)
		for n := 0; !a.Arrived(); n++ {
			if a.Step(dt); n > 10000 {
				t.Fatalf("seed %d: it does not arrive, it is at %v", seed, a.Position())
			}
		}
		if p := a.Position(); math.Abs(p[0]-1.5) > 1e-3 || math.Abs(p[1]+2) > 1e-3 || math.Abs(a.Gripper()-0.5) > 1e-3 {
			t.Fatalf("seed %d: arrived at %v, %v", seed, p, a.Gripper())
		}
	}
}

// A motion of 1 rad at 1 rad/s and 2 rad/s² takes 1.5 s and does not overshoot; braking from full speed takes 0.5 s, or 0.125 s hard.
func TestArmProfile(t *testing.T) {
	const dt = 0.002
	a := newTestArm(t)
	a.Aim([]float64{1, 0.5})
	n := 0
	for ; !a.Arrived(); n++ {
		a.Step(dt)
		if a.Position()[0] > 1+1e-9 {
			t.Fatalf("overshoots to %v", a.Position()[0])
		}
	}
	if took := float64(n) * dt; math.Abs(took-1.5) > 0.05 {
		t.Errorf("it takes %v s", took)
	}
	for hard, want := range map[bool]float64{false: 0.5, true: 0.125} {
		a := newTestArm(t)
		a.Aim([]float64{2, 0.5})
		for a.Velocity()[0] < 1 {
			a.Step(dt)
		}
		a.Hold(hard)
		n := 0
		for ; a.Velocity()[0] != 0; n++ {
			a.Step(dt)
		}
		if took := float64(n) * dt; math.Abs(took-want) > 0.01 || !a.Still() {
			t.Errorf("hard %v: it brakes in %v s, want %v", hard, took, want)
		}
	}
}

func TestArmSpecIsValidated(t *testing.T) {
	for want, change := range map[string]func(*ArmSpec){
		"no joints":   func(s *ArmSpec) { s.Joints, s.Home = nil, nil },
		"no name":     func(s *ArmSpec) { s.Joints[1].Name = "a" },
		"range":       func(s *ArmSpec) { s.Joints[0].Min = 2 },
		"speed":       func(s *ArmSpec) { s.Joints[0].Speed = 0 },
		"brake":       func(s *ArmSpec) { s.Joints[0].Brake = 1 },
		"home 5":      func(s *ArmSpec) { s.Home[0] = 5 },
		"home has 1":  func(s *ArmSpec) { s.Home = s.Home[:1] },
		"gripper":     func(s *ArmSpec) { s.Gripper = -1 },
		"range -1..+": func(s *ArmSpec) { s.Joints[0].Max = math.Inf(1) },
	} {
		s := twoJoints()
		change(&s)
		if _, err := NewArm(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
	a := newTestArm(t)
	a.Step(0)
	a.Step(math.NaN())
	if !a.Still() || !a.Arrived() {
		t.Error("no time moves it")
	}
}
