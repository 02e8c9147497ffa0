// Package astar finds the cheapest way across a costmap (A*, Hart, Nilsson and Raphael 1968).
//
// A step leads to one of the eight neighbours. It costs its length times 1 + 4·c/252, where c is the cost of the cell it leads to: a way
// along an obstacle is worth going up to five times as far in the open, as with Nav2's NavFn. Cells of cost 253 and more are never entered,
// unknown ones (255) only when that is allowed; a diagonal step needs both cells beside it to be passable. The cells along the edge of
// the map are not entered either: there the robot would reach over it.
//
// Costs are whole numbers (70 a straight step, 99 a diagonal one: off √2 by 0.005 %), so the queue is a ring of buckets, one a value
// (Dial 1969), in which adding and taking cost the same whatever its size. The first time that a cell is taken its way is final,
// and with the octile distance the cheapest.
//
// # The guide
//
// Far goals are searched with an estimate that knows walls: a map of blocks of 4 × 4 cells is searched from the goal first. That makes the
// search several times as fast, and its ways a little dearer than the cheapest (one percent on average among rooms with clutter, two at
// worst), because a block does not say where in it the way leads. Exact searches use the octile distance.
//
// # No way
//
// The guide, which shows more ways than there are, sees most walls at once. A goal that is walled off by less would make the search visit all that
// it can reach. Once it has gone far it labels what hangs together and knows. Memory is bounded by the size of the map; nothing is allocated after the first searches.
package astar
