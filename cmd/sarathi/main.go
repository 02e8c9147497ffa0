package main

import (
	"context"
	"os"
	"time"

	"sarathi/cmd/sarathi/doctor"
	"sarathi/internal/app"
)

// version is set by the linker, see Makefile.
var version = "unversioned"

func main() {
	ctx, stop := untilInterrupted(context.Background(), os.Stderr)
	home, err := os.UserHomeDir()
	if err != nil {
		home = "." // a user without one keeps the robot's state where it is started
	}
	code := run(ctx, env{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		home: home, program: os.Args[0], zone: time.Local, now: time.Now, processorTime: ownProcessorTime, version: version,
		dial: dialRemote, host: func() doctor.Host { return thisHost(os.Stdout) },
		runRobot: app.Run, simulate: app.Simulate,
	}, os.Args[1:])
	stop()
	os.Exit(code)
}
