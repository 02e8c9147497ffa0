package mapfile

import (
	"fmt"
	"slices"
)

// Warnings says what is odd about a map that can be read: what its description has, and greys of which two readers, or the one who
// drew them, may think differently.
func (s *Source) Warnings() []string {
	out := slices.Clone(s.Meta.Warnings)
	if s.Meta.Mode == Raw {
		return out
	}
	unknown := []int{siteUnknown} // as map savers write it
	if s.Meta.Negate {
		unknown = append(unknown, 255-siteUnknown)
	}
	if s.Meta.Mode == Trinary {
		out = append(out, s.taken(unknown)...)
		out = append(out, s.nearThresholds(unknown)...)
	}
	if n := s.translucent; n > 0 {
		out = append(out, fmt.Sprintf("%s %s not fully opaque and so unknown; ROS 1 mixes their transparency into the grey", cells(n), isAre(n)))
	}
	if c := s.Count(Nav2); c.Free == 0 && c.Between == 0 {
		out = append(out, "no cell is free: the robot could drive nowhere")
	}
	return out
}

// taken tells when the greys of unknown cells are not read as unknown.
func (s *Source) taken(unknown []int) []string {
	var out []string
	for _, g := range unknown {
		if n, k := s.greys[g], s.Meta.meaning(g).kind; n > 0 && k != kindUnknown {
			out = append(out, fmt.Sprintf("%s of grey %d, which map savers write for unknown, %s %s by the thresholds (p = %.3f)",
				cells(n), g, isAre(n), k, s.Meta.p(g)))
		}
	}
	return out
}

// nearThresholds tells how many pixels have a grey whose neighbour means something else.
func (s *Source) nearThresholds(unknown []int) []string {
	table := s.Meta.table(Nav2)
	n, least, most := 0, 0, 0
	for g, count := range &s.greys {
		differs := g > 0 && table[g-1].kind != table[g].kind || g < 255 && table[g+1].kind != table[g].kind
		if count == 0 || !differs || slices.Contains(unknown, g) {
			continue
		}
		if n == 0 {
			least = g
		}
		n, most = n+count, g
	}
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s of grey %s %s within one grey of a threshold: other readers may see them differently",
		cells(n), span(least, most), isAre(n))}
}

// InSiteForm reports why the files are not in the form that a robot writes, or "" when they are.
func (s *Source) InSiteForm() string {
	m := s.Meta
	other := 0
	for g, n := range &s.greys {
		if g != siteOccupied && g != siteFree && g != siteUnknown {
			other += n
		}
	}
	switch {
	case m.Mode != Trinary:
		return fmt.Sprintf("mode is %s, not trinary", m.Mode)
	case m.Negate:
		return "negate is set"
	case m.OccupiedThresh != siteOccupiedThresh || m.FreeThresh != siteFreeThresh:
		return fmt.Sprintf("the thresholds are %g and %g, not %g and %g", m.OccupiedThresh, m.FreeThresh, siteOccupiedThresh, siteFreeThresh)
	case other+s.translucent > 0:
		return fmt.Sprintf("%s %s neither 0, 254 nor 205", cells(other+s.translucent), isAre(other+s.translucent))
	}
	return ""
}

func (k kind) String() string {
	return [...]string{"unknown", "free", "occupied", "in between"}[k]
}

func cells(n int) string {
	if n == 1 {
		return "1 cell"
	}
	return fmt.Sprintf("%d cells", n)
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func span(least, most int) string {
	if least == most {
		return fmt.Sprint(least)
	}
	return fmt.Sprintf("%d to %d", least, most)
}
