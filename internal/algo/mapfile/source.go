package mapfile

import (
	"math"
)

// Rule says how the greys of an image become cells.
type Rule int

const (
	// Nav2 is the rule of map_server: thresholds, mode and negate decide; see the package comment.
	Nav2 Rule = iota
	// Site is the rule of a robot's own maps (specification 002, "Sites"): 0, 254 and 205 are occupied, free and unknown whatever the
	// thresholds say; greys that such a map does not have follow Nav2. It changes nothing in raw mode and when negate is set, which
	// no map of a site has.
	Site
)

// The greys of a site's map.
const (
	siteOccupied = 0
	siteFree     = 254
	siteUnknown  = 205
)

// Source is a map as its two files have it, before a rule says which cells are free.
type Source struct {
	Meta          Meta
	Width, Height int // pixels

	pic         picture
	greys       [256]int // number of pixels of each grey that are fully opaque, or of any in raw mode
	translucent int      // number of the other pixels, which are unknown
}

// NewSource takes the description of a map and the content of its image; name is used in messages only.
func NewSource(name string, meta Meta, image []byte) (*Source, error) {
	pic, err := decodePicture(name, image)
	if err != nil {
		return nil, err
	}
	s := &Source{Meta: meta, Width: pic.width, Height: pic.height, pic: pic}
	if meta.Mode == Raw {
		s.pic.translucent = nil // it is the grey alone that counts
	}
	for i, g := range s.pic.grey {
		if s.pic.translucent != nil && s.pic.translucent[i] {
			s.translucent++
			continue
		}
		s.greys[g]++
	}
	return s, nil
}

// Greys is the number of pixels of each grey, without those that are not fully opaque.
func (s *Source) Greys() [256]int { return s.greys }

// Map makes the cells by a rule. The image is turned upside down: row 0 of a map is the bottom.
func (s *Source) Map(r Rule) *Map {
	table := s.Meta.table(r)
	m := &Map{Meta: s.Meta, Width: s.Width, Height: s.Height, Cells: make([]int8, len(s.pic.grey))}
	for y := range s.Height {
		from := s.pic.grey[y*s.Width : (y+1)*s.Width]
		to := m.Cells[(s.Height-1-y)*s.Width:]
		for x, g := range from {
			to[x] = table[g].value
		}
		if s.pic.translucent == nil {
			continue
		}
		for x, t := range s.pic.translucent[y*s.Width : (y+1)*s.Width] {
			if t {
				to[x] = Unknown
			}
		}
	}
	return m
}

// Count counts the pixels by their meaning under a rule. In scale mode every pixel between the thresholds counts as between, also
// where it rounds to the value of a free or occupied cell.
func (s *Source) Count(r Rule) Counts {
	c := Counts{Unknown: s.translucent}
	for g, is := range s.Meta.table(r) {
		switch n := s.greys[g]; is.kind {
		case kindFree:
			c.Free += n
		case kindOccupied:
			c.Occupied += n
		case kindBetween:
			c.Between += n
		case kindUnknown:
			c.Unknown += n
		}
	}
	return c
}

type kind int

const (
	kindUnknown kind = iota
	kindFree
	kindOccupied
	kindBetween
)

// meaning is what a grey stands for.
type meaning struct {
	value int8
	kind  kind
}

// table is the meaning of each grey under a rule.
func (m Meta) table(r Rule) [256]meaning {
	var table [256]meaning
	for g := range table {
		table[g] = m.meaning(g)
	}
	if r == Site && m.Mode != Raw && !m.Negate {
		table[siteOccupied] = meaning{Occupied, kindOccupied}
		table[siteFree] = meaning{Free, kindFree}
		table[siteUnknown] = meaning{Unknown, kindUnknown}
	}
	return table
}

// meaning is what a grey stands for in Nav2 (map_io.cpp, loadMapFromFile).
func (m Meta) meaning(grey int) meaning {
	if m.Mode == Raw {
		switch {
		case grey == int(Free):
			return meaning{Free, kindFree}
		case grey == int(Occupied):
			return meaning{Occupied, kindOccupied}
		case grey < int(Occupied):
			return meaning{int8(grey), kindBetween}
		}
		return meaning{Unknown, kindUnknown}
	}
	p := m.p(grey)
	switch {
	case p <= m.FreeThresh: // wins over occupied where both hold, as Nav2 assigns it last
		return meaning{Free, kindFree}
	case p >= m.OccupiedThresh:
		return meaning{Occupied, kindOccupied}
	case m.Mode == Scale:
		return meaning{int8(math.Round((p - m.FreeThresh) / (m.OccupiedThresh - m.FreeThresh) * 100)), kindBetween}
	}
	return meaning{Unknown, kindUnknown}
}

// p is the probability that a grey is occupied.
func (m Meta) p(grey int) float64 {
	p := float64(grey) / 255
	if !m.Negate {
		p = 1 - p
	}
	return p
}
