package main

// slamCommands is `sarathi slam`.
type slamCommands struct {
	Run  slamRun  `cmd:"" help:"Make a map and a trajectory from a CARMEN log."`
	Eval slamEval `cmd:"" help:"Measure a trajectory by relations (Kümmerle et al. 2009)."`
}
