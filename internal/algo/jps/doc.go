// Package jps finds shortest paths on grids of free and blocked cells: jump point search (Harabor and Grastien, AAAI 2011) that scans 64
// cells at a time and skips the diagonal jump points (the same, "Improving Jump Point Search", ICAPS 2014).
//
// A step leads to one of the eight neighbours and costs 1, or √2 for a diagonal, which needs both cells beside it free: no corner is cut.
// Then a diagonal step never forces a turn, and a straight one only where it leaves a wall behind on one side:
//
//	# # .        going right, n is where the wall ends: only through n is what lies above it reached best
//	p → n
//
// So [NewGrid] marks once, for each of the four straight directions, the cells where a scan must stop: those ends of walls and the walls
// themselves. The search then jumps from mark to mark with one bit instruction for every 64 cells, and visits few cells at all.
//
// Components are labelled once as well, so that a goal that cannot be reached costs nothing to refuse.
//
// A [Search] owns all its memory, which is bounded by the size of the grid; it allocates nothing once it is made.
package jps
