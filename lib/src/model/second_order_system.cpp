#include "model/second_order_system.hpp"

#include <algorithm>
#include <utility>

#include "model/finite_difference.hpp"

namespace slideway {

namespace {

bool is_free_of_relays(const SystemDefinition& definition, Index surface) {
  const Pattern& states = *definition.guards_dx_pattern;
  const Pattern& relays = *definition.field_dlambda_pattern;
  const auto at = [](Index i) { return static_cast<std::size_t>(i); };
  for (Index e = states.start[at(surface)]; e < states.start[at(surface) + 1]; ++e) {
    const Index state = states.column[at(e)];
    if (relays.start[at(state)] != relays.start[at(state) + 1]) return false;
  }
  return true;
}

}  // namespace

std::shared_ptr<const System> second_order_system(const System& system, const std::vector<Index>& surfaces) {
  const SystemDefinition& given = system.definition();
  if (!given.field_along || !given.guards_along || !given.guards_mixed || !given.guards_dx_pattern ||
      !given.field_dlambda_pattern ||
      !std::all_of(surfaces.begin(), surfaces.end(), [&](Index i) { return is_free_of_relays(given, i); }))
    return nullptr;
  SystemDefinition definition = given;
  // The guards of these surfaces are other functions here.
  for (const Index i : surfaces)
    if (!definition.sides_at_zero.empty()) definition.sides_at_zero[static_cast<std::size_t>(i)] = 0;
  definition.guards = [system, surfaces](double t, ConstVectorRef x, VectorRef h) {
    const SystemDefinition& inner = system.definition();
    ScratchFrame frame;
    auto lambda = take_vector(frame, h.size());
    auto dx = take_vector(frame, x.size());
    auto rates = take_vector(frame, h.size());
    lambda.setZero();
    inner.field(t, x, lambda, dx);
    inner.guards_along(t, x, 1, dx, h, rates);
    for (const Index i : surfaces) h[i] = rates[i];
  };
  definition.guards_along = [system, surfaces](double t, ConstVectorRef x, double t_dot, ConstVectorRef x_dot,
                                               VectorRef h, VectorRef h_dot) {
    const SystemDefinition& inner = system.definition();
    ScratchFrame frame;
    auto lambda = take_vector(frame, h.size());
    auto lambda_dot = take_vector(frame, h.size());
    auto dx = take_vector(frame, x.size());
    auto dx_dot = take_vector(frame, x.size());
    auto rates = take_vector(frame, h.size());
    auto mixed = take_vector(frame, h.size());
    lambda.setZero();
    lambda_dot.setZero();
    inner.field_along(t, x, lambda, t_dot, x_dot, lambda_dot, dx, dx_dot);
    inner.guards_along(t, x, 1, dx, h, rates);
    inner.guards_mixed(t, x, 1, dx, t_dot, x_dot, dx_dot, mixed);
    inner.guards_along(t, x, t_dot, x_dot, h, h_dot);
    for (const Index i : surfaces) {
      h[i] = rates[i];
      h_dot[i] = mixed[i];
    }
  };
  definition.guards_running_error = {};
  definition.guards_dx = {};
  definition.guards_dt = {};
  definition.guards_mixed = {};
  definition.normal_dx = {};
  definition.guards_dx_pattern.reset();
  definition.guards_affine = false;
  definition.field_affine = false;
  return std::make_shared<const System>(std::move(definition));
}

}  // namespace slideway
