package tagdetector

import (
	"fmt"
	"strconv"

	"sarathi/internal/algo/tag36h11"
	"sarathi/internal/config"
)

// Config says which tags there are.
type Config struct {
	Rate   float64 `unit:"Hz" doc:"most images a second that are searched"`
	Size   float64 `unit:"m" doc:"edge of the black square of a tag that is not listed"`
	Prefix string  `doc:"a tag that is not listed has this and its id as its frame; empty: it has none, and nobody localizes by it"`
	Tags   []Tag   `doc:"tags with a frame or size of their own"`
}

// Tag is a tag of the family 36h11 that has a meaning.
type Tag struct {
	ID    int     `doc:"number of the tag"`
	Frame string  `doc:"frame of the tag, under which its place is recorded, such as charging_dock"`
	Size  float64 `unit:"m" doc:"edge of the black square; 0: the common size"`
}

// DefaultConfig takes every tag that is 16 cm wide, at 10 Hz.
func DefaultConfig() Config { return Config{Rate: 10, Size: 0.16, Prefix: "tag_"} }

// Validate reports what the node cannot work with.
func (c Config) Validate() error {
	var p config.Problems
	p.InRange("rate", c.Rate, 0.1, 10, "Hz")
	p.InRange("size", c.Size, 0.01, 2, "m")
	ids, frames := map[int]bool{}, map[string]bool{}
	for i, t := range c.Tags {
		key := fmt.Sprintf("tags[%d]", i)
		p.IntInRange(key+".id", t.ID, 0, tag36h11.Count-1)
		p.NotEmpty(key+".frame", t.Frame)
		p.InRange(key+".size", t.Size, 0, 2, "m")
		p.Require(!ids[t.ID], key+".id", "%d is listed twice", t.ID)
		p.Require(!frames[t.Frame], key+".frame", "%s is listed twice", t.Frame)
		ids[t.ID], frames[t.Frame] = true, true
	}
	return p.Err()
}

// tag returns the frame and the size of a tag.
func (c Config) tag(id int) (frame string, size float64) {
	for _, t := range c.Tags {
		if t.ID == id {
			if t.Size == 0 {
				t.Size = c.Size
			}
			return t.Frame, t.Size
		}
	}
	if c.Prefix == "" {
		return "", c.Size
	}
	return c.Prefix + strconv.Itoa(id), c.Size
}
