// Derivatives by parameters of fast equations. A fast state follows g(t) = 3/10 cos 2t with the rate k, and another state takes its rate:
//     u' = −k(u − g),     w' = 1 + p u',     w = t + p (u − u₀).
// On the slow solution, u = 3/10 (k² cos 2t + 2k sin 2t)/(k² + 4). Errors of u enter ∂w'/∂p = u' multiplied by k.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "test/sensitivity/differentiated.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

constexpr double kRate = 4.7e5;
// The adjoint is less accurate: up to 107 tolerances were measured with `auto`, which begins with explicit steps, and 76 with `rodas`, whose steps
// beside the event are short.
constexpr double kOfAdjoint = 200;

double slow(double t) {
  return 0.3 * (kRate * kRate * std::cos(2 * t) + 2 * kRate * std::sin(2 * t)) / (kRate * kRate + 4);
}
double slow_rate(double t) {
  return 0.6 * (2 * kRate * std::cos(2 * t) - kRate * kRate * std::sin(2 * t)) / (kRate * kRate + 4);
}

const char* const kFollower = R"TOML(
[parameters]
k = 4.7e5
p = 0.8
[states]
u = "0.3*k^2/(k^2 + 4)"
w = 0.0
z = 0.0
[time]
end = 3.0
[surfaces]
s = "w - 1"
[derivatives]
u = "-k*(u - 0.3*cos(2*t))"
w = "1 - p*k*(u - 0.3*cos(2*t))"
z = "sgn(s)"
)TOML";

void check_follower(Method method, double rtol) {
  CAPTURE(std::string(to_string(method)));
  CAPTURE(rtol);
  Options options;
  options.method = method;
  const Differentiated run = differentiated(kFollower, {"p"}, rtol, options, kOfAdjoint);
  REQUIRE(run.solution.events.size() == 1);
  const double t = run.solution.events.front().t, u0 = slow(0);
  const double later = -(slow(t) - u0) / (1 + 0.8 * slow_rate(t));
  run.expect(run.end("w", "p"), slow(3) - u0);
  run.expect(run.end("u", "p"), 0);
  run.expect(run.time(0, "p"), later);
  run.expect(run.end("z", "p"), -2 * later);
}

// Twelve such pairs side by side, each with its own parameter p[i]: J is sparse.
std::string many_followers() {
  return R"TOML(
[parameters]
k = 4.7e5
p = 0.8
[states]
u = { size = "12", value = "0.3*k^2/(k^2 + 4)" }
w = { size = "12", value = "0" }
z = 0.0
[time]
end = 3.0
[surfaces]
s = "w[12] - 1"
[derivatives]
u = "-k*(u[i] - 0.3*cos(2*t))"
w = "1 - i/12*p*k*(u[i] - 0.3*cos(2*t))"
z = "sgn(s)"
)TOML";
}

}  // namespace

TEST_CASE("by a parameter of a fast equation derivatives are as accurate as the run") {
  for (const Method method : {Method::automatic, Method::bdf, Method::rodas})
    for (const double rtol : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11}) check_follower(method, rtol);
}

TEST_CASE("they are so where the Jacobian is sparse") {
  for (const Method method : {Method::automatic, Method::bdf, Method::rodas})
    for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10}) {
      CAPTURE(std::string(to_string(method)));
      CAPTURE(rtol);
      Options options;
      options.method = method;
      const Differentiated run = differentiated(many_followers(), {"p"}, rtol, options, kOfAdjoint);
      REQUIRE(run.solution.events.size() == 1);
      const double t = run.solution.events.front().t, u0 = slow(0);
      run.expect(run.time(0, "p"), -(slow(t) - u0) / (1 + 0.8 * slow_rate(t)));
      for (const Index i : {Index{1}, Index{6}, Index{12}})
        run.expect(run.end("w" + std::to_string(i), "p"), static_cast<double>(i) / 12 * (slow(3) - u0));
    }
}

TEST_CASE("bristles of LuGre have derivatives at loose tolerances, too") {
  // Two runs at rtol 1e-11, with F_s 2e-4 below and above, differ by 1.3954 times the change.
  constexpr double expected = 1.3954;
  for (const Method method : {Method::automatic, Method::bdf, Method::rodas}) {
    for (const double rtol : {1e-4, 1e-6}) {
      Options options;
      options.method = method;
      options.atol = Vector(Eigen::Vector3d{1e-10, 1e-10, 1e-13});
      options.recording = Recording::nothing;
      const Differentiated run = differentiated(R"TOML(
[parameters]
F_s = 1.5
[states]
x = 0.0
v = 0.0
[time]
end = 20.0
[friction]
F = { law = "lugre", velocity = "v", sigma0 = 1e5, sigma1 = "sqrt(1e5)", sigma2 = 0.4, Fc = 1.0, Fs = "F_s", vs = 0.001 }
[derivatives]
x = "v"
v = "2*(0.1*t - x) - F"
)TOML",
                                                {"F_s"}, rtol, options);
      CAPTURE(rtol);
      CAPTURE(run.found().reason());
      CHECK(run.end("x", "F_s") == doctest::Approx(expected).epsilon(rtol > 1e-5 ? 0.05 : 0.01));
    }
  }
}
