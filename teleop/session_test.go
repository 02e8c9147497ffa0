package teleop

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"
)

func TestHelloStartsASession(t *testing.T) {
	for _, d := range Dialects() {
		r := newRobot(t, d)
		o := r.hello(phone)
		wantAll(t, "effects", o.kinds(), EffectVelocity, EffectStarted, EffectStreams)
		want(t, "client", o.effects[1].Client, Client{1, phone, "phone"})
		want(t, "streams", o.effects[2].Streams, Streams{Camera: true, Lidar: true, CameraFPS: 8})
		want(t, "welcomes", len(o.of("welcome")), 1)
		want(t, "states", len(o.of("state")), 1)
		w, err := ParseWelcome(o.sent[0].Data)
		if err != nil {
			t.Fatal(err)
		}
		want(t, "name", w.Name, "molly-7")
		want(t, "protocol", w.Protocol, d.Protocol)
		want(t, "commands", len(w.Commands), len(d.Commands)+3)
		wantAll(t, "robot commands", w.RobotCommands, "stand_up", "sit_down", "emergency_stop")
		want(t, "limits", w.Limits, Velocity{VX: 1, VY: 0.5, WZ: 1.5})
		text := string(o.sent[0].Data)
		want(t, "guide's fields", strings.Contains(text, "gestures") && strings.Contains(text, "features"), d.Guide)
		want(t, "video", strings.Contains(text, "video"), false)
	}
	r := newRobot(t, Molly(), func(c *Config) { c.Video = Video{8890, "robot"}; c.Commands = []string{"undock", "estop"} })
	w := r.hello(phone).of("welcome")[0]
	if !strings.Contains(w, `"video":{"port":8890,"path":"robot"}`) || !strings.Contains(w, `"commands":["estop","undock","stand_up"`) {
		t.Error(w)
	}
}

func TestKeepAliveIsWelcomedWithoutStreams(t *testing.T) {
	r := newRobot(t, Molly())
	r.s.SetSite(r.now, testSite())
	want(t, "chunks with the session", len(chunksOf(t, r.hello(phone))), 1)
	r.after(time.Second)
	o := r.hello(phone)
	want(t, "welcomes", len(o.of("welcome")), 1)
	want(t, "chunks with the keep-alive", len(chunksOf(t, o)), 0)
	want(t, "effects", len(o.effects), 0)
}

func TestAnyDatagramRefreshesTheSession(t *testing.T) {
	r := newRobot(t, Molly())
	r.hello(phone)
	for _, m := range []string{`{"t":"joy"}`, `{"t":"ping","ts":1}`, `{"t":"streams"}`, cmd(1, "nav_stop", "{}"), `{"t":"what"}`, `{"t":"hello"}`} {
		r.after(1900 * time.Millisecond)
		r.in(phone, m)
		want(t, m, r.s.Client().Session, 1)
	}
	r.after(1900 * time.Millisecond)
	r.in(phone, "garbage")
	r.after(100 * time.Millisecond)
	want(t, "after garbage", r.s.Client(), Client{})
}

func TestSilenceEndsTheSessionAndStops(t *testing.T) {
	r := newRobot(t, Molly(), func(c *Config) { c.JoyTimeout = c.ClientTimeout })
	r.hello(phone)
	r.in(phone, `{"t":"joy","vx":1}`)
	want(t, "still driving", r.after(2*time.Second-1).stopped(), false)
	o := r.after(1)
	wantAll(t, "effects", o.kinds(), EffectVelocity, EffectStreams, EffectEnded)
	want(t, "velocity", o.stopped(), true)
	want(t, "streams", o.effects[1].Streams, Streams{})
	want(t, "reason", o.effects[2].Reason, "silence")
	want(t, "sent", len(r.after(time.Second).sent), 0)
	want(t, "joy of nobody", len(r.in(phone, `{"t":"joy","vx":1}`).effects), 0)
}

func TestTimeOutNeedsNoTick(t *testing.T) {
	r := newRobot(t, Molly())
	r.hello(phone)
	r.in(phone, `{"t":"joy","vx":1}`)
	r.now = r.now.Add(3 * time.Second)
	o := r.in(phone, `{"t":"joy","vx":1}`)
	wantAll(t, "velocities", o.velocities(), Velocity{})
	want(t, "session", r.s.Client(), Client{})
}

func TestVelocityExpiresWhileTheClientStillSpeaks(t *testing.T) {
	r := newRobot(t, Molly())
	r.hello(phone)
	r.in(phone, `{"t":"joy","vx":0.4}`)
	r.now = r.now.Add(200 * time.Millisecond)
	r.hello(phone)
	at, _ := r.s.Deadline()
	if at.After(r.now.Add(100 * time.Millisecond)) {
		t.Errorf("due in %v", at.Sub(r.now))
	}
	wantAll(t, "velocities", r.after(100*time.Millisecond).velocities(), Velocity{})
	want(t, "once", len(r.after(100*time.Millisecond).velocities()), 0)
}

func TestJoystickValues(t *testing.T) {
	half := Velocity{VX: 0.5}
	for _, tc := range []struct {
		joy    string
		want   []Velocity
		broken bool
	}{
		{`{"t":"joy","vx":0.5,"vy":-0.25,"wz":1}`, []Velocity{{VX: 0.5, VY: -0.25, WZ: 1}}, false},
		{`{"t":"joy","vx":9,"vy":-9,"wz":9}`, []Velocity{{VX: 1, VY: -0.5, WZ: 1.5}}, false},
		{`{"t":"joy","vx":1e400}`, []Velocity{{}}, true},
		{`{"t":"joy","vx":NaN,"vy":0,"wz":0}`, []Velocity{{}}, true},
		{`{"t":"joy","vx":Infinity}`, []Velocity{{}}, true},
		{`{"t":"joy","vx":-Infinity}`, []Velocity{{}}, true},
		{`{"t":"joy","vx":"0.5"}`, []Velocity{{}}, true},
		{`{"t":"joy","vx":true}`, []Velocity{{}}, true},
		{`{"t":"joy","vx":null}`, []Velocity{{}}, true},
		{`{"t":"joy","vx":[0.5]}`, []Velocity{{}}, true},
		{`{"t":"joy","vx":{"a":1}}`, []Velocity{{}}, true},
		{`{"t":"joy","vx":0.5,"vy":null}`, []Velocity{half}, true},
		{`{"t":"joy","vx":0.5}`, []Velocity{half}, false},
		{`{"t":"joy"}`, []Velocity{{}}, false},
		{`{"t":"joy","vx":0.1,"vx":0.5}`, []Velocity{half}, false},
	} {
		r := newRobot(t, Molly())
		r.hello(phone)
		r.in(phone, `{"t":"joy","vx":0.3}`)
		wantAll(t, tc.joy, r.in(phone, tc.joy).velocities(), tc.want...)
		want(t, "counted "+tc.joy, r.s.Stats().BadJoy == 1, tc.broken)
	}
}

func TestBrokenJoystickNeitherArmsNorKeepsAlive(t *testing.T) {
	r := newRobot(t, Molly())
	r.hello(phone)
	for range 5 {
		want(t, "nothing to stop", len(r.in(phone, `{"t":"joy","vx":NaN,"vy":0,"wz":0}`).effects), 0)
	}
	r.in(phone, `{"t":"joy","vx":0.3}`)
	wantAll(t, "stopped once", r.in(phone, `{"t":"joy","vx":"x"}`).velocities(), Velocity{})
	want(t, "then silence", len(r.in(phone, `{"t":"joy","vx":"x"}`).effects), 0)
	r.after(1900 * time.Millisecond)
	want(t, "session lives", r.s.Client().Session, 1)
}

func TestOneDriverByAddress(t *testing.T) {
	r := newRobot(t, Molly())
	r.hello(phone)
	r.in(phone, `{"t":"joy","vx":0.3}`)
	o := r.hello(tablet)
	wantAll(t, "answer", o.of("busy"), tablet.String()+` {"t":"busy","msg":"another device is driving, retry later"}`)
	want(t, "effects", len(o.effects), 0)
	for _, m := range []string{`{"t":"joy","vx":1}`, cmd(1, "nav_start", "{}"), `{"t":"bye"}`, `{"t":"ping","ts":1}`, `{"t":"streams","camera":false}`} {
		o := r.in(tablet, m)
		want(t, m, len(o.effects)+len(o.sent), 0)
	}
	want(t, "driver", r.s.Client().Addr, phone)
	want(t, "stray", r.s.Stats().Stray, 5)
	r.in(phone, `{"t":"bye"}`)
	wantAll(t, "free again", r.hello(tablet).kinds(), EffectVelocity, EffectStarted, EffectStreams)
}

func TestSameDeviceReturnsFromANewPort(t *testing.T) {
	r := newRobot(t, Molly())
	r.hello(phone)
	r.in(phone, `{"t":"joy","vx":0.3}`)
	want(t, "joy from the new port before hello", len(r.in(phoneTwo, `{"t":"joy","vx":1}`).effects), 0)
	o := r.hello(phoneTwo)
	wantAll(t, "effects", o.kinds(), EffectVelocity, EffectStreams, EffectEnded, EffectVelocity, EffectStarted, EffectStreams)
	want(t, "client", r.s.Client(), Client{2, phoneTwo, "phone"})
	want(t, "the old port", len(r.in(phone, `{"t":"joy","vx":1}`).effects), 0)
}

// What the robot stops by itself is no stick at rest: only the operator's zeros may arm the robot.
func TestOnlyTheOperatorsZerosArm(t *testing.T) {
	r := newRobot(t, Molly())
	check := func(what string, o outcome) {
		t.Helper()
		zeros := 0
		for _, e := range o.effects {
			if e.Kind == EffectVelocity {
				zeros++
				if !e.Velocity.IsZero() || !e.Disarm {
					t.Errorf("%s: %+v", what, e)
				}
			}
		}
		if zeros == 0 {
			t.Errorf("%s does not stop the robot", what)
		}
	}
	check("hello", r.hello(phone))
	r.in(phone, `{"t":"joy","vx":0.3}`)
	check("silence of the stick", r.after(time.Second))
	r.in(phone, `{"t":"joy","vx":0.3}`)
	check("a stick that is no number", r.in(phone, `{"t":"joy","vx":"full"}`))
	r.in(phone, `{"t":"joy","vx":0.3}`)
	check("a stop", r.in(tablet, cmd(1, "estop", "{}")))
	check("hello from a new port", r.hello(phoneTwo))
	check("bye", r.in(phoneTwo, `{"t":"bye"}`))
	r.hello(phone)
	check("silence", r.after(time.Minute))
	r.hello(phone)
	for _, e := range r.in(phone, `{"t":"joy"}`).effects {
		want(t, "the operator's zero", e.Disarm, false)
	}
}

func TestIPv4InIPv6IsTheSameDevice(t *testing.T) {
	r := newRobot(t, Molly())
	r.hello(phone)
	mapped := netip.AddrPortFrom(netip.AddrFrom16(phone.Addr().As16()), phone.Port())
	wantAll(t, "joy", r.in(mapped, `{"t":"joy","vx":0.5}`).velocities(), Velocity{VX: 0.5})
}

func TestTwoDevicesRaceForTheRobot(t *testing.T) {
	r := newRobot(t, Molly())
	want(t, "first", len(r.hello(phone).of("welcome")), 1)
	want(t, "second", len(r.hello(tablet).of("busy")), 1)
	// When the first falls silent, the next hello of whoever comes first wins.
	r.now = r.now.Add(2 * time.Second)
	want(t, "second again", len(r.hello(tablet).of("welcome")), 1)
	want(t, "first again", len(r.hello(phone).of("busy")), 1)
}

func TestTokenIsAskedOfEveryMessage(t *testing.T) {
	secured := func(c *Config) { c.Token = "secret" }
	r := newRobot(t, Molly(), secured)
	for _, k := range []string{``, `,"k":""`, `,"k":"secre"`, `,"k":"secrets"`, `,"k":"SECRET"`, `,"k":5`, `,"k":["secret"]`, `,"k":null`} {
		r.now = r.now.Add(time.Second)
		o := r.in(phone, `{"t":"hello","name":"x"`+k+`}`)
		wantAll(t, "answer to "+k, o.of("denied"), phone.String()+` {"t":"denied","msg":"the token is missing or wrong"}`)
		want(t, "sent", len(o.sent), 1)
	}
	want(t, "welcomed", len(r.in(phone, `{"t":"hello","name":"x","k":"secret"}`).of("welcome")), 1)
	for _, m := range []string{
		`{"t":"joy","vx":1}`, `{"t":"joy","vx":1,"k":"wrong"}`, cmd(1, "nav_start", "{}"), cmd(2, "estop", "{}"), `{"t":"bye"}`,
		`{"t":"ping","ts":1}`, `{"t":"streams","camera":true}`,
	} {
		o := r.in(phone, m)
		want(t, m, len(o.effects)+len(o.sent), 0)
	}
	r.after(1900 * time.Millisecond)
	r.in(phone, `{"t":"joy"}`)
	r.after(100 * time.Millisecond)
	want(t, "refreshed without the token", r.s.Client(), Client{})
	want(t, "escaped token", len(r.in(phone, `{"t":"hello","k":"\u0073ecret"}`).of("welcome")), 1)
	want(t, "without a token any k is right", len(newRobot(t, Molly()).in(phone, `{"t":"hello","k":"x"}`).of("welcome")), 1)
}

func TestDeniedOncePerSecondAndAddress(t *testing.T) {
	r := newRobot(t, Molly(), func(c *Config) { c.Token = "secret" })
	denied := func(from netip.AddrPort) int { return len(r.in(from, `{"t":"hello"}`).of("denied")) }
	want(t, "first", denied(phone), 1)
	want(t, "at once", denied(phone), 0)
	want(t, "from another port", denied(phoneTwo), 0)
	want(t, "from another device", denied(tablet), 1)
	r.now = r.now.Add(time.Second - 1)
	want(t, "too early", denied(phone), 0)
	r.now = r.now.Add(1)
	want(t, "later", denied(phone), 1)
}

func TestDeniedMemoryIsBounded(t *testing.T) {
	r := newRobot(t, Molly(), func(c *Config) { c.Token = "secret" })
	answers := 0
	for i := range 100_000 {
		from := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), 5000)
		answers += len(r.in(from, `{"t":"hello"}`).sent)
	}
	want(t, "answers", answers, mostDenied)
	want(t, "remembered", len(r.s.denied.told), mostDenied)
	r.now = r.now.Add(time.Second)
	want(t, "a second later", len(r.in(phone, `{"t":"hello"}`).sent), 1)
	want(t, "remembered later", len(r.s.denied.told), 1)
}

func TestTokenRotationEndsTheSession(t *testing.T) {
	r := newRobot(t, Molly(), func(c *Config) { c.Token = "old" })
	r.in(phone, `{"t":"hello","k":"old"}`)
	r.in(phone, `{"t":"joy","vx":1,"k":"old"}`)
	o := copied(r.s.SetToken(r.now, "new"))
	want(t, "stopped", o.stopped(), true)
	want(t, "old token", len(r.in(phone, `{"t":"hello","k":"old"}`).of("denied")), 1)
	want(t, "new token", len(r.in(phone, `{"t":"hello","k":"new"}`).of("welcome")), 1)
}

func TestDiscoveryNeedsNoToken(t *testing.T) {
	r := newRobot(t, Molly(), func(c *Config) { c.Token = "secret" })
	wantAll(t, "unknown", r.in(tablet, `{"t":"discover"}`).of("beacon"), tablet.String()+
		` {"t":"beacon","name":"molly-7","secured":true,"in_use_by":"","mode":null,"battery":null,"site":""}`)
	r.in(phone, `{"t":"hello","name":"Ana's phone","k":"secret"}`)
	r.s.SetState(fullState())
	wantAll(t, "in use", r.in(tablet, `{"t":"discover"}`).of("beacon"), tablet.String()+
		` {"t":"beacon","name":"molly-7","secured":true,"in_use_by":"Ana's phone","mode":"remote",`+
		`"battery":{"pct":82,"v":51.2,"a":-3.5,"temp":31},"site":"lobby"}`)
	p := newRobot(t, Pashupati())
	p.s.SetState(fullState())
	b := p.in(tablet, `{"t":"discover"}`).of("beacon")[0]
	if strings.Contains(b, "site") || !strings.Contains(b, `"secured":false`) {
		t.Error(b)
	}
}

func TestClientNameIsNeverEmptyAndNeverLong(t *testing.T) {
	for given, name := range map[string]string{
		`"  a\u0007b "`: "ab", `""`: "10.0.0.2", `5`: "10.0.0.2", `"` + strings.Repeat("ü", 70) + `"`: strings.Repeat("ü", 64),
	} {
		r := newRobot(t, Molly())
		r.in(phone, `{"t":"hello","name":`+given+`}`)
		want(t, given, r.s.Client().Name, name)
	}
}

func TestPingIsEchoed(t *testing.T) {
	r := newRobot(t, Molly())
	r.hello(phone)
	for ts, echo := range map[string]string{
		"12345.678901": "12345.678901", "-1e300": "-1e300", "18446744073709551617": "18446744073709551617", `"a\"b"`: `"a\"b"`,
		"[1, 2]": "[1, 2]", "NaN": "null", `"` + strings.Repeat("x", 65) + `"`: "null",
	} {
		wantAll(t, ts, r.in(phone, `{"t":"ping","ts":`+ts+`}`).of("pong"), fmt.Sprintf(`%s {"t":"pong","ts":%s}`, phone, echo))
	}
	wantAll(t, "missing", r.in(phone, `{"t":"ping"}`).of("pong"), phone.String()+` {"t":"pong","ts":null}`)
}

func TestMalformedDatagramsAreDropped(t *testing.T) {
	r := newRobot(t, Molly())
	r.hello(phone)
	bad := []string{
		"", "\x00", "null", "[]", "{", `{"t":}`, "{\"t\":\"joy\",\"vx\":\"\xff\"}", strings.Repeat("[", 60000),
		`{"a":` + strings.Repeat(`{"a":`, 10000), `{"t":"joy","vx":1}x`, strings.Repeat("x", MaxDatagram), "MLY1" + strings.Repeat("\x01", 1400),
		`{"t":"joy","vx":1,"pad":"` + strings.Repeat("x", MaxDatagram) + `"}`,
	}
	for _, m := range bad {
		o := r.in(phone, m)
		want(t, fmt.Sprintf("%.20q", m), len(o.effects)+len(o.sent), 0)
	}
	want(t, "counted", r.s.Stats().Malformed, uint64(len(bad)))
	big := `{"t":"joy","vx":0.5,"pad":"` + strings.Repeat("x", MaxDatagram-29) + `"}`
	want(t, "length", len(big), MaxDatagram)
	wantAll(t, "the longest there is", r.in(phone, big).velocities(), Velocity{VX: 0.5})
}

func TestByeEndsTheSessionAndStops(t *testing.T) {
	r := newRobot(t, Molly())
	r.hello(phone)
	r.in(phone, `{"t":"joy","vx":1}`)
	o := r.in(phone, `{"t":"bye"}`)
	want(t, "stopped", o.stopped(), true)
	want(t, "client", r.s.Client(), Client{})
	if _, ok := r.s.Deadline(); ok {
		t.Error("something is due without a client")
	}
}

func TestShutDownSaysBye(t *testing.T) {
	r := newRobot(t, Molly())
	want(t, "without a client", len(copied(r.s.Close(r.now)).sent), 0)
	r.hello(phone)
	r.in(phone, `{"t":"joy","vx":1}`)
	o := copied(r.s.Close(r.now))
	wantAll(t, "sent", o.of("bye"), phone.String()+` {"t":"bye"}`)
	want(t, "stopped", o.stopped(), true)
}

func TestClockThatJumpsBackStops(t *testing.T) {
	r := newRobot(t, Molly())
	r.hello(phone)
	r.in(phone, `{"t":"joy","vx":1}`)
	want(t, "a small step", r.after(-10*time.Millisecond).stopped(), false)
	want(t, "a large step", r.after(-time.Hour).stopped(), true)
	want(t, "session", r.s.Client().Session, 1)
	r.in(phone, `{"t":"joy","vx":1}`)
	for range 100 { // small steps back and forth keep nothing alive
		r.after(-10 * time.Millisecond)
		if r.after(10 * time.Millisecond).stopped() {
			return
		}
	}
	t.Error("the velocity survived a second of small steps")
}

func TestStateComesAtTheTelemetryRate(t *testing.T) {
	r := newRobot(t, Molly(), func(c *Config) { c.TelemetryHz = 20 })
	states := r.hello(phone).of("state")
	for range 1000 {
		states = append(states, r.after(time.Millisecond).of("state")...)
		r.in(phone, `{"t":"joy"}`)
	}
	want(t, "states in a second", len(states), 21)
	for i, st := range states {
		if !strings.Contains(st, fmt.Sprintf(`"seq":%d,`, i+1)) {
			t.Fatalf("state %d: %.60s", i, st)
		}
	}
	r.now = r.now.Add(time.Second)
	want(t, "after a pause", len(r.after(0).of("state")), 1)
	want(t, "no burst", len(r.after(time.Millisecond).of("state")), 0)
}

func TestConfigurationIsChecked(t *testing.T) {
	for problem, change := range map[string]func(*Config){
		"client_timeout":  func(c *Config) { c.ClientTimeout = 0 },
		"joy_timeout":     func(c *Config) { c.JoyTimeout = 3 * time.Second },
		"telemetry_hz":    func(c *Config) { c.TelemetryHz = 0 },
		"camera_fps":      func(c *Config) { c.CameraFPS = 0 },
		"limits":          func(c *Config) { c.Limits.VX = -1 },
		"burst":           func(c *Config) { c.Burst = 0 },
		"burst_period":    func(c *Config) { c.BurstPeriod = 0 },
		"no command":      func(c *Config) { c.Commands = []string{"fly"} },
		"is a command of": func(c *Config) { c.RobotCommands = []string{"estop"} },
		"twice":           func(c *Config) { c.RobotCommands = []string{"a", "a"} },
		"is not made of":  func(c *Config) { c.RobotCommands = []string{"Stand up"} },
	} {
		cfg := DefaultConfig()
		change(&cfg)
		if _, err := NewSession(Molly(), cfg); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%s: %v", problem, err)
		}
	}
}
