// CornerSolver under the sliding rules: the velocity of a continuation, and what the rules change in the continuations.
#include <algorithm>

#include "filippov/corner_solver.hpp"
#include "filippov/moments.hpp"
#include "filippov/p_matrix.hpp"

namespace slideway {

Vector CornerSolver::velocity_of(double t, ConstVectorRef x, const std::vector<Index>& surfaces,
                                 const Continuation& continuation, const VertexTable& table,
                                 const Matrix& fields) {
  if (rule_ == SlidingRule::equivalent_control) {
    set_relays(t, x, surfaces, continuation.lambda);
    return velocity_;
  }
  const auto zeros = std::count(continuation.sides.begin(), continuation.sides.end(), Side::sliding);
  Vector weights = vertex_weights(continuation.lambda);
  if (rule_ == SlidingRule::moments && zeros == 2 && surfaces.size() == 2) {
    const MomentsSolution moments = solve_moments(table);
    if (moments.solved) weights = moments.weights;
  }
  Vector velocity = Vector::Zero(x.size());
  // A vertex of no weight need not have a field.
  for (Index v = 0; v < weights.size(); ++v) {
    if (weights[v] != 0) velocity += weights[v] * fields.col(v);
  }
  return velocity;
}

// Sliding along both surfaces is one motion of its own, if its weights are.
void CornerSolver::apply_moments(const VertexTable& table, const CornerOptions& options,
                                 CornerAnswer& answer) const {
  const auto is_intersection = [](const Continuation& c) {
    return std::all_of(c.sides.begin(), c.sides.end(), [](Side side) { return side == Side::sliding; });
  };
  const bool bilinear =
      std::any_of(answer.continuations.begin(), answer.continuations.end(), is_intersection);
  const auto removed =
      std::remove_if(answer.continuations.begin(), answer.continuations.end(), is_intersection);
  answer.continuations.erase(removed, answer.continuations.end());
  const MomentsSolution moments = solve_moments(table);
  const double slack = std::max(options.lambda_zero, options.lambda_tie.maxCoeff());
  if (!moments.solved || !(moments.weights.minCoeff() >= -slack)) return;
  // A rule whose λ is at its bound joins the branch that the combination of the corners joins, which has decided
  // the tie.
  if (moments.lambda.lpNorm<Eigen::Infinity>() >= 1 - slack && !bilinear) return;
  Continuation continuation{{Side::sliding, Side::sliding}, moments.lambda, Stability::saddle, false};
  continuation.p_matrix = is_p_matrix(-lambda_jacobian(table, continuation.lambda));
  bool inward = true;
  for (Index v = 0; v < 4; ++v) {
    inward = inward && (v & 1 ? 1 : -1) * table.w(0, v) < 0 && (v & 2 ? 1 : -1) * table.w(1, v) < 0;
  }
  continuation.p_matrix = continuation.p_matrix || inward;
  if (continuation.p_matrix) continuation.stability = Stability::attracting;
  answer.continuations.push_back(std::move(continuation));
}

// The modes are those of the corners; their λ solve w = 0 for the field as it is between them.
void CornerSolver::apply_equivalent_control(double t, ConstVectorRef x, const std::vector<Index>& surfaces,
                                            const CornerOptions& options, CornerAnswer& answer) {
  std::vector<Continuation> kept;
  for (Continuation& candidate : answer.continuations) {
    std::vector<Index> sliding;
    for (std::size_t k = 0; k < surfaces.size(); ++k) {
      if (candidate.sides[k] == Side::sliding) sliding.push_back(surfaces[k]);
    }
    set_relays(t, x, surfaces, candidate.lambda);
    if (!sliding.empty()) {
      sliding_.set_sliding(sliding);
      if (!sliding_.solve(t, x, lambda_, velocity_)) {
        answer.incomplete = true;
        continue;
      }
      candidate.lambda = lambda_(surfaces);
      const double slack = std::max(options.lambda_zero, options.lambda_tie.maxCoeff());
      if (!(candidate.lambda.lpNorm<Eigen::Infinity>() <= 1 + slack)) {
        answer.incomplete = true;
        continue;
      }
    }
    kept.push_back(std::move(candidate));
  }
  answer.continuations = std::move(kept);
}

}  // namespace slideway
