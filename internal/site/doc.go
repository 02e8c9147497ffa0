// Package site keeps mapped places on disk (specification 002, "Sites"): one folder a site under the sites folder.
//
//	<site>/map.yaml map.pgm map.sarathi   occupancy map, and the SLAM graph with which mapping goes on
//	<site>/tags.json                      {frame: {x, y, z, qx, qy, qz, qw}} of the AprilTags, in map
//	<site>/pois.json tours.json           {"pois": [...]} and {"tours": [...]}, in list order
//	<site>/routes/<date>_<time>.csv       taught routes: x, y, yaw_deg, dwell_sec
//	<site>/backup-<time>/                 what a mapping reset moved away
//
// [Content] and what belongs to it are pure: they edit POIs and tours, refuse what cannot be saved, and repair what was found in a
// file. [Store] is the sites folder, [State] remembers the active site. Both work on an [FS]: a [Folder] of the computer, or
// [Memory] for a simulation that must leave no trace and find none.
//
// # Nothing is lost
//
// A process may be killed at any instant, and the power may fail. A change of one file replaces it atomically: temporary file, fsync,
// rename, fsync of the folder. A change of several files, and a reset, goes through a journal:
//
//	.new/0 .new/1 …   the new contents, synced
//	.journal          {"backup": name, "files": [...]}, created atomically: from here on the change counts as made
//	                  move what the backup is to have; per file: keep the old one as .bak, rename the new one into its place
//	.journal          removed: done
//
// [Store.Open] and every later change finish a journal that was left behind, and throw away what was prepared without one. The
// previous version of each file stays as .bak. A file that does not parse is kept aside as <file>.damaged-<time> and its .bak used;
// what is said about it goes into the site's notes.
//
// # Who may
//
// Any goroutine may use a Store; its nodes share one. A process that changes sites calls [Folder.Use] (robots) or [Folder.Claim] (tools,
// which refuse while a robot runs). Who only looks uses [Store.Look] and [Store.Check], which write nothing.
package site
