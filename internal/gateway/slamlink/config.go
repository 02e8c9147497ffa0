package slamlink

import (
	"slices"
	"strings"

	"sarathi/internal/bus"
	"sarathi/internal/config"
	"sarathi/rosbridge"
)

// Config says where the server is and what is carried.
type Config struct {
	URL     string
	Token   string
	Dialect rosbridge.Dialect
	In, Out []Route
}

// Route is a topic here and its name at the server.
type Route struct {
	Topic bus.TopicInfo
	Name  string
}

// Validate reports everything that cannot work.
func (c Config) Validate() error {
	var p config.Problems
	p.Nested("url", rosbridge.ClientConfig{URL: c.URL}.Validate())
	names := map[string]string{}
	for _, r := range slices.Concat(c.In, c.Out) {
		if !strings.HasPrefix(r.Name, "/") || len(r.Name) < 2 {
			p.Addf(r.Topic.Name, "%q is no name of a topic: write one like %s", r.Name, r.Topic.Name)
		} else if other := names[r.Name]; other != "" {
			p.Addf(r.Topic.Name, "%s is %s already: each needs a topic of its own", r.Name, other)
		}
		names[r.Name] = r.Topic.Name
	}
	return p.Err()
}
