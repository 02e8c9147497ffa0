package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"sarathi/teleop"
)

// discoverCommand is `sarathi discover`.
type discoverCommand struct {
	Also    []string      `arg:"" optional:"" name:"address" help:"Addresses to ask also, where broadcasts do not get through: IP or IP:PORT."`
	Dialect string        `enum:"molly,pashupati,all" default:"all" help:"Protocol: molly (UDP 9880), pashupati (UDP 9870) or all."`
	For     time.Duration `default:"1s" help:"How long to listen (${default})."`
}

// foundRobot is one that answered.
type foundRobot struct {
	Name    string   `json:"name"`
	Dialect string   `json:"dialect"` // "" if its port does not tell
	Address string   `json:"address"`
	Secured bool     `json:"secured"` // needs a token
	InUseBy string   `json:"in_use_by"`
	Mode    *string  `json:"mode"`
	Battery *float64 `json:"battery_percent"`
	Site    string   `json:"site"`
}

// Run asks in every network and prints who answered.
func (c *discoverCommand) Run(ctx context.Context, e *env) error {
	dialects := teleop.Dialects()
	if c.Dialect != "all" {
		dialects = []*teleop.Dialect{(&handheldLink{Dialect: c.Dialect}).dialect()}
	}
	also, err := c.addresses(dialects)
	if err != nil {
		return err
	}
	if c.For <= 0 {
		return usage("write a --for above 0")
	}
	robots, err := findRobots(ctx, dialects, also, c.For)
	if err != nil {
		return err
	}
	switch {
	case e.json:
		err = e.printJSON(robots)
	case len(robots) > 0:
		err = e.printTable(robotRows(robots))
	}
	if err == nil && len(robots) == 0 {
		err = errors.New("no robot answered: is one on in this network? Where broadcasts do not get through, name its address: `sarathi discover 10.0.0.7`")
	}
	return err
}

// addresses reads what the user named; an address without a port stands for the port of every dialect.
func (c *discoverCommand) addresses(dialects []*teleop.Dialect) ([]netip.AddrPort, error) {
	var out []netip.AddrPort
	for _, text := range c.Also {
		if ap, err := netip.ParseAddrPort(text); err == nil {
			out = append(out, ap)
			continue
		}
		a, err := netip.ParseAddr(text)
		if err != nil || !a.Is4() {
			return nil, usage("%s is no IPv4 address: write one like 10.0.0.7 or 10.0.0.7:9880", text)
		}
		for _, d := range dialects {
			out = append(out, netip.AddrPortFrom(a, d.Port))
		}
	}
	return out, nil
}

// findRobots returns who answers, by name. A robot on this computer answers once for each of its networks: it is named once.
func findRobots(ctx context.Context, dialects []*teleop.Dialect, also []netip.AddrPort, d time.Duration) ([]foundRobot, error) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	var found []teleop.Found
	if err := teleop.Discover(ctx, dialects, also, func(f teleop.Found) { found = append(found, f) }); err != nil {
		return nil, err
	}
	own, err := net.InterfaceAddrs()
	if err != nil {
		return nil, fmt.Errorf("discover robots: %w", err)
	}
	here := func(a netip.Addr) bool {
		return slices.ContainsFunc(own, func(o net.Addr) bool {
			p, err := netip.ParsePrefix(o.String())
			return err == nil && p.Addr() == a
		})
	}
	robots := []foundRobot{}
	for _, f := range found {
		local := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), f.Addr.Port())
		twice := f.Addr != local && here(f.Addr.Addr()) && slices.ContainsFunc(found, func(g teleop.Found) bool { return g.Addr == local })
		if !twice {
			robots = append(robots, foundOf(f))
		}
	}
	slices.SortFunc(robots, func(a, b foundRobot) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Address, b.Address))
	})
	return robots, nil
}

func foundOf(f teleop.Found) foundRobot {
	r := foundRobot{Name: f.Beacon.Name, Address: f.Addr.String(), Secured: f.Beacon.Secured, InUseBy: f.Beacon.InUseBy, Site: f.Beacon.Site}
	if f.Dialect != nil {
		r.Dialect = f.Dialect.Name
	}
	if f.Beacon.Mode.OK {
		r.Mode = &f.Beacon.Mode.V
	}
	if b := f.Beacon.Battery; b.OK && b.V.Percent == b.V.Percent { // not NaN
		r.Battery = &b.V.Percent
	}
	return r
}

func robotRows(robots []foundRobot) [][]string {
	rows := [][]string{{"NAME", "DIALECT", "ADDRESS", "TOKEN", "DRIVEN BY", "MODE", "BATTERY", "SITE"}}
	for i := range robots {
		r := &robots[i]
		token, mode, battery := "-", "-", "-"
		if r.Secured {
			token = "needed"
		}
		if r.Mode != nil {
			mode = printable(*r.Mode)
		}
		if r.Battery != nil {
			battery = strconv.FormatFloat(*r.Battery, 'f', 0, 64) + " %"
		}
		rows = append(rows, []string{
			orDash(printable(r.Name)), orDash(r.Dialect), r.Address, token, orDash(printable(r.InUseBy)), mode, battery, orDash(printable(r.Site)),
		})
	}
	return rows
}

// printable shows text of another machine: what would move the cursor is quoted.
func printable(s string) string {
	if q := fmt.Sprintf("%q", s); q != `"`+s+`"` {
		return q
	}
	return s
}
