package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"sarathi/internal/app"
	"sarathi/internal/config"
	"sarathi/internal/gateway/rosbridge/graph"
)

// Exit codes.
const (
	exitDone   = 0
	exitFailed = 1 // the robot or an expectation failed
	exitUsage  = 2 // the command line, a configuration or a file is wrong
)

// usageError is a command line that cannot be carried out.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usage(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

// verdictError is a failure that the command has printed already.
type verdictError struct{ what string }

func (e *verdictError) Error() string { return e.what }

// interrupted reports whether a command ended only because it was asked to.
func interrupted(err error) bool { return errors.Is(err, context.Canceled) }

// report prints why a command failed and returns its exit code.
func report(e *env, err error) int {
	if err == nil {
		return exitDone
	}
	if _, printed := errors.AsType[*verdictError](err); printed {
		return exitFailed
	}
	code := exitCode(err)
	if e.json {
		printErrorJSON(e, err, code)
		return code
	}
	for line := range strings.Lines(err.Error()) { // one for each error that was joined
		fmt.Fprintf(e.stderr, "sarathi: %s\n", strings.TrimSuffix(line, "\n"))
	}
	return code
}

func exitCode(err error) int {
	if _, wrong := errors.AsType[*usageError](err); wrong {
		return exitUsage
	}
	if errors.Is(err, config.ErrInvalid) || errors.Is(err, app.ErrRunning) {
		return exitUsage
	}
	if refusal, ok := errors.AsType[*graph.Error](err); ok {
		switch refusal.Code {
		case graph.BadRequest, graph.UnknownTopic, graph.WrongType, graph.Reserved:
			return exitUsage
		case graph.NoServer, graph.Timeout, graph.Busy, graph.Failed, graph.Stopped:
			return exitFailed
		}
	}
	return exitFailed
}

// printErrorJSON prints an error for programs, on stderr as for people.
func printErrorJSON(e *env, err error, code int) {
	type problem struct {
		File string `json:"file"`
		Line int    `json:"line,omitempty"`
		Key  string `json:"key,omitempty"`
		Text string `json:"text"`
	}
	out := struct {
		Error    string    `json:"error"`
		ExitCode int       `json:"exit_code"`
		Problems []problem `json:"problems,omitempty"`
	}{Error: err.Error(), ExitCode: code}
	for _, p := range config.All(err) {
		out.Problems = append(out.Problems, problem{File: p.File, Line: p.Line, Key: p.Path, Text: p.Text})
	}
	text, err := json.Marshal(out)
	if err != nil {
		panic(err) // strings and numbers can be encoded
	}
	fmt.Fprintf(e.stderr, "%s\n", text)
}
