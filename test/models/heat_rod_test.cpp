#include <vector>

#include <doctest/doctest.h>

#include "models/registry.hpp"
#include "slideway/simulate/simulator.hpp"

using namespace slideway;

namespace {

EventLog events_of_rod(Index cells, double rtol) {
  const ModelInstance rod = models::find_model("heat-rod").instantiate({{"n", static_cast<double>(cells)}});
  Options options;
  options.rtol = rtol;
  options.method = Method::bdf;
  options.recording = Recording::nothing;
  const Solution solution = Simulator(rod.system, options).run({.end = 6, .state = rod.state});
  REQUIRE(solution.outcome.status == Status::reached_end);
  return solution.events;
}

}  // namespace

// The errors of the state, times n³, hide how the relay's force changes: only the run itself shows that it falls.
TEST_CASE("the relay of a rod of many cells lets go when that of a rod of fewer cells does") {
  const EventLog coarse = events_of_rod(400, 1e-8);
  REQUIRE(coarse.size() == 4);
  for (const Index cells : {4000, 6000}) {
    CAPTURE(cells);
    const EventLog fine = events_of_rod(cells, 1e-6);
    REQUIRE(fine.size() == coarse.size());
    for (std::size_t i = 0; i < fine.size(); ++i) {
      CHECK(fine[i].kind == coarse[i].kind);
      CHECK(fine[i].t == doctest::Approx(coarse[i].t).epsilon(1e-4));
    }
  }
}
