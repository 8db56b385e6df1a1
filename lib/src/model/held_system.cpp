#include "model/held_system.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "core/number_text.hpp"
#include "model/finite_difference.hpp"

namespace slideway {

namespace {

// A ratio computed as Fs/Fc may miss 1 by its rounding.
constexpr double kRounding = 1e-12;

// λ of a relay that is held; exact where the two ratios are the same.
double held_relay(double above, double below, double nu) {
  return above == below ? above * nu : 0.5 * (above - below) + 0.5 * (above + below) * nu;
}

void check_ratios(const System& system, double t, VectorRef ratios) {
  for (Index i = 0; i < ratios.size(); ++i) {
    if (ratios[i] >= 1 && std::isfinite(ratios[i])) continue;
    if (ratios[i] >= 1 - kRounding && ratios[i] < 1) {
      ratios[i] = 1;
      continue;
    }
    throw std::runtime_error(
        "the break-away ratio of surface '" + system.surface_names()[static_cast<std::size_t>(i)] + "' is " +
        number_text(ratios[i]) + " at t = " + number_text(t) +
        ", expected a finite number >= 1: what holds at rest is not less than what resists motion");
  }
}

}  // namespace

void break_away_ratios(const System& system, double t, ConstVectorRef x, VectorRef above, VectorRef below) {
  above.setOnes();
  below.setOnes();
  if (!system.breaks_away()) return;
  system.definition().break_away(t, x, above);
  check_ratios(system, t, above);
  below = above;
  if (!system.definition().break_away_below) return;
  below.setOnes();
  system.definition().break_away_below(t, x, below);
  check_ratios(system, t, below);
}

System held_system(const System& system, std::shared_ptr<const std::vector<char>> held) {
  SystemDefinition definition = system.definition();
  definition.field_dx = {};
  definition.field_dlambda = {};
  definition.normal_dx = {};
  definition.field_dx_pattern.reset();
  definition.field_dlambda_pattern.reset();
  definition.relays_additive = false;
  definition.field_affine = false;
  definition.break_away = {};
  definition.break_away_along = {};
  definition.break_away_below = {};
  definition.break_away_below_along = {};
  definition.field_along = {};
  definition.field_mixed = {};
  definition.field = [system, held](double t, ConstVectorRef x, ConstVectorRef nu, VectorRef dx) {
    ScratchFrame frame;
    auto lambda = take_vector(frame, nu.size());
    auto below = take_vector(frame, nu.size());
    break_away_ratios(system, t, x, lambda, below);
    for (Index i = 0; i < nu.size(); ++i) {
      const bool is_held = (*held)[static_cast<std::size_t>(i)] != 0;
      lambda[i] = is_held ? held_relay(lambda[i], below[i], nu[i]) : nu[i];
    }
    system.field(t, x, lambda, dx);
  };
  const SystemDefinition& free = system.definition();
  const bool knows_below = !free.break_away_below || free.break_away_below_along;
  if (free.field_along && free.break_away_along && knows_below) {
    definition.field_along = [system, held](double t, ConstVectorRef x, ConstVectorRef nu, double t_dot,
                                            ConstVectorRef x_dot, ConstVectorRef nu_dot, VectorRef dx,
                                            VectorRef dx_dot) {
      ScratchFrame frame;
      auto lambda = take_vector(frame, nu.size());
      auto lambda_dot = take_vector(frame, nu.size());
      auto below = take_vector(frame, nu.size());
      auto below_dot = take_vector(frame, nu.size());
      system.definition().break_away_along(t, x, t_dot, x_dot, lambda, lambda_dot);
      check_ratios(system, t, lambda);
      below = lambda;
      below_dot = lambda_dot;
      if (system.definition().break_away_below_along) {
        system.definition().break_away_below_along(t, x, t_dot, x_dot, below, below_dot);
        check_ratios(system, t, below);
      }
      for (Index i = 0; i < nu.size(); ++i) {
        if ((*held)[static_cast<std::size_t>(i)] == 0) {
          lambda_dot[i] = nu_dot[i];
          lambda[i] = nu[i];
          continue;
        }
        lambda_dot[i] =
            held_relay(lambda_dot[i], below_dot[i], nu[i]) + 0.5 * (lambda[i] + below[i]) * nu_dot[i];
        lambda[i] = held_relay(lambda[i], below[i], nu[i]);
      }
      system.definition().field_along(t, x, lambda, t_dot, x_dot, lambda_dot, dx, dx_dot);
    };
  }
  return System(std::move(definition));
}

}  // namespace slideway
