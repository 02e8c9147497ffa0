// Package mapfile reads and writes occupancy maps in the map_server format: a YAML file beside a PGM, PNG or BMP image.
//
// Meaning of a pixel, as in Nav2's map server (nav2_map_server/src/map_io.cpp): with p = 1 - grey/255, or grey/255 when
// `negate` is set,
//
//	trinary  p ≥ occupied_thresh is occupied, then p ≤ free_thresh is free (free wins when both hold), the rest unknown
//	scale    the same, and what lies between becomes round((p - free)/(occupied - free)·100)
//	raw      the grey value itself is the occupancy when it is 0..100, the rest is unknown; thresholds and negate are ignored
//
// A pixel that is not fully opaque is unknown, except in raw mode. Row 0 of the image is the top (largest y). Greys of more
// or less than 8 bits are scaled to 0..255; colours count with their Rec. 709 luma.
//
// Grey 205, which map savers write for unknown cells, has p = 0.196: it is unknown at free_thresh 0.196 but free at 0.25.
// Site maps (specification 002) combine 205 and 0.25 and mean unknown: [LoadSite] reads them so, [Load] follows Nav2. [Open] leaves
// that open: a [Source] counts and maps by either [Rule], and warns of greys on which two readers may differ.
//
// Everything but load.go is free of I/O. Memory is bounded by the size of the file and by [MaxCells].
package mapfile
