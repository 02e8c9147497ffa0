package node

import (
	"errors"
	"log/slog"
)

// logFailure logs a node's failure, once, where the policy is applied.
func logFailure(log *slog.Logger, err error, p Policy) {
	what := "node failed, it will be restarted"
	if p == Halt {
		what = "node failed, the robot is stopped"
	}
	var pe *PanicError
	if errors.As(err, &pe) {
		log.Error(what, "error", err, "stack", string(pe.Stack))
		return
	}
	log.Error(what, "error", err)
}
