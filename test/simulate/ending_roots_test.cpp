// Sliding along several surfaces whose relays act by their product too: the sliding condition has several roots. The one of the
// mode is followed, and where it meets another one the sliding ends although every relay is inside its bounds.
#include <doctest/doctest.h>

#include <cmath>
#include <iterator>

#include "slideway/model/from_functor.hpp"
#include "slideway/simulate/simulator.hpp"
#include "test/simulate/hybrid.hpp"

namespace slideway {
namespace {

using test::run;
using test::with;

const Method methods[] = {Method::dopri5, Method::dop853, Method::rodas,
                          Method::adams,  Method::bdf,    Method::automatic};

// Along both surfaces λ₂ = 0.8 λ₁ and z + 2λ₁² − 2λ₁ = 0, up to z = 1/2, where λ₁ = 1/2. Then x grows by z along y = 0.
struct EndingRoot {
  double gain = 2;
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = x[0];
    h[1] = x[1];
  }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = x[2] + 2.5 * lambda[0] * lambda[1] - gain * lambda[0];
    dx[1] = 0.8 * lambda[0] - lambda[1];
    dx[2] = 1.0;
  }
};

TEST_CASE("sliding along two surfaces ends where its relays have no value beyond, inside their bounds") {
  const System system = from_functor(EndingRoot{}, {.states = 3, .surfaces = 2});
  for (const Method method : methods) {
    for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10}) {
      CAPTURE(rtol);
      CAPTURE(to_string(method));
      const Solution solution = run(system, Eigen::Vector3d(0, 0, -0.1), 1.6, with(method, rtol));
      REQUIRE(solution.outcome.status == Status::reached_end);
      REQUIRE(solution.events.size() == 1);
      const EventRecord& event = solution.events.front();
      CHECK(event.kind == EventKind::sliding_exit);
      CHECK(event.t == doctest::Approx(0.6).epsilon(10 * rtol));
      CHECK(event.from->word() == "00");
      CHECK(event.to->word() == "+0");
      CHECK(event.reason.find("no value beyond") != std::string::npos);
      // ∫ z dz from 1/2 to 3/2.
      CHECK(solution.final.state[0] == doctest::Approx(1).epsilon(10 * rtol));
      CHECK(std::abs(solution.final.state[1]) <= 1e-12);
    }
  }
}

TEST_CASE("a root that ends near the bound of a relay is followed by the mode that leaves its surface") {
  // z + 2λ₁² − 3.92λ₁ = 0 up to λ₁ = 0.98, z = 1.9208; then x' = z − 1.92.
  const System system = from_functor(EndingRoot{3.92}, {.states = 3, .surfaces = 2});
  for (const Method method : methods) {
    for (const double rtol : {1e-4, 1e-6, 1e-8}) {
      CAPTURE(rtol);
      CAPTURE(to_string(method));
      const Solution solution = run(system, Eigen::Vector3d(0, 0, 1), 1.92, with(method, rtol));
      REQUIRE(solution.outcome.status == Status::reached_end);
      REQUIRE(solution.events.size() == 1);
      CHECK(solution.events.front().to->word() == "+0");
      CHECK(solution.events.front().t == doctest::Approx(0.9208).epsilon(10 * rtol));
      CHECK(solution.final.state[0] == doctest::Approx(0.5 - 0.5 * 0.0008 * 0.0008).epsilon(10 * rtol));
    }
  }
}

// One of many models made at random. Its relays went over to another root between t = 4 and 5.
struct ThreeRelays {
  void guards(auto t, const auto& x, auto&& h) const {
    using std::cos;
    using std::sin;
    h[0] = x[0] + 0.37 * x[1] + 0.08 * x[0] * x[0] + 0.27 * sin(x[0] * x[1]) * cos(0.62 * t);
    h[1] = x[1] + 0.27 * x[2];
    h[2] = x[2] - 0.46 * x[0];
  }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::sin;
    dx[0] = -1.01 - 0.54 * x[0] - 0.62 * (1.0 + 0.3 * sin(1.95 * t)) * lambda[0] -
            0.39 * lambda[0] * lambda[1] * 0.5 * (1.0 + lambda[2]);
    dx[1] = -0.01 - 1.32 * x[1] + 0.264 * (1.0 - 0.47 * sin(1.98 * t)) * lambda[0] -
            1.26 * (1.0 - 0.16 * sin(2.71 * t)) * lambda[1] + 0.33 * lambda[2] * lambda[0];
    dx[2] = -0.31 * sin(0.39 * t + 4.15) + 0.67 * sin(1.56 * t + 5.59) - 0.22 * x[2] -
            0.7 * (1.0 + 0.54 * sin(0.82 * t)) * lambda[2];
  }
};

TEST_CASE("relays that act by their product do not go over to another root in a long step") {
  // By DOP853 at 1e-13 in explicit modes.
  const double times[] = {0.1335818704485, 0.4815102779760, 1.0675178927393,
                          2.2141105569763, 4.6787235962350, 6.9793868838118};
  const System system = from_functor(ThreeRelays{}, {.states = 3, .surfaces = 3});
  for (const Method method : methods) {
    for (const double rtol : {1e-4, 1e-5, 1e-6, 1e-8}) {
      CAPTURE(rtol);
      CAPTURE(to_string(method));
      const Solution solution = run(system, Eigen::Vector3d(-0.2, 0.24, 0.19), 8, with(method, rtol));
      REQUIRE(solution.outcome.status == Status::reached_end);
      REQUIRE(solution.events.size() == std::size(times));
      for (std::size_t k = 0; k < std::size(times); ++k)
        CHECK(solution.events[k].t == doctest::Approx(times[k]).epsilon(20 * rtol));
      CHECK(solution.final.mode.word() == "-0-");
      CHECK(solution.final.state[0] == doctest::Approx(-0.8180475238729).epsilon(20 * rtol));
    }
  }
}

// Another one, whose states grow beyond all bounds where a trial step goes past the end of its sliding.
struct ThreeMoreRelays {
  void guards(auto t, const auto& x, auto&& h) const {
    using std::cos;
    using std::sin;
    h[0] = x[0] * x[0] + x[1] * x[1] - 0.54 - 0.02 * sin(t);
    h[1] = x[1] - 0.29 * sin(2.22 * t) - 0.02 * x[2] + 0.02 * sin(x[1] * x[1]) * cos(0.75 * t);
    h[2] = x[2] * x[2] + x[0] * x[0] - 0.46 - 0.18 * sin(t);
  }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::cos;
    using std::sin;
    const auto both = lambda[0] * lambda[1];
    dx[0] = -0.7 * x[1] - 0.37 * x[0] + (-0.68 - 0.4352 * lambda[2]) * lambda[0] + 0.486 * x[1] * lambda[1] +
            0.19 * both * (1.0 + lambda[2]);
    dx[1] = -0.59 + 0.68 * x[2] - 0.37 * x[1] + 0.444 * (1.0 + 0.35 * sin(x[2])) * lambda[0] -
            1.01 * lambda[1] + 0.06 * both;
    dx[2] = 0.71 * sin(x[1]) - 0.4 * x[1] * cos(x[1]) + 0.1 * cos(3.41 * t) * x[0] - 0.28 * x[2] -
            0.018 * lambda[0] + 0.096 * lambda[1] + 1.18 * (1.0 + 0.21 * sin(x[1])) * lambda[2] +
            0.4 * lambda[2] * lambda[0] + 0.15 * lambda[1] * lambda[2] * (1.0 + lambda[0]);
  }
};

TEST_CASE("a root that cannot be followed to a trial step far beyond the end of sliding is soon given up") {
  const System system = from_functor(ThreeMoreRelays{}, {.states = 3, .surfaces = 3});
  for (const Method method : methods) {
    const Solution solution = run(system, Eigen::Vector3d(0.48, -0.55, -0.61), 8, with(method, 1e-4));
    REQUIRE(solution.outcome.status == Status::reached_end);
    CHECK(solution.events.size() == 8);
    CHECK(solution.statistics.field_evaluations <= 100'000);
  }
}

}  // namespace
}  // namespace slideway
