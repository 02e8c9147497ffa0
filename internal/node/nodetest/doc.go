// Package nodetest tests nodes in virtual time: publish, advance, expect exactly.
//
//	r := nodetest.New(t, nodetest.Options{})
//	status := nodetest.Collect(r, topics.ControlStatus)
//	r.Run("control_mux_node", mux)                    // node.Node; or r.Start(specs...)
//	nodetest.Publish(r, topics.NavCmd, geometry.Twist{…})
//	r.Advance(20 * time.Millisecond)
//	if got := status.Latest(); got.Value.Mode != … {…}
//	resp, err := nodetest.Call(r, topics.EStopRelease, stdsrvs.TriggerRequest{})
//
// A [Rig] is a bus with a lockstep executor and a probe node that publishes, listens
// and calls for the test. Everything runs in the test's goroutine and is the same in
// every run. A node that fails without having been named in [Rig.ExpectFailure] fails
// the test, and so does one that fails while it is stopped at the end.
package nodetest
