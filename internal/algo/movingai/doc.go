// Package movingai reads the maps and scenarios of the MovingAI path finding benchmark (Sturtevant, "Benchmarks for Grid-Based
// Pathfinding", IEEE TCIAIG 2012).
//
// A map is
//
//	type octile
//	height 512
//	width 512
//	map
//	@@@....        one line a row, the first is y = 0; y grows downwards
//
// of which '.' and 'G' can be passed and everything else is blocked. A scenario file begins with "version 1" and has one query a line:
//
//	bucket  map  width  height  start x  start y  goal x  goal y  optimal length
//
// Lengths count 1 a straight and √2 a diagonal step, and a diagonal is allowed only where both cells beside it are free. A row of
// length 0 whose start and goal differ has no path.
//
// Everything but load.go is free of I/O. Memory is bounded by the size of the file, [MaxCells] and [MaxQueries].
package movingai
