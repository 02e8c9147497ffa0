// Package posegraph finds the poses that agree best with many measurements between them: the back end of SLAM in the plane.
//
// A [Graph] has nodes, which are poses in a common frame, and edges, which say where one node is seen from another and how sure that
// is. [Graph.Optimize] minimises
//
//	F(x) = Σ ρₖ( eₖᵀ Ωₖ eₖ ),   eₖ = [ R(θᵢ)ᵀ(tⱼ - tᵢ) - t_z ,  θⱼ - θᵢ - θ_z ]
//
// over all poses, with Ω the information of an edge and ρ its [Kernel], by Levenberg-Marquardt. The normal equations are blocks of
// 3×3, as sparse as the graph; they are factored by a sparse Cholesky decomposition with an elimination order of approximate minimum
// degree, all of it in this package.
//
// # Daily use
//
// Nodes and edges are appended as the robot drives, and Optimize is called from time to time: it begins from the present poses, keeps
// the elimination order until the factor fills up, and reuses its memory. To keep a front end going meanwhile, optimise a [Graph.Clone]
// and take its poses over with [Graph.Adopt].
//
// # False closures
//
// A wrong loop closure can destroy a map, so there are four lines of defence:
//
//   - before: [Graph.Between] tells how uncertain the way between two nodes is, which bounds the search for closures, and
//     [Graph.Mahalanobis] how likely a candidate is;
//   - in groups: [MaxConsistent] with [Disagreement] finds the largest set of candidates that agree with each other;
//   - in the optimisation: a [Switchable] kernel lets go of an edge that contradicts the others;
//   - after: [Graph.Gate] switches off what does not fit, and any edge can be switched off or removed at any later time.
//
// # Determinism
//
// The same calls give the same bits: everything is visited in the order of ids, and ties in the elimination order are broken by
// position.
package posegraph
