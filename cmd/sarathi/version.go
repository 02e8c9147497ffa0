package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// versionCommand is `sarathi version`.
type versionCommand struct{}

// buildFacts tells which program this is.
type buildFacts struct {
	Version  string `json:"version"`
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
	Revision string `json:"revision,omitempty"` // of the source, "" when it was built outside of a checkout
	Time     string `json:"revision_time,omitempty"`
	Modified bool   `json:"modified"` // the checkout had changes that are in no revision
}

// Run prints the version.
func (versionCommand) Run(e *env) error {
	f := buildInfo()
	f.Version = e.version
	if e.json {
		return e.printJSON(f)
	}
	fmt.Fprintf(e.stdout, "sarathi %s %s/%s, built with %s\n", f.Version, f.OS, f.Arch, f.Go)
	if f.Revision != "" {
		changes := ""
		if f.Modified {
			changes = ", with local changes"
		}
		fmt.Fprintf(e.stdout, "revision %s of %s%s\n", f.Revision, f.Time, changes)
	}
	return nil
}

// buildInfo returns what the linker wrote into this program.
func buildInfo() buildFacts {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return factsOf(info)
}

func factsOf(info *debug.BuildInfo) buildFacts {
	f := buildFacts{Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			f.Revision = s.Value
		case "vcs.time":
			f.Time = s.Value
		case "vcs.modified":
			f.Modified = s.Value == "true"
		}
	}
	return f
}
