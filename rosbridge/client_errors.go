package rosbridge

import (
	"errors"
	"fmt"
)

// Errors of a client, to be tested with errors.Is.
var (
	// ErrClientClosed is returned after Close.
	ErrClientClosed = errors.New("the client is closed")
	// ErrNotConnected refuses what needs the server while there is no link.
	ErrNotConnected = errors.New("not connected to the rosbridge server")
	// ErrLinkLost ends calls and goals that were on their way when the link was lost.
	ErrLinkLost = errors.New("the link to the rosbridge server was lost before the answer came; whether it ran is unknown")
	// ErrClientBusy refuses more than the bounds of ClientConfig allow.
	ErrClientBusy = errors.New("too much waits for the rosbridge server")
	// ErrGoalCanceled is the cause of a goal's context when its caller cancels it.
	ErrGoalCanceled = errors.New("the goal was canceled")
)

// RemoteError is an answer in which the server, or whoever serves behind it, says that it failed.
type RemoteError struct {
	Name    string     // of the service or action, as the caller wrote it
	Status  GoalStatus // of a goal
	Message string     // as it came
}

func (e *RemoteError) Error() string {
	if e.Message == "" {
		return e.Name + " failed and gives no reason"
	}
	return fmt.Sprintf("%s: %s", e.Name, e.Message)
}

// remoteMessage returns the text of values that came with a failure: usually a string.
func remoteMessage(values []byte) string {
	if len(values) > 0 && values[0] == '"' {
		return unquote(values)
	}
	if text := string(values); text != "{}" && text != "null" {
		return text
	}
	return ""
}
