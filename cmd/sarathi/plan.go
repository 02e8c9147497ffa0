package main

// planCommands is `sarathi plan`.
type planCommands struct {
	Bench planBench `cmd:"" help:"Answer the queries of a MovingAI scenario and compare with the known optima."`
}
