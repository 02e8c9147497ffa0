package driver

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func good() Capabilities {
	return Capabilities{
		Kind: "go2", Drive: Holonomic, DOF: 12,
		Skills:  []string{SkillStandUp, SkillEmergencyStop, SkillSetJoints},
		Streams: []Stream{StreamOdometry, StreamScan},
		Units:   Units{Len: "m", Ang: "rad"}, Frame: "odom",
		Limits: Limits{VX: 1, VY: 0.5, WZ: 1.5}, RateHz: 50,
	}
}

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Capabilities)
		want   []string // parts of the error, one for each line
	}{
		{"good", func(*Capabilities) {}, nil},
		{"diff", func(c *Capabilities) { c.Drive, c.Limits.VY = Diff, 0 }, nil},
		{"arm needs no frame", func(c *Capabilities) { c.Drive, c.Frame, c.Limits = Arm, "", Limits{} }, nil},
		{"no skills", func(c *Capabilities) { c.Skills, c.DOF = nil, 0 }, nil},
		{"kind", func(c *Capabilities) { c.Kind = "" }, []string{"kind"}},
		{"drive", func(c *Capabilities) { c.Drive, c.Limits.VY = "tank", 0 }, []string{`"tank"`}},
		{"no drive", func(c *Capabilities) { c.Drive, c.Limits.VY = "", 0 }, []string{`drive ""`}},
		{"dof", func(c *Capabilities) { c.DOF = -1 }, []string{"dof -1"}},
		{"too many joints", func(c *Capabilities) { c.DOF = 65 }, []string{"dof 65"}},
		{"frame", func(c *Capabilities) { c.Frame = "" }, []string{"frame"}},
		{"units", func(c *Capabilities) { c.Units.Ang = "" }, []string{"units"}},
		{"rate 0", func(c *Capabilities) { c.RateHz = 0 }, []string{"rate 0"}},
		{"rate NaN", func(c *Capabilities) { c.RateHz = math.NaN() }, []string{"rate NaN"}},
		{"limit", func(c *Capabilities) { c.Limits.VX = -1 }, []string{"vx is -1"}},
		{"limit NaN", func(c *Capabilities) { c.Limits.WZ = math.NaN() }, []string{"wz is NaN"}},
		{"limit infinite", func(c *Capabilities) { c.Limits.WZ = math.Inf(1) }, []string{"wz is +Inf"}},
		{"diff sideways", func(c *Capabilities) { c.Drive = Diff }, []string{"sideways"}},
		{"skill name", func(c *Capabilities) { c.Skills = []string{"do it", "", "1st", "_x", "a/b"} }, []string{
			`"do it"`, `""`, `"1st"`, `"_x"`, `"a/b"`,
		}},
		{"skill twice", func(c *Capabilities) { c.Skills = []string{"wave", "wave"} }, []string{"wave is listed twice"}},
		{"joints without joints", func(c *Capabilities) { c.DOF = 0 }, []string{"needs joints"}},
		{"stream", func(c *Capabilities) { c.Streams = []Stream{-1, streams} }, []string{"stream -1", "does not exist"}},
		{"stream twice", func(c *Capabilities) { c.Streams = []Stream{StreamIMU, StreamIMU} }, []string{"imu is listed twice"}},
		{"everything at once", func(c *Capabilities) { c.Kind, c.Frame, c.RateHz = "", "", -1 }, []string{"kind", "frame", "rate"}},
	} {
		caps := good()
		c.change(&caps)
		var lines []string
		if err := caps.Validate(); err != nil {
			lines = strings.Split(err.Error(), "\n")
		}
		if len(lines) != len(c.want) {
			t.Errorf("%s: %d problems, want %d: %q", c.name, len(lines), len(c.want), lines)
			continue
		}
		for i, want := range c.want {
			if !strings.HasPrefix(lines[i], "capabilities: ") || !strings.Contains(lines[i], want) {
				t.Errorf("%s: %q does not speak of %s", c.name, lines[i], want)
			}
		}
	}
}

func TestClamp(t *testing.T) {
	l := Limits{VX: 1, VY: 0, WZ: 2}
	for _, c := range []struct{ in, want Velocity }{
		{Velocity{0.5, 0.5, -1}, Velocity{0.5, 0, -1}},
		{Velocity{-3, -1, 3}, Velocity{-1, 0, 2}},
		{Velocity{math.Inf(1), 0, math.Inf(-1)}, Velocity{1, 0, -2}},
	} {
		if diff := cmp.Diff(c.want, l.Clamp(c.in)); diff != "" {
			t.Errorf("%v: %s", c.in, diff)
		}
	}
	if v := l.Clamp(Velocity{VX: math.NaN()}); !math.IsNaN(v.VX) {
		t.Errorf("NaN became %v", v.VX)
	}
}

func TestStreams(t *testing.T) {
	names := map[string]bool{}
	for _, s := range Streams() {
		m := s.Type().New()
		if m.Type() != s.Type() {
			t.Errorf("%s: type %s", s, m.Type().ROS1Name())
		}
		if names[s.String()] || strings.HasPrefix(s.String(), "stream ") {
			t.Errorf("name %q", s)
		}
		names[s.String()] = true
		if back, err := ParseStream(s.String()); err != nil || back != s {
			t.Errorf("%s is parsed as %s, %v", s, back, err)
		}
	}
	if _, err := ParseStream("smell"); err == nil || !strings.Contains(err.Error(), "odometry, imu") {
		t.Errorf("unknown name: %v", err)
	}
	if Stream(-1).String() != "stream -1" || streams.String() != "stream 9" {
		t.Error("unknown streams must print")
	}
}

func TestWords(t *testing.T) {
	for s, want := range map[Severity]string{Info: "info", Warning: "warning", Error: "error", Critical: "critical", 4: "severity 4"} {
		if s.String() != want {
			t.Errorf("%d: %q, want %q", int(s), s, want)
		}
	}
	for s, final := range map[SkillStatus]bool{SkillAccepted: false, SkillRunning: false, SkillDone: true, SkillFailed: true} {
		if s.Final() != final {
			t.Errorf("%s final: %v", s, s.Final())
		}
	}
	if !(Velocity{1, 2, 3}).IsFinite() || (Velocity{VY: math.Inf(-1)}).IsFinite() {
		t.Error("IsFinite")
	}
}
