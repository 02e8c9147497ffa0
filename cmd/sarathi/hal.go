package main

// halCommands is `sarathi hal`.
type halCommands struct {
	Agent   halAgentCommand    `cmd:"" help:"Serve a body to one HAL controller: what runs on the robot."`
	Control halControlCommands `cmd:"" help:"Control a HAL robot: status, drive, skill, estop, release, watch."`
}

// halControlCommands is `sarathi hal control`.
type halControlCommands struct {
	URL struct {
		halLink

		Status  halStatusCommand  `cmd:"" help:"Print what the robot is and how it does."`
		Drive   halDriveCommand   `cmd:"" help:"Drive for a while, then stop."`
		Skill   halSkillCommand   `cmd:"" help:"Run a skill to its end."`
		EStop   halEStopCommand   `cmd:"" name:"estop" help:"Latch the e-stop of the robot."`
		Release halReleaseCommand `cmd:"" help:"Release the e-stop of the robot."`
		Watch   halWatchCommand   `cmd:"" help:"Print what the robot reports."`
	} `arg:""`
}
