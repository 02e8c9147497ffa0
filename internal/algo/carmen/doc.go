// Package carmen reads the text logs of the CARMEN robot navigation toolkit, in which nearly all public 2D lidar logs are kept:
// ODOM, FLASER and ROBOTLASER1 lines. Other lines (comments, parameters, other devices) are passed over.
//
//	ODOM        x y theta tv rv accel TIME host logger_time
//	FLASER      n r1 … rn  laser_x laser_y laser_theta  odom_x odom_y odom_theta  TIME host logger_time
//	ROBOTLASER1 type start_angle field_of_view resolution max_range accuracy remission_mode n r1 … rn  m e1 … em
//	            laser_x laser_y laser_theta  robot_x robot_y robot_theta  tv rv forward_safety side_safety turn_axis  TIME host logger_time
//
// Lengths are metres, angles radians, times seconds. A FLASER line does not say where its beams point: by convention they span −90° to +90°,
// with 180 or 181 beams a degree apart and 360 or 361 beams half a degree apart.
//
// Logs are recorded by machines that crash: a line that is cut short, counts wrongly or holds words where numbers belong is left out and
// reported as a [Fault]; it never ends the reading. Times that go back are put in order.
//
// [Read] and everything else here is pure; [Load], in load.go, opens the file.
package carmen
