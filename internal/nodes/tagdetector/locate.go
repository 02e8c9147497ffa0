package tagdetector

import (
	"bytes"
	"fmt"
	"image"
	_ "image/jpeg" // the formats of sensor_msgs/CompressedImage
	_ "image/png"
	"math"

	"sarathi/internal/algo/tag36h11"
	"sarathi/internal/algo/tagpose"
	"sarathi/internal/rosconv"
	"sarathi/msg/dharma"
	"sarathi/msg/geometry"
	"sarathi/msg/sensor"
)

// mostPixels bounds an image, which says itself how large it is.
const mostPixels = 1 << 24

// decode returns the brightness of an image.
func decode(data []byte) (*image.Gray, error) {
	size, format, err := image.DecodeConfig(bytes.NewReader(data))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the image is neither JPEG nor PNG: %w", err)
	case size.Width*size.Height > mostPixels:
		return nil, fmt.Errorf("the image has %d × %d pixels, which is too many", size.Width, size.Height)
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("the image is damaged (%s): %w", format, err)
	}
	return tagpose.Gray(img), nil
}

// intrinsics returns the pinhole of a camera for images of a given size. ROS puts the centre of the first pixel at 0, the detector at a half.
func intrinsics(info *sensor.CameraInfo, size image.Point) (tagpose.Camera, error) {
	for i, d := range info.D {
		if d != 0 {
			return tagpose.Camera{}, fmt.Errorf("the camera's image is distorted (d[%d] is %g): publish the rectified image", i, d)
		}
	}
	if info.Width == 0 || info.Height == 0 {
		return tagpose.Camera{}, fmt.Errorf("the camera's info has no image size")
	}
	x, y := float64(size.X)/float64(info.Width), float64(size.Y)/float64(info.Height)
	return tagpose.Camera{FX: info.K[0] * x, FY: info.K[4] * y, CX: (info.K[2] + 0.5) * x, CY: (info.K[5] + 0.5) * y}, nil
}

// describe turns a detection into a message. camera is nil when nothing is known about it.
func (c Config) describe(img *image.Gray, camera *tagpose.Camera, d tag36h11.Detection) dharma.TagDetection {
	frame, size := c.tag(d.ID)
	out := dharma.TagDetection{
		ID: int32(d.ID), Family: tag36h11.Family, Frame: frame, Hamming: int32(d.Hamming), DecisionMargin: float32(d.Margin),
		Ambiguity: float32(math.NaN()),
	}
	for i, p := range d.Corners {
		out.Corners[2*i], out.Corners[2*i+1] = float32(p.X/float64(img.Rect.Dx())), float32(p.Y/float64(img.Rect.Dy()))
	}
	if camera == nil || cutOff(img, d) {
		return out
	}
	poses, err := tagpose.Solve(*camera, d.Corners, size)
	if err != nil { // corners that no square has
		return out
	}
	poses = align(*camera, img, d.ID, size, poses)
	out.HasPose, out.Ambiguity = true, 1
	if poses[1].Error > 0 {
		out.Ambiguity = float32(poses[0].Error / poses[1].Error)
	}
	out.Pose, out.Flipped = message(poses[0]), message(poses[1])
	return out
}

// edge is how near to the edge of the image a corner of a whole tag may be [px]. The detector guesses where the corner of a tag is that the
// image cuts off.
const edge = 2

// cutOff reports whether a tag may reach beyond the image.
func cutOff(img *image.Gray, d tag36h11.Detection) bool {
	w, h := float64(img.Rect.Dx()), float64(img.Rect.Dy())
	for _, c := range d.Corners {
		if !(c.X >= edge && c.Y >= edge && c.X <= w-edge && c.Y <= h-edge) {
			return true
		}
	}
	return false
}

// align improves both poses by the picture of the tag, the better one first. One that the picture does not bear out keeps its corners' pose.
func align(camera tagpose.Camera, img *image.Gray, id int, size float64, poses [2]tagpose.Solution) [2]tagpose.Solution {
	code, ok := tag36h11.Code(id)
	if !ok {
		return poses
	}
	first, firstOK := tagpose.Align(camera, img, code, size, poses[0].Pose)
	second, secondOK := tagpose.Align(camera, img, code, size, poses[1].Pose)
	switch {
	case firstOK && secondOK && second.Error < first.Error:
		return [2]tagpose.Solution{second, first}
	case firstOK && secondOK:
		return [2]tagpose.Solution{first, second}
	case firstOK: // the picture contradicts the other one
		poses[1].Error = max(poses[1].Error, 1)
		return [2]tagpose.Solution{first, poses[1]}
	case secondOK:
		poses[0].Error = max(poses[0].Error, 1)
		return [2]tagpose.Solution{second, poses[0]}
	}
	for i := range poses { // corners are wrong by so many pixels
		for j := range poses[i].Covariance {
			for k := range poses[i].Covariance[j] {
				poses[i].Covariance[j][k] *= cornerSigma * cornerSigma
			}
		}
	}
	return poses
}

// cornerSigma is how wrong the corners of a detection are (one standard deviation) [px].
const cornerSigma = 0.3

func message(s tagpose.Solution) geometry.PoseWithCovariance {
	out := geometry.PoseWithCovariance{Pose: rosconv.Pose(s.Pose)}
	for i, row := range s.Covariance {
		copy(out.Covariance[6*i:], row[:])
	}
	return out
}
