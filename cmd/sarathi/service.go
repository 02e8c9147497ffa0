package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"sarathi/internal/gateway/rosbridge/graph"
)

// serviceCommands is `sarathi service`.
type serviceCommands struct {
	List serviceList `cmd:"" help:"List the services: type, who serves, calls, how long they take."`
	Call serviceCall `cmd:"" help:"Call a service and print the response."`
}

// serviceList is `sarathi service list`.
type serviceList struct{ connection }

// Run lists the services.
func (c *serviceList) Run(ctx context.Context, e *env) error {
	return c.with(ctx, e, func(r robot) error {
		g, err := r.Graph(ctx)
		if err != nil {
			return err
		}
		if e.json {
			return e.printJSON(g.Services)
		}
		rows := [][]string{{"SERVICE", "TYPE", "NODE", "CALLS", "REFUSED", "HANDLER MEAN/WORST"}}
		for _, s := range g.Services {
			rows = append(rows, []string{s.Name, s.Type, s.Node, fmt.Sprint(s.Calls), fmt.Sprint(s.Refused), handler(s.Handler)})
		}
		return e.printTable(rows)
	})
}

// serviceCall is `sarathi service call`.
type serviceCall struct {
	connection

	Service string        `arg:"" help:"Name of the service."`
	Request string        `arg:"" default:"{}" help:"Request in JSON; fields left out get their defaults; - reads it from the standard input."`
	Timeout time.Duration `default:"5s" help:"How long to wait for the response (${default})."`
}

// Run calls the service. A response that says success false is printed, and ends with exit code 1.
func (c *serviceCall) Run(ctx context.Context, e *env) error {
	request, err := jsonArgument(e, "request", c.Request)
	if err != nil {
		return err
	}
	return c.with(ctx, e, func(r robot) error {
		response, err := r.Call(ctx, absolute(c.Service), request, c.Timeout)
		if err != nil {
			return c.explain(ctx, r, err)
		}
		if err := printResponse(e, response); err != nil {
			return err
		}
		return verdictOf(response)
	})
}

// explain adds to the error about a service that nobody serves the names that may have been meant.
func (c *serviceCall) explain(ctx context.Context, r robot, err error) error {
	refusal, ok := errors.AsType[*graph.Error](err)
	if !ok || refusal.Code != graph.NoServer {
		return err
	}
	g, graphErr := r.Graph(ctx)
	if graphErr != nil {
		return err
	}
	return unknown("service", absolute(c.Service), serviceNames(g))
}

func printResponse(e *env, response []byte) error {
	if e.json {
		return e.printJSON(json.RawMessage(response))
	}
	return tree{e.stdout, true}.print(response)
}

// verdictOf follows the ROS convention: a server that refuses says so in its response.
func verdictOf(response []byte) error {
	var said struct {
		Success *bool `json:"success"`
	}
	if json.Unmarshal(response, &said) == nil && said.Success != nil && !*said.Success {
		return &verdictError{"the robot refused"}
	}
	return nil
}
