// ModeField where a field or a derivative is not finite: beyond its surfaces, or a hair's breadth beyond.

#include <cmath>
#include <exception>
#include <limits>

#include <fmt/format.h>

#include "slideway/core/not_finite.hpp"
#include "slideway/filippov/mode_field.hpp"
#include "slideway/model/explained_field.hpp"

namespace slideway {

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// A point computed to lie on a surface is so far off it at most, in units of the size of its guard's terms.
constexpr double kDepths[] = {0, kEpsilon, 4 * kEpsilon, 16 * kEpsilon, 64 * kEpsilon};

}  // namespace

// The field of a mode may be undefined beyond its own surfaces, where the integrator has to evaluate it while a root is
// bracketed; its value at the nearest surface point continues it.
bool ModeField::move_to_nearest_surface(double t, VectorRef x) {
  bool moved = false;
  for (int pass = 0; pass < 3; ++pass) {
    evaluator_.guards(t, x, guard_values_);
    bool beyond = false;
    for (Index i = 0; i < mode_.size(); ++i) {
      const double h = guard_values_[i];
      const bool off = mode_.slides_on(i) ? h != 0 : lambda_[i] * h < 0;
      if (!off) continue;
      if (std::isfinite(h) && geometry_.change_guard(t, i, -h, x)) beyond = true;
    }
    if (!beyond) break;
    moved = true;
  }
  return moved;
}

bool ModeField::move_inside(double t, ConstVectorRef lambda, double depth, VectorRef x) {
  const Vector before = x;
  const Vector scale = x.cwiseAbs().cwiseMax(typical_sizes_).cwiseInverse();
  geometry_.move_inside(t, lambda, depth, scale, std::numeric_limits<double>::infinity(), x);
  return x != before;
}

bool ModeField::move_to_derivative(double t, ConstVectorRef x, ConstVectorRef lambda) {
  inside_ = x;
  return move_inside(t, lambda, std::sqrt(kEpsilon), inside_);
}

const NeighbourFields& ModeField::finite_neighbours(double t, ConstVectorRef x, Index surface) {
  const NeighbourFields& fields = neighbours(t, x, surface);
  if (all_finite(fields.minus) && all_finite(fields.plus)) return fields;
  looks_closely_ = true;
  neighbours_surface_ = -1;
  neighbours(t, x, surface);
  looks_closely_ = false;
  return fields;
}

void ModeField::neighbour_inside(double t, ConstVectorRef x, Index surface, double side, Vector& field,
                                 double& w) {
  if (std::isfinite(w) && all_finite(field)) return;
  const double stored = lambda_[surface];
  lambda_[surface] = side;
  for (const double depth : kDepths) {
    inside_ = x;
    if (!move_inside(t, lambda_, depth, inside_)) continue;
    evaluator_.field(t, inside_, lambda_, field);
    w = evaluator_.guard_rate(t, inside_, field, surface);
    if (std::isfinite(w) && all_finite(field)) break;
  }
  lambda_[surface] = stored;
}

void ModeField::velocity_beyond(double t, ConstVectorRef x, VectorRef dx, std::exception_ptr failure) {
  const auto is_finite_at = [&](const Vector& point) {
    try {
      raw_velocity(t, point, dx);
      return dx.allFinite();
    } catch (...) {
      if (!failure) failure = std::current_exception();
      return false;
    }
  };
  state_ = x;
  if (x.allFinite()) {
    if (move_to_nearest_surface(t, state_) && is_finite_at(state_)) return;
    looks_closely_ = true;
    neighbours_surface_ = -1;
    const Vector nearest = state_;
    bool found = false;
    for (const double depth : kDepths) {
      state_ = nearest;
      move_inside(t, lambda_, depth, state_);
      found = is_finite_at(state_);
      if (found) break;
    }
    looks_closely_ = false;
    if (found) return;
  }
  if (failure) std::rethrow_exception(failure);
  throw_not_finite(t, x, dx);
}

void ModeField::throw_not_finite(double t, ConstVectorRef x, ConstVectorRef dx) const {
  Index bad = 0;
  while (bad + 1 < dx.size() && std::isfinite(dx[bad])) ++bad;
  const System& system = evaluator_.system();
  std::string text = fmt::format("the derivative of '{}' is {} at t = {:.10g}",
                                 system.state_names()[static_cast<std::size_t>(bad)],
                                 std::isnan(dx[bad]) ? "not a number" : "infinite", t);
  if (mode_.size() > 0 && mode_.size() <= 24) text += fmt::format(" in mode {}", mode_.word());
  if (const auto* const field = system.definition().field.target<ExplainedField>()) {
    const std::string reason = field->explain(t, x, lambda_, bad);
    if (!reason.empty()) text += "; " + reason;
  }
  throw NotFinite(text);
}

}  // namespace slideway
