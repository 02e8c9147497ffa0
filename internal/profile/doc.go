// Package profile is the whole configuration of one robot: the union of the Config
// types of its components, in one strict YAML file.
//
// Defaults come from the components, the profile file overrides them, and --set
// overrides the file. Nothing changes after start; what users change while the robot
// runs belongs to the node that owns it, and is kept in the state folder.
//
// The environment variable SITES_DIR overrides sites.dir, as it does on the robots.
package profile
