// Chains of many blocks: several of them leave their surfaces at the same time.
#include <doctest/doctest.h>

#include "models/friction_chain.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway {
namespace {

TEST_CASE("blocks that have hardly left the belt do not fire again when another one does") {
  const ModelInstance chain = models::friction_chain().instantiate({{"N", 100}});
  for (const Method method : {Method::dopri5, Method::automatic, Method::adams}) {
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

}  // namespace
}  // namespace slideway
