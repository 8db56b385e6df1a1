// Exits of sliding on several surfaces where λ has a pole just after the zero: against closed forms.
#include <doctest/doctest.h>

#include <algorithm>
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

  // The terms that stand for the relay of s, and further ones. All have the same motion of x.
  enum class Form { relay, relay_beside_contact, pair_of_locations };

  std::string text(Form form = Form::relay) const {
    const bool pair = form == Form::pair_of_locations;
    std::string states = "x = 0\n";
    std::string s = "x";
    std::string names;
    std::string relays;
    std::string below =
        "x = \"-" + std::to_string(a) + "*x + " + std::to_string(c) + "*cos(" + std::to_string(w) + "*t)\"\n";
    std::string above = "x = \"-" + std::to_string(a) + "*x - " + std::to_string(b) + "\"\n";
    for (Index k = 1; k <= others; ++k) {
      const std::string y = "y" + std::to_string(k);
      const std::string own = "-1.5*sgn(" + y + ") + 0.3*sgn(y" + std::to_string(k % others + 1) + ")";
      states += y + " = 0\n";
      s += " + 0.2*" + y;
      names += "r" + std::to_string(k) + " = \"" + y + "\"\n";
      relays += y + " = \"" + own + " + 0.4*sgn(s)\"\n";
      below += y + " = \"" + own + " - 0.4\"\n";
      above += y + " = \"" + own + " + 0.4\"\n";
    }
    s += " - " + std::to_string(p);
    if (form == Form::relay_beside_contact) {
      states += "z = 0\nu = 0\n";
      relays += "z = \"u\"\nu = \"-9.81 + 0.5*sgn(s) + 0.7*sgn(y1)\"\n";
    }
    const std::string head = "[states]\n" + states + "[time]\nend = 20\n[surfaces]\n";
    if (pair)
      return "initial = \"below\"\n" + head + names +
             "[[locations]]\nname = \"below\"\n[locations.derivatives]\n" + below +
             "[[locations]]\nname = \"above\"\n[locations.derivatives]\n" + above +
             "[[edges]]\nfrom = \"below\"\nto = \"above\"\nwhen = \"" + s +
             "\"\ndirection = \"rising\"\n[[edges]]\nfrom = \"above\"\nto = \"below\"\nwhen = \"" + s +
             "\"\ndirection = \"falling\"\n";
    std::string text = head + "s = \"" + s + "\"\n" + names + "[derivatives]\nx = \"-" + std::to_string(a) +
                       "*x + if(s > 0, -" + std::to_string(b) + ", " + std::to_string(c) + "*cos(" +
                       std::to_string(w) + "*t))\"\n" + relays;
    if (form == Form::relay_beside_contact)
      text += "[[contacts]]\nname = \"floor\"\ngap = \"z\"\nacts_on = { u = \"1\" }\nrestitution = 0.5\n";
    return text;
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

void check(const Driven& driven, Driven::Form form) {
  const std::vector<double> exact = driven.events();
  const std::string text = driven.text(form);
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

Driven driven_by(std::uint64_t model, Index others) {
  return {between(0.1, 0.5, 7 * model + 1), between(0.1, 0.4, 11 * model + 2),
          between(0.02, 1, 13 * model + 3), between(0.8, 2, 17 * model + 4),
          between(0.7, 4, 19 * model + 5),  others};
}

TEST_CASE(
    "sliding on several surfaces ends where a reduced component vanishes, not at the pole of lambda after "
    "it") {
  for (const Index others : {1, 2, 5}) {
    for (std::uint64_t model = 0; model < 4; ++model) check(driven_by(model, others), Driven::Form::relay);
  }
}

TEST_CASE("sliding beside a closed contact whose force depends on the relays ends at the same times") {
  for (const Index others : {1, 2}) {
    for (std::uint64_t model = 4; model < 8; ++model)
      check(driven_by(model, others), Driven::Form::relay_beside_contact);
  }
}

TEST_CASE("sliding between two locations and on surfaces ends at the same times as on surfaces alone") {
  for (const Index others : {1, 2}) {
    for (std::uint64_t model = 8; model < 12; ++model)
      check(driven_by(model, others), Driven::Form::pair_of_locations);
  }
}

TEST_CASE("two bodies that stick break away at the static friction, just before their forces have a pole") {
  // With N = 1 - 0.702 t the forces are F1 = (N p1 + 0.3 p2)/(N² − 0.09) and F2, which is less; the pole is at t = 0.997.
  for (const double size : {1.0, 0.3, 0.1, 0.01}) {
    const auto load = [&](double t) {
      const double n = 1 - 0.702 * t;
      const double p1 = size * (0.05 + 0.1 * t), p2 = size * (0.04 + 0.05 * t);
      return n * p1 + 0.3 * p2 - (n * n - 0.09);
    };
    double low = 0, high = 0.997;
    for (int k = 0; k < 80; ++k) (load(0.5 * (low + high)) > 0 ? high : low) = 0.5 * (low + high);
    const std::string n = " - (1 - 0.702*t)*";
    const std::string scale = std::to_string(size);
    const std::string text =
        "[states]\nv1 = 0\nv2 = 0\n[time]\nend = 1\n[friction]\n"
        "F1 = { law = \"static\", velocity = \"v1\", Fc = \"0.6\", Fs = \"1.0\" }\n"
        "F2 = { law = \"static\", velocity = \"v2\", Fc = \"0.6\", Fs = \"1.0\" }\n[derivatives]\n"
        "v1 = \"" +
        scale + "*(0.05 + 0.1*t)" + n +
        "F1 + 0.3*F2\"\n"
        "v2 = \"" +
        scale + "*(0.04 + 0.05*t)" + n + "F2 + 0.3*F1\"\n";
    CAPTURE(size);
    for (const Method method : {Method::automatic, Method::bdf, Method::dop853, Method::rodas}) {
      for (const double rtol : {1e-4, 1e-8}) {
        CAPTURE(std::string(to_string(method)));
        CAPTURE(rtol);
        const test::Finished finished = test::run(text, method, rtol);
        REQUIRE_FALSE(finished.solution.events.empty());
        CHECK(finished.solution.events[0].kind == EventKind::sliding_exit);
        CHECK(std::abs(finished.solution.events[0].t - high) <= 10 * rtol);
      }
    }
  }
}

}  // namespace

TEST_CASE("the exit from two surfaces whose relays multiply is where the second one's component vanishes") {
  // On both surfaces x1 and x2 stand still, so x1' = 0 gives the share α of s1 > 0, and x2' = 0 for s2 > 0 the time of the exit.
  const std::string text =
      "[states]\nx1 = 0.65\nx2 = -0.962\n[time]\nend = 6.6\n[surfaces]\ns1 = \"0.793*x1 + 0.117\"\n"
      "s2 = \"0.692*x1 - 0.628*x2 - 0.0861\"\n[derivatives]\n"
      "x1 = \"-1.21*x1 + if(s1 > 0, -0.319, 1.35) + 0.461*sin(1.87*t)\"\n"
      "x2 = \"-1.59*x2 + if(s2 > 0, if(s1 > 0, -0.193, 1.15), -0.119) + 0.5*max(0.503*x1 - 0.734*x2 + 0.473,"
      " -0.681*x1 - 0.637*x2 + 0.461) + 1.03*sin(0.73*t)\"\n";
  const double x1 = -0.117 / 0.793;
  const double x2 = (0.692 * x1 - 0.0861) / 0.628;
  const double kink = std::max(0.503 * x1 - 0.734 * x2 + 0.473, -0.681 * x1 - 0.637 * x2 + 0.461);
  const auto component = [&](double t) {
    const double share = (-1.21 * x1 + 1.35 + 0.461 * std::sin(1.87 * t)) / (0.319 + 1.35);
    return -1.59 * x2 - 0.193 * share + 1.15 * (1 - share) + 0.5 * kink + 1.03 * std::sin(0.73 * t);
  };
  double before = 6.2, after = 6.4;
  REQUIRE((component(before) > 0) != (component(after) > 0));
  for (int halving = 0; halving < 60; ++halving) {
    const double middle = 0.5 * (before + after);
    ((component(middle) > 0) == (component(before) > 0) ? before : after) = middle;
  }
  test::for_all_methods(
      text, {1e-7, 4e-8, 1e-8, 1e-9, 1e-10, 1e-12}, [&](const test::Finished& finished, double) {
        const EventLog& events = finished.solution.events;
        const auto exit = std::find_if(events.begin(), events.end(), [](const EventRecord& event) {
          return event.kind == EventKind::sliding_exit && event.from->word().substr(0, 2) == "00";
        });
        REQUIRE(exit != events.end());
        CHECK(std::abs(exit->t - before) < 1e-10);
      });
}

}  // namespace slideway
