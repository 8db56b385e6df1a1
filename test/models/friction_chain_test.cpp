// Chains of many blocks: several of them leave their surfaces at the same time.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "models/friction_chain.hpp"
#include "slideway/simulate/simulator.hpp"
#include "test/models/chain_by_hand.hpp"
#include "test/simulate/hybrid.hpp"

namespace slideway {
namespace {

TEST_CASE("blocks that have hardly left the belt do not fire again when another one does") {
  const ModelInstance chain = models::friction_chain().instantiate({{"N", 100}});
  for (const Method method :
       {Method::dopri5, Method::dop853, Method::rodas, Method::automatic, Method::adams}) {
    for (const double rtol : {1e-3, 1e-4}) {
      CAPTURE(rtol);
      Options options;
      options.rtol = rtol;
      options.method = method;
      options.recording = Recording::nothing;
      const Solution solution =
          Simulator(chain.system, options).run({.start = 0, .end = 50, .state = chain.state});
      CHECK_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
      CHECK(solution.events.size() < 1000);
    }
  }
}

// One field at an event tells those at every λ, and the integrator goes on from it.
TEST_CASE("events of blocks that do not see each other ask for no field that the integrator does not") {
  const ModelInstance chain = models::friction_chain().instantiate({{"N", 10}});
  Options options;
  options.method = Method::dopri5;
  const Solution solution =
      Simulator(chain.system, options).run({.start = 0, .end = 50, .state = chain.state});
  REQUIRE(solution.outcome.reached_end());
  REQUIRE(solution.events.size() > 50);
  CHECK(solution.statistics.field_evaluations == solution.statistics.integrator_evaluations);
}

// The modes that each block goes through.
std::vector<std::string> histories(const Solution& solution, Index blocks) {
  std::vector<std::string> result(static_cast<std::size_t>(blocks));
  for (const EventRecord& event : solution.events) {
    if (!event.from || !event.to) continue;
    // A record of many blocks holds the modes of those that take part.
    const bool is_short = event.from->size() < blocks;
    for (std::size_t k = 0; k < event.surfaces.size(); ++k) {
      const Index i = event.surfaces[k];
      const Index place = is_short ? static_cast<Index>(k) : i;
      if ((*event.from)[place] != (*event.to)[place])
        result[static_cast<std::size_t>(i)] += to_character((*event.to)[place]);
    }
  }
  return result;
}

std::size_t changes(const std::vector<std::string>& histories) {
  std::size_t count = 0;
  for (const std::string& history : histories) count += history.size();
  return count;
}

// Events of blocks that do not see each other may be less apart than the error of their times, so that their order is not
// asked for.
TEST_CASE(
    "every block of a chain of a hundred has the same history at every tolerance and with every method") {
  constexpr Index blocks = 100;
  const ModelInstance chain = models::friction_chain().instantiate({{"N", blocks}});
  Options options;
  options.recording = Recording::nothing;
  std::vector<std::string> expected;
  for (const Method method : {Method::dopri5, Method::dop853, Method::rodas, Method::adams, Method::bdf}) {
    for (const double rtol : {1e-6, 1e-8, 1e-10}) {
      // At a loose tolerance the error of BDF is larger than the distance by which one block misses the belt.
      if (method == Method::bdf && rtol > 1e-8) continue;
      CAPTURE(std::string(to_string(method)));
      CAPTURE(rtol);
      options.rtol = rtol;
      options.method = method;
      const Solution solution =
          Simulator(chain.system, options).run({.start = 0, .end = 50, .state = chain.state});
      REQUIRE(solution.outcome.reached_end());
      const std::vector<std::string> found = histories(solution, blocks);
      if (expected.empty()) expected = found;
      CHECK(found == expected);
    }
  }
  CHECK(changes(expected) == 792);
}

// Touches of the belt change nothing, and whether one is seen depends on the errors: they do not count.
TEST_CASE("a thousand blocks go through the modes that a program written out for them finds") {
  constexpr Index blocks = 1000;
  const std::vector<std::string> expected = chain_histories_by_hand(blocks, 50, 1.0 / 200);
  CHECK(changes(expected) == 8045);
  const ModelInstance chain = models::friction_chain().instantiate({{"N", blocks}});
  Options options;
  options.method = Method::dopri5;
  options.recording = Recording::nothing;
  for (const double rtol : {1e-6, 1e-10}) {
    CAPTURE(rtol);
    options.rtol = rtol;
    const Solution solution =
        Simulator(chain.system, options).run({.start = 0, .end = 50, .state = chain.state});
    REQUIRE(solution.outcome.reached_end());
    CHECK(histories(solution, blocks) == expected);
  }
}

// A classification evaluates the fields a number of times that does not depend on how many surfaces there are, so that its
// cost grows like that of one evaluation.
TEST_CASE("a chain ten times as long takes as many evaluations for every event") {
  const auto evaluations_per_event = [](double blocks) {
    const ModelInstance chain = models::friction_chain().instantiate({{"N", blocks}});
    Options options;
    options.method = Method::dopri5;
    options.recording = Recording::nothing;
    const Solution solution =
        Simulator(chain.system, options).run({.start = 0, .end = 10, .state = chain.state});
    REQUIRE(solution.outcome.reached_end());
    REQUIRE(solution.events.size() > static_cast<std::size_t>(blocks));
    const double all =
        static_cast<double>(solution.statistics.field_evaluations + solution.statistics.guard_evaluations);
    return all / static_cast<double>(solution.events.size());
  };
  CHECK(evaluations_per_event(400) <= 1.2 * evaluations_per_event(40));
}

// A block between two that stick turns on a circle that touches the velocity of the belt from below, exactly.
TEST_CASE("a slipping block that comes back to the velocity of the belt just touches it, and slips on") {
  const ModelInstance one = models::friction_chain().instantiate(
      {{"N", 1}, {"k", 0}, {"kp", 1}, {"mu", 0.5}, {"vb", 0.1}, {"x1", 0}, {"v1", 0.1}});
  for (const Method method : {Method::dopri5, Method::dop853, Method::rodas, Method::adams, Method::bdf}) {
    for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10}) {
      CAPTURE(std::string(to_string(method)));
      CAPTURE(rtol);
      const Solution solution =
          Simulator(one.system, test::with(method, rtol)).run({.start = 0, .end = 70, .state = one.state});
      REQUIRE(solution.outcome.reached_end());
      CHECK(histories(solution, 1).front() == "-");
      CHECK(solution.events.front().t == doctest::Approx(5));
      // A touch is one event, however near the numbers come to it: one a turn at most.
      for (std::size_t k = 1; k < solution.events.size(); ++k) {
        CHECK(solution.events[k].kind == EventKind::grazing);
        CHECK(solution.events[k].t - solution.events[k - 1].t > 6);
      }
      CHECK(std::abs(solution.final.state[0] - (0.5 + 0.1 * std::sin(65.0))) <= 1000 * rtol);
      CHECK(std::abs(solution.final.state[1] - 0.1 * std::cos(65.0)) <= 1000 * rtol);
    }
  }
}

}  // namespace
}  // namespace slideway
