// Package sitemanager is site_manager_node: which site is active, its map, and the mapping of it.
//
//	state folder: site, last_route ─┐
//	sites folder ───────────────────┼─► /site/list, /site/load
//	/mapping/grid, /mapping/status ─┤   /mapping/start, stop, save ──► /mapping/grid/start, stop, save (grid_mapper_node)
//	/localization/status ───────────┤                             └──► /localization/reset, load_tags, assume_origin
//	/navigation/waypoints ──────────┘─► /map, /site/status (latched)
//
// /map is the live grid while grid_mapper_node maps, and the map of the active site otherwise; a map without cells means that there is
// none. The active site and the route that was loaded last are remembered in the state folder.
//
// Loading a site finishes what a killed process left half done, keeps damaged files aside, publishes the map, and has localization
// forget where it was (when the site is another one) and load the tags. Localization that starts later, or a tags.json that changes, is
// served within a refresh.
//
// Starting to map, in this order, each only after the one before:
//
//	refuse         a wrong name; while something else is going on; without grid_mapper_node;
//	               to go on with a map that the robot is not localized on
//	site           make it, or move what it has into backup-<time>/ (reset); make it active
//	localization   forget (another site), load the tags, take the present pose as the origin (unless it is localized)
//	grid mapper    start
//
// One operation at a time: others are refused, with the one that is going on. All disk work is done away from the loop.
package sitemanager
