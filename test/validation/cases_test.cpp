// Every case of the suite against its exact solution, with every method, from loose to tight.
#include <algorithm>

#include <doctest/doctest.h>

#include "test/validation/describe.hpp"
#include "validation/verdict.hpp"

using namespace slideway;
using namespace slideway::validation;

namespace {

void check_every_case(Method method, double rtol) {
  int judged = 0;
  for (const Case& problem : all_cases()) {
    if (rtol > problem.rtol_from * (1 + 1e-12) || !suits(problem, method)) continue;
    const Verdict verdict = judge(problem, method, rtol);
    ++judged;
    CHECK_MESSAGE(verdict.passed, describe(problem, method, rtol, verdict));
  }
  CHECK(judged > 50);
}

}  // namespace

TEST_CASE("every case agrees with its exact solution: bdf at rtol 1e-4") {
  check_every_case(Method::bdf, 1e-4);
}
TEST_CASE("every case agrees with its exact solution: bdf at rtol 1e-6") {
  check_every_case(Method::bdf, 1e-6);
}
TEST_CASE("every case agrees with its exact solution: bdf at rtol 1e-8") {
  check_every_case(Method::bdf, 1e-8);
}
TEST_CASE("every case agrees with its exact solution: bdf at rtol 1e-10") {
  check_every_case(Method::bdf, 1e-10);
}
TEST_CASE("every case agrees with its exact solution: bdf at rtol 1e-12") {
  check_every_case(Method::bdf, 1e-12);
}
TEST_CASE("every case agrees with its exact solution: adams at rtol 1e-4") {
  check_every_case(Method::adams, 1e-4);
}
TEST_CASE("every case agrees with its exact solution: adams at rtol 1e-6") {
  check_every_case(Method::adams, 1e-6);
}
TEST_CASE("every case agrees with its exact solution: adams at rtol 1e-8") {
  check_every_case(Method::adams, 1e-8);
}
TEST_CASE("every case agrees with its exact solution: adams at rtol 1e-10") {
  check_every_case(Method::adams, 1e-10);
}
TEST_CASE("every case agrees with its exact solution: adams at rtol 1e-12") {
  check_every_case(Method::adams, 1e-12);
}
TEST_CASE("every case agrees with its exact solution: dopri5 at rtol 1e-4") {
  check_every_case(Method::dopri5, 1e-4);
}
TEST_CASE("every case agrees with its exact solution: dopri5 at rtol 1e-6") {
  check_every_case(Method::dopri5, 1e-6);
}
TEST_CASE("every case agrees with its exact solution: dopri5 at rtol 1e-8") {
  check_every_case(Method::dopri5, 1e-8);
}
TEST_CASE("every case agrees with its exact solution: dopri5 at rtol 1e-10") {
  check_every_case(Method::dopri5, 1e-10);
}
TEST_CASE("every case agrees with its exact solution: dopri5 at rtol 1e-12") {
  check_every_case(Method::dopri5, 1e-12);
}

TEST_CASE("errors fall with the tolerance") {
  // A factor of 10⁴ in rtol has to buy at least one of 100, until rounding and the accuracy of location are reached.
  constexpr double floor = 1e-10;
  for (const Case& problem : all_cases()) {
    for (const Method method : {Method::bdf, Method::adams, Method::dopri5, Method::dop853, Method::rodas}) {
      if (!suits(problem, method)) continue;
      const double loose_rtol = std::min(1e-4, problem.rtol_from);
      const double tight_rtol = std::max(loose_rtol * 1e-4, 1e-12);
      const double loose = judge(problem, method, loose_rtol).worst_error();
      const double tight = judge(problem, method, tight_rtol).worst_error();
      CAPTURE(problem.id);
      CAPTURE(std::string(to_string(method)));
      CAPTURE(loose);
      // Nor does an error that is small by luck at the loose tolerance make the tight one a failure.
      const double lucky = std::max(loose, std::max(0.1, 0.01 * problem.condition) * loose_rtol);
      CHECK(tight <= std::max(floor * problem.condition, lucky * 1e-2));
    }
  }
}

TEST_CASE("a case fails when the library's answer is not the reference") {
  for (Case& problem : one_surface_cases()) {
    if (problem.id != "A02") continue;
    CHECK(judge(problem, Method::bdf, 1e-6).passed);
    Case moved = problem;
    moved.reference.final[0] += 0.01;
    CHECK_FALSE(judge(moved, Method::bdf, 1e-6).passed);
    Case late = problem;
    late.reference.times[1] += 0.01;
    CHECK_FALSE(judge(late, Method::bdf, 1e-6).passed);
    Case other_mode = problem;
    other_mode.reference.modes.back().front() = '-';
    CHECK_FALSE(judge(other_mode, Method::bdf, 1e-6).passed);
    Case other_kind = problem;
    other_kind.reference.kinds = {EventKind::crossing, EventKind::sliding_exit};
    CHECK_FALSE(judge(other_kind, Method::bdf, 1e-6).passed);
    Case no_end = problem;
    no_end.reference.status = Status::ambiguous;
    CHECK_FALSE(judge(no_end, Method::bdf, 1e-6).passed);
  }
}
