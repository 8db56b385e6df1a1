#include "slideway/model/guard.hpp"

#include <algorithm>
#include <cmath>

#include "model/finite_difference.hpp"
#include "model/probed_error.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/detail/model/trace_patterns.hpp"

namespace slideway {

namespace {

// direction_step() assumes nothing about the sizes of the states.
double direction_step(double t, ConstVectorRef x, double t_dot, ConstVectorRef x_dot) {
  return step_along(t, t_dot, x_dot, 1, [&](Index j) { return value_step(x[j], 1); });
}

}  // namespace

const std::vector<Trace>& traced_states(Index states) {
  thread_local std::vector<Trace> made;
  for (Index j = static_cast<Index>(made.size()); j < states; ++j)
    made.push_back(Trace::state(j, trace_value(j)));
  return made;
}

double Guard::running_error(double t, ConstVectorRef x) const {
  if (functions_->running_error) {
    const double error = functions_->running_error(t, x);
    return std::isfinite(error) ? error : 0;
  }
  ScratchFrame frame;
  auto error = take_vector(frame, 1);
  probe_errors([this](double time, ConstVectorRef state,
                      VectorRef value) { value[0] = functions_->value(time, state); },
               t, x, error);
  return error[0];
}

std::optional<GuardShape> Guard::shape(Index states) const {
  return functions_->shape ? functions_->shape(states) : std::nullopt;
}

Guard::Guard(GuardFunctions functions) {
  if (!functions.value) {
    refuse({.what = "a guard has no function",
            .where = "Guard",
            .expected = "a callable g(t, x) that returns a number",
            .got = "nothing"});
  }
  functions_ = std::make_shared<const GuardFunctions>(std::move(functions));
}

double Guard::rate(double t, ConstVectorRef x, double t_dot, ConstVectorRef x_dot,
                   GuardFunctions::States states) const {
  if (functions_->rate) return functions_->rate(t, x, t_dot, x_dot, states);
  ScratchFrame frame;
  auto shifted = take_vector(frame, x.size());
  auto result = take_vector(frame, 1);
  const auto evaluate = [&](double s, VectorRef value) {
    shifted = x + s * x_dot;
    value[0] = functions_->value(t + s * t_dot, shifted);
  };
  difference(evaluate, direction_step(t, x, t_dot, x_dot), DifferenceSide::both, result);
  return result[0];
}

double Guard::mixed(double t, ConstVectorRef x, double t_first, ConstVectorRef x_first, double t_second,
                    ConstVectorRef x_second, ConstVectorRef x_mixed, GuardFunctions::States states) const {
  if (functions_->mixed)
    return functions_->mixed(t, x, t_first, x_first, t_second, x_second, x_mixed, states);
  ScratchFrame frame;
  auto shifted = take_vector(frame, x.size());
  auto along = take_vector(frame, x.size());
  auto result = take_vector(frame, 1);
  const auto evaluate = [&](double s, VectorRef value) {
    shifted = x + s * x_second;
    along = x_first + s * x_mixed;
    value[0] = rate(t + s * t_second, shifted, t_first, along, states);
  };
  // Differences of differences need a wider step.
  const double widening = functions_->rate ? 1 : 16;
  difference(evaluate, widening * direction_step(t, x, t_second, x_second), DifferenceSide::both, result);
  return result[0];
}

void Guard::slopes(double t, ConstVectorRef x, const std::vector<Index>& states,
                   std::vector<double>& slopes) const {
  slopes.resize(states.size());
  if (functions_->slopes) {
    functions_->slopes(t, x, states, slopes);
    return;
  }
  std::vector<Index> one(1);
  for (std::size_t k = 0; k < states.size(); ++k) {
    one[0] = states[k];
    const LiftedState<double> unit(x.size(), &one, [](Index) { return 1.0; });
    slopes[k] = rate(t, x, 0, GuardState<double>(unit.data(), x.size()), &states);
  }
}

double Guard::slope_in_time(double t, ConstVectorRef x, const std::vector<Index>& states) const {
  const std::vector<Index> none;
  const LiftedState<double> zero(x.size(), &none, [](Index) { return 0.0; });
  return rate(t, x, 1, GuardState<double>(zero.data(), x.size()), &states);
}

void Guard::gradient(double t, ConstVectorRef x, VectorRef gradient) const {
  ScratchFrame frame;
  auto direction = take_vector(frame, x.size());
  for (Index j = 0; j < x.size(); ++j) {
    direction[j] = 1;
    gradient[j] = rate(t, x, 0, direction);
    direction[j] = 0;
  }
}

}  // namespace slideway
