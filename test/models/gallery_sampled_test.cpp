// The gallery, sampled control: model files beside recursions from sample to sample, in which the plant is advanced by its matrix
// exponential.
#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "test/models/gallery_run.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

// x(t) of x' = A x + c, A with different eigenvalues and an inverse.
Vector advanced(const Matrix& a, const Vector& c, const Vector& x, double t) {
  const Eigen::EigenSolver<Matrix> modes(a);
  const Eigen::VectorXcd growth = (modes.eigenvalues() * t).array().exp();
  const Matrix flow = (modes.eigenvectors() * growth.asDiagonal() * modes.eigenvectors().inverse()).real();
  const Vector rest = -a.fullPivLu().solve(c);
  return rest + flow * (x - rest);
}

}  // namespace

TEST_CASE(
    "the samples of a sampled sliding-mode control follow the reaching law into the quasi-sliding band") {
  const GalleryRun run = follow("sampled_sliding", {.rtol = 1e-12});
  const double T = run.parameter("T"), c = run.parameter("c");
  const double q = run.parameter("q"), eps = run.parameter("eps");
  const EventLog samples = run.events(EventKind::sample, "control");
  REQUIRE(samples.size() == 101);
  double s = c * 1.0 + 0.5, worst = 0;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    CHECK(samples[k].t == static_cast<double>(k) * T);
    worst = std::max(worst, std::abs(c * run.before(samples[k], "x1") + run.before(samples[k], "x2") - s));
    s = (1 - q * T) * s - eps * T * (s > 0 ? 1 : -1);
  }
  CHECK(worst < 1e-10);
  CHECK(std::abs(s) == near(eps * T / (2 - q * T), 1e-6));
}

TEST_CASE("a digital PID controller with anti-windup gives the sequence of its recursion") {
  const GalleryRun run = follow("digital_pid", {.rtol = 1e-12});
  const auto p = [&](const char* name) { return run.parameter(name); };
  const double h = p("h"), K = p("K"), Td = p("Td"), N = p("N");
  const EventLog samples = run.events(EventKind::sample, "pid");
  REQUIRE(samples.size() == 201);
  const Matrix plant{{-1, 1}, {0, -2}};
  Vector x = Vector::Zero(2);
  double u = 0, I = 0, D = 0, old = 0, worst = 0;
  bool saturates = false;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const double r = static_cast<double>(k) * h > 1 ? 1 : 0;
    const double y = x[0];
    D = Td / (Td + N * h) * D - K * Td * N / (Td + N * h) * (y - old);
    const double v = K * (p("b") * r - y) + I + D;
    u = std::clamp(v, p("u_low"), p("u_high"));
    saturates = saturates || u != v;
    I += K * h / p("Ti") * (r - y) + h / p("Tt") * (u - v);
    old = y;
    worst = std::max({worst, std::abs(run.before(samples[k], "y") - y),
                      std::abs(run.after(samples[k], "u") - u), std::abs(run.after(samples[k], "I") - I)});
    x = advanced(plant, Vector{{0, 2 * u}}, x, h);
  }
  CHECK(saturates);
  CHECK(worst < 1e-9);
  CHECK(run.final("y") == near(1, 1e-3));
}

TEST_CASE("a buck converter with a sampled duty ratio follows its map from period to period") {
  const GalleryRun run = follow("sampled_pwm", {.rtol = 1e-12});
  const auto p = [&](const char* name) { return run.parameter(name); };
  const double T = p("T"), L = p("L"), C = p("C"), R = p("R");
  const Matrix a{{0, -1 / L}, {1 / C, -1 / (R * C)}};
  const EventLog samples = run.events(EventKind::sample, "sample");
  REQUIRE(samples.size() == 101);
  CHECK(run.events(EventKind::reset, "open").size() == 100);
  Vector x{{3.6, 1.7}};
  double integral = 0.36, worst = 0;
  for (const EventRecord& sample : samples) {
    worst =
        std::max({worst, std::abs(run.before(sample, "i") - x[0]), std::abs(run.before(sample, "v") - x[1])});
    const double duty = std::clamp(integral + p("k_p") * (p("v_ref") - x[1]), 0.05, 0.95);
    integral += p("k_i") * (p("v_ref") - x[1]);
    x = advanced(a, Vector{{p("E") / L, 0}}, x, duty * T);
    x = advanced(a, Vector{{0, 0}}, x, (1 - duty) * T);
  }
  CHECK(worst < 1e-8);
}
