package rosbridge

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"sarathi/internal/idl"
	"sarathi/msg"
)

// actionServer is one action that a client serves.
type actionServer struct {
	name string // resolved
	as   string // as the server wrote it
	typ  string // canonical
	info *idl.ActionType
	peer *peer
}

// goal is a goal that waits for its result.
type goal struct {
	id     ID // by which the server knows it
	server *actionServer
	caller *peer
	// As the caller wrote them.
	callerID ID
	action   string
	feedback bool
	wrap     string // compression of the result
	fragment int

	canceled bool        // guarded by goals.mu
	timer    *time.Timer // after the cancellation; guarded by goals.mu
}

// goals are all open goals of a broker. Whoever takes a goal out tells the caller: so each has one result.
type goals struct {
	mu       sync.Mutex
	open     map[ID]*goal
	byCaller map[*peer]int
	byServer map[*peer]int
}

func (g *goals) init() {
	g.open, g.byCaller, g.byServer = map[ID]*goal{}, map[*peer]int{}, map[*peer]int{}
}

// add enters a goal, unless its caller or server has too many open.
func (g *goals) add(k *goal, most int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.byCaller[k.caller] >= most || g.byServer[k.server.peer] >= most {
		return false
	}
	g.open[k.id] = k
	count(g.byCaller, k.caller, 1)
	count(g.byServer, k.server.peer, 1)
	return true
}

// find returns the open goal that a server knows by id.
func (g *goals) find(id ID, server *peer) *goal {
	g.mu.Lock()
	defer g.mu.Unlock()
	if k := g.open[id]; k != nil && k.server.peer == server {
		return k
	}
	return nil
}

// take removes the goal that a server knows by id, or returns nil.
func (g *goals) take(id ID, server *peer) *goal {
	g.mu.Lock()
	defer g.mu.Unlock()
	k := g.open[id]
	if k == nil || k.server.peer != server {
		return nil
	}
	g.removeLocked(k)
	return k
}

func (g *goals) removeLocked(k *goal) {
	delete(g.open, k.id)
	count(g.byCaller, k.caller, -1)
	count(g.byServer, k.server.peer, -1)
	if k.timer != nil {
		k.timer.Stop()
	}
}

// matchingLocked returns the goals that match, in the order of their ids.
func (g *goals) matchingLocked(match func(*goal) bool) []*goal {
	var out []*goal
	for _, k := range g.open {
		if match(k) {
			out = append(out, k)
		}
	}
	slices.SortFunc(out, func(a, b *goal) int { return strings.Compare(string(a.id), string(b.id)) })
	return out
}

// takeAll removes the goals that match, in the order of their ids.
func (g *goals) takeAll(match func(*goal) bool) []*goal {
	g.mu.Lock()
	defer g.mu.Unlock()
	out := g.matchingLocked(match)
	for _, k := range out {
		g.removeLocked(k)
	}
	return out
}

// cancel marks the goals that match, whose servers have to be told, and lets each end by itself when its server does not.
func (g *goals) cancel(match func(*goal) bool, after time.Duration, expire func(*goal)) []*goal {
	g.mu.Lock()
	defer g.mu.Unlock()
	out := g.matchingLocked(func(k *goal) bool { return !k.canceled && match(k) })
	for _, k := range out {
		k.canceled = true
		k.timer = time.AfterFunc(after, func() {
			if g.take(k.id, k.server.peer) != nil {
				expire(k)
			}
		})
	}
	return out
}

// result tells the caller how its goal ended. values is JSON.
func (k *goal) result(values []byte, status GoalStatus, ok bool) {
	f := Frame{Op: OpActionResult, ID: k.callerID, Action: k.action, Body: values, Status: status, Result: ok}
	k.caller.sendWrapped(&f, k.wrap, k.fragment)
}

func (p *peer) advertiseAction(f Frame) error {
	name := resolve(f.Action)
	if name == "" {
		return &FrameError{Op: f.Op, ID: f.ID, What: "bad action name"}
	}
	if !allowed(p.b.cfg.Access.ServeActions, name) {
		return refusal(&f, "clients may not serve %s", name)
	}
	if p.actions[name] == nil {
		if err := p.full(); err != nil {
			return refusal(&f, "%v", err)
		}
	}
	a := &actionServer{name: name, as: f.Action, typ: canonical(f.Type), peer: p}
	a.info, _ = msg.LookupAction(a.typ)
	p.b.mu.Lock()
	old := p.b.actions[name]
	p.b.actions[name] = a
	p.b.mu.Unlock()
	p.actions[name] = a
	if old != nil {
		p.b.abortGoalsOf(old)
	}
	return nil
}

func (p *peer) unadvertiseAction(f Frame) error {
	a := p.actions[resolve(f.Action)]
	if a == nil {
		return refusal(&f, "%s was not advertised", f.Action)
	}
	delete(p.actions, a.name)
	p.b.mu.Lock()
	p.b.removeActionLocked(a)
	p.b.mu.Unlock()
	p.b.abortGoalsOf(a)
	return nil
}

func (b *Broker) removeActionLocked(a *actionServer) {
	if b.actions[a.name] == a {
		delete(b.actions, a.name)
	}
}

func (b *Broker) hasAction(name string) bool { return b.action(name) != nil }

func (b *Broker) action(name string) *actionServer {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.actions[name]
}

// abortGoalsOf ends the goals of a server that is gone.
func (b *Broker) abortGoalsOf(a *actionServer) {
	for _, k := range b.goals.takeAll(func(k *goal) bool { return k.server == a }) {
		k.result(appendString(nil, fmt.Sprintf("Action %s is gone", a.name)), GoalAborted, false)
	}
}

// cancelGoalsFrom cancels the goals of a caller that is gone. Nobody waits for their results.
func (b *Broker) cancelGoalsFrom(p *peer) {
	for _, k := range b.goals.takeAll(func(k *goal) bool { return k.caller == p }) {
		k.server.peer.send(&Frame{Op: OpCancelActionGoal, ID: k.id, Action: k.server.as})
	}
}

// cancelAll cancels every goal of an action.
func (b *Broker) cancelAll(action string) {
	b.cancelGoals(func(k *goal) bool { return k.server.name == action })
}

// cancelGoals tells the servers at once. A server that does not answer is not waited for long: the caller is told that its goal
// is canceled.
func (b *Broker) cancelGoals(match func(*goal) bool) int {
	canceled := b.goals.cancel(match, b.cfg.CancelAfter, func(k *goal) {
		k.result(appendString(nil, fmt.Sprintf("Action %s was canceled; its server did not answer", k.server.name)), GoalCanceled, false)
	})
	for _, k := range canceled {
		k.server.peer.send(&Frame{Op: OpCancelActionGoal, ID: k.id, Action: k.server.as})
	}
	return len(canceled)
}

func (p *peer) sendGoal(f Frame) error {
	name := resolve(f.Action)
	fail := func(why string) {
		r := Frame{Op: OpActionResult, ID: f.ID, Action: f.Action, Body: appendString(nil, why), Status: GoalUnknown}
		p.sendWrapped(&r, f.Compression, fragmentSize(&f))
	}
	if !allowed(p.b.cfg.Access.SendGoals, name) {
		fail(fmt.Sprintf("Action %s may not be used by clients", name))
		return refusal(&f, "clients may not send goals to %s", name)
	}
	a := p.b.action(name)
	if a == nil {
		fail(fmt.Sprintf("Action %s does not exist", name))
		return nil
	}
	args := f.Body
	if len(args) == 0 {
		args = []byte("{}")
	}
	if a.info != nil {
		var err error
		if args, _, err = p.b.types.codecOf(a.info.Goal).convert(args, time.Now()); err != nil {
			fail(err.Error())
			return refusal(&f, "%v", err)
		}
	}
	k := &goal{
		id: p.b.newID("action_goal", name), server: a, caller: p, callerID: f.ID, action: f.Action,
		feedback: f.Feedback, wrap: f.Compression, fragment: fragmentSize(&f),
	}
	if !p.b.goals.add(k, p.b.cfg.MaxCalls) {
		fail(fmt.Sprintf("too many goals of action %s are open", name))
		return refusal(&f, "too many goals of %s are open", name)
	}
	a.peer.send(&Frame{Op: OpSendActionGoal, ID: k.id, Action: a.as, Type: f.Type, Body: args, Feedback: true})
	if p.b.action(name) != a { // the server left meanwhile, and may not have seen the goal
		p.b.abortGoalsOf(a)
	}
	return nil
}

func (p *peer) cancelGoal(f Frame) error {
	name := resolve(f.Action)
	if p.b.cancelGoals(func(k *goal) bool { return k.caller == p && k.callerID == f.ID && k.server.name == name }) == 0 {
		return refusal(&f, "no goal with this id is open")
	}
	return nil
}

func (p *peer) actionFeedback(f Frame) error {
	k := p.b.goals.find(f.ID, p)
	if k == nil {
		return refusal(&f, "no goal with this id is open")
	}
	if k.feedback {
		k.caller.send(&Frame{Op: OpActionFeedback, ID: k.callerID, Action: k.action, Body: f.Body})
	}
	return nil
}

// actionResult passes the end of a goal on. A server that names no status means success or, after a cancellation, canceled.
func (p *peer) actionResult(f Frame) error {
	k, status := p.b.goals.take(f.ID, p), f.Status
	if k == nil {
		return refusal(&f, "no goal with this id is open")
	}
	if status == GoalUnknown {
		switch {
		case k.canceled:
			status = GoalCanceled
		case f.Result:
			status = GoalSucceeded
		default:
			status = GoalAborted
		}
	}
	k.result(f.Body, status, f.Result)
	return nil
}
