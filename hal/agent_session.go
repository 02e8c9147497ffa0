package hal

import (
	"bytes"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"sarathi/driver"
)

// Status codes of a close, RFC 6455 section 7.4.1.
const (
	statusNormal        = websocket.StatusNormalClosure
	statusGoingAway     = websocket.StatusGoingAway
	statusProtocolError = websocket.StatusProtocolError
	statusPolicy        = websocket.StatusPolicyViolation
)

// session is one controller that has the robot.
type session struct {
	agent  *Agent
	link   *link
	remote string
	number uint64
	cancel context.CancelCauseFunc

	// Guarded by the agent's lock.
	name     string // of the controller
	welcomed bool
	seq      int64 // of the last cmd
	counted  bool  // there was one
	told     time.Time

	refusals map[string]time.Time // when a fault was sent last, by code; owned by the reader
}

// ServeHTTP takes the WebSocket of a controller and serves it until it is gone.
func (a *Agent) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !a.authorized(r) {
		a.mu.Lock()
		a.stats.Rejected++
		a.mu.Unlock()
		http.Error(w, "the token is missing or wrong", http.StatusUnauthorized)
		return
	}
	a.mu.Lock()
	started := a.started
	a.mu.Unlock()
	if !started {
		http.Error(w, "the body is not ready", http.StatusServiceUnavailable)
		return
	}
	if !a.trusts(r) {
		http.Error(w, "pages of other hosts may not connect; call this host by its address, or use a token", http.StatusForbidden)
		return
	}
	h := &hijack{ResponseWriter: w}
	conn, err := websocket.Accept(h, r, nil)
	if err != nil {
		return // Accept has answered
	}
	s := &session{agent: a, link: newLink(conn, h.raw), remote: r.RemoteAddr, refusals: map[string]time.Time{}}
	ctx, err := a.enter(s)
	if err != nil {
		s.link.end(err)
		return
	}
	defer a.sessions.Done()
	s.serve(ctx)
}

// authorized compares the token in constant time.
func (a *Agent) authorized(r *http.Request) bool {
	if a.cfg.Token == "" {
		return true
	}
	given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		given = r.URL.Query().Get("token")
	}
	return subtle.ConstantTimeCompare([]byte(given), []byte(a.cfg.Token)) == 1
}

// trusts reports whether a page may connect that says it is of this host, which is checked later. A name says nothing about whose page it
// is: who owns the name can let it point here while the page is open (DNS rebinding). Programs that are no browsers send no origin.
func (a *Agent) trusts(r *http.Request) bool {
	if r.Header.Get("Origin") == "" || a.cfg.Token != "" {
		return true
	}
	u := url.URL{Host: r.Host}
	return u.Hostname() == "localhost" || net.ParseIP(u.Hostname()) != nil
}

// enter gives the robot to a session, or says why it does not.
func (a *Agent) enter(s *session) (context.Context, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case !a.started:
		return nil, &closing{statusGoingAway, "the agent is shut down"}
	case a.session != nil:
		a.stats.Rejected++
		return nil, &closing{statusPolicy, "another controller has the robot: " + a.session.who()}
	}
	ctx, cancel := context.WithCancelCause(a.running)
	a.number++
	a.stats.Controllers++
	s.number, s.cancel = a.number, cancel
	a.session = s
	a.sessions.Add(1)
	return ctx, nil
}

// who names the controller to people. The agent's lock is held.
func (s *session) who() string {
	if s.name == "" {
		return s.remote
	}
	return s.name + " at " + s.remote
}

// serve talks to the controller until it is gone, and then stops the body before the next one is let in.
func (s *session) serve(ctx context.Context) {
	a := s.agent
	a.log.InfoContext(ctx, "controller connected", "remote", s.remote)
	s.link.out.put(a.hello)
	var both sync.WaitGroup
	both.Go(func() { s.cancel(s.link.write(ctx)) })
	both.Go(func() { s.cancel(s.alive(ctx)) })
	both.Go(func() {
		<-ctx.Done()
		s.link.end(context.Cause(ctx))
	})
	s.cancel(s.read(ctx))
	a.leave(s)
	both.Wait()
	a.log.InfoContext(ctx, "controller gone", "remote", s.remote, "controller", s.name, "cause", context.Cause(ctx).Error())
}

// leave stops the body for a controller that is gone and lets the next one in. The e-stop stays as it is.
func (a *Agent) leave(s *session) {
	a.halt(a.now(), "the controller is gone")
	a.mu.Lock()
	defer a.mu.Unlock()
	a.session = nil
	a.stats.Replaced += s.link.out.lost()
	for id, r := range a.skills { // those that the body could not give up
		if r.session == s {
			delete(a.skills, id)
		}
	}
}

// alive gives up a controller that does not say welcome, and later one that does not answer.
func (s *session) alive(ctx context.Context) error {
	cfg := s.agent.cfg
	handshake := time.NewTimer(cfg.Handshake)
	defer handshake.Stop()
	for {
		pause := time.NewTimer(cfg.LinkTimeout / 4)
		select {
		case <-ctx.Done():
			pause.Stop()
			return context.Cause(ctx)
		case <-handshake.C:
			pause.Stop()
			if !s.isWelcome() {
				return &closing{statusPolicy, fmt.Sprintf("no welcome within %v", cfg.Handshake)}
			}
		case <-pause.C:
			limited, cancel := context.WithTimeout(context.Background(), cfg.LinkTimeout)
			err := s.link.conn.Ping(limited)
			cancel()
			if err != nil {
				return fmt.Errorf("no answer for %v: %w", cfg.LinkTimeout, err)
			}
		}
	}
}

func (s *session) isWelcome() bool {
	s.agent.mu.Lock()
	defer s.agent.mu.Unlock()
	return s.welcomed
}

// read handles frames until the link is lost or the controller leaves.
func (s *session) read(ctx context.Context) error {
	for {
		data, err := s.link.read()
		if err != nil {
			return err
		}
		if err := s.handle(ctx, data); err != nil {
			return err
		}
	}
}

// handle carries out one frame. An error ends the session.
func (s *session) handle(ctx context.Context, data []byte) error {
	a := s.agent
	f, err := Decode(data)
	a.mu.Lock()
	a.stats.Frames++
	welcomed := s.welcomed
	a.mu.Unlock()
	if err != nil {
		return s.malformed(err, data, welcomed)
	}
	switch f := f.(type) {
	case Welcome:
		return s.welcome(ctx, f)
	case EStop:
		a.engage(f.Reason)
		return nil
	case Ping:
		s.link.out.put(Pong(f))
		return nil
	case Cmd, Pose, Skill, Release:
		if !welcomed {
			s.refuse("not_welcomed", "send welcome with accept true first", driver.Warning)
			return nil
		}
	default:
		return s.malformed(&FrameError{Op: f.Op(), Version: Version, What: "it is the robot's to send"}, nil, welcomed)
	}
	switch f := f.(type) {
	case Cmd:
		s.cmd(f)
	case Pose:
		s.pose(f)
	case Skill:
		s.skill(f)
	case Release:
		s.release()
	}
	return nil
}

// malformed drops a frame. It stops what it might have stopped: an estop latches, also one of which only the word can be read, and a frame
// that may have been a cmd is a velocity of zero that keeps nothing alive. A controller of another version is sent away before it is let in.
func (s *session) malformed(err error, data []byte, welcomed bool) error {
	a := s.agent
	a.mu.Lock()
	a.stats.Malformed++
	a.mu.Unlock()
	op := ""
	if fe, ok := errors.AsType[*FrameError](err); ok {
		op = fe.Op
	}
	switch {
	case strings.EqualFold(op, OpEStop), op == "" && bytes.Contains(bytes.ToLower(data), []byte(OpEStop)):
		a.engage("an estop frame that could not be read: " + err.Error())
	case op == OpCmd, op == "":
		a.mu.Lock()
		a.guard.Stop()
		a.mu.Unlock()
		_ = a.body.command(a.now(), driver.Velocity{}) // a latched body stands already
	}
	if !errors.Is(err, ErrVersion) {
		return nil
	}
	f := Fault{ID: a.id, Fault: driver.Fault{Code: "protocol_version", Message: err.Error(), Severity: driver.Error}}
	if welcomed {
		s.link.out.offer(f)
		return nil
	}
	_ = s.link.conn.Write(context.Background(), websocket.MessageText, Append(nil, f)) // ahead of the close, which says the same
	return &closing{statusProtocolError, err.Error()}
}

// welcome takes the controller's word on whether it wants the robot.
func (s *session) welcome(ctx context.Context, f Welcome) error {
	a := s.agent
	if !f.Accept {
		a.log.WarnContext(ctx, "controller does not accept the robot", "controller", f.Controller, "reason", f.Reason)
		return &closing{statusNormal, "not accepted: " + f.Reason}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	s.name, s.welcomed = f.Controller, true
	a.tellLocked(a.now())
	return nil
}

// engage latches twice: here and in the driver.
func (a *Agent) engage(reason string) {
	now := a.now()
	a.mu.Lock()
	a.guard.EStop(reason)
	a.latched, a.control = true, false
	a.mu.Unlock()
	a.body.eStop(now, reason)
	a.tell(now)
}

// release opens both latches, unless the body holds its own.
func (s *session) release() {
	a := s.agent
	now := a.now()
	if err := a.body.release(now); err != nil {
		s.fault(codeHeld, err.Error(), driver.Warning)
		return
	}
	a.mu.Lock()
	a.latched = false
	if !a.latch.Engaged { // else the driver's report opens it
		_, _ = a.guard.Release() // it is never held: what holds is the driver's to know
	}
	a.tellLocked(now)
	a.mu.Unlock()
}

// cmd passes on a velocity.
func (s *session) cmd(f Cmd) {
	a := s.agent
	now := a.now()
	v := driver.Velocity{VX: f.V * a.scale.len, WZ: f.W * a.scale.ang}
	a.mu.Lock()
	if s.counted && f.Seq <= s.seq {
		a.stats.Stale++
		a.mu.Unlock()
		return
	}
	s.seq, s.counted = f.Seq, true
	err := a.guard.Command(now, v)
	if err == nil {
		a.control = true
	}
	a.mu.Unlock()
	switch {
	case errors.Is(err, driver.ErrNotFinite): // too large for SI
		_ = a.body.command(now, driver.Velocity{}) // a latched body stands already
	case err == nil:
		err = a.body.command(now, a.caps.Limits.Clamp(v))
	}
	if err == nil {
		return
	}
	a.mu.Lock()
	a.stats.Refused++
	a.mu.Unlock()
	if errors.Is(err, driver.ErrEStopped) {
		s.fault(codeEStop, err.Error(), driver.Warning) // for every one, as HAL says
		return
	}
	s.refuse("cmd_refused", err.Error(), driver.Warning)
}

func (s *session) pose(f Pose) {
	a := s.agent
	k := a.scale
	if err := a.body.setPose(a.now(), f.X*k.len, f.Y*k.len, f.Theta*k.ang); err != nil {
		s.refuse("pose_refused", err.Error(), driver.Warning)
	}
}

// maxRunning bounds the skills of a controller that have not ended.
const maxRunning = 64

// skill begins a skill or answers why not.
func (s *session) skill(f Skill) {
	a := s.agent
	now := a.now()
	r := &running{session: s, id: f.ID, reqID: f.ReqID, joints: f.Skill == driver.SkillSetJoints}
	internal := fmt.Sprintf("hal %d %s", s.number, f.ReqID)
	if err := a.admit(internal, r, f); err != nil {
		s.link.out.put(SkillResult{ID: f.ID, ReqID: f.ReqID, Status: driver.SkillFailed, Err: err.Error()})
		return
	}
	args := driver.SkillArgs{Joints: angles(f.Args.Joints, a.scale.ang), Gripper: f.Args.Gripper, Values: f.Args.Values}
	err := a.body.skill(now, driver.SkillRequest{Name: f.Skill, Args: args, ReqID: internal})
	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil {
		delete(a.skills, internal)
		s.link.out.put(SkillResult{ID: f.ID, ReqID: f.ReqID, Status: driver.SkillFailed, Err: err.Error()})
		return
	}
	if r.joints && a.guard.Refresh(now) == nil {
		a.control = true
	}
}

// admit books a skill, or says why it is refused without asking the body.
func (a *Agent) admit(internal string, r *running, f Skill) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	latch := a.latchLocked()
	switch {
	case f.Args.Err != nil:
		return f.Args.Err
	case latch.Engaged && f.Skill != driver.SkillEmergencyStop:
		return fmt.Errorf("%w: %s", driver.ErrEStopped, latch.Reason)
	case a.skills[internal] != nil:
		return fmt.Errorf("%w: reqId %s is that of a skill that runs", driver.ErrBusy, f.ReqID)
	case len(a.skills) >= maxRunning:
		return fmt.Errorf("%w: %d of them", driver.ErrBusy, len(a.skills))
	}
	a.skills[internal] = r
	return nil
}

// fault tells the controller of something that its frame met.
func (s *session) fault(code, message string, severity driver.Severity) {
	s.link.out.offer(Fault{ID: s.agent.id, Fault: driver.Fault{Code: code, Message: message, Severity: severity}})
}

// refuse is fault for what may come with every frame: once a second.
func (s *session) refuse(code, message string, severity driver.Severity) {
	now := s.agent.now()
	if last, ok := s.refusals[code]; ok && now.Sub(last) >= 0 && now.Sub(last) < time.Second {
		return
	}
	s.refusals[code] = now
	s.fault(code, message, severity)
}
