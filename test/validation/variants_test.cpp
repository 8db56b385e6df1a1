// The same cases mirrored, shifted in time, in other units and without derivatives.
#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "test/validation/describe.hpp"
#include "validation/variants.hpp"
#include "validation/verdict.hpp"

using namespace slideway;
using namespace slideway::validation;

namespace {

const std::vector<Method> every_method = {Method::bdf, Method::adams, Method::dopri5, Method::dop853,
                                          Method::rodas};

// Each step would take the factors of a full matrix.
bool takes_too_long(const Case& problem, Method method) {
  return method == Method::rodas && problem.system.states() > 50 && !problem.system.definition().field_along;
}

template <class Variant>
void check_every_variant(const std::vector<double>& tolerances, Variant variant) {
  for (const Case& original : all_cases()) {
    if (has_jumps(original)) continue;  // these dress surfaces, not contacts and edges
    const Case problem = variant(original);
    for (const double rtol : tolerances) {
      if (rtol > problem.rtol_from * (1 + 1e-12)) continue;
      for (const Method method : every_method) {
        if (!suits(problem, method) || takes_too_long(problem, method)) continue;
        const Verdict verdict = judge(problem, method, rtol);
        CHECK_MESSAGE(verdict.passed, describe(problem, method, rtol, verdict));
      }
    }
  }
}

}  // namespace

TEST_CASE("a mirrored system has the mirrored solution") {
  check_every_variant({1e-4, 1e-8, 1e-10}, [](const Case& original) { return mirrored(original); });
}

TEST_CASE("mirroring changes nothing but the words") {
  // Beyond rounding, which the choice of steps magnifies to the order of rtol.
  for (const Case& original : all_cases()) {
    if (has_jumps(original)) continue;
    const Case image = mirrored(original);
    for (const Method method : every_method) {
      if (!suits(original, method)) continue;
      const Verdict left = judge(original, method, 1e-10);
      const Verdict right = judge(image, method, 1e-10);
      CAPTURE(original.id);
      CAPTURE(std::string(to_string(method)));
      REQUIRE(left.solution.events.size() == right.solution.events.size());
      const double tolerance = 1e-8 * std::max(1.0, original.condition);
      for (std::size_t k = 0; k < left.solution.events.size(); ++k) {
        const double t = left.solution.events[k].t;
        CHECK(std::abs(right.solution.events[k].t - t) <= tolerance * std::max(1.0, std::abs(t)));
      }
      CHECK((left.solution.final.state - right.solution.final.state).lpNorm<Eigen::Infinity>() <=
            tolerance * std::max(1.0, left.solution.final.state.lpNorm<Eigen::Infinity>()));
    }
  }
}

TEST_CASE("a run that starts at t = 1000 has the same solution") {
  // The rounding of t is 1e-13 there, which is too near to an absolute tolerance of 1e-12 (rtol 1e-10).
  check_every_variant({1e-4, 1e-6, 1e-8}, [](const Case& original) { return shifted(original, 1000); });
}

TEST_CASE("states in millionths have the same solution") {
  check_every_variant({1e-4, 1e-8, 1e-10}, [](const Case& original) { return scaled(original, 1e-6); });
}

TEST_CASE("states in millions have the same solution") {
  check_every_variant({1e-4, 1e-8, 1e-10}, [](const Case& original) { return scaled(original, 1e6); });
}

TEST_CASE("time in thousands has the same solution") {
  check_every_variant({1e-4, 1e-8, 1e-10}, [](const Case& original) { return slowed(original, 1e3); });
}

TEST_CASE("time in thousandths has the same solution") {
  check_every_variant({1e-4, 1e-8, 1e-10}, [](const Case& original) { return slowed(original, 1e-3); });
}

TEST_CASE("a system without exact derivatives has the same solution") {
  // Not the tangencies of second order: the third derivative of h is beyond finite differences of finite differences,
  // and the run reports that.
  check_every_variant({1e-4, 1e-8}, [](const Case& original) {
    const bool cubic = original.id.rfind("start_cubic", 0) == 0;
    return cubic ? original : without_derivatives(original);
  });
}
