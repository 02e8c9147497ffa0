package teleop

import "sarathi/internal/wire"

type stateField = column[State]

func textField(name string, at func(*State) *Opt[string]) stateField {
	return single(name, at, wire.JSONString, readText)
}

func flagField(name string, at func(*State) *Opt[bool]) stateField {
	return single(name, at, wire.JSONBool, readFlag)
}

// listField is a list of texts; nil is null.
func listField(name string, at func(*State) *[]string) stateField {
	f := strs(name, at)
	write := f.append
	f.append = func(dst []byte, st *State) []byte {
		if *at(st) == nil {
			return append(dst, "null"...)
		}
		return write(dst, st)
	}
	return f
}

// renamed is a text field one of whose values has another name in the dialect.
func renamed(name string, at func(*State) *Opt[string], ours, theirs string) stateField {
	f := textField(name, at)
	write, read := f.append, f.parse
	f.append = func(dst []byte, st *State) []byte {
		if *at(st) == Some(ours) {
			return wire.JSONString(dst, theirs)
		}
		return write(dst, st)
	}
	f.parse = func(st *State, v value) {
		if read(st, v); *at(st) == Some(theirs) && ours == "INACTIVE" {
			*at(st) = Some(ours)
		}
	}
	return f
}

// The fields that both dialects have under the same name and with the same content.

func seqField() stateField {
	return stateField{
		"seq",
		func(dst []byte, st *State) []byte { return wire.JSONUint(dst, st.Seq) },
		func(st *State, v value) {
			n, _ := v.integer()
			st.Seq = uint64(max(n, 0))
		},
	}
}

func modeField() stateField { return textField("mode", func(s *State) *Opt[string] { return &s.Mode }) }

func estopField() stateField {
	return flagField("estop", func(s *State) *Opt[bool] { return &s.EStop })
}
func fieldOf(s *State) *Opt[string] { return &s.Field }
func navOf(s *State) *Opt[string]   { return &s.Nav }

func whereabouts(health record[Health]) []stateField {
	return []stateField{
		textField("localization", func(s *State) *Opt[string] { return &s.Localization }),
		flagField("recording", func(s *State) *Opt[bool] { return &s.Recording }),
		single("pose", func(s *State) *Opt[Pose] { return &s.Pose },
			func(dst []byte, p Pose) []byte { return appendNumbers(dst, p.X, p.Y, p.Yaw) },
			func(v value) (Pose, bool) {
				n, ok := numbers(v, 3)
				if !ok {
					return Pose{}, false
				}
				return Pose{n[0], n[1], n[2]}, true
			}),
		maybe("battery", func(s *State) *Opt[Battery] { return &s.Battery }, batteryRecord()),
		maybe("driver", func(s *State) *Opt[DriverStatus] { return &s.Driver }, record[DriverStatus]{
			whole("level", func(d *DriverStatus) *int { return &d.Level }), str("msg", func(d *DriverStatus) *string { return &d.Msg }),
		}),
		single("cmd", func(s *State) *Opt[Velocity] { return &s.Cmd },
			func(dst []byte, v Velocity) []byte { return appendNumbers(dst, v.VX, v.VY, v.WZ) },
			func(v value) (Velocity, bool) {
				n, ok := numbers(v, 3)
				if !ok {
					return Velocity{}, false
				}
				return Velocity{VX: n[0], VY: n[1], WZ: n[2]}, true
			}),
		maybe("health", func(s *State) *Opt[Health] { return &s.Health }, health),
		tagsField(),
	}
}

func batteryRecord() record[Battery] {
	return record[Battery]{
		num("pct", func(b *Battery) *float64 { return &b.Percent }), num("v", func(b *Battery) *float64 { return &b.Volts }),
		num("a", func(b *Battery) *float64 { return &b.Amps }), num("temp", func(b *Battery) *float64 { return &b.Temp }),
	}
}

func healthRecord(scale ...column[Health]) record[Health] {
	r := append(record[Health]{
		yes("ok", func(h *Health) *bool { return &h.OK }), strs("issues", func(h *Health) *[]string { return &h.Issues }),
	}, scale...)
	return append(r,
		num("cpu", func(h *Health) *float64 { return &h.CPU }), num("gpu", func(h *Health) *float64 { return &h.GPU }),
		num("ram", func(h *Health) *float64 { return &h.RAM }), num("ram_used", func(h *Health) *float64 { return &h.RAMUsed }),
		num("ram_total", func(h *Health) *float64 { return &h.RAMTotal }), num("temp", func(h *Health) *float64 { return &h.Temp }),
	)
}

func tagsField() stateField {
	return stateField{
		"tags",
		func(dst []byte, st *State) []byte {
			if st.Tags == nil {
				return append(dst, "null"...)
			}
			dst = append(dst, '[')
			for i := range st.Tags {
				if i > 0 {
					dst = append(dst, ',')
				}
				dst = appendInt(append(dst, '['), st.Tags[i].ID)
				for _, c := range st.Tags[i].Corners {
					dst = appendFraction(append(dst, ','), c)
				}
				dst = append(dst, ']')
			}
			return append(dst, ']')
		},
		func(st *State, v value) {
			if v.kind() == kindArray {
				st.Tags = []Tag{}
			}
			for item := range v.items() {
				if n, ok := numbers(item, 9); ok {
					st.Tags = append(st.Tags, Tag{int(n[0]), [8]float64(n[1:])})
				}
			}
		},
	}
}

func speedField() stateField {
	return maybe("speed", func(s *State) *Opt[Speed] { return &s.Speed }, record[Speed]{
		num("target", func(s *Speed) *float64 { return &s.Target }),
		num("min", func(s *Speed) *float64 { return &s.Min }), num("max", func(s *Speed) *float64 { return &s.Max }),
	})
}
