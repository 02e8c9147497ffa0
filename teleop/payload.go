package teleop

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"

	"sarathi/internal/wire"
)

// LidarPointSize is the size of one point of the lidar stream [bytes].
const LidarPointSize = 6

// AppendLidarPoint appends a point in base_link [m] as three int16 in centimetres, little-endian. A point that is not finite or
// farther than int16 holds (327.67 m) is left out: moved to the edge it would be an obstacle that is not there.
func AppendLidarPoint(dst []byte, x, y, z float64) []byte {
	const most = math.MaxInt16
	cx, cy, cz := math.Round(x*100), math.Round(y*100), math.Round(z*100)
	if !(math.Abs(cx) <= most && math.Abs(cy) <= most && math.Abs(cz) <= most) {
		return dst
	}
	dst = binary.LittleEndian.AppendUint16(dst, uint16(int16(cx)))
	dst = binary.LittleEndian.AppendUint16(dst, uint16(int16(cy)))
	return binary.LittleEndian.AppendUint16(dst, uint16(int16(cz)))
}

// A LidarPoint is a point in base_link [cm].
type LidarPoint struct{ X, Y, Z int16 }

// ParseLidar appends the points of a lidar frame.
func ParseLidar(dst []LidarPoint, payload []byte) ([]LidarPoint, error) {
	if len(payload)%LidarPointSize != 0 {
		return dst, fmt.Errorf("%w: a lidar frame of %d bytes does not hold whole points", ErrMalformed, len(payload))
	}
	at := func(i int) int16 { return int16(binary.LittleEndian.Uint16(payload[i:])) }
	for i := 0; i < len(payload); i += LidarPointSize {
		dst = append(dst, LidarPoint{at(i), at(i + 2), at(i + 4)})
	}
	return dst, nil
}

// A RoutePoint is a point of the loaded route in the map frame [m] and how long the robot stops there [s].
type RoutePoint struct{ X, Y, Dwell float64 }

// AppendRoute appends the route stream's JSON.
func AppendRoute(dst []byte, points []RoutePoint) []byte {
	dst = append(dst, `{"t":"route","points":[`...)
	for i, p := range points {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendNumbers(dst, p.X, p.Y, p.Dwell)
	}
	return append(dst, "]}"...)
}

// ParseRoute reads what [AppendRoute] wrote. The error wraps [ErrMalformed].
func ParseRoute(payload []byte) ([]RoutePoint, error) {
	root, err := parseTyped(payload, "route")
	if err != nil {
		return nil, err
	}
	points := []RoutePoint{}
	for item := range root.get("points").items() {
		n, ok := numbers(item, 3)
		if !ok {
			return nil, fmt.Errorf("%w: a route point is [x, y, dwell]", ErrMalformed)
		}
		points = append(points, RoutePoint{n[0], n[1], n[2]})
	}
	return points, nil
}

// A Map is the occupancy map as the map stream carries it.
type Map struct {
	Rev        uint32  // changes whenever anything else does; set by AppendMap's callers from Revision
	Resolution float64 // [m/pixel]
	OX, OY     float64 // map position of the bottom-left pixel corner [m]
	W, H       int     // [pixels]
	Site       string
	// PNG is a grayscale image: 0 occupied, 254 free, 205 unknown, the first row at the largest y.
	PNG []byte
}

func (m *Map) appendHead(dst []byte) []byte {
	dst = appendMember(append(dst, `{"t":"map"`...), "rev", wire.JSONUint, m.Rev)
	dst = appendMember(dst, "res", wire.JSONFloat64, m.Resolution)
	dst = appendMember(dst, "ox", wire.JSONFloat64, m.OX)
	dst = appendMember(dst, "oy", wire.JSONFloat64, m.OY)
	dst = appendMember(dst, "w", wire.JSONInt, int64(m.W))
	dst = appendMember(dst, "h", wire.JSONInt, int64(m.H))
	return append(appendMember(dst, "site", wire.JSONString, m.Site), '}')
}

// Revision is a checksum of everything but Rev: it changes when the map does, also over a restart of the robot.
func (m *Map) Revision() uint32 {
	content := *m
	content.Rev = 0
	return crc32.Update(crc32.ChecksumIEEE(content.appendHead(nil)), crc32.IEEETable, m.PNG)
}

// AppendMap appends the map stream's payload: u32 little-endian n, n bytes of JSON, the PNG.
func AppendMap(dst []byte, m *Map) []byte {
	start := len(dst)
	dst = m.appendHead(append(dst, 0, 0, 0, 0))
	binary.LittleEndian.PutUint32(dst[start:], uint32(len(dst)-start-4))
	return append(dst, m.PNG...)
}

// ParseMap reads what [AppendMap] wrote; PNG is part of payload. The error wraps [ErrMalformed].
func ParseMap(payload []byte) (*Map, error) {
	if len(payload) < 4 {
		return nil, fmt.Errorf("%w: a map frame of %d bytes", ErrMalformed, len(payload))
	}
	n := int64(binary.LittleEndian.Uint32(payload))
	if n > int64(len(payload)-4) {
		return nil, fmt.Errorf("%w: the map's JSON of %d bytes is longer than its frame", ErrMalformed, n)
	}
	root, err := parseTyped(payload[4:4+n], "map")
	if err != nil {
		return nil, err
	}
	m := &Map{Site: root.get("site").text(), PNG: payload[4+n:]}
	size := [2]float64{}
	for i, f := range []struct {
		name string
		dst  *float64
	}{{"res", &m.Resolution}, {"ox", &m.OX}, {"oy", &m.OY}, {"w", &size[0]}, {"h", &size[1]}} {
		var ok bool
		if *f.dst, ok = root.get(f.name).finite(); !ok || i != 1 && i != 2 && *f.dst < 0 {
			return nil, fmt.Errorf("%w: the map's %s is missing or no number", ErrMalformed, f.name)
		}
	}
	const widest = 1 << 16
	if size[0] > widest || size[1] > widest {
		return nil, fmt.Errorf("%w: a map of %g by %g pixels", ErrMalformed, size[0], size[1])
	}
	m.W, m.H = int(size[0]), int(size[1])
	rev, ok := root.get("rev").integer()
	if !ok {
		return nil, fmt.Errorf("%w: the map's rev is missing or no number", ErrMalformed)
	}
	m.Rev = uint32(rev)
	return m, nil
}

// A POI is a named pose of a site, in the map frame.
type POI struct {
	ID, Name, Description        string
	X, Y, Yaw                    float64 // [m], [m], [rad]
	Narration, Language, Gesture string
	Dwell                        float64 // [s]
}

// A Tour is a list of POIs.
type Tour struct {
	ID, Name, Description string
	POIIDs                []string
	ReturnPOIID           string
}

// A Site is the content of the site stream.
type Site struct {
	Rev   uint32 // changes whenever anything else does
	Name  string
	POIs  []POI
	Tours []Tour
}

// Revision is a checksum of everything but Rev.
func (s *Site) Revision() uint32 {
	content := *s
	content.Rev = 0
	return crc32.ChecksumIEEE(AppendSite(nil, &content))
}

// AppendSite appends the site stream's JSON.
func AppendSite(dst []byte, s *Site) []byte {
	dst = appendMember(append(dst, `{"t":"site"`...), "rev", wire.JSONUint, s.Rev)
	dst = appendMember(dst, "name", wire.JSONString, s.Name)
	dst = appendMember(dst, "pois", appendEach(AppendPOI), s.POIs)
	return append(appendMember(dst, "tours", appendEach(AppendTour), s.Tours), '}')
}

// AppendPOI appends a POI as the site stream and acks carry it.
func AppendPOI(dst []byte, p POI) []byte {
	dst = append(wire.JSONString(append(dst, `{"id":`...), p.ID), `,"name":`...)
	dst = appendMember(wire.JSONString(dst, p.Name), "description", wire.JSONString, p.Description)
	dst = appendMember(dst, "x", appendRounded, p.X)
	dst = appendMember(dst, "y", appendRounded, p.Y)
	dst = appendMember(dst, "yaw", wire.JSONFloat64, p.Yaw)
	dst = appendMember(dst, "narration", wire.JSONString, p.Narration)
	dst = appendMember(dst, "language", wire.JSONString, p.Language)
	dst = appendMember(dst, "gesture", wire.JSONString, p.Gesture)
	return append(appendMember(dst, "dwell", appendRounded, p.Dwell), '}')
}

// AppendTour appends a tour as the site stream and acks carry it.
func AppendTour(dst []byte, t Tour) []byte {
	dst = append(wire.JSONString(append(dst, `{"id":`...), t.ID), `,"name":`...)
	dst = appendMember(wire.JSONString(dst, t.Name), "description", wire.JSONString, t.Description)
	dst = appendMember(dst, "poi_ids", wire.JSONStrings, t.POIIDs)
	return append(appendMember(dst, "return_poi_id", wire.JSONString, t.ReturnPOIID), '}')
}

// ParseSite reads what [AppendSite] wrote. The error wraps [ErrMalformed].
func ParseSite(payload []byte) (*Site, error) {
	root, err := parseTyped(payload, "site")
	if err != nil {
		return nil, err
	}
	rev, ok := root.get("rev").integer()
	if !ok {
		return nil, fmt.Errorf("%w: the site's rev is missing or no number", ErrMalformed)
	}
	s := &Site{Rev: uint32(rev), Name: root.get("name").text()}
	for v := range root.get("pois").items() {
		s.POIs = append(s.POIs, parsePOI(v))
	}
	for v := range root.get("tours").items() {
		s.Tours = append(s.Tours, Tour{
			ID: v.get("id").text(), Name: v.get("name").text(), Description: v.get("description").text(),
			POIIDs: v.get("poi_ids").texts(), ReturnPOIID: v.get("return_poi_id").text(),
		})
	}
	return s, nil
}

func parsePOI(v value) POI {
	return POI{
		ID: v.get("id").text(), Name: v.get("name").text(), Description: v.get("description").text(),
		X: v.get("x").orZero(), Y: v.get("y").orZero(), Yaw: v.get("yaw").orZero(),
		Narration: v.get("narration").text(), Language: v.get("language").text(), Gesture: v.get("gesture").text(),
		Dwell: v.get("dwell").orZero(),
	}
}
