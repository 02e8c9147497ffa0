package driver

import (
	"context"
	"time"
)

// What some bodies can do besides. A host looks for these interfaces by assertion.

// Canceler is implemented by drivers whose skills can be given up.
type Canceler interface {
	// Cancel gives up every skill that runs; each gets its Failed. A host calls it when it loses whoever asked for
	// them, as a HAL agent does whose link drops. It does not latch anything.
	Cancel(now time.Time, reason string)
}

// PoseSetter is implemented by drivers whose odometry can be given a new origin (HAL: pose).
type PoseSetter interface {
	// SetPose makes odometry go on from x, y [m] and theta [rad] in the odometry frame. The body does not move.
	SetPose(now time.Time, x, y, theta float64) error
}

// Connector is implemented by drivers that know their capabilities only after they have made contact with the body,
// such as a HAL controller. A host calls Connect before Capabilities.
type Connector interface {
	// Connect makes contact, or says why it cannot, at the latest when ctx ends.
	Connect(ctx context.Context) error
	// Close gives up the contact. It is called once for each successful Connect, after Run has returned.
	Close() error
}
