// Package simulated is a robot body that exists only in a world of package sim, and simulator_node, which tells what no sensor does.
//
//	                     ┌───────────── Plant: the hardware ─────────────┐
//	robot_driver_node ─► │ Driver ─► guard, posture ─► sim.Robot         │
//	                     │   ▲ streams ◄─ sensors ◄───────┤              │
//	simulator_node ────► │ Simulator ◄─ truth, contacts ◄─┘ sim.World    │
//	                     └───────────────────────────────────────────────┘
//
// The [Plant] is the hardware: the world, the robot in it, and what protects a real body below its driver, the watchdog and the
// e-stop latch with its button. The world goes on whoever looks: both nodes tell the plant the time, and it advances the world to it
// at one place, [Plant.Advance], once. So a driver that crashes leaves a body that stops by itself, among people who walk on.
//
// The [Driver] fulfils the contract of package driver. Each stream has its rate; clouds and images are computed only while they
// are wanted. The plant measures time by its own count of simulated time: a clock that jumps moves neither the world nor a skill.
//
// simulator_node publishes /ground_truth and /sim/status, works the button with /sim/hardware_estop, and stands in for FAST-LIO2:
// /Odometry and camera_init → body on /tf. It publishes no odom → base_link, and neither does the driver.
package simulated
