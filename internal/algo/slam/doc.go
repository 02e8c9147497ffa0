// Package slam estimates where a robot is and what surrounds it, from a planar lidar and, if there is any, odometry and a gyro.
//
//	AddOdometry, AddGyro ─► prediction ─┐
//	AddScan ─► scan ─► scanmatch.Refine ┴► pose ─► front end's map        every scan
//	                        │ doubt: search            │
//	                        ▼                          ▼ every Batch keyframes
//	                     keyframes ──────────► Work: graph, visits, loops, optimisation, a new map for the front end
//
// The front end matches each scan to a map of what is around: the latest way, and earlier visits as far as their place is known well.
// Scans go into that map every few centimetres.
//
// The back end has a graph with a keyframe every 15 cm or 8°. New keyframes are matched to each earlier visit of the place: directly where the
// graph knows the place to a decimetre or two, by a search in a window of three standard deviations where it does not. What a search finds
// is believed when it contradicts no free space and three or more findings agree pairwise (Mangelson et al., ICRA 2018); its edges have
// robust kernels even then. See the packages scanmatch and posegraph for the methods themselves.
//
// The front end never waits for the back end. [Engine.Work] is cut out at a certain scan and taken over Config.Delay scans later, whoever has run
// it meanwhile, so that the same readings give the same bits on one core and on many:
//
//	if e.Due() { wait for the goroutine that runs e.Work() }
//	e.AddScan(…)
//	if w := e.Work(); w is new { go w.Run() }
//
// A caller that never runs Work leaves it to AddScan. Poses that were returned are not revised; [Engine.Trajectory] has all of them as known
// now, and [Engine.Finish] makes the best of them.
package slam
