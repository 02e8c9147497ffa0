package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"sarathi/internal/config"
	"sarathi/internal/profile"
)

// profileCommands is `sarathi profile`.
type profileCommands struct {
	Check   profileCheck   `cmd:"" help:"Check profiles and report everything that is wrong with them."`
	Print   profilePrint   `cmd:"" help:"Print a profile in full, with every default."`
	Explain profileExplain `cmd:"" help:"List every key of a profile: type, value, unit, meaning."`
}

// overrides is the flag that every command with a profile has.
type overrides struct {
	Set []string `sep:"none" placeholder:"KEY=VALUE" help:"Override a key of the profile; may be repeated."`
}

// profileCheck is `sarathi profile check`.
type profileCheck struct {
	overrides

	Profiles []string `arg:"" optional:"" name:"name|file" help:"Built-in profiles or files (default: all that are built in)."`
}

// Run checks one profile after the other.
func (c *profileCheck) Run(e *env) error {
	names := c.Profiles
	if len(names) == 0 {
		names = profile.Names()
	}
	var faults []error
	for _, name := range names {
		if _, err := profile.Load(name, c.Set); err != nil {
			faults = append(faults, err)
			continue
		}
		if !e.json {
			fmt.Fprintf(e.stdout, "%s: ok\n", name)
		}
	}
	if e.json && len(faults) == 0 {
		return e.printJSON(map[string]any{"ok": true, "profiles": names})
	}
	return errors.Join(faults...)
}

// profilePrint is `sarathi profile print`.
type profilePrint struct {
	overrides

	Profile string `arg:"" default:"molly" name:"name|file" help:"Built-in profile or file (${default})."`
}

// Run prints the profile as YAML, or with --json the same as JSON.
func (c *profilePrint) Run(e *env) error {
	p, err := profile.Load(c.Profile, c.Set)
	if err != nil {
		return err
	}
	text, err := config.Marshal(p)
	if err != nil {
		return err
	}
	if !e.json {
		_, err = e.stdout.Write(text)
		return err
	}
	document, err := yamlToJSON(text)
	if err != nil {
		return err
	}
	return e.printJSON(document)
}

// yamlToJSON lets package config read the text as data that somebody else will check.
func yamlToJSON(text []byte) (json.RawMessage, error) {
	var nested strings.Builder
	nested.WriteString("profile:\n")
	for line := range strings.Lines(string(text)) {
		nested.WriteString("  " + line)
	}
	var out struct{ Profile json.RawMessage }
	err := config.Decode("the profile as printed", []byte(nested.String()), &out)
	return out.Profile, err
}

// profileExplain is `sarathi profile explain`.
type profileExplain struct {
	overrides

	Profile string `arg:"" default:"molly" name:"name|file" help:"Built-in profile or file, whose values are shown (${default})."`
	Key     string `placeholder:"PREFIX" help:"Show only the keys that begin so, such as control.field."`
}

// Run prints one line a key.
func (c *profileExplain) Run(e *env) error {
	p, err := profile.Load(c.Profile, c.Set)
	if err != nil {
		return err
	}
	all, err := config.Explain(p)
	if err != nil {
		return err
	}
	rows, keys := [][]string{{"KEY", "TYPE", "VALUE", "UNIT", "MEANING"}}, []config.Key{}
	for _, k := range all {
		if strings.HasPrefix(k.Path, c.Key) {
			keys = append(keys, k)
			rows = append(rows, []string{k.Path, k.Type, orDash(k.Default), orDash(k.Unit), k.Doc})
		}
	}
	switch {
	case len(keys) == 0:
		var names []string
		for _, k := range all {
			names = append(names, k.Path)
		}
		if suggestions := near(c.Key, names); len(suggestions) > 0 {
			return usage("no key begins with %s: did you mean %s?", c.Key, strings.Join(suggestions, " or "))
		}
		return usage("no key begins with %s: `sarathi profile explain` lists all", c.Key)
	case e.json:
		return e.printJSON(keys)
	}
	return e.printTable(rows)
}
