package teleop

import "sarathi/internal/wire"

// mollyFields are the fields of Molly's state, in the order of its document.
func mollyFields() []stateField {
	scale := num("speed_scale", func(h *Health) *float64 { return &h.SpeedScale })
	fields := []stateField{
		seqField(), modeField(), estopField(),
		listField("estop_reasons", func(s *State) *[]string { return &s.EStopReasons }),
		textField("field", fieldOf), textField("nav", navOf),
		textField("nav_msg", func(s *State) *Opt[string] { return &s.NavMsg }),
		listField("pause", func(s *State) *[]string { return &s.Pause }),
	}
	fields = append(fields, whereabouts(healthRecord(scale))...)
	return append(fields,
		speedField(),
		maybe("site", func(s *State) *Opt[SiteStatus] { return &s.Site }, siteRecord()),
		maybe("mapping", func(s *State) *Opt[Mapping] { return &s.Mapping }, record[Mapping]{
			yes("active", func(m *Mapping) *bool { return &m.Active }), str("site", func(m *Mapping) *string { return &m.Site }),
			whole("scans", func(m *Mapping) *int { return &m.Scans }), num("area", func(m *Mapping) *float64 { return &m.Area }),
		}),
		maybe("planner", func(s *State) *Opt[Planner] { return &s.Planner }, record[Planner]{
			str("state", func(p *Planner) *string { return &p.State }), str("goal", func(p *Planner) *string { return &p.Goal }),
			num("remaining", func(p *Planner) *float64 { return &p.Remaining }), str("msg", func(p *Planner) *string { return &p.Msg }),
		}),
		maybe("tour", func(s *State) *Opt[TourStatus] { return &s.Tour }, tourRecord()),
		maybe("speech", func(s *State) *Opt[Speech] { return &s.Speech }, speechRecord()),
		maybe("visitors", func(s *State) *Opt[Visitors] { return &s.Visitors }, record[Visitors]{
			whole("count", func(v *Visitors) *int { return &v.Count }), whole("front", func(v *Visitors) *int { return &v.Front }),
			whole("behind", func(v *Visitors) *int { return &v.Behind }), num("nearest", func(v *Visitors) *float64 { return &v.Nearest }),
		}),
		maybe("greeter", func(s *State) *Opt[Greeter] { return &s.Greeter }, record[Greeter]{
			yes("enabled", func(g *Greeter) *bool { return &g.Enabled }), str("state", func(g *Greeter) *string { return &g.State }),
		}),
		maybe("docking", func(s *State) *Opt[Docking] { return &s.Docking }, record[Docking]{
			str("state", func(d *Docking) *string { return &d.State }), str("tag", func(d *Docking) *string { return &d.Tag }),
			yes("charging", func(d *Docking) *bool { return &d.Charging }), str("msg", func(d *Docking) *string { return &d.Msg }),
		}),
		single("map_rev", func(s *State) *Opt[uint32] { return &s.MapRev }, wire.JSONUint[uint32], readRev),
	)
}

func siteRecord() record[SiteStatus] {
	return record[SiteStatus]{
		str("name", func(s *SiteStatus) *string { return &s.Name }), yes("map", func(s *SiteStatus) *bool { return &s.Map }),
		whole("pois", func(s *SiteStatus) *int { return &s.POIs }), whole("tours", func(s *SiteStatus) *int { return &s.Tours }),
		whole("tags", func(s *SiteStatus) *int { return &s.Tags }), whole("routes", func(s *SiteStatus) *int { return &s.Routes }),
		rev("rev", func(s *SiteStatus) *uint32 { return &s.Rev }),
	}
}

func tourRecord() record[TourStatus] {
	return record[TourStatus]{
		str("state", func(t *TourStatus) *string { return &t.State }), str("tour_id", func(t *TourStatus) *string { return &t.TourID }),
		str("name", func(t *TourStatus) *string { return &t.Name }),
		whole("index", func(t *TourStatus) *int { return &t.Index }), whole("total", func(t *TourStatus) *int { return &t.Total }),
		str("poi_id", func(t *TourStatus) *string { return &t.POIID }), str("poi_name", func(t *TourStatus) *string { return &t.POIName }),
		str("activity", func(t *TourStatus) *string { return &t.Activity }), str("msg", func(t *TourStatus) *string { return &t.Msg }),
	}
}

// spokenText is how much of what is being said goes into the state [characters].
const spokenText = 80

func speechRecord() record[Speech] {
	text := str("text", func(s *Speech) *string { return &s.Text })
	text.append = func(dst []byte, s *Speech) []byte { return wire.JSONString(dst, cut(s.Text, spokenText)) }
	return record[Speech]{
		str("state", func(s *Speech) *string { return &s.State }), text, whole("queued", func(s *Speech) *int { return &s.Queued }),
	}
}
