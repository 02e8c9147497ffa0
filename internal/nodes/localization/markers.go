package localization

import (
	"maps"
	"slices"

	"sarathi/internal/geom"
	"sarathi/internal/rosconv"
	"sarathi/msg/std"
	"sarathi/msg/visualization"
)

// Shape of a tag for RViz [m].
const (
	plate, thickness = 0.16, 0.01
	lettering        = 0.12
	above            = 0.2 // the tag
)

// showTags publishes the tags of the site, and removes those that were shown before.
func (n *Node) showTags() {
	header := rosconv.Header(n.c.Now(), n.deps.Map)
	out := visualization.MarkerArray{Markers: []visualization.Marker{{Header: header, Action: visualization.MarkerDeleteall}}}
	for i, frame := range slices.Sorted(maps.Keys(n.tags)) {
		at := n.tags[frame]
		shape := *visualization.NewMarker()
		shape.Header, shape.Ns, shape.ID, shape.Type_ = header, "tags", int32(i), visualization.MarkerCube
		shape.Pose = rosconv.Pose(at)
		shape.Scale = rosconv.Vector3(geom.Vec3{X: plate, Y: plate, Z: thickness})
		shape.Color = std.ColorRGBA{R: 0.1, G: 0.5, B: 1, A: 1}
		name := *visualization.NewMarker()
		name.Header, name.Ns, name.ID, name.Type_ = header, "names", int32(i), visualization.MarkerTextViewFacing
		name.Pose.Position = rosconv.Point(at.T.Add(geom.Vec3{Z: above}))
		name.Scale.Z = lettering
		name.Color = std.ColorRGBA{R: 1, G: 1, B: 1, A: 1}
		name.Text = frame
		out.Markers = append(out.Markers, shape, name)
	}
	n.markers.Publish(out)
}
