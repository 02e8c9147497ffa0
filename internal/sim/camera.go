package sim

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math"

	"sarathi/internal/geom"
)

// CameraSpec describes a level pinhole camera.
type CameraSpec struct {
	Width, Height int     // [pixels]
	FOV           float64 // horizontal field of view [rad]
	Mount         Mount   // of the lens; not upside down
	MinTag        float64 // smallest edge of a tag that VisibleTags reports [pixels]
}

func (s CameraSpec) validate() error {
	switch {
	case s.Width < 16 || s.Width > 4096 || s.Height < 16 || s.Height > 4096:
		return errors.New("width and height are not between 16 and 4096")
	case !(s.FOV > 0.1 && s.FOV < 2.8):
		return errors.New("fov is not between 0.1 and 2.8 rad")
	case !s.Mount.isFinite() || s.Mount.UpsideDown:
		return errors.New("mount is not finite, or upside down")
	}
	return nonNegative([]string{"min_tag"}, s.MinTag)
}

// Intrinsics of an ideal pinhole camera. Pixel (0, 0) has its centre at (0.5, 0.5).
type Intrinsics struct {
	Width, Height  int
	FX, FY, CX, CY float64 // [pixels]
}

// Intrinsics of the camera: square pixels, the principal point in the middle, no distortion.
func (s CameraSpec) Intrinsics() Intrinsics {
	f := float64(s.Width) / 2 / math.Tan(s.FOV/2)
	return Intrinsics{s.Width, s.Height, f, f, float64(s.Width) / 2, float64(s.Height) / 2}
}

// Project maps a point of the optical frame (x right, y down, z ahead) [m] to the image; false when it is not ahead.
func (k Intrinsics) Project(p geom.Vec3) (geom.Vec2, bool) {
	if p.Z < 0.01 {
		return geom.Vec2{}, false
	}
	return geom.Vec2{X: k.CX + k.FX*p.X/p.Z, Y: k.CY + k.FY*p.Y/p.Z}, true
}

// Contains reports whether a point lies in the image.
func (k Intrinsics) Contains(p geom.Vec2) bool {
	return p.X >= 0 && p.Y >= 0 && p.X < float64(k.Width) && p.Y < float64(k.Height)
}

type camera struct {
	spec  CameraSpec
	noise *noise
	panes []pane       // room for what one column shows
	sharp []color.RGBA // room for a line of pixels before they are blurred
}

func newCamera(s CameraSpec, n *noise) *camera { return &camera{spec: s, noise: n} }

// opticalPose is the camera's optical frame (x right, y down, z ahead) in the map frame.
func (r *Robot) opticalPose() geom.Transform {
	m := r.spec.Camera.Mount.Transform()
	m.T.Z += r.spec.BaseHeight
	return r.pose.Transform().Mul(m).Mul(geom.Transform{R: geom.FromRPY(-math.Pi/2, 0, -math.Pi/2)})
}

// Image is what the camera sees at the present tick; it is new. It is rendered when asked for, never otherwise. False when the
// robot has no camera, or it is silent.
func (r *Robot) Image() (*image.RGBA, bool) {
	if r.camera == nil || r.faults[SensorCamera] == FaultSilent {
		return nil, false
	}
	img := image.NewRGBA(image.Rect(0, 0, r.camera.spec.Width, r.camera.spec.Height))
	if r.faults[SensorCamera] == FaultNaN {
		for i := 3; i < len(img.Pix); i += 4 {
			img.Pix[i] = 255
		}
		return img, true
	}
	r.render(img)
	r.camera.blur(img)
	r.camera.grain(img, r.world.tick)
	return img, true
}

// jpegQuality suits a stream over a network; edges of tags survive it.
const jpegQuality = 80

// EncodeJPEG compresses an image; the same image gives the same bytes.
func EncodeJPEG(img image.Image) ([]byte, error) {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: jpegQuality}); err != nil {
		return nil, fmt.Errorf("encode camera image: %w", err)
	}
	return b.Bytes(), nil
}
