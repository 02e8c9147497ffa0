// Package profile is the whole configuration of one robot: the union of the Config
// types of its components, in one strict YAML file.
//
// Defaults come from the components, the profile file overrides them, and --set
// overrides the file. Nothing changes after start; what users change while the robot
// runs belongs to the node that owns it, and is kept in the state folder.
//
// # Paths
//
// simulated.world, state.dir and sites.dir may be relative: those written in the file
// start at the folder of the file, those given with --set at the working directory. The
// name of a built-in world comes before a file of the same name; write ./house to mean
// the file.
//
// The environment variable SITES_DIR overrides sites.dir of the file, as it does on the
// robots; --set sites.dir overrides both.
//
// # Relations
//
// Besides what each component demands, a profile must be one robot: the mux and the body
// fit together, nothing within the self filter of the lidar is outside of the footprint,
// and a simulated body brakes and answers as its protective field believes.
package profile
