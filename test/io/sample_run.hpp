// A run put together by hand, so that the writers are tested without an integrator: a block that slides down,
// sticks, and is kicked.
//
//     [0, 1]  mode -   x = 1 − t/3,  v = −1/3
//     [1, 2]  mode 0   x = 2/3,      v = 0
//     [2, 4]  mode +   x = t − 2,    v = 1          (a reset at t = 2 sets x = 0, v = 1)
#pragma once

#include <limits>

#include "slideway/io/report.hpp"

namespace slideway::test {

inline System block() {
  SystemDefinition definition;
  definition.name = "block";
  definition.states = 2;
  definition.surfaces = 1;
  definition.state_names = {"x", "v"};
  definition.surface_names = {"stick"};
  definition.field = [](double, ConstVectorRef x, ConstVectorRef lambda, VectorRef dx) {
    dx << x(1), -lambda(0);
  };
  definition.guards = [](double, ConstVectorRef x, VectorRef h) { h(0) = x(1); };
  return System(definition);
}

inline ModelInstance block_instance() {
  return {.system = block(),
          .parameters = {{"mu", 0.1}, {"bad", std::numeric_limits<double>::infinity()}},
          .start = 0,
          .end = 4,
          .state = Eigen::Vector2d(1, -1.0 / 3)};
}

inline Solution block_solution() {
  Solution solution;
  Trajectory trajectory(2, {});
  Matrix coefficients(2, 2);
  coefficients << 1, -1.0 / 3, -1.0 / 3, 0;
  trajectory.begin_segment(0, Mode("-"));
  trajectory.add_step(0, 0.5, 0, 1, coefficients);
  trajectory.add_step(0.5, 1, 0, 1, coefficients);
  coefficients << 2.0 / 3, 0, 0, 0;
  trajectory.begin_segment(1, Mode("0"));
  trajectory.add_step(1, 2, 0, 1, coefficients);
  coefficients << 0, 1, 1, 0;
  trajectory.begin_segment(2, Mode("+"));
  trajectory.add_step(2, 4, 2, 1, coefficients);
  solution.trajectory = trajectory;

  const double nan = std::numeric_limits<double>::quiet_NaN();
  EventRecord entry;
  entry.t = 1;
  entry.kind = EventKind::sliding_entry;
  entry.surfaces = {0};
  entry.surface_names = {"stick"};
  entry.from = Mode("-");
  entry.to = Mode("0");
  entry.w_minus = {0.1};
  entry.w_plus = {-0.2};
  entry.lambda = {-1.0 / 3};
  entry.before = Eigen::Vector2d(2.0 / 3, 0);
  entry.after = Eigen::Vector2d(2.0 / 3, 0);
  entry.reason = "both fields push onto the surface";
  EventRecord kick;
  kick.t = 2;
  kick.kind = EventKind::reset;
  kick.name = "kick";
  kick.surfaces = {0};
  kick.surface_names = {"stick"};
  kick.from = Mode("0");
  kick.to = Mode("+");
  kick.w_minus = {nan};
  kick.w_plus = {nan};
  kick.lambda = {nan};
  kick.before = Eigen::Vector2d(2.0 / 3, 0);
  kick.after = Eigen::Vector2d(0, 1);
  kick.reason = "the \"kick\"";
  solution.events = {entry, kick};

  solution.outcome = {Status::reached_end, 4, ""};
  solution.initial = {0, Mode("-"), Eigen::Vector2d(1, -1.0 / 3)};
  solution.final = {4, Mode("+"), Eigen::Vector2d(2, 1)};
  solution.statistics = {.steps = 4,
                         .field_evaluations = 40,
                         .integrator_evaluations = 30,
                         .guard_evaluations = 50,
                         .jacobian_evaluations = 2,
                         .restarts = 2,
                         .events = 2,
                         .largest_drift = 0.5,
                         .wall_seconds = 1e-3};
  return solution;
}

}  // namespace slideway::test
