package main

import (
	"context"
	"fmt"

	"sarathi/internal/gateway/rosbridge/graph"
)

// nodeCommands is `sarathi node`.
type nodeCommands struct {
	List nodeList `cmd:"" help:"List the nodes: stage, state, restarts, what each publishes, subscribes to and serves."`
}

// nodeList is `sarathi node list`.
type nodeList struct {
	connection

	Verbose bool `short:"v" help:"Name the topics and services."`
}

// Run lists the nodes.
func (c *nodeList) Run(ctx context.Context, e *env) error {
	return c.with(ctx, e, func(r robot) error {
		g, err := r.Graph(ctx)
		switch {
		case err != nil:
			return err
		case e.json:
			return e.printJSON(g.Nodes)
		case c.Verbose:
			return e.describeNodes(g.Nodes)
		}
		rows := [][]string{{"NODE", "STAGE", "STATE", "RESTARTS", "LATE TICKS", "PUB", "SUB", "SERVES", "LAST ERROR"}}
		for i := range g.Nodes {
			n := &g.Nodes[i]
			rows = append(rows, []string{
				n.Name, orDash(n.Stage), orDash(n.State), fmt.Sprint(n.Restarts), fmt.Sprint(n.Skipped),
				fmt.Sprint(len(n.Publishes)), fmt.Sprint(len(n.Subscribes)), fmt.Sprint(len(n.Serves)), orDash(n.LastError),
			})
		}
		return e.printTable(rows)
	})
}

// describeNodes prints a paragraph for each node.
func (e *env) describeNodes(nodes []graph.Node) error {
	for i := range nodes {
		n := &nodes[i]
		fmt.Fprintf(e.stdout, "%s  %s  %s, restarted %s, %s left out\n",
			n.Name, orDash(n.Stage), orDash(n.State), plural(n.Restarts, "time"), plural(int(n.Skipped), "tick"))
		if n.LastError != "" {
			fmt.Fprintf(e.stdout, "  last error: %s\n", n.LastError)
		}
		for _, l := range []struct {
			what  string
			names []string
		}{{"publishes", n.Publishes}, {"subscribes to", n.Subscribes}, {"serves", n.Serves}} {
			if len(l.names) > 0 {
				fmt.Fprintf(e.stdout, "  %s %s\n", l.what, joined(l.names))
			}
		}
	}
	return nil
}
