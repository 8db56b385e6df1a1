// Guards that touch zero, or come back just before: both crossings or none, however long the steps are.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "slideway/model/from_network.hpp"
#include "slideway/simulate/simulator.hpp"
#include "test/local/same_changes.hpp"

using namespace slideway;
using namespace test;

namespace {

// x = cos(t + p) in each cell comes `depth` beyond a level of its own; the relay drives a third state, so that it has an effect.
struct Turning {
  std::vector<double> depth;
  void guards(Index i, const auto& /*t*/, const auto& x, auto&& h) const {
    h[0] = x(i, 0) - 1.0 + depth[static_cast<std::size_t>(i)];
  }
  void field(Index i, const auto& /*t*/, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = -x(i, 1);
    dx[1] = x(i, 0);
    dx[2] = lambda(i, 0) - x(i, 2);
  }
};

// The same, with the guard of a cell as the square of a state.
struct Driven {
  std::vector<double> depth;
  void guards(Index i, const auto& /*t*/, const auto& x, auto&& h) const {
    h[0] = x(i, 0) * x(i, 0) - 1.0 + depth[static_cast<std::size_t>(i)];
  }
  void field(Index i, const auto& t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::cos;
    dx[0] = cos(t + 0.7 * static_cast<double>(i));
    dx[1] = lambda(i, 0) - x(i, 1) * x(i, 1) * x(i, 1);
  }
};

std::vector<double> depths() {
  std::vector<double> depth;
  for (const double size : {1e-1, 1e-2, 1e-3, 1e-4, 1e-5}) {
    for (int k = 0; k < 12; ++k) depth.push_back((k % 2 == 0 ? 1 : -1) * size * (1 + 0.3 * k));
  }
  return depth;
}

Solution run(const System& system, const Vector& start, double rtol) {
  Options options{.rtol = rtol};
  options.recording = Recording::nothing;
  options.local_events = LocalEvents::on;
  const Solution solution = Simulator(system, options).run({.start = 0, .end = 12, .state = start});
  CHECK_MESSAGE(solution.warnings.empty(), solution.warnings.front());
  CHECK(solution.outcome.reached_end());
  return solution;
}

}  // namespace

TEST_CASE("guards that just cross zero cross it twice in a local run, and those that just do not, never") {
  const std::vector<double> depth = depths();
  const auto cells = static_cast<Index>(depth.size());
  const System system = from_network(Turning{depth}, {.cells = cells, .states = 3, .surfaces = 1});
  Vector start = Vector::Zero(3 * cells);
  std::vector<double> phase;
  for (Index i = 0; i < cells; ++i) {
    phase.push_back(1 + 0.05 * static_cast<double>(i));
    start[3 * i] = std::cos(phase.back());
    start[3 * i + 1] = std::sin(phase.back());
  }
  const Changes changes = changes_of(run(system, start, 1e-9));
  const double turn = 2 * std::acos(-1.0);
  for (Index i = 0; i < cells; ++i) {
    const auto cell = static_cast<std::size_t>(i);
    CAPTURE(depth[cell]);
    std::vector<double> exact;
    for (int k = 1; depth[cell] > 0 && k < 4; ++k) {
      for (const double side : {-1.0, 1.0}) {
        const double t = k * turn + side * std::acos(1 - depth[cell]) - phase[cell];
        if (t > 0 && t < 12) exact.push_back(t);
      }
    }
    const std::size_t found = changes.count(i) > 0 ? changes.at(i).size() : 0;
    REQUIRE(found == exact.size());
    // A time at which the guard turns is known to the root of its error.
    for (std::size_t k = 0; k < found; ++k)
      CHECK(std::abs(changes.at(i)[k].t - exact[k]) <= 1e-6 / std::sqrt(std::abs(depth[cell])));
  }
}

TEST_CASE("guards that are not polynomials of the step are seen where they just cross, too") {
  const std::vector<double> depth = depths();
  const auto cells = static_cast<Index>(depth.size());
  const System system = from_network(Driven{depth}, {.cells = cells, .states = 2, .surfaces = 1});
  Vector start = Vector::Zero(2 * cells);
  // x = sin(t + p), so that x² turns at 1.
  for (Index i = 0; i < cells; ++i) start[2 * i] = std::sin(0.7 * static_cast<double>(i));
  const Changes changes = changes_of(run(system, start, 1e-9));
  const double half = std::acos(-1.0);
  for (Index i = 0; i < cells; ++i) {
    const auto cell = static_cast<std::size_t>(i);
    CAPTURE(depth[cell]);
    std::vector<double> exact;
    for (int k = 0; depth[cell] > 0 && k < 30; ++k) {
      for (const double side : {-1.0, 1.0}) {
        const double away = std::acos(std::sqrt(1 - depth[cell]));
        const double t = (k + 0.5) * half + side * away - 0.7 * static_cast<double>(i);
        if (t > 0 && t < 12) exact.push_back(t);
      }
    }
    const std::size_t found = changes.count(i) > 0 ? changes.at(i).size() : 0;
    REQUIRE(found == exact.size());
    for (std::size_t k = 0; k < found; ++k)
      CHECK(std::abs(changes.at(i)[k].t - exact[k]) <= 1e-6 / std::sqrt(std::abs(depth[cell])));
  }
}
