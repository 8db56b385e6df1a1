// CVODE's root-finding: what it sees, and that looking changes no step.
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include "integrate/stepper.hpp"
#include "test/integrate/stepping.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

// x'' = −x from (1, 0), with some functions to watch.
class WatchedOscillator final : public SmoothOde {
 public:
  using Values = void (*)(double t, ConstVectorRef x, VectorRef values);
  WatchedOscillator(Index functions, Values values) : functions_(functions), values_(values) {}

  Index states() const override { return 2; }
  void velocity(double, ConstVectorRef x, VectorRef dx) override { dx << x(1), -x(0); }
  void jacobian(double, ConstVectorRef, ConstVectorRef, MatrixRef jacobian) override {
    jacobian << 0, 1, -1, 0;
  }
  void project(double, ConstVectorRef, VectorRef) override {}
  Index root_functions() const override { return functions_; }
  void root_values(double t, ConstVectorRef x, VectorRef values) override { values_(t, x, values); }

 private:
  Index functions_;
  Values values_;
};

struct Taken {
  std::vector<StepReport> steps = {};
  std::vector<std::vector<int>> roots = {};  // of every step that has one
  std::vector<double> states = {};           // at the ends of the steps, and in their middles
};

Taken follow(WatchedOscillator ode, MultistepMethod method, double end, double rtol = 1e-8) {
  Taken taken;
  const auto stepper = make_cvode_stepper(ode, method, tolerances(2, rtol));
  REQUIRE(stepper->start(0, vector({1, 0}), end, 0));
  StepReport report;
  do {
    report = stepper->step();
    REQUIRE(report.status != StepStatus::failed);
    taken.steps.push_back(report);
    if (!std::isnan(report.root)) taken.roots.emplace_back(stepper->roots().begin(), stepper->roots().end());
    for (const double t : {report.end, 0.5 * (report.start + report.end)}) {
      const Vector x = state_at(*stepper, t, 2);
      taken.states.insert(taken.states.end(), {x(0), x(1)});
    }
  } while (report.status == StepStatus::advanced);
  return taken;
}

std::vector<double> roots_of(const Taken& taken) {
  std::vector<double> roots;
  for (const StepReport& step : taken.steps) {
    if (!std::isnan(step.root)) roots.push_back(step.root);
  }
  return roots;
}

// The same steps, and dense output of whole steps.
void check_same_steps(const Taken& one, const Taken& other) {
  REQUIRE(one.steps.size() == other.steps.size());
  for (std::size_t k = 0; k < one.steps.size(); ++k) {
    CHECK(one.steps[k].start == other.steps[k].start);
    CHECK(one.steps[k].end == other.steps[k].end);
    CHECK(one.steps[k].status == other.steps[k].status);
  }
  CHECK(one.states == other.states);
}

void nothing(double, ConstVectorRef, VectorRef) {}

}  // namespace

TEST_CASE("CVODE reports where a root function falls through zero, and its step goes on to the end") {
  for (const MultistepMethod method : kMultistepMethods) {
    const double end = 20;
    const Taken plain = follow({0, nothing}, method, end);
    CHECK(roots_of(plain).empty());
    const Taken watched = follow(
        {2, [](double, ConstVectorRef x, VectorRef values) { values << x(0), x(1) + 0.5; }}, method, end);
    check_same_steps(plain, watched);
    // cos t falls through 0 at π/2 + 2πk, and −sin t through −0.5 at π/6 + 2πk.
    std::vector<double> exact;
    std::vector<std::vector<int>> functions;
    for (int k = 0; k < 4; ++k) {
      for (const auto& [phase, function] : {std::pair{std::numbers::pi / 6, 1}, {std::numbers::pi / 2, 0}}) {
        if (phase + 2 * std::numbers::pi * k > end) continue;
        exact.push_back(phase + 2 * std::numbers::pi * k);
        functions.push_back({function});
      }
    }
    const std::vector<double> found = roots_of(watched);
    REQUIRE(found.size() == exact.size());
    for (std::size_t k = 0; k < exact.size(); ++k) CHECK(std::abs(found[k] - exact[k]) < 1e-5);
    CHECK(watched.roots == functions);
    for (const StepReport& step : watched.steps) {
      if (!std::isnan(step.root)) CHECK((step.root > step.start && step.root <= step.end));
    }
  }
}

TEST_CASE("root functions without values, that throw or that stay zero change nothing") {
  constexpr double never = std::numeric_limits<double>::quiet_NaN();
  for (const MultistepMethod method : kMultistepMethods) {
    const Taken plain = follow({0, nothing}, method, 20);
    const Taken strange = follow({4,
                                  [](double t, ConstVectorRef x, VectorRef values) {
                                    values << std::sqrt(x(0)), 0, x(0) > 0 ? 0 : never, 1 / (x(0) * 0);
                                    if (t > 15) throw std::runtime_error("no values here");
                                  }},
                                 method, 20);
    check_same_steps(plain, strange);
    CHECK(roots_of(strange).empty());
  }
}

TEST_CASE("a root function that is zero at the start and falls at once is reported at the start") {
  for (const MultistepMethod method : kMultistepMethods) {
    const Taken taken =
        follow({1, [](double, ConstVectorRef x, VectorRef values) { values << x(1); }}, method, 1);
    const std::vector<double> found = roots_of(taken);
    REQUIRE(found.size() == 1);
    CHECK(found.front() < 1e-3);
    check_same_steps(follow({0, nothing}, method, 1), taken);
  }
}

TEST_CASE(
    "a root function that is zero or tiny before it falls, or falls from what is huge, ends CVODE's search") {
  for (const MultistepMethod method : kMultistepMethods) {
    for (const double slope : {1e-3, 1e-17, 1e-200, 1e200}) {
      CAPTURE(slope);
      static double fall = 0;
      fall = slope;
      const Taken taken = follow({2,
                                  [](double t, ConstVectorRef, VectorRef values) {
                                    values << (t < 3 ? 0 : fall * (3 - t)),
                                        (t < 3 ? 1e300 : -1e-17 * (t - 3));
                                  }},
                                 method, 6);
      const std::vector<double> found = roots_of(taken);
      REQUIRE(!found.empty());
      CHECK(std::abs(found.front() - 3) < 1e-6);
      check_same_steps(follow({0, nothing}, method, 6), taken);
    }
  }
}
