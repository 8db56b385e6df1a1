// Relay feedback: an oscillation some of whose sliding pieces are very short.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "models/registry.hpp"
#include "slideway/simulate/simulator.hpp"
#include "test/simulate/hybrid.hpp"

namespace slideway {
namespace {

// The shortest takes 0.0022; the dip with which it begins, 8e-6, is within the errors that may gather at rtol 1e-4.
TEST_CASE("relay feedback slides as often at every tolerance") {
  const ModelInstance relay = models::find_model("relay").instantiate({});
  for (const Method method : {Method::dopri5, Method::dop853, Method::rodas, Method::adams, Method::bdf}) {
    for (const double rtol : {1e-4, 1e-5, 1e-7, 1e-9, 1e-11}) {
      CAPTURE(std::string(to_string(method)));
      CAPTURE(rtol);
      const Solution solution = Simulator(relay.system, test::with(method, rtol))
                                    .run({.start = 0, .end = 10, .state = relay.state});
      REQUIRE(solution.outcome.reached_end());
      REQUIRE(solution.events.size() == 34);
      for (const EventRecord& event : solution.events) CHECK(event.kind != EventKind::grazing);
      CHECK(solution.events[7].kind == EventKind::sliding_entry);
      CHECK(solution.events[8].kind == EventKind::sliding_exit);
      CHECK(solution.events[8].t - solution.events[7].t ==
            doctest::Approx(0.002224).epsilon(100 * rtol + 0.25));
    }
  }
}

}  // namespace
}  // namespace slideway
