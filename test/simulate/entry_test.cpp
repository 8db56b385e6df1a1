// Guards that are zero where a location is entered, or where a run begins, and whose first derivatives are zero but for rounding.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <string>

#include "rules/first_motion.hpp"
#include "test/simulate/model_text.hpp"

using namespace slideway;
using std::numbers::pi;
using test::Finished;
using test::for_all_methods;

namespace {

// Reads back as the same number.
std::string exact(double value) { return fmt::format("{}", value); }

constexpr double kOffset = 0.3;
constexpr double kPhase = 0.4;

// A constraint that lets go where its force T = 0.3 + sin(2s + 0.4), s = t/unit − before, falls through zero, and catches r again
// where that comes back to zero.
struct Release {
  double unit = 1;
  double before = 0;
  double size = 1;

  // r' = −T from s = 0 on; `states` and `derivatives` are further lines, `rates` those of r.
  std::string text(const std::string& force, const std::string& states, const std::string& derivatives,
                   const std::string& rates, const std::string& reset) const {
    const std::string start = exact(before * unit);
    const std::string end = exact((before + 10.5) * unit);
    return "initial = \"locked\"\n[states]\nr = 0\n" + states + "[time]\nstart = " + start +
           "\nend = " + end + "\n[definitions]\ns = \"(t - " + start + ")/" + exact(unit) + "\"\nT = \"" +
           force + "\"\n[derivatives]\n" + derivatives +
           "[[locations]]\nname = \"locked\"\n[locations.derivatives]\nr = \"0\"\n"
           "[[locations]]\nname = \"free\"\n[locations.derivatives]\n" +
           rates + "[[edges]]\nname = \"release\"\nfrom = \"locked\"\nto = \"free\"\nwhen = \"T\"\n" +
           "direction = \"falling\"\n" + reset +
           "[[edges]]\nname = \"catch\"\nfrom = \"free\"\nto = \"locked\"\nwhen = \"r\"\n" +
           "direction = \"falling\"\n" + reset;
  }
  std::string of_time(const std::string& reset = "") const {
    return text(exact(size) + "*(0.3 + sin(2*s + 0.4))", "", "", "r = \"-T/" + exact(unit) + "\"\n", reset);
  }
  std::string of_state(const std::string& reset = "") const {
    const std::string by_unit = "/" + exact(unit) + "\"\n";
    return text(exact(kOffset * size) + " + p",
                "p = " + exact(size * std::sin(kPhase)) + "\nq = " + exact(size * std::cos(kPhase)) + "\n",
                "p = \"2*q" + by_unit + "q = \"-2*p" + by_unit, "r = \"-T" + by_unit, reset);
  }
};

// The times s at which it lets go and catches, in turn, up to s = 10.5.
std::vector<double> times_of_release() {
  std::vector<double> times;
  for (int turn = 0; turn < 3; ++turn) {
    const double release = (pi + std::asin(kOffset) - kPhase) / 2 + turn * pi;
    const auto r = [&](double s) {
      return -kOffset * (s - release) + (std::cos(2 * s + kPhase) - std::cos(2 * release + kPhase)) / 2;
    };
    double free = release + 1.5, past = release + 2.5;
    for (int k = 0; k < 60; ++k) (r((free + past) / 2) > 0 ? free : past) = (free + past) / 2;
    times.push_back(release);
    times.push_back(past);
  }
  return times;
}

void check_releases(const Release& model, const std::string& text) {
  CAPTURE(text);
  const std::vector<double> expected = times_of_release();
  const Vector units = Vector::Constant(text.find("\nq = ") == std::string::npos ? 1 : 3, model.size);
  for_all_methods(
      text, {1e-4, 1e-7, 1e-10, 1e-12},
      [&](const Finished& finished, double rtol) {
        const EventLog& events = finished.solution.events;
        REQUIRE(events.size() == expected.size());
        for (std::size_t k = 0; k < expected.size(); ++k) {
          CHECK(events[k].name == (k % 2 == 0 ? "release" : "catch"));
          CHECK(std::abs(events[k].t / model.unit - model.before - expected[k]) <= 1000 * rtol + 1e-10);
        }
      },
      units);
}

int way_of(const std::function<void(double, ConstVectorRef, VectorRef)>& velocity, double t, const Vector& x,
           double rounding = 0) {
  const GuardMotion motion{
      .velocity = velocity, .guard = [](double, ConstVectorRef state) { return state[0]; }, .t = t, .x = x};
  const Vector dx = 1e-15 * (Vector::Ones(x.size()) + x.cwiseAbs());
  return first_motion(motion, {{1e-15 * t, dx}}, rounding, {1e-8, 0.01});
}

}  // namespace

TEST_CASE("a constraint that lets go at a zero of its force does not catch at once, whatever rounding says") {
  check_releases({}, Release{}.of_time());
  check_releases({}, Release{}.of_state());
  check_releases({}, Release{}.of_time("set = { r = \"0\" }\n"));
  check_releases({}, Release{}.of_state("set = { r = \"0\" }\n"));
}

TEST_CASE(
    "entering where it has just left does not depend on the units of time and states, nor on the clock") {
  for (const Release& model :
       {Release{.unit = 1e4}, Release{.unit = 1e-3}, Release{.size = 1e6}, Release{.size = 1e-6},
        Release{.before = 1e4}, Release{.unit = 1e4, .before = 1e4, .size = 1e-6}}) {
    check_releases(model, model.of_time());
    check_releases(model, model.of_state());
  }
}

TEST_CASE("a force that meets a falling threshold lets go once") {
  for_all_methods(
      "initial = \"locked\"\n[states]\nr = 0\n[time]\nend = 3\n[definitions]\n"
      "T = \"cos(t) - 0.3*t\"\n[[locations]]\nname = \"locked\"\n[locations.derivatives]\nr = \"0\"\n"
      "[[locations]]\nname = \"free\"\n[locations.derivatives]\nr = \"-T\"\n"
      "[[edges]]\nfrom = \"locked\"\nto = \"free\"\nwhen = \"T\"\ndirection = \"falling\"\n"
      "[[edges]]\nfrom = \"free\"\nto = \"locked\"\nwhen = \"r\"\ndirection = \"falling\"\n",
      [](const Finished& finished, double rtol) {
        REQUIRE(finished.solution.events.size() == 1);
        const double t = finished.solution.events[0].t;
        CHECK(std::abs(std::cos(t) - 0.3 * t) <= 10 * rtol);
        const double r = 0.15 * (9 - t * t) - (std::sin(3.0) - std::sin(t));
        CHECK(std::abs(finished.end(0) - r) <= 100 * rtol);
      });
}

TEST_CASE("a guard that starts at zero with no speed but rounding is judged by its second derivative") {
  // x' = sin(t) is 1.2e-16 at the start, t = π, and falls from there on: x = −1 − cos(t).
  const auto text = [](const std::string& derivative, const std::string& direction) {
    return "[states]\nx = 0\n[time]\nstart = 3.141592653589793\nend = 6\n[derivatives]\nx = \"" + derivative +
           "\"\n[[resets]]\nwhen = \"x\"\ndirection = \"" + direction + "\"\nset = { x = \"x + 3\" }\n";
  };
  for_all_methods(text("sin(t)", "falling"), [](const Finished& finished, double rtol) {
    REQUIRE(finished.solution.events.size() == 1);
    CHECK(finished.solution.events[0].t == finished.solution.initial.t);
    CHECK(std::abs(finished.end(0) - (2 - std::cos(6.0))) <= 100 * rtol);
  });
  for_all_methods(text("-sin(t)", "falling"), [](const Finished& finished, double rtol) {
    CHECK(finished.solution.events.empty());
    CHECK(std::abs(finished.end(0) - (1 + std::cos(6.0))) <= 100 * rtol);
  });
  for_all_methods(text("-sin(t)", "rising"), [](const Finished& finished, double) {
    REQUIRE(finished.solution.events.size() == 1);
    CHECK(finished.solution.events[0].t == finished.solution.initial.t);
  });
}

TEST_CASE("the way of a guard does not depend on how much of the run is left") {
  // The speed of r = 1 − sin(t) is rounding at the start, from where it grows.
  for (const double left : {1.0, 1e3, 1e6}) {
    CAPTURE(left);
    const double start = pi / 2 + 3200 * pi;
    const Finished finished = test::run(
        "initial = \"free\"\n[states]\nr = 0\n[time]\nstart = " + exact(start) +
        "\nend = " + exact(start + left) +
        "\n[derivatives]\nr = \"-cos(t)\"\n[[locations]]\nname = \"free\"\n[[locations]]\nname = \"caught\"\n"
        "[locations.derivatives]\nr = \"0\"\n[[edges]]\nfrom = \"free\"\nto = \"caught\"\nwhen = \"-r\"\n"
        "direction = \"falling\"\n");
    REQUIRE(finished.solution.outcome.succeeded());
    REQUIRE(finished.solution.events.size() == 1);
    CHECK(finished.solution.events[0].t == finished.solution.initial.t);
  }
}

TEST_CASE("the first derivative that is not zero within its rounding tells the way, whatever its order") {
  const auto time_to_the = [](int power, double sign) {
    return [power, sign](double t, ConstVectorRef, VectorRef dx) { dx[0] = sign * std::pow(t - 3, power); };
  };
  const Vector zero = Vector::Zero(1);
  for (int power = 0; power < 4; ++power) {
    CAPTURE(power);
    CHECK(way_of(time_to_the(power, 1), 3, zero) == 1);
    CHECK(way_of(time_to_the(power, -1), 3, zero) == -1);
  }
  // Rounding of the speed and of the acceleration has the other sign.
  const Vector chain = Vector{{0, -1e-17, -1e-17}};
  const auto third_order = [](double, ConstVectorRef x, VectorRef dx) { dx << x[1], x[2], 1; };
  CHECK(way_of(third_order, 3, chain) == 1);
  // What stays is on no way, and a domain that ends at the point is no reason to have none.
  CHECK(way_of([](double, ConstVectorRef, VectorRef dx) { dx.setZero(); }, 3, zero) == 0);
  CHECK(way_of([](double, ConstVectorRef x, VectorRef dx) { dx[0] = 1 + std::sqrt(x[0]); }, 3, zero) == 1);
  CHECK(way_of([](double, ConstVectorRef, VectorRef) { throw std::runtime_error("none"); }, 3, zero) == 0);
}

TEST_CASE(
    "an edge that does not fire across jumps waits for the motion to cross, wherever its guard is at entry") {
  // Thrown from 0.2 with speed 2 at t = 1, x falls through 0.5 at 1 + 2 + sqrt(3.4).
  const auto text = [](const std::string& key) {
    return "initial = \"ramp\"\n[states]\nx = 0\nv = 1\n[time]\nend = 5\n[derivatives]\nx = \"v\"\nv = "
           "\"0\"\n"
           "[[locations]]\nname = \"ramp\"\n[[locations]]\nname = \"flight\"\n[locations.derivatives]\nv = "
           "\"-1\"\n"
           "[[locations]]\nname = \"rest\"\n[locations.derivatives]\nx = \"0\"\n"
           "[[edges]]\nname = \"throw\"\nfrom = \"ramp\"\nto = \"flight\"\nwhen = \"x - 1\"\ndirection = "
           "\"rising\"\n"
           "set = { x = \"0.2\", v = \"2\" }\n[[edges]]\nname = \"catch\"\nfrom = \"flight\"\nto = \"rest\"\n"
           "when = \"x - 0.5\"\ndirection = \"falling\"\n" +
           key;
  };
  for_all_methods(text("across_jumps = false\n"), {1e-4, 1e-6, 1e-9, 1e-12},
                  [](const Finished& finished, double rtol) {
                    REQUIRE(finished.solution.events.size() == 2);
                    CHECK(std::abs(finished.solution.events[1].t - (3 + std::sqrt(3.4))) <= 100 * rtol);
                    CHECK(finished.solution.warnings.empty());
                  });
  for_all_methods(text(""), {1e-4, 1e-9}, [](const Finished& finished, double) {
    REQUIRE(finished.solution.events.size() == 2);
    CHECK(finished.solution.events[1].t == finished.solution.events[0].t);
    REQUIRE(finished.solution.warnings.size() == 1);
    CHECK(finished.solution.warnings[0].find(
              "edge 'catch' fired on entry of 'flight' at t = 1: its guard was 0.3 past zero "
              "already, and on the way back") == 0);
  });
}

TEST_CASE("an edge that fires on entry where its guard goes on past zero is no reason for a warning") {
  const std::string text =
      "initial = \"a\"\n[states]\nx = 0\n[time]\nend = 2\n[derivatives]\nx = \"1\"\n[[locations]]\nname = "
      "\"a\"\n"
      "[[locations]]\nname = \"b\"\n[[locations]]\nname = \"c\"\n[[edges]]\nfrom = \"a\"\nto = \"b\"\n"
      "when = \"x - 1\"\ndirection = \"rising\"\n[[edges]]\nfrom = \"b\"\nto = \"c\"\nwhen = \"x - 0.5\"\n"
      "direction = \"rising\"\n";
  for_all_methods(text, {1e-6}, [](const Finished& finished, double) {
    CHECK(finished.solution.events.size() == 2);
    CHECK(finished.solution.warnings.empty());
  });
}
