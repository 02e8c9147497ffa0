package scenario

import (
	"sarathi/internal/bus"
	"sarathi/internal/node"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/geometry"
	"sarathi/msg/nav"
)

// OracleName is the name of [Oracle] on the bus.
const OracleName = "oracle"

// Oracle stands for localization in scenarios that judge navigation by itself: it says what the simulator knows, as soon as it knows it.
// Use [NewOracle].
type Oracle struct {
	pose   *bus.Publisher[geometry.PoseWithCovarianceStamped]
	status *bus.Publisher[dharma.LocalizationStatus]
	told   bool
}

var _ node.Node = (*Oracle)(nil)

// NewOracle returns an oracle.
func NewOracle() *Oracle { return &Oracle{} }

// Setup implements node.Node.
func (o *Oracle) Setup(c *node.Context) error {
	o.pose = bus.NewPublisher(c, topics.LocalizationPose)
	o.status = bus.NewPublisher(c, topics.LocalizationStatus)
	bus.Subscribe(c, topics.GroundTruth, o.onTruth)
	return nil
}

func (o *Oracle) onTruth(m nav.Odometry) {
	o.pose.Publish(geometry.PoseWithCovarianceStamped{Header: m.Header, Pose: m.Pose})
	if o.told {
		return
	}
	o.told = true
	o.status.Publish(dharma.LocalizationStatus{
		Header: m.Header, State: dharma.LocalizationStatusStateLocalized, Source: dharma.LocalizationStatusSourcePoseEstimate,
		Message: "the scenario tells where the robot is", LastCorrection: m.Header.Stamp, Corrections: 1, TagsInView: []string{},
	})
}
