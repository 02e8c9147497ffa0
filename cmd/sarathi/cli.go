package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"sarathi/cmd/sarathi/doctor"
	"sarathi/internal/app"
	"sarathi/internal/profile"
)

// commands is the grammar of the command line.
type commands struct {
	JSON bool `help:"Print JSON: one document, or one line each for what goes on."`

	Run       runCommand        `cmd:"" help:"Run a robot until Ctrl-C."`
	Sim       simCommand        `cmd:"" help:"Run one scenario in simulation, faster than real time, the same every time."`
	Scenarios scenariosCommands `cmd:"" help:"Run many scenarios over many seeds."`
	Plan      planCommands      `cmd:"" help:"Plan paths on a map, without a robot."`
	Slam      slamCommands      `cmd:"" help:"Make maps of a simulated building, of a robot with ROS or of logs, and measure them."`
	Route     routeCommands     `cmd:"" help:"Look at taught routes, without a robot."`

	Drive    driveCommand    `cmd:"" help:"Drive a robot as its handheld."`
	Discover discoverCommand `cmd:"" help:"Find robots in the network that a handheld can drive."`
	Cmd      cmdCommand      `cmd:"" help:"Send one command to a robot as a handheld does: estop, set_mode, stand_up, …"`
	State    stateCommand    `cmd:"" help:"Print what a robot reports to its handheld."`

	HAL halCommands `cmd:"" name:"hal" help:"Robots without ROS: serve a body, or control one from a script."`

	Broker brokerCommand `cmd:"" help:"Serve rosbridge v2 clients, without a robot."`

	Topic   topicCommands   `cmd:"" help:"Look at the topics of a running robot, and publish."`
	Node    nodeCommands    `cmd:"" help:"Look at the nodes of a running robot."`
	Service serviceCommands `cmd:"" help:"Look at the services of a running robot, and call them."`

	Site siteCommands `cmd:"" help:"Look at mapped places on disk, repair them, and take them along."`
	Map  mapCommands  `cmd:"" help:"Look at map files."`

	Profile profileCommands `cmd:"" help:"Check, print and explain robot profiles."`
	Doctor  doctorCommand   `cmd:"" help:"Look at this computer: what works, what is missing, what is broken, and what to do."`
	Version versionCommand  `cmd:"" help:"Print which sarathi this is."`
}

// env is what a command sees of the process.
type env struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	home           string         // the user's home folder
	zone           *time.Location // of times shown to people
	now            func() time.Time
	processorTime  func() time.Duration // that this process has used
	program        string               // as it was called
	version        string
	json           bool // --json
	dial           func(ctx context.Context, url, token string) (robot, error)
	host           func() doctor.Host
	runRobot       func(context.Context, *profile.Profile, app.RunOptions) error
	simulate       func(context.Context, app.SimOptions) (*app.Report, error)
}

// run runs one command line and returns the exit code.
func run(ctx context.Context, e env, args []string) int {
	var (
		grammar commands
		helped  bool // --help was given, and has been answered
	)
	parser, err := kong.New(&grammar,
		kong.Name("sarathi"),
		kong.Description("Runs a mobile robot, simulates it, and looks at one that runs."),
		kong.Writers(e.stdout, e.stderr),
		kong.Exit(func(int) { helped = true }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(&e),
		values(),
	)
	if err != nil {
		panic(err) // the grammar above is wrong, which every test finds
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err := parser.Parse(args)
	if helped {
		return exitDone
	}
	e.json = grammar.JSON
	if err != nil {
		return report(&e, misread(err))
	}
	err = parsed.Run()
	if ctx.Err() != nil && interrupted(err) {
		err = nil
	}
	return report(&e, err)
}

// argumentFor names the flag that takes what people write as an argument of commands that have none.
func argumentFor(command string) (flag string, ok bool) {
	switch command {
	case "sarathi run":
		return "--profile", true
	case "sarathi sim":
		return "--scenario", true
	default:
		return "", false
	}
}

// misread turns what the parser found into an error that says where to read on.
func misread(err error) error {
	command := []string{"sarathi"}
	if p, ok := errors.AsType[*kong.ParseError](err); ok && p.Context != nil {
		for _, step := range p.Context.Path {
			if step.Command != nil {
				command = append(command, step.Command.Name)
			}
		}
	}
	name, text := strings.Join(command, " "), err.Error()
	if argument, ok := strings.CutPrefix(text, "unexpected argument "); ok {
		if flag, ok := argumentFor(name); ok {
			return usage("%s takes no argument: write %s %s", command[1], flag, argument)
		}
	}
	if flags, ok := strings.CutPrefix(text, "missing flags: "); ok {
		text = "something is missing: write " + strings.ReplaceAll(flags, "=", " ")
	}
	text = strings.Replace(text, `missing value, expecting "<arg>"`, "has no value", 1) // of a list
	return usage("%s: see `%s --help`", text, name)
}
