#include "validation/variants.hpp"

#include <algorithm>

#include <utility>

namespace slideway::validation {
namespace {

// new t = slow·(old t) + offset,  new x = factor·(old x),  new λ = side·(old λ),  new h = side·(old h).
struct Dress {
  double slow = 1;
  double offset = 0;
  double factor = 1;
  double side = 1;

  double old_time(double t) const { return (t - offset) / slow; }
  Vector old_state(ConstVectorRef x) const { return x / factor; }
  Vector old_lambda(ConstVectorRef lambda) const { return side * lambda; }
  double velocity() const { return factor / slow; }
};

// Carries an optional matrix-valued derivative over; `unit` is that of the new derivative in terms of the old.
FieldMatrixFunction dressed(const FieldMatrixFunction& old, const Dress& dress, double unit) {
  if (!old) return {};
  return [old, dress, unit](double t, ConstVectorRef x, ConstVectorRef lambda, MatrixRef derivative) {
    old(dress.old_time(t), dress.old_state(x), dress.old_lambda(lambda), derivative);
    derivative *= unit;
  };
}

template <class Function>
Function dressed_guards(const Function& old, const Dress& dress, double unit) {
  if (!old) return {};
  return [old, dress, unit](double t, ConstVectorRef x, auto result) {
    old(dress.old_time(t), dress.old_state(x), result);
    result *= unit;
  };
}

System dressed(const System& system, const Dress& dress) {
  const SystemDefinition& old = system.definition();
  const double slow = dress.slow;
  const double factor = dress.factor;
  const double side = dress.side;
  SystemDefinition definition = old;
  definition.field = [f = old.field, dress](double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef dx) {
    f(dress.old_time(t), dress.old_state(x), dress.old_lambda(lambda), dx);
    dx *= dress.velocity();
  };
  definition.guards = dressed_guards(old.guards, dress, side);
  definition.guards_running_error = dressed_guards(old.guards_running_error, dress, 1);
  definition.field_dx = dressed(old.field_dx, dress, 1 / slow);
  definition.field_dlambda = dressed(old.field_dlambda, dress, side * factor / slow);
  definition.guards_dx = dressed_guards(old.guards_dx, dress, side / factor);
  definition.guards_dt = dressed_guards(old.guards_dt, dress, side / slow);
  definition.normal_dx = dressed(old.normal_dx, dress, side / (slow * factor));
  if (old.field_along) {
    definition.field_along = [f = old.field_along, dress](double t, ConstVectorRef x, ConstVectorRef lambda,
                                                          double t_dot, ConstVectorRef x_dot,
                                                          ConstVectorRef lambda_dot, VectorRef dx,
                                                          VectorRef dx_dot) {
      f(dress.old_time(t), dress.old_state(x), dress.old_lambda(lambda), t_dot / dress.slow,
        dress.old_state(x_dot), dress.old_lambda(lambda_dot), dx, dx_dot);
      dx *= dress.velocity();
      dx_dot *= dress.velocity();
    };
  }
  if (old.guards_along) {
    definition.guards_along = [h_along = old.guards_along, dress](double t, ConstVectorRef x, double t_dot,
                                                                  ConstVectorRef x_dot, VectorRef h,
                                                                  VectorRef h_dot) {
      h_along(dress.old_time(t), dress.old_state(x), t_dot / dress.slow, dress.old_state(x_dot), h, h_dot);
      h *= dress.side;
      h_dot *= dress.side;
    };
  }
  definition.break_away = dressed_guards(old.break_away, dress, 1);
  if (old.break_away_along) {
    definition.break_away_along = [along = old.break_away_along, dress](
                                      double t, ConstVectorRef x, double t_dot, ConstVectorRef x_dot,
                                      VectorRef ratios, VectorRef ratios_dot) {
      along(dress.old_time(t), dress.old_state(x), t_dot / dress.slow, dress.old_state(x_dot), ratios,
            ratios_dot);
    };
  }
  if (old.guards_mixed) {
    definition.guards_mixed = [h_mixed_old = old.guards_mixed, dress](
                                  double t, ConstVectorRef x, double t_first, ConstVectorRef x_first,
                                  double t_second, ConstVectorRef x_second, ConstVectorRef x_mixed,
                                  VectorRef h_mixed) {
      h_mixed_old(dress.old_time(t), dress.old_state(x), t_first / dress.slow, dress.old_state(x_first),
                  t_second / dress.slow, dress.old_state(x_second), dress.old_state(x_mixed), h_mixed);
      h_mixed *= dress.side;
    };
  }
  return System(std::move(definition));
}

Case dressed(const Case& original, const std::string& suffix, const Dress& dress) {
  const auto new_time = [&dress](double t) { return dress.slow * t + dress.offset; };
  const auto rescale = [&dress](std::vector<double>& state) {
    for (double& value : state) value *= dress.factor;
  };
  Case variant = original;
  variant.id = original.id + suffix;
  variant.system = dressed(original.system, dress);
  variant.run.start = new_time(original.run.start);
  variant.run.end = new_time(original.run.end);
  variant.run.state *= dress.factor;
  variant.scale *= dress.factor;
  variant.max_step *= dress.slow;
  Reference& reference = variant.reference;
  for (double& t : reference.times) t = new_time(t);
  for (double& t : reference.first_times) t = new_time(t);
  for (Landmark& landmark : reference.landmarks) landmark.t = new_time(landmark.t);
  rescale(reference.final);
  for (std::vector<double>& state : reference.event_states) rescale(state);
  for (Checkpoint& checkpoint : reference.checkpoints) {
    checkpoint.t = new_time(checkpoint.t);
    rescale(checkpoint.state);
  }
  for (Invariant& invariant : reference.invariants) {
    invariant.value = [value = invariant.value, dress](double t, ConstVectorRef x) {
      return value(dress.old_time(t), dress.old_state(x));
    };
  }
  return variant;
}

}  // namespace

Case mirrored(const Case& original) {
  Case variant = dressed(original, "_mirrored", {.side = -1});
  const auto mirror = [](std::vector<std::string>& words) {
    for (std::string& word : words) {
      for (char& side : word) side = side == '-' ? '+' : side == '+' ? '-' : side;
    }
  };
  mirror(variant.reference.modes);
  if (variant.reference.corner) {
    CornerClaims& corner = *variant.reference.corner;
    mirror(corner.continuations);
    mirror(corner.beyond);
    // w₃ and w₄ change places with w₁ and w₂.
    std::rotate(corner.code_word.begin(), corner.code_word.begin() + 2, corner.code_word.end());
  }
  if (original.on_ambiguity == Ambiguity::minus) variant.on_ambiguity = Ambiguity::plus;
  if (original.on_ambiguity == Ambiguity::plus) variant.on_ambiguity = Ambiguity::minus;
  return variant;
}

Case shifted(const Case& original, double offset) {
  return dressed(original, "_shifted", {.offset = offset});
}

Case scaled(const Case& original, double factor) { return dressed(original, "_scaled", {.factor = factor}); }

Case slowed(const Case& original, double factor) { return dressed(original, "_slowed", {.slow = factor}); }

Case without_derivatives(const Case& original) {
  const SystemDefinition& old = original.system.definition();
  Case variant = original;
  variant.id = original.id + "_without_derivatives";
  variant.system = System(SystemDefinition{.name = old.name,
                                           .states = old.states,
                                           .surfaces = old.surfaces,
                                           .state_names = old.state_names,
                                           .surface_names = old.surface_names,
                                           .field = old.field,
                                           .guards = old.guards,
                                           .break_away = old.break_away});
  return variant;
}

}  // namespace slideway::validation
