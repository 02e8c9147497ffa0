package teleop

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"
)

func TestCommandRunsOnce(t *testing.T) {
	r := newRobot(t, Molly())
	r.hello(phone)
	o := r.in(phone, cmd(7, "map_save", "{}"))
	want(t, "runs", len(o.commands()), 1)
	want(t, "acks at once", len(o.of("ack")), 0)
	ref := o.commands()[0].Ref
	want(t, "ref", ref, Ref{1, phone, 7, "map_save"})
	o = r.in(phone, cmd(7, "map_save", "{}"))
	want(t, "runs of a copy", len(o.commands()), 0)
	wantAll(t, "while it runs", o.of("ack"), ack(phone, 7, `"ok":null,"msg":"pending"`))
	o = copied(r.s.Finish(r.now, ref, Result{OK: true, Msg: "saved", Data: []byte(`{"a":[1]}`)}))
	done := ack(phone, 7, `"ok":true,"msg":"saved","data":{"a":[1]}`)
	wantAll(t, "result", o.of("ack"), done)
	wantAll(t, "a copy afterwards", r.in(phone, cmd(7, "map_save", "{}")).of("ack"), done)
	want(t, "a second result", len(copied(r.s.Finish(r.now, ref, Result{})).sent), 0)
	want(t, "the same id, another name", len(r.in(phone, cmd(7, "map_stop", "{}")).commands()), 1)
	want(t, "repeated", r.s.Stats().Repeated, 2)
}

func TestSameIDWithOtherArgumentsIsAnError(t *testing.T) {
	r := newRobot(t, Molly())
	r.hello(phone)
	first := r.in(phone, cmd(7, "site_load", `{"site":"lobby"}`)).commands()[0]
	o := r.in(phone, cmd(7, "site_load", `{"site":"hall"}`))
	want(t, "runs", len(o.commands()), 0)
	wantAll(t, "answer", o.of("ack"), ack(phone, 7, `"ok":false,"msg":"site_load 7 came before with other arguments"`))
	done := ack(phone, 7, `"ok":true,"msg":""`)
	wantAll(t, "the first goes on", copied(r.s.Finish(r.now, first.Ref, Result{OK: true})).of("ack"), done)
	wantAll(t, "and is remembered", r.in(phone, cmd(7, "site_load", ` { "site" : "lobby" } `)).of("ack"), done)
	r.in(phone, cmd(8, "go_to", `{"x":1,"y":2,"yaw":3}`))
	wantAll(t, "order does not matter", r.in(phone, cmd(8, "go_to", `{"yaw":3,"y":2,"x":1.0}`)).of("ack"), ack(phone, 8, `"ok":null,"msg":"pending"`))
}

func TestSlowCommandsArePendingAtOnce(t *testing.T) {
	for name, args := range map[string]string{"ask": `{"question":"why?"}`, "go_to_poi": `{"id":"desk"}`, "site_load": `{"site":"lobby"}`} {
		r := newRobot(t, Molly())
		r.hello(phone)
		o := r.in(phone, cmd(1, name, args))
		want(t, name, len(o.commands()), 1)
		wantAll(t, name, o.of("ack"), ack(phone, 1, `"ok":null,"msg":"pending"`))
	}
}

func TestNewSessionForgetsOldAcks(t *testing.T) {
	leave := map[string]func(r *robot){
		"bye":      func(r *robot) { r.in(phone, `{"t":"bye"}`); r.hello(phone) },
		"silence":  func(r *robot) { r.now = r.now.Add(2 * time.Second); r.hello(phone) },
		"new port": func(r *robot) { r.hello(phoneTwo) },
		"other device": func(r *robot) {
			r.in(phone, `{"t":"bye"}`)
			r.hello(tablet)
		},
	}
	for name, f := range leave {
		r := newRobot(t, Molly())
		r.hello(phone)
		done := r.in(phone, cmd(1, "map_stop", "{}")).commands()[0]
		r.s.Finish(r.now, done.Ref, Result{OK: true})
		pending := r.in(phone, cmd(2, "map_save", "{}")).commands()[0]
		f(r)
		now := r.s.Client().Addr
		want(t, name+": result of the old session", len(copied(r.s.Finish(r.now, pending.Ref, Result{OK: true})).of("ack")), 0)
		want(t, name+": runs anew", len(r.in(now, cmd(1, "map_stop", "{}")).commands()), 1)
		o := r.in(now, cmd(2, "map_save", "{}"))
		want(t, name+": pending runs anew", len(o.commands()), 1)
		want(t, name+": late result of the old session", len(copied(r.s.Finish(r.now, pending.Ref, Result{OK: true})).of("ack")), 0)
		want(t, name+": result for the new one", len(copied(r.s.Finish(r.now, o.commands()[0].Ref, Result{OK: true})).of("ack")), 1)
	}
}

func TestByeWhileACommandIsPending(t *testing.T) {
	r := newRobot(t, Molly())
	r.hello(phone)
	ref := r.in(phone, cmd(1, "ask", `{"question":"why?"}`)).commands()[0].Ref
	r.in(phone, `{"t":"bye"}`)
	o := copied(r.s.Finish(r.now, ref, Result{OK: true}))
	want(t, "sent to nobody", len(o.sent)+len(o.effects), 0)
}

func TestRefusals(t *testing.T) {
	speed := fullState()
	for _, tc := range []struct{ name, args, msg string }{
		{"fly", "{}", `unknown command \"fly\"`},
		{"inspection_models", "{}", `unknown command \"inspection_models\"`},
		{"set_mode", `{"mode":"x"}`, "set_mode: mode must be one of auto, remote"},
		{"set_mode", `["auto"]`, "args must be an object"},
		{"nav_speed", `{"speed":1.3}`, "nav_speed: speed must be 0.2 to 1.2 m/s"},
		{"gesture", `{"name":"dance"}`, `gesture: this robot has no gesture \"dance\"`},
		{"get_map", "{}", "there is no map"},
		{"get_route", "{}", "there is no route"},
		{"get_site", "{}", "there is no site"},
	} {
		r := newRobot(t, Molly())
		r.s.SetState(speed)
		r.hello(phone)
		m := cmd(3, tc.name, tc.args)
		refused := ack(phone, 3, `"ok":false,"msg":"`+tc.msg+`"`)
		o := r.in(phone, m)
		want(t, tc.name, len(o.effects), 0)
		wantAll(t, tc.name, o.of("ack"), refused)
		wantAll(t, tc.name+" again", r.in(phone, m).of("ack"), refused)
	}
}

// TestMissingNodesAreNamed holds for every command of both tables: on a robot without its node it is not offered, and refused by name.
func TestMissingNodesAreNamed(t *testing.T) {
	for _, d := range Dialects() {
		for i := range d.Commands {
			spec := &d.Commands[i]
			r := newRobot(t, d, func(c *Config) { c.Commands, c.RobotCommands = nil, nil })
			w := r.hello(phone).of("welcome")[0]
			if !strings.Contains(w, `"commands":[],`) {
				t.Fatal(w)
			}
			o := r.in(phone, cmd(1, spec.Name, "{}"))
			want(t, spec.Name, len(o.commands()), 0)
			wantAll(t, spec.Name, o.of("ack"),
				ack(phone, 1, fmt.Sprintf(`"ok":false,"msg":"%s needs %s, which this robot does not run"`, spec.Name, spec.Node)))
		}
	}
}

func TestRobotCommandsRun(t *testing.T) {
	r := newRobot(t, Molly())
	r.hello(phone)
	want(t, "stand_up", r.in(phone, cmd(1, "stand_up", "{}")).commands()[0].Name(), "stand_up")
	wantAll(t, "emergency_stop", r.in(phone, cmd(2, "emergency_stop", "{}")).kinds(), EffectVelocity, EffectEStop, EffectCommand)
	bare := newRobot(t, Molly(), func(c *Config) { c.RobotCommands = nil })
	bare.hello(phone)
	o := bare.in(phone, cmd(1, "emergency_stop", "{}"))
	wantAll(t, "without such a driver", o.kinds(), EffectVelocity, EffectEStop)
	wantAll(t, "answer", o.of("ack"), ack(phone, 1, `"ok":false,"msg":"the robot driver has no emergency_stop; the software e-stop is latched"`))
}

func TestAnyoneMayStop(t *testing.T) {
	r := newRobot(t, Molly(), func(c *Config) { c.Token = "secret" })
	r.in(phone, `{"t":"hello","name":"phone","k":"secret"}`)
	r.in(phone, `{"t":"joy","vx":1,"k":"secret"}`)
	stop := `{"t":"cmd","id":9,"name":"estop","k":"secret"}`
	o := r.in(tablet, stop)
	wantAll(t, "effects", o.kinds(), EffectVelocity, EffectEStop, EffectCommand)
	want(t, "reason", o.effects[1].Reason, "handheld 10.0.0.3")
	want(t, "driver", r.s.Client().Addr, phone)
	wantAll(t, "a copy", r.in(tablet, stop).of("ack"), ack(tablet, 9, `"ok":null,"msg":"pending"`))
	done := ack(tablet, 9, `"ok":true,"msg":"latched"`)
	wantAll(t, "result", copied(r.s.Finish(r.now, o.commands()[0].Ref, Result{OK: true, Msg: "latched"})).of("ack"), done)
	wantAll(t, "a copy of the result", r.in(tablet, stop).of("ack"), done)
	want(t, "without the token", len(r.in(tablet, cmd(10, "estop", "{}")).effects), 0)
	other := r.in(netip.MustParseAddrPort("10.0.0.4:1"), stop)
	want(t, "the same id from another device", len(other.commands()), 1)
}

func TestStopIsNeverLost(t *testing.T) {
	r := newRobot(t, Molly())
	want(t, "without any session", len(r.in(tablet, cmd(1, "estop", "{}")).commands()), 1)
	r.hello(phone)
	for _, m := range []string{`{"t":"cmd","name":"estop"}`, `{"t":"cmd","id":"x","name":"estop"}`, `{"t":"cmd","id":1.5,"name":"estop"}`} {
		wantAll(t, m, r.in(phone, m).kinds(), EffectVelocity, EffectEStop)
	}
	want(t, "strange arguments", len(r.in(phone, cmd(2, "estop", `[1,"x"]`)).commands()), 1)
	for i := range int64(2 * mostPending) {
		r.in(phone, cmd(100+i, "map_save", "{}"))
	}
	for i, name := range []string{"estop", "emergency_stop"} {
		wantAll(t, "with a full table", r.in(phone, cmd(int64(3+i), name, "{}")).kinds(), EffectVelocity, EffectEStop, EffectCommand)
	}
	for i := range int64(2 * mostPending) {
		o := r.in(phone, cmd(300+i, "emergency_stop", "{}"))
		wantAll(t, "with a table full of stops", o.kinds()[:2], EffectVelocity, EffectEStop)
		want(t, "refused", strings.Contains(fmt.Sprint(o.of("ack")), `"ok":false`), false)
	}
	wantAll(t, "without an id", r.in(phone, `{"t":"cmd","name":"emergency_stop"}`).kinds(), EffectVelocity, EffectEStop)
}

// A copy of a stop may come from a client that counts anew: it stops again, and is answered as the first one was.
func TestStopWithAnOldIDStopsAgain(t *testing.T) {
	for _, name := range []string{"estop", "emergency_stop"} {
		r := newRobot(t, Molly())
		r.hello(phone)
		ref := r.in(phone, cmd(1, name, "{}")).commands()[0].Ref
		r.s.Finish(r.now, ref, Result{OK: true, Msg: "latched"})
		for range 3 {
			r.now = r.now.Add(time.Second)
			o := r.in(phone, cmd(1, name, "{}"))
			wantAll(t, name, o.kinds(), EffectVelocity, EffectEStop)
			wantAll(t, name, o.of("ack"), ack(phone, 1, `"ok":true,"msg":"latched"`))
		}
	}
}

func TestCommandMemoryIsBounded(t *testing.T) {
	r := newRobot(t, Molly())
	r.hello(phone)
	large := []byte(`"` + strings.Repeat("x", 50_000) + `"`)
	for i := range int64(2000) {
		o := r.in(phone, cmd(i, "list_routes", "{}"))
		want(t, "runs", len(o.commands()), 1)
		r.s.Finish(r.now, o.commands()[0].Ref, Result{OK: true, Data: large})
	}
	if l := &r.s.commands; len(l.entries) > mostCommands || l.bytes > mostAckBytes || len(l.order) != len(l.entries) || l.pending != 0 {
		t.Errorf("%d commands, %d bytes, %d in order, %d pending", len(l.entries), l.bytes, len(l.order), l.pending)
	}
	for i := range int64(mostPending) {
		want(t, "runs", len(r.in(phone, cmd(5000+i, "map_save", "{}")).commands()), 1)
	}
	o := r.in(phone, cmd(6000, "map_save", "{}"))
	want(t, "one too many", len(o.commands()), 0)
	wantAll(t, "answer", o.of("ack"), ack(phone, 6000, `"ok":false,"msg":"too many commands are running, try again"`))
}

func TestMalformedCommandsAreDropped(t *testing.T) {
	r := newRobot(t, Molly())
	r.hello(phone)
	for _, m := range []string{
		`{"t":"cmd"}`, `{"t":"cmd","id":1}`, `{"t":"cmd","id":1,"name":5}`, `{"t":"cmd","id":"1","name":"map_save"}`,
		`{"t":"cmd","id":1.5,"name":"map_save"}`, `{"t":"cmd","id":1,"name":""}`, cmd(1, strings.Repeat("x", 65), "{}"),
	} {
		o := r.in(phone, m)
		want(t, m, len(o.effects)+len(o.sent), 0)
	}
	want(t, "counted", r.s.Stats().Malformed, 7)
	want(t, "args may be missing", len(r.in(phone, `{"t":"cmd","id":1,"name":"map_save"}`).commands()), 1)
	want(t, "args may be null", len(r.in(phone, cmd(2, "map_save", "null")).commands()), 1)
}

func TestAnswersThatDoNotFitSaySo(t *testing.T) {
	r := newRobot(t, Molly())
	r.hello(phone)
	for i, data := range []string{`"` + strings.Repeat("x", 70_000) + `"`, `{"broken"`, `1},"ok":true,"x":{"y":1`, `1,"t":"bye"`} {
		ref := r.in(phone, cmd(int64(i), "list_routes", "{}")).commands()[0].Ref
		o := copied(r.s.Finish(r.now, ref, Result{OK: true, Data: []byte(data)}))
		a, err := ParseAck(o.sent[0].Data)
		if err != nil || a.Data != nil || a.Msg == "" {
			t.Errorf("%.20s: %+v %v", data, a, err)
		}
	}
}
