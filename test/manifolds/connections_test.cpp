// Connections of saddles whose parameters have closed forms.
#include "slideway/manifolds/connections.hpp"

#include <cmath>

#include "test/orbit/found_orbit.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

Connections connections_of(const std::string& text, double first, double last, Index points, Index state,
                           double value, double length = 0) {
  const ModelInstance instance = instance_of(text, {{"p", first}});
  return find_connections(
      [&](double p) {
        return instance_of(text, {{"p", p}}).problem();
      },
      {.start = instance.start, .end = instance.end, .state = instance.state},
      {.equilibria = {.starts = 20},
       .manifolds = {.length = length},
       .first = first,
       .last = last,
       .points = points,
       .state = state,
       .value = value});
}

template <class Function>
double root_between(const Function& function, double low, double high) {
  const bool is_negative = function(low) < 0;
  for (int k = 0; k < 100; ++k) {
    const double middle = 0.5 * (low + high);
    ((function(middle) < 0) == is_negative ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace

TEST_CASE(
    "the homoclinic orbit of a piecewise linear oscillator is found at the parameter of its closed form") {
  // A saddle with the rates r+ > 0 > r- of r^2 - 0.2 r - 1 = 0 for x < 1, and (x - 2)'' + p x' + (x - 2) = 0 beyond. The unstable manifold
  // comes to x = 1 with v = r+, the stable one leaves it with v = r-.
  const char* const text = R"TOML(
[parameters]
p = 0.1
[states]
x = 0.2
v = 0.1
[time]
end = 1.0
[surfaces]
edge = "x - 1"
[derivatives]
x = "v"
v = "if(edge > 0, 2 - x - p*v, x + 0.2*v)"
)TOML";
  const double up = 0.1 + std::sqrt(1.01), down = 0.1 - std::sqrt(1.01);
  // The speed at which (y, v) from (-1, up) comes back to y = -1, less the one of the stable manifold.
  const auto gap = [&](double p) {
    const double w = std::sqrt(1 - 0.25 * p * p), c = (up - 0.5 * p) / w;
    const auto y = [&](double t) {
      return std::exp(-0.5 * p * t) * (-std::cos(w * t) + c * std::sin(w * t));
    };
    double t = root_between([&](double s) { return y(s) + 1; }, 2.0, 6.0);
    const double slope =
        std::exp(-0.5 * p * t) * ((w + 0.5 * p * -c) * std::sin(w * t) + (c * w + 0.5 * p) * std::cos(w * t));
    return slope - down;
  };
  const double expected = root_between(gap, 0.01, 0.5);
  for (const double section : {2.0, 1.5}) {
    const Connections found = connections_of(text, 0.02, 0.4, 9, 0, section, 12);
    REQUIRE(found.saddles.size() == 1);
    CHECK(found.saddles.front().state.norm() <= 1e-12);
    REQUIRE(found.found.size() == 1);
    const Connection& connection = found.found.front();
    CHECK(connection.from == connection.to);
    CHECK(std::abs(connection.parameter - expected) <= 1e-8);
    CHECK(std::abs(connection.state[0] - section) <= 1e-10);
    CHECK(std::abs(connection.gap) <= 1e-9);
  }
}

TEST_CASE("a heteroclinic connection ends at a pseudo-saddle") {
  const char* const text = R"TOML(
[parameters]
p = 0.1
[states]
x = 0.3
y = 0.5
[time]
end = 1.0
[surfaces]
line = "y"
[derivatives]
x = "if(line > 0, -2*x + 1.5*(y - 1), 4*(x - p) - 2*p + 1.5 + 4*x)"
y = "if(line > 0, 2*(y - 1), 2)"
)TOML";
  // Along the unstable direction of (0, 1): (-2 - 2) a + 1.5 b = 0, x = 0.375 (y - 1), which meets y = 0 at x = -0.375. The sliding field
  // there is the mean of both: x' = (-2 x - 1.5 + 8 x - 6 p + 1.5)/2 = 3 (x - p).
  const Connections found = connections_of(text, -0.8, 0.3, 12, 1, 0.5, 6);
  REQUIRE(found.saddles.size() == 2);
  REQUIRE(found.found.size() == 1);
  const Connection& connection = found.found.front();
  CHECK(connection.from != connection.to);
  CHECK(found.saddles[connection.to].kind == EquilibriumKind::pseudo);
  CHECK(std::abs(connection.parameter + 0.375) <= 1e-8);
  CHECK((connection.state - Vector{{-0.1875, 0.5}}).norm() <= 1e-9);
}

TEST_CASE("a family that is connected at every value has no located connections, and questions are checked") {
  const char* const duffing =
      "[parameters]\np = 1.0\n[states]\nx = 0.5\nv = 0.0\n[time]\nend = 5.0\n[derivatives]\nx = \"v\"\nv = "
      "\"x - "
      "p*x^3\"\n";
  const Connections found = connections_of(duffing, 0.9, 1.1, 5, 0, 0.7, 4);
  CHECK(found.found.empty());
  CHECK_FALSE(found.gaps.empty());
  CHECK_THROWS_WITH_AS(connections_of(duffing, 1, 1, 5, 0, 0.5), doctest::Contains("range"),
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(connections_of(duffing, 1, 2, 5, 2, 0.5), doctest::Contains("section"),
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(connections_of(duffing, 1, 2, 1, 0, 0.5), doctest::Contains("range"),
                       std::invalid_argument);
}
