// Package sitecontent is site_content_node: points of interest and tours of the active site.
//
//	/site/status ──────────────► which site
//	/localization/status, pose ► where the robot is, for at_robot_pose
//	/site/save_poi, delete_poi ─┐
//	/site/save_tour, delete_tour┴► internal/site.Content ─► pois.json, tours.json ─► /site/pois, /site/tours (latched)
//
// A service answers when its change is on disk. The topics are published when what they say has changed, and only then: saving a POI as
// it is changes nothing. What a file had wrong is repaired in what is published, and logged; the file follows with the next change.
//
// Changes are made one after the other, away from the loop. When the site is loaded again, or mapped anew, its content is read again.
package sitecontent
