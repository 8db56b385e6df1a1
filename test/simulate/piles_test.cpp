// Blocks that fall on each other, until all lie still: event by event beside an exact computation, and the times of rest beside
// validation/reference/block_pile.py, which resolves every impact with 100 digits.
#include <array>
#include <cmath>

#include "models/registry.hpp"
#include "test/simulate/hybrid.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

constexpr long double kLongGravity = 9.81L, kGap = 0.2L, kHeight = 0.1L;

struct Hit {
  std::string contact;
  double t;
};

// Every block is in free fall between impacts; gaps between blocks change linearly. Until an approach is below `slowest`.
std::vector<Hit> exact_hits(int blocks, long double e, long double slowest) {
  const auto n = static_cast<std::size_t>(blocks);
  std::vector<long double> z(n), v(n, 0);
  for (std::size_t i = 0; i < n; ++i) z[i] = static_cast<long double>(i + 1) * kGap;
  long double t = 0;
  std::vector<Hit> hits;
  while (true) {
    long double wait = (v[0] + std::sqrt(v[0] * v[0] + 2 * kLongGravity * z[0])) / kLongGravity;
    std::size_t hit = 0;
    for (std::size_t i = 1; i < n; ++i) {
      const long double closing = v[i - 1] - v[i];
      if (!(closing > 0) || (z[i] - z[i - 1]) / closing >= wait) continue;
      wait = (z[i] - z[i - 1]) / closing;
      hit = i;
    }
    t += wait;
    for (std::size_t i = 0; i < n; ++i) {
      z[i] += v[i] * wait - kLongGravity * wait * wait / 2;
      v[i] -= kLongGravity * wait;
    }
    const long double approach = hit == 0 ? -v[0] : v[hit - 1] - v[hit];
    if (approach < slowest) return hits;
    if (hit == 0) {
      z[0] = 0;
      v[0] = -e * v[0];
    } else {
      z[hit] = z[hit - 1];
      const long double below = v[hit - 1], above = v[hit];
      v[hit - 1] = ((1 - e) * below + (1 + e) * above) / 2;
      v[hit] = ((1 + e) * below + (1 - e) * above) / 2;
    }
    hits.push_back(
        {hit == 0 ? "floor" : std::to_string(hit) + "-" + std::to_string(hit + 1), static_cast<double>(t)});
  }
}

Solution drop(Index blocks, double e, const Options& options) {
  const ModelInstance pile =
      models::find_model("block-pile").instantiate({{"N", static_cast<double>(blocks)}, {"e", e}});
  return Simulator(pile.system, options).run({.start = 0, .end = 5, .state = pile.state});
}

struct Pile {
  Index blocks;
  double e;
  double rests;     // when the last block comes to rest
  double accuracy;  // what double precision leaves of that: collapses end at the square root of its rounding
  std::size_t most_events;
};

// Times from block_pile.py. With e = 0.3 neighbouring blocks collapse onto each other, faster than geometrically.
const std::array<Pile, 12> piles = {{{2, 0.3, 0.32132455100022, 1e-7, 45},
                                     {2, 0.5, 0.48597331234727, 1e-8, 80},
                                     {2, 0.8, 1.4491739102302, 1e-8, 220},
                                     {3, 0.3, 0.64953331558391, 1e-7, 60},
                                     {3, 0.5, 0.45379429198222, 1e-8, 100},
                                     {3, 0.8, 1.2919317507424, 1e-8, 300},
                                     {5, 0.3, 0.45294285017667, 1e-5, 120},
                                     {5, 0.5, 0.52965108064808, 1e-8, 160},
                                     {5, 0.8, 1.1686898853219, 1e-8, 450},
                                     {10, 0.3, 0.72501240479346, 1e-5, 220},
                                     {10, 0.5, 0.75798649551984, 1e-8, 300},
                                     {10, 0.8, 0.94910657848429, 1e-7, 900}}};

}  // namespace

TEST_CASE("the impacts of a falling pile come in their exact order and at their exact times") {
  for (const auto& [blocks, e] : {std::pair{2, 0.5}, {3, 0.5}, {5, 0.5}, {5, 0.8}}) {
    const std::vector<Hit> expected = exact_hits(blocks, static_cast<long double>(e), 0.3L);
    REQUIRE(expected.size() > 8);
    for_every_method([&, blocks = blocks, e = e](const Options& options) {
      CAPTURE(blocks);
      CAPTURE(e);
      const Solution solution = drop(blocks, e, options);
      REQUIRE(solution.events.size() > expected.size());
      for (std::size_t k = 0; k < expected.size(); ++k) {
        CAPTURE(k);
        CHECK(solution.events[k].name == expected[k].contact);
        CHECK(error(solution.events[k].t, expected[k].t) < 100 * options.rtol);
      }
    });
  }
}

TEST_CASE("a pile comes to rest at its exact time, with as many events as bounces can be told from rest") {
  for (const Pile& pile : piles) {
    for_every_method([&](const Options& options) {
      CAPTURE(pile.blocks);
      CAPTURE(pile.e);
      const Solution solution = drop(pile.blocks, pile.e, options);
      REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
      CHECK(solution.final.mode.word() == std::string(static_cast<std::size_t>(pile.blocks), '0'));
      CHECK(solution.events.size() <= pile.most_events);
      CHECK(solution.events.back().kind == EventKind::zeno);
      CHECK(std::abs(solution.events.back().t - pile.rests) < pile.accuracy + options.rtol);
      for (Index i = 0; i < pile.blocks; ++i) {
        CHECK(std::abs(solution.final.state[i] - static_cast<double>(kHeight) * static_cast<double>(i)) <
              1e-14);
        CHECK(std::abs(solution.final.state[pile.blocks + i]) < 1e-14);
      }
      // Nothing happens twice: a contact that has come to rest stays at rest.
      CHECK(count(solution, EventKind::zeno) <= static_cast<std::size_t>(pile.blocks));
    });
  }
}

TEST_CASE("blocks that fall in step and land plastically are at rest one after the other") {
  for_every_method([](const Options& options) {
    const Solution solution = drop(5, 0, options);
    REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
    REQUIRE(solution.events.size() == 5);
    for (std::size_t k = 0; k < 5; ++k) {
      CHECK(solution.events[k].kind == EventKind::contact);
      const double expected = std::sqrt(2 * static_cast<double>(k + 1) * 0.2 / 9.81);
      CHECK(error(solution.events[k].t, expected) < 100 * options.rtol);
    }
    CHECK(solution.final.mode.word() == "00000");
  });
}
