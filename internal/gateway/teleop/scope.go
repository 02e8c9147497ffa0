package teleop

import "sarathi/internal/node"

// A scope is a part of the node's life on the bus: what is subscribed through it ends with it.
type scope struct {
	*node.Context

	undo  []func()
	ended bool
}

// Own implements bus.Client.
func (s *scope) Own(undo func()) (forget func()) {
	strike := s.Context.Own(undo)
	s.undo = append(s.undo, func() {
		strike()
		undo()
	})
	return strike
}

// end ends the scope. What is on its way to a handler may still come.
func (s *scope) end() {
	s.ended = true
	for _, undo := range s.undo {
		undo()
	}
	s.undo = nil
}
