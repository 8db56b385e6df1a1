#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "slideway/model/from_functor.hpp"
#include "slideway/simulate/branches.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway {
namespace {

// x' = λ: both sides leave x = 0, and staying is a solution too.
struct Escape {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0]; }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const { dx[0] = lambda[0]; }
};

// The same twice, one after the other: y starts to matter at x = 1 only.
struct TwoEscapes {
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = x[0];
    h[1] = x[1];
  }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const {
    dx[0] = lambda[0];
    dx[1] = lambda[1];
  }
};

BranchTree tree_of(const System& system, const Vector& state, Index most = 64,
                   Ambiguity policy = Ambiguity::branches) {
  return follow_branches(Simulator(system, {.on_ambiguity = policy}), {.start = 0, .end = 1, .state = state},
                         most);
}

TEST_CASE("every continuation of a repelling start is followed to the end") {
  const BranchTree tree = tree_of(from_functor(Escape{}, {.states = 1, .surfaces = 1}), Vector::Zero(1));
  CHECK(tree.complete);
  CHECK(tree.root.solution.outcome.status == Status::ambiguous);
  REQUIRE(tree.root.branches.size() == 3);
  const auto& continuations = tree.root.solution.events.back().continuations;
  for (std::size_t k = 0; k < 3; ++k) {
    const Solution& solution = tree.root.branches[k].solution;
    CHECK(solution.outcome.reached_end());
    CHECK(solution.initial.mode == continuations[k]);
    const double side = static_cast<double>(static_cast<signed char>(continuations[k][0]));
    CHECK(solution.final.state[0] == doctest::Approx(side));
  }
}

TEST_CASE("two surfaces that do not see each other have nine branches") {
  const BranchTree tree = tree_of(from_functor(TwoEscapes{}, {.states = 2, .surfaces = 2}), Vector::Zero(2));
  CHECK(tree.complete);
  CHECK(tree.root.branches.size() == 9);
  for (const Branch& branch : tree.root.branches) CHECK(branch.solution.outcome.reached_end());
}

// Code word 1111 of Korobitsyn & Frolova: four continuations leave the intersection, and staying is one of its own.
struct FiveWays {
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = x[0];
    h[1] = x[1];
  }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const {
    const auto mix = [&](double pp, double mp, double mm, double pm) {
      return 0.25 * ((1.0 + lambda[1]) * ((1.0 + lambda[0]) * pp + (1.0 - lambda[0]) * mp) +
                     (1.0 - lambda[1]) * ((1.0 + lambda[0]) * pm + (1.0 - lambda[0]) * mm));
    };
    dx[0] = mix(3, -2, 1, -2);
    dx[1] = mix(1, 1, 2, -3);
  }
};

TEST_CASE("all five continuations of an intersection are followed, and one of them stays") {
  const BranchTree tree = tree_of(from_functor(FiveWays{}, {.states = 2, .surfaces = 2}), Vector::Zero(2));
  CHECK(tree.complete);
  REQUIRE(tree.root.branches.size() == 5);
  for (const Branch& branch : tree.root.branches) {
    const Solution& solution = branch.solution;
    CHECK_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
    CHECK((solution.final.state.norm() < 1e-12) == (solution.initial.mode.word() == "00"));
  }
}

// Code word 0110: the table says +-, whose field (-1, 1) leads back; only +0 is consistent, where (2, -1) and (-1, 1) slide with (1/2, 0).
struct AgainstTheTable {
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = x[0];
    h[1] = x[1];
  }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const {
    const auto mix = [&](double pp, double mp, double mm, double pm) {
      return 0.25 * ((1.0 + lambda[1]) * ((1.0 + lambda[0]) * pp + (1.0 - lambda[0]) * mp) +
                     (1.0 - lambda[1]) * ((1.0 + lambda[0]) * pm + (1.0 - lambda[0]) * mm));
    };
    dx[0] = mix(2, -1, 3, -1);
    dx[1] = mix(-1, -1, -2, 1);
  }
};

TEST_CASE(
    "a mode that a table names and no motion has is listed beside the consistent one, and leads nowhere") {
  const System system = from_functor(AgainstTheTable{}, {.states = 2, .surfaces = 2});
  // Slides along x = 0 from y = -1 with 3/4 (-1, 1) + 1/4 (3, -2) = (0, 1/4): at the corner at t = 4.
  const Run run{.start = 0, .end = 6, .state = Eigen::Vector2d(0, -1)};
  Options options{.selection = Selection::korobitsyn_frolova};
  const Solution stopped = Simulator(system, options).run(run);
  REQUIRE(stopped.outcome.status == Status::ambiguous);
  CHECK(stopped.outcome.t == doctest::Approx(4));
  CHECK(stopped.outcome.message.find("W = 0110: +-, which the fields leave at once") != std::string::npos);
  const std::vector<Mode> modes = {Mode("+0"), Mode("+-")};
  CHECK(stopped.events.back().continuations == modes);
  options.on_ambiguity = Ambiguity::branches;
  const BranchTree tree = follow_branches(Simulator(system, options), run);
  REQUIRE(tree.root.branches.size() == 2);
  const Solution& follows = tree.root.branches[0].solution;
  REQUIRE(follows.outcome.reached_end());
  CHECK(follows.final.state[0] == doctest::Approx(1));
  CHECK(tree.root.branches[1].solution.outcome.status == Status::ambiguous);
  CHECK(tree.root.branches[1].branches.empty());
}

TEST_CASE("a bound on the number of branches is kept and reported") {
  const BranchTree tree = tree_of(from_functor(Escape{}, {.states = 1, .surfaces = 1}), Vector::Zero(1), 3);
  CHECK_FALSE(tree.complete);
  CHECK(tree.root.branches.empty());
}

TEST_CASE("a solution without ambiguity is a tree without branches") {
  const BranchTree tree =
      tree_of(from_functor(Escape{}, {.states = 1, .surfaces = 1}), Vector::Constant(1, 0.5));
  CHECK(tree.complete);
  CHECK(tree.root.branches.empty());
  CHECK(tree.root.solution.final.state[0] == doctest::Approx(1.5));
}

// Sixty relays, of which the last repels.
struct ManyAndEscape {
  void guards(auto, const auto& x, auto&& h) const {
    for (Index i = 0; i < 60; ++i) h[i] = x[i];
  }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const {
    for (Index i = 0; i < 60; ++i) dx[i] = i == 59 ? 1.0 * lambda[i] : -lambda[i];
  }
};

TEST_CASE("of many surfaces the message on what is not unique names those that differ") {
  const System system = from_functor(ManyAndEscape{}, {.states = 60, .surfaces = 60});
  const Solution solution = Simulator(system, {}).run({.start = 0, .end = 1, .state = Vector::Zero(60)});
  REQUIRE(solution.outcome.status == Status::ambiguous);
  const std::string& message = solution.outcome.message;
  CAPTURE(message);
  CHECK(message.size() < 400);
  CHECK(message.find("(h60 -)") != std::string::npos);
  CHECK(message.find("(h60 +)") != std::string::npos);
}

TEST_CASE("branches are refused for a policy that picks one continuation") {
  CHECK_THROWS_AS(
      tree_of(from_functor(Escape{}, {.states = 1, .surfaces = 1}), Vector::Zero(1), 64, Ambiguity::plus),
      std::invalid_argument);
}

}  // namespace
}  // namespace slideway
