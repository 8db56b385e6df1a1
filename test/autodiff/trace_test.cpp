#include "slideway/autodiff/trace.hpp"

#include <doctest/doctest.h>

#include "slideway/model/from_functor.hpp"

using namespace slideway;

namespace {

struct Chain {
  void guards(auto, const auto& x, auto&& h) const {
    for (Index i = 0; i < 3; ++i) h[i] = x[3 + i] - 0.1;
  }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    for (Index i = 0; i < 3; ++i) {
      dx[i] = x[3 + i];
      dx[3 + i] = -x[i] - lambda[i];
      if (i > 0) dx[3 + i] += x[i - 1] - x[i];
    }
  }
};

struct Branching {
  void guards(auto, const auto& x, auto&& h) const {
    if (x[0] > 1) {
      h[0] = x[0] * x[0];
    } else {
      h[0] = x[0];
    }
  }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const { dx[0] = -lambda[0]; }
};

}  // namespace

TEST_CASE("a trace remembers what it is made of and how") {
  const Trace x = Trace::state(0, 0.5);
  const Trace y = Trace::state(3, 0.25);
  const Trace relay = Trace::relay(1, 1);
  const Trace sum = 2.0 * x - y / 4 + 1;
  CHECK(sum.states() == std::vector<Index>{0, 3});
  CHECK(sum.relays().empty());
  CHECK(sum.degree() == 1);
  CHECK(sum.value() == doctest::Approx(1.9375));
  CHECK((x * relay).degree() == 2);
  CHECK((x * relay).relays() == std::vector<Index>{1});
  CHECK(sin(y).degree() == 2);
  CHECK(pow(Trace(2), 3).degree() == 0);
  CHECK(max(x, 0.0).degree() == 2);
}

TEST_CASE("relays that enter by sums and constant factors are additive, whatever the states do") {
  const Trace x = Trace::state(0, 0.5);
  const Trace relay = Trace::relay(1, 1);
  CHECK((sin(x) * x - 3.0 * relay / 2 + 1.0).additive());
  CHECK_FALSE((x * relay).additive());
  CHECK_FALSE((relay * relay).additive());
  CHECK_FALSE((sin(relay) + x).additive());
  Trace sum = sin(x);
  sum += x * relay;
  CHECK_FALSE(sum.additive());
}

TEST_CASE("a comparison of a state is noted, one of constants is not") {
  const TraceRun run;
  CHECK(Trace(1) < Trace(2));
  CHECK_FALSE(run.compared());
  CHECK(Trace::state(0, 1) > 0.5);
  CHECK(run.compared());
}

TEST_CASE("a functor's patterns and affine guards are found by one traced run") {
  const System system = from_functor(Chain{}, {.states = 6, .surfaces = 3});
  const SystemDefinition& definition = system.definition();
  CHECK(definition.guards_affine);
  REQUIRE(definition.field_dlambda_pattern);
  CHECK(definition.field_dlambda_pattern->entries() == 3);
  REQUIRE(definition.guards_dx_pattern);
  CHECK(definition.guards_dx_pattern->has(2, 5));
  CHECK_FALSE(definition.guards_dx_pattern->has(2, 4));
  CHECK(definition.field_dx_pattern->entries() == 8);
}

TEST_CASE("nothing is claimed of a functor that branches on its state") {
  const System system = from_functor(Branching{}, {.states = 1, .surfaces = 1});
  CHECK_FALSE(system.definition().guards_affine);
  CHECK_FALSE(system.definition().guards_dx_pattern);
}
