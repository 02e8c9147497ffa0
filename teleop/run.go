package teleop

import (
	"crypto/sha256"
	"fmt"
	"net/netip"
	"slices"
	"time"
	"unicode/utf8"
)

// estop obeys a stop from an address without a session. Anyone with the token may stop.
func (s *Session) estop(from netip.AddrPort, root value) {
	s.take(&s.detached, Ref{From: from}, root)
}

// command takes a command of the driver.
func (s *Session) command(root value) {
	s.take(&s.commands, Ref{Session: s.client.id, From: s.client.addr}, root)
}

// take runs a command once: a copy is answered from memory.
func (s *Session) take(l *ledger, ref Ref, root value) {
	var ok bool
	ref.ID, ok = root.get("id").integer()
	ref.Name = root.get("name").text()
	if !ok || ref.Name == "" || utf8.RuneCountInString(ref.Name) > MaxName {
		s.stats.Malformed++
		if stops(ref.Name) { // nobody can be answered, but a stop is a stop
			s.requestStop(ref)
		}
		return
	}
	key, hash := s.key(ref), s.hash(ref.Name, root.get("args"))
	if stops(ref.Name) { // a copy, too: whether it is one, or a client that counts anew, nobody can tell
		s.requestStop(ref)
	}
	if known := l.entries[key]; known != nil {
		s.again(ref, known, hash)
		return
	}
	most := mostPending
	if stops(ref.Name) {
		most *= 2
	}
	if !l.add(key, &ledgerEntry{hash: hash}, most) {
		s.stats.Refused++
		r := Result{Msg: "too many commands are running, try again"}
		if stops(ref.Name) {
			r = Result{OK: true, Msg: "the e-stop was requested; too many commands are running to wait for more"}
		}
		s.ack(ref, appendAck(nil, ref.ID, r))
		return
	}
	s.run(ref, root.get("args"))
}

// stops reports whether a command latches the e-stop.
func stops(name string) bool { return name == CommandEStop || name == CommandEmergencyStop }

func (s *Session) key(ref Ref) ledgerKey {
	key := ledgerKey{id: ref.ID, name: ref.Name}
	if ref.Session == 0 {
		key.from = ref.From
	}
	return key
}

// hash stands for the arguments; those of a command that has none do not matter.
func (s *Session) hash(name string, args value) [sha256.Size]byte {
	if spec := s.dialect.Command(name); spec == nil || len(spec.Args) == 0 {
		return [sha256.Size]byte{}
	}
	return sha256.Sum256(args.args().appendCanonical(nil))
}

func (s *Session) again(ref Ref, known *ledgerEntry, hash [sha256.Size]byte) {
	s.stats.Repeated++
	switch {
	case known.hash != hash:
		s.ack(ref, appendAck(nil, ref.ID, Result{Msg: fmt.Sprintf("%s %d came before with other arguments", ref.Name, ref.ID)}))
	case known.ack != nil:
		s.ack(ref, known.ack)
	default:
		s.pending(ref)
	}
}

func (s *Session) pending(ref Ref) {
	s.ack(ref, fmt.Appendf(nil, `{"t":"ack","id":%d,"ok":null,"msg":"pending"}`, ref.ID))
}

func (s *Session) ack(ref Ref, text []byte) {
	start := len(s.arena)
	s.arena = append(s.arena, text...)
	s.send(ref.From, start)
}

func (s *Session) requestStop(ref Ref) {
	who := ref.From.Addr().String()
	if ref.Session != 0 {
		who = s.client.name
	}
	s.disarm()
	s.acts = append(s.acts, Effect{Kind: EffectEStop, Reason: "handheld " + who})
}

// run checks a new command and asks for its effect, or refuses it.
func (s *Session) run(ref Ref, given value) {
	args, err := s.check(ref.Name, given)
	if err != nil {
		s.stats.Refused++
		s.finish(ref, Result{Msg: err.Error()})
		return
	}
	spec := s.dialect.Command(ref.Name)
	if spec != nil && spec.Resend != 0 {
		s.resend(ref, spec.Resend)
		return
	}
	s.stats.Commands++
	s.acts = append(s.acts, Effect{Kind: EffectCommand, Command: Command{ref, args}})
	if spec != nil && spec.Slow {
		s.pending(ref)
	}
}

// check decides whether the robot has the command and its arguments make sense.
func (s *Session) check(name string, given value) (Args, error) {
	if slices.Contains(s.cfg.RobotCommands, name) {
		return nil, nil
	}
	spec := s.dialect.Command(name)
	switch {
	case spec == nil && name == CommandEmergencyStop:
		return nil, fmt.Errorf("the robot driver has no %s; the software e-stop is latched", name)
	case spec == nil:
		return nil, fmt.Errorf("unknown command %q", name)
	case !slices.Contains(s.cfg.Commands, name):
		return nil, fmt.Errorf("%s needs %s, which this robot does not run", name, spec.Node)
	case given.exists() && given.kind() != kindObject && given.kind() != kindNull && len(spec.Args) > 0:
		return nil, &ArgError{"args", "must be an object"}
	}
	args, err := s.dialect.Check(name, given.args())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return args, s.checkAgainstRobot(name, args)
}

// checkAgainstRobot refuses what only this robot cannot do.
func (s *Session) checkAgainstRobot(name string, args Args) error {
	switch speed := s.state.Speed; name {
	case commandGesture:
		if !slices.Contains(s.cfg.Gestures, args.Text("name")) {
			return fmt.Errorf("gesture: this robot has no gesture %q", args.Text("name"))
		}
	case commandSpeed:
		if v := args.Number("speed"); speed.OK && (v < speed.V.Min || v > speed.V.Max) {
			return fmt.Errorf("nav_speed: speed must be %g to %g m/s", speed.V.Min, speed.V.Max)
		}
	}
	return nil
}

func (s *Session) resend(ref Ref, stream Stream) {
	if s.kept[stream] == nil {
		s.stats.Refused++
		s.finish(ref, Result{Msg: "there is no " + stream.String()})
		return
	}
	s.stats.Commands++
	s.offer(stream, s.kept[stream])
	s.finish(ref, Result{OK: true})
}

// Finish takes the outcome of a command and sends its ack, unless the session it belongs to is over. Of several outcomes of one
// command the first counts.
func (s *Session) Finish(now time.Time, ref Ref, r Result) Output {
	s.begin(now)
	s.finish(ref, r)
	return s.end()
}

func (s *Session) finish(ref Ref, r Result) {
	l := &s.detached
	if ref.Session != 0 {
		if ref.Session != s.client.id {
			return
		}
		l = &s.commands
	}
	ack := appendAck(nil, ref.ID, r)
	if l.finish(s.key(ref), ack) {
		s.ack(ref, ack)
	}
}
