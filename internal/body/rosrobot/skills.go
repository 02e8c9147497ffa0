package rosrobot

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"sarathi/driver"
	"sarathi/msg/stdsrvs"
	"sarathi/rosbridge"
)

// asked is a skill that the robot was asked for.
type asked struct {
	reqID  string
	cancel context.CancelFunc
}

// maxAsked bounds the skills that run.
const maxAsked = 16

// Skill implements driver.Driver. What the robot refuses is reported as accepted and failed: its answer comes later.
func (d *Driver) Skill(now time.Time, req driver.SkillRequest) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if req.Name == driver.SkillEmergencyStop {
		d.eStopLocked(now, "emergency_stop was called")
		d.sink.SkillResult(driver.SkillResult{ReqID: req.ReqID, Status: driver.SkillAccepted})
		d.sink.SkillResult(driver.SkillResult{ReqID: req.ReqID, Status: driver.SkillDone, Progress: 1})
		return nil
	}
	i := slices.IndexFunc(d.cfg.Skills, func(s Skill) bool { return s.Name == req.Name })
	switch state := d.guard.State(); {
	case i < 0:
		return fmt.Errorf("%w: %q", driver.ErrUnknownSkill, req.Name)
	case state.Engaged:
		return fmt.Errorf("%w: %s", driver.ErrEStopped, state.Reason)
	case !d.up || d.closing:
		return fmt.Errorf("%w: %w", driver.ErrNotReady, errNoLink)
	case len(d.skills) >= maxAsked:
		return fmt.Errorf("%w: %d are running", driver.ErrBusy, maxAsked)
	}
	ctx, cancel := context.WithTimeout(context.Background(), d.cfg.SkillTimeout)
	a := &asked{reqID: req.ReqID, cancel: cancel}
	d.skills[a] = true
	d.sink.SkillResult(driver.SkillResult{ReqID: req.ReqID, Status: driver.SkillAccepted})
	client := d.client
	d.going.Go(func() {
		err := trigger(ctx, client, d.cfg.Skills[i].Service)
		cancel()
		d.mu.Lock()
		defer d.mu.Unlock()
		d.finishLocked(a, err)
	})
	return nil
}

// trigger calls a std_srvs/Trigger service.
func trigger(ctx context.Context, c *rosbridge.Client, service string) error {
	resp, err := rosbridge.CallAs[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse](ctx, c, service, stdsrvs.TriggerRequest{})
	switch {
	case err != nil:
		return err
	case !resp.Success && resp.Message == "":
		return errors.New("the robot refuses and gives no reason")
	case !resp.Success:
		return errors.New(resp.Message)
	}
	return nil
}

// finishLocked ends a skill, unless it has ended.
func (d *Driver) finishLocked(a *asked, err error) {
	if !d.skills[a] {
		return
	}
	delete(d.skills, a)
	r := driver.SkillResult{ReqID: a.reqID, Status: driver.SkillDone, Progress: 1}
	if err != nil {
		r = driver.SkillResult{ReqID: a.reqID, Status: driver.SkillFailed, Err: err.Error()}
	}
	d.sink.SkillResult(r)
}

// failSkillsLocked gives up all skills that run,.
func (d *Driver) failSkillsLocked(reason string) {
	for a := range d.skills {
		a.cancel()
		d.finishLocked(a, errors.New(reason))
	}
}

// Cancel implements driver.Canceler. A service cannot be taken back: the robot may go on with it.
func (d *Driver) Cancel(_ time.Time, reason string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.failSkillsLocked(reason)
}

// mirrorEStop tells the robot's own e-stop of the latch, until ctx ends. The newest state counts; one that the robot did not confirm is
// told again.
func (d *Driver) mirrorEStop(ctx context.Context) {
	const again = time.Second
	if d.cfg.EStop.Engage == "" {
		return
	}
	retry := time.NewTicker(again)
	defer retry.Stop()
	for {
		select {
		case <-d.tell:
		case <-retry.C:
		case <-ctx.Done():
			return
		}
		d.mu.Lock()
		want, done, client := d.mine, d.told, d.client
		ready := d.up
		d.mu.Unlock()
		if want == done || !ready {
			continue
		}
		service := d.cfg.EStop.Release
		if want {
			service = d.cfg.EStop.Engage
		}
		limited, cancel := context.WithTimeout(ctx, again)
		err := trigger(limited, client, service)
		cancel()
		d.mu.Lock()
		if err == nil {
			d.told = want
		} else if ctx.Err() == nil {
			d.sink.Fault(driver.Fault{
				Code: codeEStop, Message: fmt.Sprintf("the robot's own e-stop is not told: %v", err), Severity: driver.Critical,
			})
		}
		d.mu.Unlock()
	}
}
