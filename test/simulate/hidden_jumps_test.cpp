// Derivatives that jump where no guard is zero are told, and what is only steep or fast is not.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "test/simulate/hybrid.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

constexpr const char* kWords = "where no guard is zero";

std::string told(const Solution& solution) {
  for (const std::string& warning : solution.warnings)
    if (contains(warning, kWords)) return warning;
  return "";
}

const std::vector<Method> kMethods = {Method::automatic, Method::bdf,    Method::adams,
                                      Method::dopri5,    Method::dop853, Method::rodas};

template <class Check>
void for_tolerances(const Check& check) {
  for (const Method method : kMethods) {
    for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10}) {
      CAPTURE(std::string(to_string(method)));
      CAPTURE(rtol);
      check(with(method, rtol));
    }
  }
}

// v' = -x - 0.4 sgn(v) + cos(t/2).
struct Friction {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[1]; }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::cos;
    dx[0] = x[1];
    dx[1] = -x[0] - 0.4 * lambda[0] + cos(0.5 * t);
  }
};

}  // namespace

TEST_CASE("a jump inside a functor is told with its time, its place and its size") {
  const System of_state = smooth(2, [](auto, const auto& x, auto&& dx) {
    dx[0] = -x[1];
    dx[1] = x[0] > 0.3 ? x[0] : x[0] - 2.0;
  });
  const System of_time =
      smooth(1, [](auto t, const auto& x, auto&& dx) { dx[0] = t > 1.7 ? 3.0 - x[0] : -x[0]; });
  for_tolerances([&](const Options& options) {
    const std::string state = told(run(of_state, {1, 0}, 3, options));
    CHECK(contains(state, "the derivative of 'x2' jumps from 0.3 to -1.7"));
    const std::string time = told(run(of_time, {1}, 3, options));
    CHECK(contains(time, "at t = 1.7"));
    CHECK(contains(time, "the derivative of 'x1' jumps from"));
  });
}

TEST_CASE("a hidden relay is told") {
  const System relay = smooth(1, [](auto t, const auto& x, auto&& dx) {
    using std::cos;
    dx[0] = (x[0] > 0.0 ? -1.0 : 1.0) + 0.3 * cos(t);
  });
  for (const Method method : {Method::automatic, Method::dopri5, Method::bdf}) {
    CAPTURE(std::string(to_string(method)));
    Options options = with(method, 1e-6);
    options.max_steps = 20000;
    CHECK(contains(told(run(relay, {1}, 1.3, options)), "the derivative of 'x1' jumps"));
  }
}

TEST_CASE("what is steep, stiff, or bent is no jump") {
  const System bump = smooth(1, [](auto t, const auto& x, auto&& dx) {
    using std::exp;
    dx[0] = 100.0 * exp(-1e6 * (t - 1.0) * (t - 1.0)) - x[0];
  });
  const System bend =
      smooth(1, [](auto t, const auto&, auto&& dx) { dx[0] = t > 1.1 ? 50.0 * (t - 1.1) : 0.0 * t; });
  const System steep = smooth(1, [](auto t, const auto&, auto&& dx) {
    using std::tanh;
    dx[0] = tanh((t - 1.0) * 1e5);
  });
  const System van_der_pol = smooth(2, [](auto, const auto& x, auto&& dx) {
    dx[0] = x[1];
    dx[1] = 100.0 * (1.0 - x[0] * x[0]) * x[1] - x[0];
  });
  for_tolerances([&](const Options& options) {
    CHECK(told(run(bump, {1}, 3, options)).empty());
    CHECK(told(run(bend, {1}, 3, options)).empty());
    CHECK(told(run(steep, {1}, 3, options)).empty());
    CHECK(told(run(van_der_pol, {2, 0}, 200, options)).empty());
  });
}

TEST_CASE("a jump that a guard tells of is none of these") {
  for_tolerances([&](const Options& options) {
    CHECK(told(run(from_functor(Friction{}, {.states = 2, .surfaces = 1}), {2, 0}, 50, options)).empty());
  });
}
