// λ of sliding along several surfaces whose relays act by their product too: w = 0 has several roots then.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "filippov/sliding_solver.hpp"
#include "slideway/model/from_functor.hpp"

namespace slideway {
namespace {

// λ₂ = 0.8 λ₁ and z + 2λ₁² − 2λ₁ = 0: roots (1 ∓ √(1 − 2z))/2, which meet at z = 1/2. The coupling does not change them.
struct TwoRoots {
  double coupling = 0;
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = x[0];
    h[1] = x[1];
  }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = x[2] + 2.5 * lambda[0] * lambda[1] - 2.0 * lambda[0] + coupling * (0.8 * lambda[0] - lambda[1]);
    dx[1] = 0.8 * lambda[0] - lambda[1];
    dx[2] = 1.0;
  }
};

struct Followed {
  Evaluator evaluator;
  RelayStructure structure{evaluator.system()};
  SlidingSolver solver{evaluator, structure};
  Vector lambda{{0, 0}}, velocity = Vector::Zero(3);

  explicit Followed(double coupling)
      : evaluator(from_functor(TwoRoots{coupling}, {.states = 3, .surfaces = 2})) {
    solver.set_sliding({0, 1});
  }
  bool solve(double z) { return solver.solve(0, Eigen::Vector3d(0, 0, z), lambda, velocity); }
};

double lower_root(double z) { return (1 - std::sqrt(1 - 2 * z)) / 2; }

TEST_CASE("the root of a sliding condition is followed, whatever the guess is near to") {
  for (const double coupling : {0.0, 50.0}) {
    CAPTURE(coupling);
    Followed followed(coupling);
    REQUIRE(followed.solve(-0.1));
    CHECK(followed.lambda[0] == doctest::Approx(lower_root(-0.1)).epsilon(1e-12));
    for (const double z : {0.1, 0.49, -3.0, 0.4999, 0.0, 0.3}) {
      CAPTURE(z);
      // Near to the other root.
      followed.lambda << 1 - lower_root(z), 0.8 * (1 - lower_root(z));
      REQUIRE(followed.solve(z));
      CHECK(followed.lambda[0] == doctest::Approx(lower_root(z)).epsilon(1e-10));
      CHECK(followed.lambda[1] == doctest::Approx(0.8 * lower_root(z)).epsilon(1e-10));
      CHECK(std::abs(followed.velocity[0]) <= 1e-11);
    }
  }
}

TEST_CASE("beyond the point where a root meets another there is none, and the way back leads to the same") {
  for (const double coupling : {0.0, 50.0}) {
    CAPTURE(coupling);
    Followed followed(coupling);
    REQUIRE(followed.solve(-0.1));
    REQUIRE(followed.solve(0.4));
    CHECK(followed.solver.ending().empty());
    CHECK_FALSE(followed.solve(0.5001));
    CHECK_FALSE(followed.solve(2));
    REQUIRE(followed.solve(0.5 - 1e-8));
    CHECK(followed.lambda[0] == doctest::Approx(lower_root(0.5 - 1e-8)).epsilon(1e-8));
    CHECK(followed.solver.ending() == std::vector<Index>{0, 1});
    REQUIRE(followed.solve(-1));
    CHECK(followed.lambda[0] == doctest::Approx(lower_root(-1)).epsilon(1e-12));
  }
}

}  // namespace
}  // namespace slideway
