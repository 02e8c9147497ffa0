package rosrobot_test

import (
	"testing"
	"time"

	"sarathi/driver"
	"sarathi/driver/drivertest"
	"sarathi/internal/body/rosrobot"
)

func body() rosrobot.Body {
	return rosrobot.Body{Kind: "turtle", Drive: driver.Diff, Limits: limits(), Odom: "odom", Base: "base_link"}
}

func newDriver(tb testing.TB, r *rosRobot) *rosrobot.Driver {
	tb.Helper()
	return must[*rosrobot.Driver](tb)(rosrobot.New(r.cfg, body(), rosrobot.Deps{Client: r.reach}))
}

// The whole suite, with a robot behind its rosbridge server.
func TestContract(t *testing.T) {
	drivertest.TestInBubble(t, func(tb testing.TB) drivertest.Harness {
		r := newRosRobot(tb, names(2, "geometry_msgs/TwistStamped"))
		return drivertest.Harness{Driver: newDriver(tb, r), Button: r.press, Velocity: r.velocity, Settle: 400 * time.Millisecond}
	})
}
