package scenes

import (
	"embed"
	"strings"
)

//go:embed *.yaml
var builtin embed.FS

// Builtin is the text of a scene that is part of the program, and whether there is one of that name.
func Builtin(name string) ([]byte, bool) {
	text, err := builtin.ReadFile(name + ".yaml")
	return text, err == nil
}

// Names are the scenes that are part of the program, in order.
func Names() []string {
	entries, err := builtin.ReadDir(".")
	if err != nil {
		panic("scenes: the embedded files cannot be listed: " + err.Error()) // cannot happen: they are part of the binary
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return names
}
