package rosrobot

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sarathi/driver"
	"sarathi/internal/geom"
	"sarathi/internal/rosconv"
	"sarathi/msg/geometry"
	"sarathi/msg/std"
	"sarathi/rosbridge"
)

// Connect implements driver.Connector. It waits for the first odometry, at most for Config.Contact.
func (d *Driver) Connect(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, d.cfg.Contact)
	defer cancel()
	cc := rosbridge.ClientConfig{
		URL: d.cfg.URL, Token: d.cfg.token(), Dialect: d.cfg.dialect(), Log: d.deps.Log,
		PingPeriod: 500 * time.Millisecond, PingTimeout: time.Second, SendTimeout: time.Second, MaxBackoff: 2 * time.Second,
		OnLink: d.onLink,
	}
	if d.deps.Client != nil {
		d.deps.Client(&cc)
	}
	first := make(chan struct{})
	d.mu.Lock()
	d.up, d.links, d.neutral, d.told, d.closing = false, 0, false, false, false
	d.first, d.streams, d.stamps = first, newStreams(d.cfg), stamps{}
	d.mu.Unlock()
	client, err := rosbridge.NewClient(cc)
	if err != nil {
		return err
	}
	if err := d.use(client); err != nil {
		d.drop(client)
		return err
	}
	if err := client.WaitConnected(ctx); err != nil {
		d.drop(client)
		return fmt.Errorf("robot at %s: %w", d.cfg.URL, err)
	}
	select {
	case <-first:
		return nil
	case <-ctx.Done():
		d.drop(client)
		return fmt.Errorf("robot at %s: it is there, but nothing comes on %s: correct odometry.topic, ros (%d) or odometry.compression",
			d.cfg.URL, d.cfg.Odometry.Topic, d.cfg.ROS)
	}
}

// use sets up what is published and subscribed.
func (d *Driver) use(client *rosbridge.Client) error {
	publish, err := d.velocities(client)
	if err != nil {
		return err
	}
	if topic := d.cfg.EStop.Held; topic != "" {
		_, err = rosbridge.SubscribeAs(client, topic, rosbridge.SubscribeOptions{}, func(m *std.Bool) {
			now := d.now()
			d.mu.Lock()
			defer d.mu.Unlock()
			d.heldLocked(now, m.Data)
		})
		if err != nil {
			return err
		}
	}
	now := d.now()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.client, d.publish = client, publish
	d.followLocked(now)
	return nil
}

// velocities advertises the topic of velocities.
func (d *Driver) velocities(client *rosbridge.Client) (func(time.Time, driver.Velocity) error, error) {
	newest := rosbridge.AdvertiseOptions{QueueSize: 1}
	if d.cfg.CmdType == typeTwistStamped {
		p, err := rosbridge.AdvertiseAs[geometry.TwistStamped](client, d.cfg.CmdVel, newest)
		return func(now time.Time, v driver.Velocity) error {
			return p.Publish(&geometry.TwistStamped{Header: rosconv.Header(now, d.body.Base), Twist: rosconv.Twist(geom.Velocity(v))})
		}, err
	}
	p, err := rosbridge.AdvertiseAs[geometry.Twist](client, d.cfg.CmdVel, newest)
	return func(_ time.Time, v driver.Velocity) error {
		m := rosconv.Twist(geom.Velocity(v))
		return p.Publish(&m)
	}, err
}

// onLink follows the link. The client restores subscriptions and advertisements by itself.
func (d *Driver) onLink(up bool, cause error) {
	now := d.now()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.up = up
	d.guard.Stop()
	if !up {
		if d.closing {
			return
		}
		d.neutral = false
		d.failSkillsLocked("the link to the robot was lost")
		d.sink.Fault(driver.Fault{Code: codeLost, Message: fmt.Sprintf("the link to the robot is lost: %v", cause), Severity: driver.Critical})
		return
	}
	d.links++
	d.neutral = d.links == 1
	d.told = false // the robot may be another, or have been started anew
	for _, s := range d.streams {
		s.heard = now
	}
	if d.links > 1 {
		d.repeatLocked(now) // zero, if it was moving
		d.sink.Fault(driver.Fault{Code: codeBack, Message: "the link to the robot is back: stop first, then move", Severity: driver.Info})
	}
	d.tellRobot()
}

const (
	tick  = 20 * time.Millisecond  // of looking whether a velocity is due
	watch = 100 * time.Millisecond // of looking at the streams
)

// Run implements driver.Runner. The client makes its link again whenever it is lost, so Run lasts as long as ctx.
func (d *Driver) Run(ctx context.Context) error {
	d.mu.Lock()
	connected := d.client != nil
	d.closing = false
	d.mu.Unlock()
	if !connected {
		return errors.New("run before Connect")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer d.rest()
	defer cancel()
	d.going.Go(func() { d.mirrorEStop(ctx) })
	ticks := time.NewTicker(tick)
	defer ticks.Stop()
	watched := d.now()
	for {
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return nil
		}
		now := d.now()
		d.mu.Lock()
		d.repeatLocked(now)
		if now.Sub(watched) >= watch || now.Before(watched) {
			watched = now
			d.followLocked(now)
			d.watchLocked(now)
		}
		d.mu.Unlock()
	}
}

// repeatLocked sends the velocity when it is due: at once when the watchdog has made it zero.
func (d *Driver) repeatLocked(now time.Time) {
	v := d.velocityLocked(now)
	repeats := d.guard.Fresh(now) || d.guard.State().Engaged || now.Before(d.speak)
	if v != d.sent || repeats && now.Sub(d.sentAt) >= d.cfg.CmdPeriod {
		d.sendLocked(now)
	}
}

// rest ends what Run and the skills have started: the last velocity is zero.
func (d *Driver) rest() {
	now := d.now()
	d.mu.Lock()
	d.closing = true
	d.guard.Stop()
	d.sendLocked(now)
	d.failSkillsLocked("the driver has ended")
	d.mu.Unlock()
	d.going.Wait()
}

// Close implements driver.Connector.
func (d *Driver) Close() error {
	d.mu.Lock()
	client := d.client
	d.mu.Unlock()
	if client == nil {
		return errors.New("close before Connect")
	}
	d.rest()
	d.drop(client)
	return nil
}

// drop gives the contact up.
func (d *Driver) drop(client *rosbridge.Client) {
	d.mu.Lock()
	d.closing = true
	d.mu.Unlock()
	client.Close()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.client, d.publish, d.up = nil, nil, false
}
