// Exits of sliding on several surfaces where λ has a pole just after the zero: against closed forms.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "test/simulate/model_text.hpp"

namespace slideway {
namespace {

constexpr double kEnd = 20;

// x' = −a x + (s1 > 0 ? −b : c cos(w t)), and `others` states at zero that slide on surfaces of their own, coupled to each other and
// to s1. Below s1 = x − p + … the motion is linear, and on it sliding lasts as long as c cos(w t) > a p.
struct Driven {
  double a, p, b, c, w;
  Index others;

  std::string text() const {
    std::string states = "x = 0\n";
    std::string surfaces = "s = \"x";
    std::string names;
    std::string derivatives = "x = \"-" + std::to_string(a) + "*x + if(s > 0, -" + std::to_string(b) + ", " +
                              std::to_string(c) + "*cos(" + std::to_string(w) + "*t))\"\n";
    for (Index k = 1; k <= others; ++k) {
      const std::string y = "y" + std::to_string(k);
      const std::string next = "y" + std::to_string(k % others + 1);
      states += y + " = 0\n";
      surfaces += " + 0.2*" + y;
      names += "r" + std::to_string(k) + " = \"" + y + "\"\n";
      derivatives += y + " = \"-1.5*sgn(" + y + ") + 0.3*sgn(" + next + ") + 0.4*sgn(s)\"\n";
    }
    return "[states]\n" + states + "[time]\nend = 20\n[surfaces]\n" + surfaces + " - " + std::to_string(p) +
           "\"\n" + names + "[derivatives]\n" + derivatives;
  }
  double forced(double t) const { return c / (a * a + w * w) * (a * std::cos(w * t) + w * std::sin(w * t)); }
  // Entries and exits in turn.
  std::vector<double> events() const {
    std::vector<double> times;
    double t = 0;
    double x = 0;
    while (true) {
      const double transient = (x - forced(t)) * std::exp(a * t);
      const auto height = [&](double at) { return forced(at) + transient * std::exp(-a * at) - p; };
      const double step = 1e-3;
      double low = t + step;
      while (low < kEnd && height(low) <= 0) low += step;
      if (!(low < kEnd)) return times;
      double high = low;
      low -= step;
      for (int k = 0; k < 80; ++k) (height(0.5 * (low + high)) > 0 ? high : low) = 0.5 * (low + high);
      times.push_back(high);
      const double angle = std::acos(a * p / c);
      const double turns = std::ceil((w * high - angle) / (2 * std::numbers::pi));
      t = (angle + 2 * std::numbers::pi * turns) / w;
      x = p;
      if (!(t < kEnd)) return times;
      times.push_back(t);
    }
  }
};

// Between 0 and 1, without a pattern, in six digits as they stand in the model.
double part(std::uint64_t k) { return std::fmod(0.5 + 0.618034 * static_cast<double>(k), 1.0); }
double between(double low, double high, std::uint64_t k) {
  return std::round(1e6 * (low + (high - low) * part(k))) / 1e6;
}

TEST_CASE(
    "sliding on several surfaces ends where a reduced component vanishes, not at the pole of lambda after "
    "it") {
  for (const Index others : {1, 2, 5}) {
    for (std::uint64_t model = 0; model < 4; ++model) {
      const Driven driven{between(0.1, 0.5, 7 * model + 1), between(0.1, 0.4, 11 * model + 2),
                          between(0.02, 1, 13 * model + 3), between(0.8, 2, 17 * model + 4),
                          between(0.7, 4, 19 * model + 5),  others};
      const std::vector<double> exact = driven.events();
      const std::string text = driven.text();
      CAPTURE(text);
      for (const Method method : {Method::automatic, Method::bdf, Method::dop853}) {
        for (const double rtol : {1e-4, 1e-6, 1e-8}) {
          if (method != Method::automatic && rtol != 1e-6) continue;
          CAPTURE(std::string(to_string(method)));
          CAPTURE(rtol);
          const test::Finished finished = test::run(text, method, rtol);
          REQUIRE(finished.solution.outcome.reached_end());
          const EventLog& events = finished.solution.events;
          REQUIRE(events.size() == exact.size());
          for (std::size_t k = 0; k < exact.size(); ++k) {
            CHECK(events[k].kind == (k % 2 == 0 ? EventKind::sliding_entry : EventKind::sliding_exit));
            CHECK(std::abs(events[k].t - exact[k]) <= 1000 * rtol);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace slideway
