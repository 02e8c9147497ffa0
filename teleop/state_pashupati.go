package teleop

// pashupatiFields are the fields of Pashupati's state, in the order of its document.
func pashupatiFields() []stateField {
	fields := []stateField{
		seqField(), modeField(), estopField(),
		renamed("field", fieldOf, "blind", "stop"), // its handhelds do not know blind, and blind stops the robot
		renamed("nav", navOf, "INACTIVE", "NAV_INACTIVE"),
		textField("nav_msg", func(s *State) *Opt[string] { return &s.NavMsg }),
		{
			"mission",
			func(dst []byte, st *State) []byte { return st.appendMission(dst) },
			func(st *State, v value) { st.Mission.V, st.Mission.OK = readText(v) },
		},
	}
	fields = append(fields, whereabouts(healthRecord())...)
	return append(fields,
		maybe("inspection", func(s *State) *Opt[Inspection] { return &s.Inspection }, inspectionRecord()),
		maybe("people", func(s *State) *Opt[People] { return &s.People }, peopleRecord()),
		speedField(),
		maybe("trip", func(s *State) *Opt[Trip] { return &s.Trip }, record[Trip]{
			num("m", func(t *Trip) *float64 { return &t.Metres }), num("s", func(t *Trip) *float64 { return &t.Moving }),
			num("v", func(t *Trip) *float64 { return &t.Speed }), num("avg", func(t *Trip) *float64 { return &t.Mean }),
			num("max", func(t *Trip) *float64 { return &t.Top }), num("since", func(t *Trip) *float64 { return &t.Since }),
		}),
		maybe("net", func(s *State) *Opt[Net] { return &s.Net }, record[Net]{
			yes("online", func(n *Net) *bool { return &n.Online }), num("ms", func(n *Net) *float64 { return &n.Millis }),
			num("loss", func(n *Net) *float64 { return &n.Loss }), str("target", func(n *Net) *string { return &n.Target }),
			num("age", func(n *Net) *float64 { return &n.Age }),
		}),
	)
}

func inspectionRecord() record[Inspection] {
	finding := record[Finding]{
		str("cat", func(f *Finding) *string { return &f.Category }), yes("reported", func(f *Finding) *bool { return &f.Reported }),
		num("ms", func(f *Finding) *float64 { return &f.Millis }), num("age", func(f *Finding) *float64 { return &f.Age }),
		num("waited", func(f *Finding) *float64 { return &f.Waited }), str("desc", func(f *Finding) *string { return &f.Desc }),
		str("source", func(f *Finding) *string { return &f.Source }),
	}
	return record[Inspection]{
		yes("on", func(i *Inspection) *bool { return &i.On }), str("state", func(i *Inspection) *string { return &i.State }),
		str("model", func(i *Inspection) *string { return &i.Model }), num("interval", func(i *Inspection) *float64 { return &i.Interval }),
		str("error", func(i *Inspection) *string { return &i.Error }), whole("count", func(i *Inspection) *int { return &i.Count }),
		whole("reports", func(i *Inspection) *int { return &i.Reports }), whole("queue", func(i *Inspection) *int { return &i.Queue }),
		whole("queue_max", func(i *Inspection) *int { return &i.QueueMax }),
		maybe("last", func(i *Inspection) *Opt[Finding] { return &i.Last }, finding),
	}
}

// boxesFor is how long the boxes of a frame are shown [s].
const boxesFor = 2

func peopleRecord() record[People] {
	boxes := column[People]{
		"boxes",
		func(dst []byte, p *People) []byte {
			dst = append(dst, '[')
			for i := 0; i < len(p.Boxes) && p.Age <= boxesFor; i++ {
				if i > 0 {
					dst = append(dst, ',')
				}
				b := &p.Boxes[i]
				for j, f := range [...]float64{b.X1, b.Y1, b.X2, b.Y2, b.Score} {
					dst = append(dst, "[,,,,"[j])
					dst = appendFraction(dst, f)
				}
				dst = append(dst, ']')
			}
			return append(dst, ']')
		},
		func(p *People, v value) {
			for item := range v.items() {
				if n, ok := numbers(item, 5); ok {
					p.Boxes = append(p.Boxes, Box{n[0], n[1], n[2], n[3], n[4]})
				}
			}
		},
	}
	return record[People]{
		yes("on", func(p *People) *bool { return &p.On }), str("state", func(p *People) *string { return &p.State }),
		single("count", func(p *People) *Opt[int] { return &p.Count }, appendInt, readInt),
		num("ms", func(p *People) *float64 { return &p.Millis }), num("age", func(p *People) *float64 { return &p.Age }),
		boxes,
		str("backend", func(p *People) *string { return &p.Backend }), str("error", func(p *People) *string { return &p.Error }),
	}
}
