package main

import (
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

func TestVersionNamesTheSource(t *testing.T) {
	f := factsOf(&debug.BuildInfo{Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "abc123"}, {Key: "vcs.time", Value: "2026-01-02T03:04:05Z"}, {Key: "vcs.modified", Value: "true"},
	}})
	want := buildFacts{
		Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		Revision: "abc123", Time: "2026-01-02T03:04:05Z", Modified: true,
	}
	if f != want {
		t.Errorf("got %+v, want %+v", f, want)
	}
}

func TestVersionCommand(t *testing.T) {
	for command, want := range map[string]string{
		"sarathi version":        "sarathi v1.2.3 " + runtime.GOOS + "/" + runtime.GOARCH + ", built with " + runtime.Version() + "\n",
		"sarathi version --json": `"version": "v1.2.3"`,
	} {
		if got := play(t, step{command: command}, testEnv(t)); !strings.Contains(got, want) {
			t.Errorf("%s printed %q, want %q", command, got, want)
		}
	}
}
