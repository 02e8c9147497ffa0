package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Spec is one line of the wiring: how to make a node and how to treat it.
type Spec struct {
	Name   string // on the bus, such as "control_mux_node"
	Stage  Stage
	Policy Policy
	New    func() (Node, error) // called anew for each restart
}

// setupLimit is the time that one node's Prepare, and its Setup, may take.
const setupLimit = 5 * time.Second

// build makes a node and takes what it needs from outside.
func (s Spec) build(ctx context.Context) (made Node, err error) {
	ctx, cancel := context.WithTimeout(ctx, setupLimit)
	defer cancel()
	if p := guard(func() { made, err = s.New() }); p != nil {
		return nil, p
	}
	if err != nil {
		return nil, err
	}
	if made == nil {
		return nil, errors.New("the wiring made no node")
	}
	if p, ok := made.(Preparer); ok {
		if g := guard(func() { err = p.Prepare(ctx) }); g != nil {
			err = g
		}
	}
	return made, err
}

// setUp runs a node's Setup.
func setUp(n Node, c *Context) (err error) {
	if p := guard(func() { err = n.Setup(c) }); p != nil {
		return p
	}
	return err
}

// lastWord lets a node that is stopped in order say it.
func lastWord(n Node, now time.Time) error {
	s, ok := n.(Stopper)
	if !ok {
		return nil
	}
	return guard(func() { s.Stop(now) })
}

// giveBack undoes a successful Prepare.
func giveBack(n Node) (err error) {
	p, ok := n.(Preparer)
	if !ok {
		return nil
	}
	if g := guard(func() { err = p.Close() }); g != nil {
		err = g
	}
	if err != nil {
		return fmt.Errorf("close: %w", err)
	}
	return nil
}

// byStage returns the specs in starting order.
func byStage(specs []Spec) []Spec {
	return slices.SortedStableFunc(slices.Values(specs), func(a, b Spec) int { return cmp.Compare(a.Stage, b.Stage) })
}
