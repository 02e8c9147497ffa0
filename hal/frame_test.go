package hal

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sarathi/driver"
)

// goodFrames are frames with their text, letter for letter as HAL writes them.
var goodFrames = []struct {
	frame Frame
	text  string
}{
	{
		Hello{Caps: Capabilities{
			Protocol: 1, RobotKind: "go2", Drive: driver.Holonomic, DOF: 12, Skills: []string{"stand_up", "setJoints"},
			Units: driver.Units{Len: "m", Ang: "rad"}, Frame: "odom", VMax: 1.5, WMax: 2, RateHz: 50,
		}},
		`{"v":1,"op":"hello","caps":{"protocol":1,"robotKind":"go2","drive":"holonomic","dof":12,"skills":["stand_up","setJoints"],` +
			`"units":{"len":"m","ang":"rad"},"frame":"odom","limits":{"vMax":1.5,"wMax":2},"rateHz":50}}`,
	},
	{Welcome{Accept: true, Controller: "zelpi"}, `{"v":1,"op":"welcome","accept":true,"controller":"zelpi"}`},
	{Welcome{Controller: "zelpi", Reason: "no arm"}, `{"v":1,"op":"welcome","accept":false,"controller":"zelpi","reason":"no arm"}`},
	{Pose{ID: "r1", X: 1, Y: -2.5, Theta: 0.25}, `{"v":1,"op":"pose","id":"r1","x":1,"y":-2.5,"theta":0.25}`},
	{Cmd{ID: "r1", V: 0.5, W: -0.25, Seq: 7}, `{"v":1,"op":"cmd","id":"r1","V":0.5,"w":-0.25,"seq":7}`},
	{Skill{ID: "r1", Skill: "wave", ReqID: "a"}, `{"v":1,"op":"skill","id":"r1","skill":"wave","args":{},"reqId":"a"}`},
	{
		Skill{ID: "r1", Skill: "setJoints", ReqID: "b", Args: Args{Joints: []float64{0.1, -0.2}, Gripper: new(0.5), Values: map[string]float64{"n": 3, "a": 1}}},
		`{"v":1,"op":"skill","id":"r1","skill":"setJoints","args":{"joints":[0.1,-0.2],"gripper":0.5,"a":1,"n":3},"reqId":"b"}`,
	},
	{EStop{Reason: "a \"person\""}, `{"v":1,"op":"estop","reason":"a \"person\""}`},
	{Release{}, `{"v":1,"op":"release"}`},
	{Ping{T: 1764562341234.5}, `{"v":1,"op":"ping","t":1764562341234.5}`},
	{Telemetry{ID: "r1", X: 1, TS: 5}, `{"v":1,"op":"telemetry","id":"r1","x":1,"y":0,"theta":0,"ts":5}`},
	{
		Telemetry{
			ID: "r1", X: 1, Y: 2, Theta: 3, VX: new(0.5), W: new(0.1), Battery: new(87.0), Joints: []float64{1, 2},
			Faults: []string{"collision"}, EStop: new(true), TS: 6,
		},
		`{"v":1,"op":"telemetry","id":"r1","x":1,"y":2,"theta":3,"vx":0.5,"w":0.1,"battery":87,"joints":[1,2],"faults":["collision"],"estop":true,"ts":6}`,
	},
	{SkillResult{ID: "r1", ReqID: "a", Status: driver.SkillAccepted}, `{"v":1,"op":"skillResult","id":"r1","reqId":"a","status":"accepted"}`},
	{
		SkillResult{ID: "r1", ReqID: "a", Status: driver.SkillRunning, Progress: new(0.5)},
		`{"v":1,"op":"skillResult","id":"r1","reqId":"a","status":"running","progress":0.5}`,
	},
	{
		SkillResult{ID: "r1", ReqID: "a", Status: driver.SkillFailed, Err: "fell"},
		`{"v":1,"op":"skillResult","id":"r1","reqId":"a","status":"failed","error":"fell"}`,
	},
	{
		Fault{ID: "r1", Fault: driver.Fault{Code: "collision", Message: "ran into a wall", Severity: driver.Critical}},
		`{"v":1,"op":"fault","id":"r1","code":"collision","message":"ran into a wall","severity":"critical"}`,
	},
	{Pong{T: 3}, `{"v":1,"op":"pong","t":3}`},
}

func TestFramesAreWrittenAndRead(t *testing.T) {
	for _, c := range goodFrames {
		if got := string(Append(nil, c.frame)); got != c.text {
			t.Errorf("%s\n got %s\nwant %s", c.frame.Op(), got, c.text)
		}
		got, err := Decode([]byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if diff := cmp.Diff(c.frame, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.text, diff)
		}
	}
}

// What other programs may write: spaces, another order, members that are not known, null for absent, escapes, whole numbers as 3.0.
func TestFramesOfOthers(t *testing.T) {
	for _, c := range []struct {
		text string
		want Frame
	}{
		{" {\n\"seq\": 3.0, \"V\":1e-1,\"w\":0,\"id\":\"\",\"op\":\"cmd\",\"v\":1.0 , \"x\":[{}]}\n", Cmd{V: 0.1, Seq: 3}},
		{`{"v":1,"op":"estop"}`, EStop{}},
		{`{"v":1,"op":"welcome","accept":true}`, Welcome{Accept: true}},
		{`{"v":1,"op":"skill","id":"r","skill":"w","args":null,"reqId":"1"}`, Skill{ID: "r", Skill: "w", ReqID: "1"}},
		{`{"v":1,"op":"skill","id":"r","skill":"w","reqId":"1"}`, Skill{ID: "r", Skill: "w", ReqID: "1"}},
		{`{"v":1,"op":"telemetry","id":"r","x":0,"y":0,"theta":0,"vx":null,"battery":null,"ts":1}`, Telemetry{ID: "r", TS: 1}},
		{`{"v":1,"op":"telemetry","id":"r","x":0,"y":0,"theta":0,"joints":[],"faults":[],"ts":1}`, Telemetry{ID: "r", Joints: []float64{}, Faults: []string{}, TS: 1}},
		{`{"v":1,"op":"\u0065stop","reason":"\u00fc\n\ud83d\ude00"}`, EStop{Reason: "ü\n😀"}},
		{`{"v":1,"\u006fp":"release"}`, Release{}},
		{`{"v":2,"v":1,"op":"ping","op":"release"}`, Release{}},
	} {
		got, err := Decode([]byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.text, diff)
		}
	}
}

// badFrames are what Decode refuses, with the operation that it still recognises and a part of what it says.
var badFrames = []struct{ text, op, want string }{
	{``, "", "no well-formed JSON object"},
	{`null`, "", "no well-formed"},
	{`[]`, "", "no well-formed"},
	{`{"v":1,"op":"release"`, "", "no well-formed"},
	{`{"v":1,"op":"release"}x`, "", "no well-formed"},
	{`{"v":1,"op":"release",}`, "", "no well-formed"},
	{`{"v":01,"op":"release"}`, "", "no well-formed"},
	{`{"v":1,"op":"rel` + "\x01" + `ease"}`, "", "no well-formed"},
	{`{"v":1,"op":"` + "\xff" + `"}`, "", "no well-formed"},
	{`{"v":1,"op":"a\x"}`, "", "no well-formed"},
	{`{"v":1,"op":"a\u12g4"}`, "", "no well-formed"},
	{`{"op":[1,2],"v":1}`, "", "op is no string"},
	{`{"v":1}`, "", "op is no string"},
	{`{"op":"release"}`, "release", "v is no number"},
	{`{"v":"1","op":"release"}`, "release", "v is no number"},
	{`{"v":2,"op":"release"}`, "release", "v is 2, this end speaks 1"},
	{`{"v":1.5,"op":"release"}`, "release", "v is no number"},
	{`{"v":1,"op":"teleport"}`, "teleport", "not known"},
	{`{"v":1,"op":""}`, "", "not known"},
	{`{"v":1,"op":"cmd","id":"r","v":0.5,"w":0,"seq":1}`, "cmd", "v is no number"},
	{`{"v":1,"op":"cmd","id":"r","w":0,"seq":1}`, "cmd", "V is no finite number"},
	{`{"v":1,"op":"cmd","id":"r","V":"1","w":0,"seq":1}`, "cmd", "V is no finite number"},
	{`{"v":1,"op":"cmd","id":"r","V":NaN,"w":0,"seq":1}`, "cmd", "V is no finite number"},
	{`{"v":1,"op":"cmd","id":"r","V":0,"w":-Infinity,"seq":1}`, "cmd", "w is no finite number"},
	{`{"v":1,"op":"cmd","id":"r","V":1e999,"w":0,"seq":1}`, "cmd", "V is no finite number"},
	{`{"v":1,"op":"cmd","id":"r","V":null,"w":0,"seq":1}`, "cmd", "V is no finite number"},
	{`{"v":1,"op":"cmd","id":"r","V":0,"w":0}`, "cmd", "seq is no whole number"},
	{`{"v":1,"op":"cmd","id":"r","V":0,"w":0,"seq":1.5}`, "cmd", "seq is no whole number"},
	{`{"v":1,"op":"cmd","id":"r","V":0,"w":0,"seq":1e300}`, "cmd", "seq is no whole number"},
	{`{"v":1,"op":"cmd","id":7,"V":0,"w":0,"seq":1}`, "cmd", "id is no string"},
	{`{"v":1,"op":"pose","id":"r","x":0,"y":0}`, "pose", "theta is no finite number"},
	{`{"v":1,"op":"skill","id":"r","skill":"w","args":[],"reqId":"1"}`, "skill", "args is no object"},
	{`{"v":1,"op":"skill","id":"r","skill":"w","args":{}}`, "skill", "reqId is no string"},
	{`{"v":1,"op":"estop","reason":7}`, "estop", "reason is no string"},
	{`{"v":1,"op":"ping"}`, "ping", "t is no finite number"},
	{`{"v":1,"op":"welcome"}`, "welcome", "accept is neither"},
	{`{"v":1,"op":"telemetry","id":"r","x":0,"y":0,"theta":0,"joints":[1,"2"],"ts":1}`, "telemetry", "joints is no list"},
	{`{"v":1,"op":"telemetry","id":"r","x":0,"y":0,"theta":0,"faults":"x","ts":1}`, "telemetry", "faults is no list"},
	{`{"v":1,"op":"telemetry","id":"r","x":0,"y":0,"theta":0,"estop":1,"ts":1}`, "telemetry", "estop is neither"},
	{`{"v":1,"op":"skillResult","id":"r","reqId":"1","status":"maybe"}`, "skillResult", `status "maybe"`},
	{`{"v":1,"op":"skillResult","id":"r","reqId":"1","status":"running","progress":1.5}`, "skillResult", "progress is not"},
	{`{"v":1,"op":"fault","id":"r","code":"c","message":"m","severity":"fatal"}`, "fault", `severity "fatal"`},
	{`{"v":1,"op":"hello"}`, "hello", "caps is no object"},
	{`{"v":1,"op":"hello","caps":{"protocol":1}}`, "hello", "caps."},
}

func TestMalformedFramesAreRefused(t *testing.T) {
	for _, c := range badFrames {
		f, err := Decode([]byte(c.text))
		fe, ok := errors.AsType[*FrameError](err)
		if !ok || f != nil {
			t.Errorf("%s: %+v, %v", c.text, f, err)
			continue
		}
		if fe.Op != c.op || !strings.Contains(fe.Error(), c.want) {
			t.Errorf("%s: op %q, %v; want op %q, %q", c.text, fe.Op, fe, c.op, c.want)
		}
	}
	long := `{"v":1,"op":"release","x":"` + strings.Repeat("a", MaxFrame) + `"}`
	deep := `{"v":1,"op":"release","x":` + strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth) + `}`
	many := `{"v":1,"op":"release"` + strings.Repeat(`,"a":1`, maxMembers) + `}`
	name := `{"v":1,"op":"cmd","id":"` + strings.Repeat("a", maxName+1) + `","V":0,"w":0,"seq":1}`
	joints := `{"v":1,"op":"telemetry","id":"r","x":0,"y":0,"theta":0,"joints":[0` + strings.Repeat(",0", maxJoints) + `],"ts":1}`
	for _, text := range []string{long, deep, many, name, joints} {
		if _, err := Decode([]byte(text)); err == nil {
			t.Errorf("%.80s… is taken", text)
		}
	}
}

func TestOtherVersionsAreKnown(t *testing.T) {
	for text, want := range map[string]bool{
		`{"v":2,"op":"hello"}`: true, `{"v":0,"op":"hello"}`: false, `{"op":"hello"}`: false, `{"v":1,"op":"hello"}`: false, `{"v":1,"op":"x"}`: false,
	} {
		if _, err := Decode([]byte(text)); errors.Is(err, ErrVersion) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Arguments that are wrong are the skill's to refuse: the frame names what its failure must be correlated with.
func TestBadArgumentsAreKept(t *testing.T) {
	for args, want := range map[string]string{
		`{"joints":[1,null]}`: "joints", `{"joints":[1,NaN]}`: "joints", `{"joints":7}`: "joints", `{"gripper":"open"}`: "gripper",
		`{"joints":[],"speed":true}`: "speed", `{"gripper":1e999}`: "gripper",
	} {
		f, err := Decode([]byte(`{"v":1,"op":"skill","id":"r","skill":"setJoints","args":` + args + `,"reqId":"9"}`))
		s, ok := f.(Skill)
		if err != nil || !ok || s.ReqID != "9" {
			t.Errorf("%s: %+v, %v", args, f, err)
			continue
		}
		if !errors.Is(s.Args.Err, driver.ErrBadArgs) || !strings.Contains(s.Args.Err.Error(), "args."+want) || s.Args.Joints != nil {
			t.Errorf("%s: %+v", args, s.Args)
		}
	}
}

func TestCapabilitiesAreValidated(t *testing.T) {
	good := goodFrames[0].frame.(Hello).Caps
	for want, change := range map[string]func(*Capabilities){
		"":          func(*Capabilities) {},
		"robotKind": func(c *Capabilities) { c.RobotKind = "" },
		"drive":     func(c *Capabilities) { c.Drive = "tank" },
		"dof":       func(c *Capabilities) { c.DOF = -1 },
		"dof 65":    func(c *Capabilities) { c.DOF = 65 },
		"limits":    func(c *Capabilities) { c.VMax = -1 },
		"limits 1":  func(c *Capabilities) { c.WMax = math.Inf(1) },
		"rateHz":    func(c *Capabilities) { c.RateHz = 0 },
		"rateHz 2":  func(c *Capabilities) { c.RateHz = 2000 },
	} {
		c := good
		change(&c)
		err := c.Validate()
		if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
		if _, decoded := Decode(Append(nil, Hello{Caps: c})); want != "" && decoded == nil {
			t.Errorf("%q: hello is taken", want)
		}
	}
}

// seeds are texts that fuzzing begins with.
func seeds() []string {
	var out []string
	for _, c := range goodFrames {
		out = append(out, c.text)
	}
	for _, c := range badFrames {
		out = append(out, c.text)
	}
	return out
}

// What is read is within bounds, and what is written again is read as the same.
func FuzzDecode(f *testing.F) {
	for _, s := range seeds() {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		frame, err := Decode(data)
		if err != nil {
			if _, ok := errors.AsType[*FrameError](err); !ok || frame != nil {
				t.Fatalf("%+v, %v", frame, err)
			}
			return
		}
		if s, ok := frame.(Skill); ok && s.Args.Err != nil {
			return
		}
		text := Append(nil, frame)
		again, err := Decode(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if diff := cmp.Diff(frame, again); diff != "" {
			t.Fatalf("%s (-first +second):\n%s", text, diff)
		}
	})
}
