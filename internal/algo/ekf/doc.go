// Package ekf fuses a gyro, odometry and absolute poses into one pose and its honest uncertainty: an extended Kalman filter over
// [x, y, θ, b_g], b_g being the bias of the gyro (specification 004, "fusion").
//
//	gyro ───────── ∫(ω - b_g)dt ──► θ ─┐
//	odometry ┬──── translation ────────┴► x, y
//	         └──── rotation against the gyro ──► b_g        (and θ, by the weight of its noise)
//	absolute poses, as of a scan matcher ──► all, gated
//
// # Motion
//
// Time is cut at every stamp. In each piece the gyro's rate runs straight between its samples, and odometry moves evenly between its
// own. The heading turns by the gyro, the position moves by odometry. What both say about the turn is then compared:
//
//	ν = Δθ_odo - (∫ω dt - b̂ dt),   H = ∂ν/∂b = -dt
//
// Both the prediction and ν hold the same noise of the gyro, so the update has the cross-covariance C of Kalman filters with
// correlated noise (Simon, Optimal State Estimation, 2006, section 7.1): K = (PHᵀ + C)/S. Without C the filter would count the gyro
// twice. Standing still, odometry does not turn, and the bias shows within a second.
//
// # Slip
//
// Wheels that slip by a few percent, or a wheel radius that is off, err in the same direction for hours. White noise cannot describe
// that: it averages out in theory only, and a scan matcher that is told where to look by a pose that always runs ahead follows it. So
// beside the four states there is a fifth, the part by which odometry overestimates every motion. Absolute poses show it within some
// metres; without them its covariance with the others makes these as uncertain as they are.
//
// # Order
//
// What arrives late is put in its place: inputs are kept for [Config.Window] with the state after each; a late one rolls back to what
// it touches and replays. The estimate depends on the set of inputs, not on the order of their arrival. All memory is allocated by [New].
//
// # Gates
//
// An absolute pose that contradicts the estimate (Mahalanobis) is refused. When several in a row agree with each other, it is the
// estimate that is wrong, or the map that moved, and the filter takes them over. Updates are in Joseph form, which keeps the covariance
// symmetric and positive whatever the gain.
package ekf
