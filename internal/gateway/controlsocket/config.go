package controlsocket

import (
	"sarathi/internal/config"
)

// FileName is the socket's name in the state folder.
const FileName = "sarathi.sock"

// longestPath is what a Unix socket's address can hold on every system we run on.
const longestPath = 103

const (
	maxClients    = 16
	maxWatches    = 32 // per client
	maxPublishers = 32 // topics that one client publishes
	maxCalls      = 8  // service calls of one client that wait at the same time
)

// Config is where the socket is.
type Config struct {
	Path string `doc:"file of the socket, normally sarathi.sock in the state folder"`
}

// Validate reports a path that cannot be a socket's.
func (c Config) Validate() error {
	var p config.Problems
	p.NotEmpty("path", c.Path)
	p.Require(len(c.Path) <= longestPath, "path", "%q has %d bytes, a socket's path may have %d: use a shorter state folder",
		c.Path, len(c.Path), longestPath)
	return p.Err()
}
