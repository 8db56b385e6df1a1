// Networks of cells: their rows, their parts, and events that are followed where they are though the field is not affine.
#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <stdexcept>
#include <vector>

#include "slideway/detail/model/restricted_system.hpp"
#include "slideway/model/from_network.hpp"
#include "slideway/simulate/simulator.hpp"

using namespace slideway;

namespace {

// Blocks with springs that stiffen, friction that falls with the speed, and a drive.
struct Block {
  Index cells;
  double belt = 0.1;

  void guards(Index i, const auto& /*t*/, const auto& x, auto&& h) const { h[0] = x(i, 1) - belt; }
  void field(Index i, const auto& t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::cos;
    const auto slip = x(i, 1) - belt;
    auto force = -0.3 * x(i, 0) - 0.3 / (1.0 + 0.5 * slip * slip) * lambda(i, 0) + 0.05 * cos(0.7 * t);
    const auto pull = [&](Index j) {
      const auto apart = x(j, 0) - x(i, 0);
      force += apart + 0.2 * apart * apart * apart;
    };
    if (i > 0) pull(i - 1);
    if (i + 1 < cells) pull(i + 1);
    dx[0] = x(i, 1);
    dx[1] = force;
  }
};

System chain(Index cells) { return from_network(Block{cells}, {.cells = cells, .states = 2, .surfaces = 1}); }

Vector start_of(Index cells) {
  Vector start = Vector::Zero(2 * cells);
  for (Index i = 0; i < cells; ++i) start[2 * i] = 1.2 * std::sin(2.1 * static_cast<double>(i + 1));
  return start;
}

}  // namespace

TEST_CASE("rows of a network are those of its field, guards and derivatives") {
  const Index cells = 7;
  const System system = chain(cells);
  const std::vector<Index> states = {2, 5, 6, 7, 12}, surfaces = {1, 4};
  const auto rows = choose_rows_of(system)(states, surfaces);
  const Vector x = start_of(cells) + Vector::LinSpaced(2 * cells, -0.3, 0.4);
  const Vector x_dot = Vector::LinSpaced(2 * cells, 1, -2);
  const Vector lambda = Vector::LinSpaced(cells, -1, 1), lambda_dot = Vector::LinSpaced(cells, 0.3, -0.2);
  Vector dx(2 * cells), dx_dot(2 * cells), own(5), own_dot(5);
  system.definition().field_along(0.4, x, lambda, 1.5, x_dot, lambda_dot, dx, dx_dot);
  rows->field_along(0.4, x.data(), lambda.data(), 1.5, x_dot.data(), lambda_dot.data(), own.data(),
                    own_dot.data());
  for (std::size_t k = 0; k < states.size(); ++k) {
    CHECK(own[static_cast<Index>(k)] == dx[states[k]]);
    CHECK(own_dot[static_cast<Index>(k)] == dx_dot[states[k]]);
  }
  rows->field(0.4, x.data(), lambda.data(), own_dot.data());
  CHECK(own == own_dot);
  Vector h(cells), h_dot(cells), own_h(2), own_h_dot(2);
  system.definition().guards_along(0.4, x, 1.5, x_dot, h, h_dot);
  rows->guards_along(0.4, x.data(), 1.5, x_dot.data(), own_h.data(), own_h_dot.data());
  for (std::size_t k = 0; k < surfaces.size(); ++k) {
    CHECK(own_h[static_cast<Index>(k)] == h[surfaces[k]]);
    CHECK(own_h_dot[static_cast<Index>(k)] == h_dot[surfaces[k]]);
  }
}

TEST_CASE("a part of a system moves as it does in the whole, with the others as functions of time") {
  const Index cells = 9;
  const System system = chain(cells);
  Restriction restriction;
  restriction.states = {6, 7, 8, 9, 10, 11};
  restriction.surfaces = {3, 4, 5};
  restriction.known.states = states_read(system, restriction.states, restriction.surfaces, {}, {});
  CHECK(restriction.known.states == std::vector<Index>{4, 12});
  restriction.known.center = 0.5;
  restriction.known.scale = 2;
  restriction.known.coefficients = Matrix::Random(2, 4);
  const Matrix c = restriction.known.coefficients;
  const auto whole = std::make_shared<WholeArguments>(system);
  const System part = restricted_system(system, choose_rows_of(system), restriction, whole);
  CHECK(part.state_names()[0] == system.state_names()[6]);
  CHECK(part.surface_names()[2] == system.surface_names()[5]);
  const double t = 1.7;
  const double s = (t - 0.5) / 2;
  Vector x = start_of(cells) + Vector::LinSpaced(2 * cells, -0.3, 0.4);
  Vector x_dot = Vector::LinSpaced(2 * cells, 1, -2);
  for (Index k = 0; k < 2; ++k) {
    const Index j = restriction.known.states[static_cast<std::size_t>(k)];
    x[j] = c(k, 0) + s * (c(k, 1) + s * (c(k, 2) + s * c(k, 3)));
    x_dot[j] = 1.5 * (c(k, 1) + s * (2 * c(k, 2) + s * 3 * c(k, 3))) / 2;
  }
  const Vector lambda = Vector::LinSpaced(cells, -1, 1), lambda_dot = Vector::LinSpaced(cells, 0.3, -0.2);
  Vector dx(2 * cells), dx_dot(2 * cells), own(6), own_dot(6);
  system.definition().field_along(t, x, lambda, 1.5, x_dot, lambda_dot, dx, dx_dot);
  part.definition().field_along(t, x.segment(6, 6), lambda.segment(3, 3), 1.5, x_dot.segment(6, 6),
                                lambda_dot.segment(3, 3), own, own_dot);
  CHECK((own - dx.segment(6, 6)).lpNorm<Eigen::Infinity>() <= 1e-14);
  CHECK((own_dot - dx_dot.segment(6, 6)).lpNorm<Eigen::Infinity>() <= 1e-13);
}

TEST_CASE("a network that is not affine has the same events locally") {
  const Index cells = 40;
  const System system = chain(cells);
  const auto run = [&](double rtol, LocalEvents local) {
    Options options{.rtol = rtol};
    options.recording = Recording::nothing;
    options.local_events = local;
    return Simulator(system, options).run({.start = 0, .end = 12, .state = start_of(cells)});
  };
  const Solution exact = run(1e-11, LocalEvents::off);
  REQUIRE(exact.events.size() > 100);
  for (const double rtol : {1e-6, 1e-8, 1e-10}) {
    CAPTURE(rtol);
    const Solution local = run(rtol, LocalEvents::on);
    CHECK_MESSAGE(local.warnings.empty(), local.warnings.front());
    CHECK(local.outcome.reached_end());
    std::vector<std::vector<double>> times(static_cast<std::size_t>(cells)), expected = times;
    const auto collect = [](const Solution& solution, auto& list) {
      for (const EventRecord& event : solution.events) {
        if (event.kind == EventKind::grazing) continue;
        for (const Index surface : event.surfaces) list[static_cast<std::size_t>(surface)].push_back(event.t);
      }
    };
    collect(local, times);
    collect(exact, expected);
    for (std::size_t i = 0; i < times.size(); ++i) {
      CAPTURE(i);
      REQUIRE(times[i].size() == expected[i].size());
      for (std::size_t k = 0; k < times[i].size(); ++k)
        CHECK(std::abs(times[i][k] - expected[i][k]) <= 1e4 * rtol);
    }
    CHECK((local.final.state - exact.final.state).lpNorm<Eigen::Infinity>() <= 1e3 * rtol);
  }
}

TEST_CASE("a network without cells is refused") {
  CHECK_THROWS_AS(from_network(Block{3}, {.cells = 0, .states = 2, .surfaces = 1}), std::invalid_argument);
}

namespace {

// Rooms with walls that follow them within a ten-thousandth of the time in which a relay heats them.
struct StiffRoom {
  Index cells;
  void guards(Index i, const auto& /*t*/, const auto& x, auto&& h) const {
    h[0] = x(i, 0) - 1.0 - 0.02 * static_cast<double>(i % 7);
  }
  void field(Index i, const auto& t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::sin;
    dx[0] =
        -0.5 * lambda(i, 0) + 0.7 * sin(0.8 * t + 0.1 * static_cast<double>(i)) + 0.1 * (x(i, 1) - x(i, 0));
    dx[1] = 1e4 * (x(i, 0) - x(i, 1)) + (i > 0 ? 1.0 : 0.0) * (x(i > 0 ? i - 1 : i, 1) - x(i, 1));
  }
};

}  // namespace

TEST_CASE("a stiff network is followed by a stiff method, with the events of the ordinary engine") {
  const Index cells = 30;
  const System system = from_network(StiffRoom{cells}, {.cells = cells, .states = 2, .surfaces = 1});
  Options options{.rtol = 1e-6};
  options.recording = Recording::nothing;
  Vector start = Vector::Constant(2 * cells, 0.6);
  const auto run = [&](LocalEvents local) {
    options.local_events = local;
    return Simulator(system, options).run({.start = 0, .end = 10, .state = start});
  };
  const Solution local = run(LocalEvents::on);
  const Solution global = run(LocalEvents::off);
  CHECK(local.outcome.reached_end());
  CHECK(local.events.size() == global.events.size());
  CHECK(local.statistics.steps < 3 * global.statistics.steps);
  CHECK((local.final.state - global.final.state).lpNorm<Eigen::Infinity>() <= 1e-4);
}
