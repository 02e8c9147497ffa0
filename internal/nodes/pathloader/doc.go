// Package pathloader is path_loader_node: it reads taught routes and gives them to the path follower.
//
//	/navigation/load_path ───┐                              ┌─► /navigation/set_path (path_follower_node)
//	/navigation/list_routes ─┼─► sites folder, internal/algo/route
//	/site/status ────────────┘
//
// Only files inside the sites folder are read, by their name in it or their absolute path, and only those of the active site: a route of
// another site would lead through its walls. The folder follows no link that leads out of it.
//
// The route that was loaded last (the site manager remembers it) is loaded again when its site becomes active for the first time, so that
// a robot that was switched off needs no more than a start. Nothing is loaded over a path that somebody else gave meanwhile.
package pathloader
