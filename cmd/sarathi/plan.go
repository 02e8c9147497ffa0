package main

// planCommands is `sarathi plan`.
type planCommands struct {
	Path  planPath  `cmd:"" help:"Find a path across the map of a site."`
	Bench planBench `cmd:"" help:"Answer the queries of a MovingAI scenario and compare with the known optima."`
}
