package sitemanager

import (
	"time"

	"sarathi/internal/config"
	"sarathi/internal/site"
)

// Config is what can be chosen about the node.
type Config struct {
	Refresh time.Duration `doc:"how often the sites folder is looked at for new routes and tags"`
	Map     string        `doc:"site to map into from the start; empty: none"`
	Reset   bool          `doc:"with map: begin anew and move what the site has into a backup; false: go on with its map"`
}

// DefaultConfig returns the values for the robots of the specification.
func DefaultConfig() Config { return Config{Refresh: 2 * time.Second} }

// Validate reports every value that the node cannot work with.
func (c Config) Validate() error {
	var p config.Problems
	p.DurationInRange("refresh", c.Refresh, 100*time.Millisecond, time.Minute)
	p.Require(c.Map == "" || site.ValidName(c.Map), "map", "%q is no name of a site: write up to 48 of a-z, 0-9, _ and -", c.Map)
	p.Require(!c.Reset || c.Map != "", "reset", "is true without map: name the site")
	return p.Err()
}
