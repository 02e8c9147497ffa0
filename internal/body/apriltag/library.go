//go:build linux && !static

package apriltag

import (
	"fmt"
	"image"
	"runtime"
	"slices"
	"unsafe"

	"github.com/ebitengine/purego"

	"sarathi/internal/algo/tag36h11"
	"sarathi/internal/geom"
)

// soname is the library's binary interface that is mirrored here: versions 3.0 to 3.4.
const soname = "libapriltag.so.3"

// head is the beginning of struct apriltag_detector.
type head struct {
	threads          int32
	quadDecimate     float32
	quadSigma        float32
	refineEdges      bool
	decodeSharpening float64
	debug            bool
}

// imageU8 is struct image_u8.
type imageU8 struct {
	width, height, stride int32
	pixels                *byte
}

// zarray is struct zarray, here always of pointers to detections.
type zarray struct {
	_    uint64 // size of an element
	size int32
	_    int32 // room
	data unsafe.Pointer
}

// detection is struct apriltag_detection.
type detection struct {
	_           unsafe.Pointer // family
	id, hamming int32
	margin      float32
	_           unsafe.Pointer // homography
	_           [2]float64     // centre
	corners     [4][2]float64
}

// library is what is called of the library.
type library struct {
	create        func() *head
	destroy       func(*head)
	addFamily     func(d *head, family unsafe.Pointer, bits int32)
	detect        func(*head, *imageU8) *zarray
	destroyFound  func(*zarray)
	createFamily  func() unsafe.Pointer
	destroyFamily func(unsafe.Pointer)
}

// A Detector finds tags. It is for one goroutine at a time.
type Detector struct {
	lib    *library
	handle *head
	family unsafe.Pointer
}

// Open loads the library and makes a detector. The error matches [ErrMissing] when there is none that could be used.
func Open() (*Detector, error) {
	lib, err := load()
	if err != nil {
		return nil, err
	}
	d := &Detector{lib: lib, handle: lib.create(), family: lib.createFamily()}
	if d.handle == nil || d.family == nil {
		return nil, fmt.Errorf("%w: %s gives no detector: install the Debian package: %s", ErrMissing, soname, Install)
	}
	if h := d.handle; h.threads != 1 || h.quadDecimate != 2 || h.quadSigma != 0 || !h.refineEdges || h.decodeSharpening != 0.25 || h.debug {
		lib.destroyFamily(d.family) // what else the library has made is lost: its detector is not understood
		return nil, fmt.Errorf("%w: this %s is laid out in another way than the versions 3.0 to 3.4 that this program knows: install the Debian package: %s",
			ErrMissing, soname, Install)
	}
	lib.addFamily(d.handle, d.family, maxHamming)
	return d, nil
}

// smallest is the least width and height of an image in which a tag could be [px].
const smallest = 16

// maxHamming is how many wrong bits of a tag are corrected. With more, tags are found where there are none.
const maxHamming = 1

func load() (*library, error) {
	so, err := purego.Dlopen(soname, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, fmt.Errorf("%w: %s is not installed: %s", ErrMissing, soname, Install)
	}
	lib := &library{}
	for name, call := range map[string]any{
		"apriltag_detector_create":          &lib.create,
		"apriltag_detector_destroy":         &lib.destroy,
		"apriltag_detector_add_family_bits": &lib.addFamily,
		"apriltag_detector_detect":          &lib.detect,
		"apriltag_detections_destroy":       &lib.destroyFound,
		"tag36h11_create":                   &lib.createFamily,
		"tag36h11_destroy":                  &lib.destroyFamily,
	} {
		symbol, err := purego.Dlsym(so, name)
		if err != nil {
			return nil, fmt.Errorf("%w: %s has no %s: install the Debian package: %s", ErrMissing, soname, name, Install)
		}
		purego.RegisterFunc(call, symbol)
	}
	return lib, nil
}

// Detect returns the tags in an image, by id. An image that is too small for any has none.
func (d *Detector) Detect(img *image.Gray) []tag36h11.Detection {
	width, height := img.Rect.Dx(), img.Rect.Dy()
	if width < smallest || height < smallest {
		return nil
	}
	var pin runtime.Pinner
	defer pin.Unpin()
	pixels := &img.Pix[img.PixOffset(img.Rect.Min.X, img.Rect.Min.Y)]
	pin.Pin(pixels)
	found := d.lib.detect(d.handle, &imageU8{int32(width), int32(height), int32(img.Stride), pixels})
	if found == nil {
		return nil
	}
	defer d.lib.destroyFound(found)
	var out []tag36h11.Detection
	for _, f := range unsafe.Slice((**detection)(found.data), found.size) {
		t := tag36h11.Detection{ID: int(f.id), Hamming: int(f.hamming), Margin: float64(f.margin)}
		for i, c := range f.corners {
			t.Corners[i] = geom.Vec2{X: c[0], Y: c[1]}
		}
		out = append(out, t)
	}
	slices.SortFunc(out, func(a, b tag36h11.Detection) int { return a.ID - b.ID })
	return out
}

// Close gives back the library's memory. The detector must not be used any more.
func (d *Detector) Close() {
	d.lib.destroy(d.handle)
	d.lib.destroyFamily(d.family)
}
