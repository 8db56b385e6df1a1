#include "slideway/manifolds/time_reversal.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/factorise.hpp"
#include "core/number_text.hpp"
#include "slideway/core/errors.hpp"

namespace slideway {

namespace {

// Tries of a reset, in general position.
constexpr int kTries = 8;
constexpr int kProjections = 20;  // Newton's steps onto a guard, which double the digits
// A guard that a reset leaves within this part of its change over the sizes is left at zero: Newton's method is exact to rounding.
constexpr double kStaysZero = 1e-9;
// The step of central differences, of the size of a state: the cube root of the rounding unit.
constexpr double kResetStep = 6e-6;
constexpr int kMostIterations = 50;
constexpr double kSolved = 1e-14;
// A pivot of a reset's derivative below this part of the largest one is rounding of its differences.
constexpr double kSingular = 1e-8;

Guard reversed(const Guard& guard) {
  GuardFunctions functions;
  using States = GuardFunctions::States;
  functions.value = [guard](double t, ConstVectorRef x) { return guard.value(-t, x); };
  functions.running_error = [guard](double t, ConstVectorRef x) { return guard.running_error(-t, x); };
  functions.rate = [guard](double t, ConstVectorRef x, double t_dot, ConstVectorRef x_dot, States states) {
    return guard.rate(-t, x, -t_dot, x_dot, states);
  };
  functions.mixed = [guard](double t, ConstVectorRef x, double t_first, ConstVectorRef x_first,
                            double t_second, ConstVectorRef x_second, ConstVectorRef x_mixed, States states) {
    return guard.mixed(-t, x, -t_first, x_first, -t_second, x_second, x_mixed, states);
  };
  functions.shape = [guard](Index states) { return guard.shape(states); };
  return Guard(std::move(functions));
}

Direction reversed(Direction direction) {
  switch (direction) {
    case Direction::rising: return Direction::falling;
    case Direction::falling: return Direction::rising;
    case Direction::any: break;
  }
  return Direction::any;
}

GuardFunction reversed(const GuardFunction& guards, double sign) {
  return [guards, sign](double t, ConstVectorRef x, VectorRef h) {
    guards(-t, x, h);
    h *= sign;
  };
}

FieldMatrixFunction reversed(const FieldMatrixFunction& matrix) {
  return [matrix](double t, ConstVectorRef x, ConstVectorRef lambda, MatrixRef derivative) {
    matrix(-t, x, lambda, derivative);
    derivative = -derivative;
  };
}

GuardAlongFunction reversed(const GuardAlongFunction& along) {
  return [along](double t, ConstVectorRef x, double t_dot, ConstVectorRef x_dot, VectorRef h,
                 VectorRef h_dot) { along(-t, x, -t_dot, x_dot, h, h_dot); };
}

// The rate of a guard along the field of the problem itself, forwards, at a time of the problem.
double forward_rate(const System& system, const Guard& guard, double t, const Vector& x) {
  Vector h = Vector::Zero(system.surfaces()), field(system.states());
  system.guards(t, x, h);
  for (double& value : h) value = value > 0 ? 1 : (value < 0 ? -1 : 0);
  system.field(t, x, h, field);
  return guard.rate(t, x, 1, field);
}

// The speed s > 0 before an impact that leaves the speed `after` = e(s)·s.
double speed_before(const Contact& contact, double after, ConstVectorRef x) {
  double speed = after;
  for (int k = 0; k < kMostIterations; ++k) {
    const double next = after / contact.restitution_of(speed, x);
    const bool is_solved = std::abs(next - speed) <= kSolved * std::abs(next);
    speed = next;
    if (is_solved || !std::isfinite(speed)) break;
  }
  return speed;
}

// Backwards the state after an impact arrives at the gap; its velocity is turned back along b, by which it is changed in proportion.
Vector before_impact(const System& system, const Contact& contact, double t, const Vector& after) {
  Vector b = Vector::Zero(system.states());
  contact.acts_on(t, after, b);
  const double rate = forward_rate(system, contact.gap, t, after);
  if (!(rate > 0)) {
    throw std::runtime_error("the contact '" + contact.name +
                             "' is closed there, and nothing tells when it has closed");
  }
  const double wanted = -speed_before(contact, rate, after);
  if (!std::isfinite(wanted)) {
    throw std::runtime_error("nothing comes from the contact '" + contact.name +
                             "' with a velocity: its restitution is 0 there");
  }
  Vector state = after;
  double last_impulse = 0, last_rate = rate;
  double impulse = (after.norm() > 0 ? after.norm() : 1.0) / b.norm();
  for (int k = 0; k < kMostIterations; ++k) {
    state = after + impulse * b;
    const double found = forward_rate(system, contact.gap, t, state);
    if (std::abs(found - wanted) <= kSolved * std::abs(wanted) || found == last_rate) break;
    const double next = impulse + (wanted - found) * (impulse - last_impulse) / (found - last_rate);
    last_impulse = impulse;
    last_rate = found;
    if (next == impulse) break;
    impulse = next;
  }
  return state;
}

Vector after_reset(const Event& event, double t, const Vector& before) {
  Vector after = before;
  event.reset(t, before, after);
  return after;
}

Matrix reset_derivative(const Event& event, double t, const Vector& x, const Vector& sizes) {
  Matrix derivative(x.size(), x.size());
  for (Index j = 0; j < x.size(); ++j) {
    Vector above = x, below = x;
    above[j] += kResetStep * sizes[j];
    below[j] -= kResetStep * sizes[j];
    derivative.col(j) = (after_reset(event, t, above) - after_reset(event, t, below)) / (above[j] - below[j]);
  }
  return sizes.cwiseInverse().asDiagonal() * derivative * sizes.asDiagonal();
}

// The state that the reset leads from; the same one where the flow arrives there without the reset.
Vector before_reset(const System& system, const Event& event, double t, const Vector& after,
                    const Vector& sizes) {
  Vector before = after;
  for (int k = 0; k < kMostIterations; ++k) {
    const Vector error = (after_reset(event, t, before) - after).cwiseQuotient(sizes);
    if (!error.allFinite()) break;
    const Eigen::FullPivLU<Matrix> solver(reset_derivative(event, t, before, sizes));
    const auto pivots = solver.matrixLU().diagonal().cwiseAbs();
    if (!(pivots.minCoeff() > kSingular * pivots.maxCoeff())) {
      throw std::runtime_error("many states lead to the same one by the reset '" + event.name +
                               "', so that it cannot be undone");
    }
    const Vector step = solver.solve(error);
    before -= step.cwiseProduct(sizes);
    if (step.lpNorm<Eigen::Infinity>() <= kSolved) break;
  }
  if (!before.allFinite()) return after;
  const double rate = forward_rate(system, event.when, t, before);
  const bool fires =
      event.direction == Direction::any || (event.direction == Direction::rising ? rate > 0 : rate < 0);
  return fires ? before : after;
}

Event reversed(const System& system, const Event& event, const Vector& sizes) {
  Event result = event;
  result.when = reversed(event.when);
  result.direction = reversed(event.direction);
  result.at_zero = AtZero::unknown;
  result.holds_at_zero = {};
  if (event.action != Action::reset) return result;
  // Forwards the solution may leave on either side of the guard.
  result.direction = Direction::any;
  result.initially = Initially::by_rule;
  result.touches.reset();
  result.across_jumps = false;
  result.reset = [system, event, sizes](double t, ConstVectorRef after, VectorRef before) {
    before = before_reset(system, event, -t, after, sizes);
  };
  return result;
}

Event reversed(const System& system, const Contact& contact) {
  Event result;
  result.name = contact.name;
  result.when = reversed(contact.gap);
  result.direction = Direction::falling;
  result.action = Action::reset;
  result.across_jumps = false;
  result.reset = [system, contact](double t, ConstVectorRef after, VectorRef before) {
    before = before_impact(system, contact, -t, after);
  };
  return result;
}

System reversed(const System& system, const Vector& sizes) {
  const SystemDefinition& forward = system.definition();
  SystemDefinition result = forward;
  result.field = [field = forward.field](double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef dx) {
    field(-t, x, lambda, dx);
    dx = -dx;
  };
  if (forward.guards) result.guards = reversed(forward.guards, 1);
  if (forward.field_dx) result.field_dx = reversed(forward.field_dx);
  if (forward.field_dlambda) result.field_dlambda = reversed(forward.field_dlambda);
  if (forward.normal_dx) result.normal_dx = reversed(forward.normal_dx);
  if (forward.guards_dx)
    result.guards_dx = [matrix = forward.guards_dx](double t, ConstVectorRef x, MatrixRef derivative) {
      matrix(-t, x, derivative);
    };
  if (forward.guards_dt) result.guards_dt = reversed(forward.guards_dt, -1);
  if (forward.field_along)
    result.field_along = [along = forward.field_along](double t, ConstVectorRef x, ConstVectorRef lambda,
                                                       double t_dot, ConstVectorRef x_dot,
                                                       ConstVectorRef lambda_dot, VectorRef dx,
                                                       VectorRef dx_dot) {
      along(-t, x, lambda, -t_dot, x_dot, lambda_dot, dx, dx_dot);
      dx = -dx;
      dx_dot = -dx_dot;
    };
  if (forward.field_mixed)
    result.field_mixed = [mixed = forward.field_mixed](
                             double t, ConstVectorRef x, ConstVectorRef lambda, double t_first,
                             ConstVectorRef x_first, double t_second, ConstVectorRef x_second,
                             ConstVectorRef lambda_second, ConstVectorRef x_mixed, VectorRef dx_mixed) {
      mixed(-t, x, lambda, -t_first, x_first, -t_second, x_second, lambda_second, x_mixed, dx_mixed);
      dx_mixed = -dx_mixed;
    };
  if (forward.guards_running_error) result.guards_running_error = reversed(forward.guards_running_error, 1);
  if (forward.guards_along) result.guards_along = reversed(forward.guards_along);
  if (forward.guards_mixed)
    result.guards_mixed = [mixed = forward.guards_mixed](double t, ConstVectorRef x, double t_first,
                                                         ConstVectorRef x_first, double t_second,
                                                         ConstVectorRef x_second, ConstVectorRef x_mixed,
                                                         VectorRef h_mixed) {
      mixed(-t, x, -t_first, x_first, -t_second, x_second, x_mixed, h_mixed);
    };
  if (forward.break_away) result.break_away = reversed(forward.break_away, 1);
  if (forward.break_away_along) result.break_away_along = reversed(forward.break_away_along);
  if (forward.break_away_below) result.break_away_below = reversed(forward.break_away_below, 1);
  if (forward.break_away_below_along)
    result.break_away_below_along = reversed(forward.break_away_below_along);
  result.rows = {};
  result.second_order = {};
  result.events.clear();
  result.contacts.clear();
  for (const Event& event : forward.events) result.events.push_back(reversed(system, event, sizes));
  for (const Contact& contact : forward.contacts) result.events.push_back(reversed(system, contact));
  return System(std::move(result));
}

// A state where the guard is zero, from a random one; empty where Newton's method finds none.
Vector state_on(const Guard& guard, double t, Vector x, const Vector& sizes) {
  Vector gradient(x.size());
  for (int k = 0; k < kProjections; ++k) {
    gradient.setZero();
    guard.gradient(t, x, gradient);
    const Vector scaled = gradient.cwiseProduct(sizes);
    const double value = guard.value(t, x);
    if (!(scaled.squaredNorm() > 0)) return {};
    x -= (value / scaled.squaredNorm()) * scaled.cwiseProduct(sizes);
    if (std::abs(value) <= kSolved * scaled.norm()) return x;
  }
  return {};
}

// Tells whether a guard that is zero before the reset is zero after it, too, as the guard of an impact is.
bool stays_on_guard(const Event& event, ConstVectorRef near, const Vector& sizes) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> part(-1, 1);
  for (int k = 0; k < kTries; ++k) {
    Vector x = near;
    for (Index i = 0; i < x.size(); ++i) x[i] += part(random) * sizes[i];
    const Vector before = state_on(event.when, 0, x, sizes);
    if (before.size() == 0) continue;
    const Vector after = after_reset(event, 0, before);
    Vector gradient = Vector::Zero(x.size());
    event.when.gradient(0, before, gradient);
    const double change = gradient.cwiseAbs().dot(sizes);
    if (!(std::abs(event.when.value(0, after)) <= kStaysZero * change)) return false;
  }
  return true;
}

std::string obstacle_in(const System& system, ConstVectorRef near, const Vector& sizes) {
  if (system.discrete() > 0) return "a discrete state forgets what it was before";
  if (!system.time_events().empty()) return "time events are not undone";
  for (const Contact& contact : system.contacts()) {
    if (contact.friction || contact.cone)
      return "the impacts of the contact '" + contact.name + "' with friction are not undone";
  }
  for (const Event& event : system.events()) {
    if (event.delay.time > 0) return "the delay of '" + event.name + "' is not undone";
    if (event.action == Action::reset && !stays_on_guard(event, near, sizes))
      return "the reset '" + event.name + "' leads away from its guard, and nothing tells where it has led";
  }
  return "";
}

}  // namespace

std::string obstacle_to_reversal(const Automaton& problem, ConstVectorRef near, const Vector& sizes) {
  for (const Location& location : problem.locations()) {
    const std::string obstacle = obstacle_in(location.system, near, sizes);
    if (!obstacle.empty()) return obstacle;
  }
  const std::vector<Edge>& edges = problem.edges();
  for (const Edge& edge : edges) {
    const bool is_undone = std::any_of(edges.begin(), edges.end(), [&](const Edge& other) {
      return undo_each_other(edge, other) || undo_each_other(other, edge);
    });
    if (!is_undone) {
      return "the edge " + (edge.name.empty() ? "" : "'" + edge.name + "' ") + "from '" + edge.from +
             "' to '" + edge.to + "' is not undone by another one on the same guard";
    }
  }
  return "";
}

Automaton reversed_in_time(const Automaton& problem, ConstVectorRef near, const Vector& sizes) {
  const std::string obstacle = obstacle_to_reversal(problem, near, sizes);
  if (!obstacle.empty()) {
    refuse({.what = "the problem cannot be followed backwards in time: " + obstacle,
            .where = "reversed_in_time",
            .expected = "contacts without friction, resets that stay on their guards, pairs of edges",
            .got = obstacle});
  }
  if (!problem.has_locations()) return reversed(problem.system(), sizes);
  std::vector<Location> locations;
  for (const Location& location : problem.locations())
    locations.push_back({location.name, reversed(location.system, sizes)});
  // Edges that share a guard share its reversal.
  std::vector<std::pair<Guard, Guard>> guards;
  std::vector<Edge> edges;
  for (const Edge& edge : problem.edges()) {
    auto known =
        std::find_if(guards.begin(), guards.end(), [&](const auto& pair) { return pair.first == edge.when; });
    if (known == guards.end()) known = guards.insert(guards.end(), {edge.when, reversed(edge.when)});
    Edge back = edge;
    std::swap(back.from, back.to);
    back.when = known->second;
    back.direction = reversed(edge.direction);
    edges.push_back(std::move(back));
  }
  return Automaton(std::move(locations), std::move(edges), problem.locations()[problem.initial()].name);
}

}  // namespace slideway
