package teleop

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"sarathi/internal/topics"
	"sarathi/teleop"
)

// An offer is what a welcome promises.
type offer struct {
	commands map[string][]string // by dialect
	skills   []string
	gestures []string
	features []string
}

// served tells who publishes what.
type served struct{ topics map[string]bool }

// publishes reports whether somebody publishes a topic.
func (s *served) publishes(resolved string) bool { return s.topics[resolved] }

// lookAgain looks what the robot can do.
func (n *Node) lookAgain(time.Time) {
	if err := n.look(); err != nil {
		n.ctx.Fail(err)
	}
}

// look finds out what the robot can do now. When that has changed, sessions are made anew as soon as nobody is connected.
func (n *Node) look() error {
	n.served.topics = map[string]bool{}
	graph := n.ctx.Bus().Graph()
	for i := range graph.Topics {
		if len(graph.Topics[i].Publishers) > 0 {
			n.served.topics[graph.Topics[i].Name] = true
		}
	}
	now := n.find()
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, l := range n.links {
		if l.session != nil && (reflect.DeepEqual(now, l.offer) || l.session.Client().Session != 0) {
			continue
		}
		if err := l.renew(now); err != nil {
			return err
		}
		l.offer = now
	}
	return nil
}

// find collects what the robot can do.
func (n *Node) find() offer {
	o := offer{commands: map[string][]string{}}
	for _, l := range n.links {
		o.commands[l.dialect.Name] = []string{}
		for i := range l.dialect.Commands {
			if b := n.commands[l.dialect.Commands[i].Name]; b.run != nil && b.ready() {
				o.commands[l.dialect.Name] = append(o.commands[l.dialect.Name], l.dialect.Commands[i].Name)
			}
		}
	}
	o.skills = n.findSkills()
	has := func(command string) bool { return n.commands[command].run != nil && n.commands[command].ready() }
	if has("gesture") {
		o.gestures = n.cfg.Gestures
	}
	for _, f := range []struct{ feature, command string }{
		{"mapping", "map_start"},
		{"planner", "go_to"},
		{"guide", "tour_start"},
		{"speech", "say"},
		{"greeter", "greeter_set"},
		{"conversation", "ask"},
		{"docking", "dock"},
	} {
		if has(f.command) {
			o.features = append(o.features, f.feature)
		}
	}
	return o
}

// findSkills returns the body's skills that are offered and served: those of the profile in its order, or all.
func (n *Node) findSkills() []string {
	names := n.cfg.RobotCommands
	if len(names) == 0 {
		body, _, _ := n.sources.body.Get()
		names = body.Skills
	}
	out := []string{}
	for _, name := range names {
		known := slices.ContainsFunc(n.links, func(l *link) bool { return l.dialect.Command(name) != nil })
		if known || slices.Contains(out, name) || !isSkill(name) {
			continue
		}
		b, ok := n.skills[name]
		if !ok {
			b = trigger(topics.Skill(name), skillTimeout)(n)
			n.skills[name] = b
		}
		if b.ready() {
			out = append(out, name)
		}
	}
	return out
}

// isSkill reports whether a name may be a command of the protocol.
func isSkill(name string) bool {
	for _, r := range name {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '_' {
			return false
		}
	}
	return name != "" && len(name) <= teleop.MaxName
}

// renew replaces the session. The caller holds the lock, and there is no client.
func (l *link) renew(o offer) error {
	n := l.node
	cfg := n.base
	cfg.Commands, cfg.RobotCommands, cfg.Gestures, cfg.Features = o.commands[l.dialect.Name], o.skills, o.gestures, o.features
	s, err := teleop.NewSession(l.dialect, cfg)
	if err != nil {
		return fmt.Errorf("handheld gateway: %w", err)
	}
	l.session = s
	l.generation++
	now := n.ctx.Now()
	s.SetState(n.sources.state(now, &n.served))
	n.streams.restore(now, l)
	return nil
}
