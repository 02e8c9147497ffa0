// Package scenes describes the worlds of the simulator: what stands where, who walks where, and where a robot begins.
//
// A scene is a YAML file. Positions are metres in the map frame, heights metres above the floor; every section is optional.
//
//	name: flat
//	bounds: [0, 0, 12, 10]              # an outer fence: x and y of two opposite corners
//	map: office/map.yaml                # a map_server map as part of the world, relative to this file
//	map_height: 2.5                     # of its occupied cells
//	start: {x: 1, y: 1, yaw_deg: 90}    # where a robot begins; else the most open free place of the map, or the origin
//	charger: {x: 0.6, y: 5, yaw_deg: 0} # where base_link stands when the robot is docked
//	walls:                              # polylines
//	  - {name: corridor, points: [[0, 4], [5, 4], [5, 6]], closed: false, bottom: 0, height: 2.5}
//	boxes:                              # x and y are the centre, size is along and across the yaw
//	  - {name: table, x: 3, y: 2, yaw_deg: 15, size: [1.2, 0.8], bottom: 0, height: 0.75}
//	circles:
//	  - {name: pillar, x: 6, y: 3, radius: 0.2, height: 2.5}
//	doors:                              # a leaf that slides into `from` within `travel`
//	  - name: kitchen
//	    from: [5, 1]
//	    to: [5, 1.9]
//	    open: true                      # at the beginning
//	    travel: 1s
//	    schedule: [{at: 20s, open: false}, {at: 40s, open: true}]
//	    repeat: 60s                     # of the schedule; 0 runs it once
//	people:                             # walk their waypoints from the first one on
//	  - name: anna
//	    waypoints: [{x: 1, y: 5}, {x: 4, y: 5, pause: 2s}]
//	    speed: 1.0                      # m/s
//	    speed_spread: 0.1               # part of speed that the seed adds or takes away, anew for each leg
//	    loop: true                      # from the last waypoint to the first, for ever
//	    keep_off: 0.5                   # m; how near a person goes to a robot by themselves; 0 walks into it
//	    radius: 0.25
//	    height: 1.7
//	tags:                               # AprilTags of the family 36h11, upright, facing yaw_deg
//	  - {id: 2, size: 0.15, x: 0.02, y: 5, z: 0.4, yaw_deg: 0}
//
// What a scene may hold is checked by [Scene.Validate], where it stands by the world that is made of it.
package scenes
