package app

import (
	"sarathi/driver"
	"sarathi/internal/body/simulated"
	"sarathi/internal/profile"
)

// SimulatedBody returns the driver of the simulated body that a profile describes, in its world, for a HAL agent to serve: the body alone,
// without the robot's nodes.
func SimulatedBody(p *profile.Profile) (driver.Driver, error) {
	plant, err := newPlant(p, nil)
	if err != nil {
		return nil, err
	}
	return simulated.NewDriver(plant), nil
}
