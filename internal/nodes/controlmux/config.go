package controlmux

import "sarathi/internal/algo/arbitration"

// Config is what an operator can choose about the control mux.
type Config = arbitration.Config

// DefaultConfig suits a robot of the size of a dog at up to 1 m/s.
func DefaultConfig() Config { return arbitration.DefaultConfig() }
