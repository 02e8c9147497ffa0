package main

import (
	"net"
	"strings"
	"testing"

	"sarathi/teleop"
)

func TestCmdSendsOneCommand(t *testing.T) {
	r := startFixture(t, teleop.Molly(), "")
	for _, tt := range []struct {
		line string
		want ran
	}{
		{"cmd ROBOT stand_up", ran{0, "stand_up done: obeyed\n", ""}},
		{"cmd ROBOT set_mode mode=remote", ran{0, "set_mode done: obeyed\n", ""}},
		{"cmd ROBOT sit_down", ran{1, "sit_down refused: the robot sits already\n", ""}},
		{"cmd ROBOT dock", ran{1, "dock refused: dock needs docking_node, which this robot does not run\n", ""}},
		{"cmd ROBOT list_routes --json", ran{0, `{
  "command": "list_routes",
  "ok": true,
  "msg": "",
  "data": [
    "a/loop.csv",
    "b.csv"
  ]
}
`, ""}},
		{"cmd ROBOT stand", ran{2, "", "sarathi: the robot has no command stand: did you mean stand_up?\n"}},
		{"cmd ROBOT set_mode mode=fly", ran{2, "", "sarathi: set_mode: mode must be one of auto, remote\n"}},
		{"cmd ROBOT set_mode remote", ran{2, "", "sarathi: argument \"remote\" of set_mode: write it as key=value\n"}},
		{"cmd ROBOT stand_up --timeout 0s", ran{2, "", "sarathi: write a --timeout above 0\n"}},
	} {
		runAt(t.Context(), t, r.addr, tt.line).want(t, tt.line, tt.want)
	}
}

func TestCmdStopsWithoutTakingTheSession(t *testing.T) {
	r := startFixture(t, teleop.Molly(), "secret")
	r.occupy(t, "secret")
	line := "cmd ROBOT estop --token secret"
	runAt(t.Context(), t, r.addr, line).want(t, line, ran{0, "estop done: obeyed\n", ""})
	e := r.await(t, teleop.EffectCommand, func(e teleop.Effect) bool { return e.Command.Name() == "estop" })
	if e.Command.Ref.Session != 0 {
		t.Error("the stop took the session")
	}
	if name := r.s.Client().Name; name != "phone" {
		t.Errorf("%q drives after the stop", name)
	}
}

func TestCmdSaysWhenItTakesTheSession(t *testing.T) {
	r := startFixture(t, teleop.Molly(), "")
	r.occupy(t, "")
	line := "cmd ROBOT stand_up"
	runAt(t.Context(), t, r.addr, line).want(t, line, ran{
		0, "stand_up done: obeyed\n", "sarathi: this takes over the session of phone, which runs on this computer too\n",
	})
	r.await(t, teleop.EffectEnded, func(e teleop.Effect) bool { return e.Client.Name == "phone" })
}

func TestCmdExplainsSilence(t *testing.T) {
	secured := startFixture(t, teleop.Molly(), "secret")
	line := "cmd ROBOT stand_up --token wrong"
	got := runAt(t.Context(), t, secured.addr, line)
	if got.code != 1 || !strings.Contains(got.stderr, "ROBOT refuses: the token is missing or wrong") {
		t.Errorf("%+v", got)
	}
	line = "cmd ROBOT estop --token wrong --timeout 300ms"
	got = runAt(t.Context(), t, secured.addr, line)
	if got.code != 1 || !strings.Contains(got.stderr, "the stop was not confirmed") {
		t.Errorf("%+v", got)
	}
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	gone := conn.LocalAddr().String()
	conn.Close()
	got = runAt(t.Context(), t, gone, "cmd ROBOT stand_up")
	if got.code != 1 || !strings.Contains(got.stderr, "no robot listens on ROBOT") {
		t.Errorf("%+v", got)
	}
	got = runAt(t.Context(), t, gone, "cmd ROBOT:x stand_up")
	if got.code != 2 {
		t.Errorf("%+v", got)
	}
}
