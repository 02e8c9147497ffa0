package hal

import (
	"maps"
	"slices"

	"sarathi/internal/wire"
)

// Append appends a frame as JSON. Numbers must be finite: JSON has no others, and null would be read as absent.
func Append(dst []byte, f Frame) []byte {
	dst = append(dst, `{"v":1,"op":"`...)
	dst = append(append(dst, f.Op()...), '"')
	return append(f.append(dst), '}')
}

func appendName(dst []byte, name string) []byte {
	return append(append(append(dst, `,"`...), name...), `":`...)
}

func appendText(dst []byte, name, v string) []byte { return wire.JSONString(appendName(dst, name), v) }

func appendNumber(dst []byte, name string, v float64) []byte {
	return wire.JSONFloat64(appendName(dst, name), v)
}

func appendOptional(dst []byte, name string, v *float64) []byte {
	if v == nil {
		return dst
	}
	return appendNumber(dst, name, *v)
}

func appendBool(dst []byte, name string, v bool) []byte {
	return wire.JSONBool(appendName(dst, name), v)
}

func appendList[T any](dst []byte, name string, list []T, item func([]byte, T) []byte) []byte {
	dst = append(appendName(dst, name), '[')
	for i, v := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = item(dst, v)
	}
	return append(dst, ']')
}

func (f Hello) append(dst []byte) []byte {
	c := f.Caps
	dst = append(dst, `,"caps":{"protocol":`...)
	dst = wire.JSONInt(dst, int64(c.Protocol))
	dst = appendText(dst, "robotKind", c.RobotKind)
	dst = appendText(dst, "drive", string(c.Drive))
	dst = wire.JSONInt(appendName(dst, "dof"), int64(c.DOF))
	dst = appendList(dst, "skills", c.Skills, wire.JSONString)
	dst = append(dst, `,"units":{"len":`...)
	dst = wire.JSONString(dst, c.Units.Len)
	dst = append(appendText(dst, "ang", c.Units.Ang), '}')
	dst = appendText(dst, "frame", c.Frame)
	dst = append(dst, `,"limits":{"vMax":`...)
	dst = wire.JSONFloat64(dst, c.VMax)
	dst = append(appendNumber(dst, "wMax", c.WMax), '}')
	return append(appendNumber(dst, "rateHz", c.RateHz), '}')
}

func (f Welcome) append(dst []byte) []byte {
	dst = appendText(appendBool(dst, "accept", f.Accept), "controller", f.Controller)
	if f.Reason != "" {
		dst = appendText(dst, "reason", f.Reason)
	}
	return dst
}

func (f Pose) append(dst []byte) []byte {
	dst = appendNumber(appendText(dst, "id", f.ID), "x", f.X)
	return appendNumber(appendNumber(dst, "y", f.Y), "theta", f.Theta)
}

func (f Cmd) append(dst []byte) []byte {
	dst = appendNumber(appendText(dst, "id", f.ID), "V", f.V)
	return wire.JSONInt(appendName(appendNumber(dst, "w", f.W), "seq"), f.Seq)
}

func (f Skill) append(dst []byte) []byte {
	dst = appendText(appendText(dst, "id", f.ID), "skill", f.Skill)
	dst = append(appendName(dst, "args"), '{')
	start := len(dst)
	if f.Args.Joints != nil {
		dst = appendList(dst, "joints", f.Args.Joints, wire.JSONFloat64)
	}
	dst = appendOptional(dst, "gripper", f.Args.Gripper)
	for _, name := range slices.Sorted(maps.Keys(f.Args.Values)) {
		dst = wire.JSONFloat64(append(wire.JSONString(append(dst, ','), name), ':'), f.Args.Values[name])
	}
	if len(dst) > start { // without the first comma
		dst = slices.Delete(dst, start, start+1)
	}
	return appendText(append(dst, '}'), "reqId", f.ReqID)
}

func (f EStop) append(dst []byte) []byte { return appendText(dst, "reason", f.Reason) }

func (Release) append(dst []byte) []byte { return dst }

func (f Ping) append(dst []byte) []byte { return appendNumber(dst, "t", f.T) }

func (f Telemetry) append(dst []byte) []byte {
	dst = appendNumber(appendText(dst, "id", f.ID), "x", f.X)
	dst = appendNumber(appendNumber(dst, "y", f.Y), "theta", f.Theta)
	dst = appendOptional(dst, "vx", f.VX)
	dst = appendOptional(dst, "w", f.W)
	dst = appendOptional(dst, "battery", f.Battery)
	if f.Joints != nil {
		dst = appendList(dst, "joints", f.Joints, wire.JSONFloat64)
	}
	if f.Faults != nil {
		dst = appendList(dst, "faults", f.Faults, wire.JSONString)
	}
	if f.EStop != nil {
		dst = appendBool(dst, "estop", *f.EStop)
	}
	return appendNumber(dst, "ts", f.TS)
}

func (f SkillResult) append(dst []byte) []byte {
	dst = appendText(appendText(dst, "id", f.ID), "reqId", f.ReqID)
	dst = appendText(dst, "status", string(f.Status))
	dst = appendOptional(dst, "progress", f.Progress)
	if f.Err != "" {
		dst = appendText(dst, "error", f.Err)
	}
	return dst
}

func (f Fault) append(dst []byte) []byte {
	dst = appendText(appendText(dst, "id", f.ID), "code", f.Code)
	return appendText(appendText(dst, "message", f.Message), "severity", f.Severity.String())
}

func (f Pong) append(dst []byte) []byte { return appendNumber(dst, "t", f.T) }
