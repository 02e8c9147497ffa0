// Command sarathi runs a mobile robot, simulates it, and looks at one that runs.
//
// main.go calls [run] with the operating system's streams; everything else is a subcommand, one file each, that works on an env and
// knows nothing of the process around it. What a command needs of a running robot is the interface robot, so that another transport
// changes connect.go alone.
//
// Exit codes: 0 done, 1 the robot or an expectation failed, 2 the command or a configuration is wrong.
package main
