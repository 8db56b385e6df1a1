#include "integrate/guard_scan.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <stdexcept>

using namespace slideway;

namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

// Guards given as functions of time: exact dense output.
class TimeGuards final : public GuardSampler {
 public:
  explicit TimeGuards(std::vector<std::function<double(double)>> functions)
      : functions_(std::move(functions)) {}
  void sample(double t, VectorRef values) override {
    ++samples;
    for (std::size_t i = 0; i < functions_.size(); ++i) values[static_cast<Index>(i)] = functions_[i](t);
  }
  void noise(double, VectorRef values) override { values.setZero(); }
  Index count() const { return static_cast<Index>(functions_.size()); }
  int samples = 0;

 private:
  std::vector<std::function<double(double)>> functions_;
};

// Follows ±g with a fresh start after every zero, as a run does, and returns all zeros in (0, end].
std::vector<double> all_roots(const std::function<double(double)>& g, double end, double integrator_step,
                              double max_step = kNone) {
  std::vector<double> roots;
  double t = 0;
  double sign = g(0) >= 0 ? 1 : -1;
  double carried = 0;
  while (t < end) {
    TimeGuards guards({[&](double time) { return sign * g(time); }});
    GuardScan scan(1, max_step);
    Vector value(1);
    value[0] = roots.empty() ? sign * g(t) : 0;
    const Vector tiny = Vector::Constant(1, 1e-14);
    scan.start(t, value, tiny, tiny, carried > 0 ? carried / 8 : 1e-6 * end);
    double stop = t;
    bool found = false;
    while (stop < end && !found) {
      stop = std::min(end, stop + integrator_step);
      const Arrival& arrival = scan.advance(stop, guards);
      found = arrival.found;
      if (found) {
        roots.push_back(arrival.t);
        t = arrival.t;
        sign = -sign;
        carried = scan.march_step();
      }
    }
    if (!found) break;
  }
  return roots;
}

}  // namespace

TEST_CASE("a pulse train inside one integrator step is found pulse by pulse") {
  const auto guard = [](double t) { return std::sin(50 * t) - 0.999; };
  const double end = 40 * std::numbers::pi / 50;
  for (const double step : {end, 0.5, 0.03}) {
    const std::vector<double> roots = all_roots(guard, end, step);
    REQUIRE(roots.size() == 40);
    for (std::size_t k = 0; k < roots.size(); ++k) {
      const double first = std::asin(0.999);
      const double angle =
          (k % 2 == 0 ? first : std::numbers::pi - first) + 2 * std::numbers::pi * static_cast<double>(k / 2);
      CHECK(roots[k] == doctest::Approx(angle / 50).epsilon(1e-12));
    }
  }
}

TEST_CASE("a decayed transient does not hide the roots behind it") {
  const auto guard = [](double t) { return 1000 * std::exp(-t) + std::cos(t) + 0.5; };
  const double end = 200;
  // Independent count by a fine grid.
  std::size_t expected = 0;
  double before = guard(0);
  for (int k = 1; k <= 2'000'000; ++k) {
    const double now = guard(end * k / 2'000'000.0);
    expected += (before > 0) != (now > 0) ? 1 : 0;
    before = now;
  }
  CHECK(expected == 62);
  for (const double step : {200.0, 17.0, 1.0}) CHECK(all_roots(guard, end, step).size() == expected);
}

TEST_CASE("a narrow pulse is found where the march resolves it or max_step says so") {
  const double width = 1e-3;
  const auto guard = [&](double t) {
    const double s = (t - 0.73) / width;
    return 0.5 - std::exp(-s * s);
  };
  const std::vector<double> roots = all_roots(guard, 1, 1, 0.5 * width);
  REQUIRE(roots.size() == 2);
  const double half = width * std::sqrt(std::log(2.0));
  CHECK(roots[0] == doctest::Approx(0.73 - half).epsilon(1e-10));
  CHECK(roots[1] == doctest::Approx(0.73 + half).epsilon(1e-10));
}

TEST_CASE("two zeros close together inside one step are both found") {
  const auto guard = [](double t) { return (t - 0.5) * (t - 0.5) - 1e-10; };
  const std::vector<double> roots = all_roots(guard, 1, 1);
  REQUIRE(roots.size() == 2);
  CHECK(roots[0] == doctest::Approx(0.5 - 1e-5).epsilon(1e-12));
  CHECK(roots[1] == doctest::Approx(0.5 + 1e-5).epsilon(1e-12));
}

TEST_CASE("a guard that is back at zero at the very end of the interval arrived before") {
  for (const double end : {1.0, 1 - 1e-16, 1 + 1e-15}) {
    TimeGuards guards({[](double t) { return (t - 0.97) * (t - 1); }});
    GuardScan scan(1, kNone);
    scan.start(0, Vector::Constant(1, 0.97), Vector::Zero(1), Vector::Zero(1), 1e-3);
    const Arrival& arrival = scan.advance(end, guards);
    REQUIRE(arrival.found);
    CHECK(arrival.t == doctest::Approx(0.97).epsilon(1e-12));
  }
}

TEST_CASE("a dip at the start of a first step that is longer than the dip is found") {
  // A fall that flattens and turns, with zeros at `first` and twice that, then a rise that hides it from the points after it.
  for (const double first : {0.002, 0.02, 0.1}) {
    for (const double first_step : {0.25, 0.5, 1.0}) {
      CAPTURE(first);
      CAPTURE(first_step);
      TimeGuards guards({[&](double t) { return (t - first) * (t - 2 * first) * (1 + 3 * t); },
                         [](double t) { return 1 + t; }});
      GuardScan scan(2, kNone);
      Vector values(2);
      guards.sample(0, values);
      scan.start(0, values, Vector::Zero(2), Vector::Zero(2), first_step);
      const Arrival& arrival = scan.advance(1, guards);
      REQUIRE(arrival.found);
      CHECK(arrival.t == doctest::Approx(first).epsilon(1e-12));
      CHECK(arrival.guards == std::vector<char>{1, 0});
    }
  }
}

TEST_CASE("a first step in which no slope leads to zero costs one sample for the slopes") {
  TimeGuards guards({[](double t) { return 1 - 0.5 * t; }});
  GuardScan scan(1, kNone);
  scan.start(0, Vector::Constant(1, 1), Vector::Zero(1), Vector::Zero(1), 1);
  CHECK_FALSE(scan.advance(1, guards).found);
  CHECK(guards.samples == 2);
}

TEST_CASE("a minimum that stays above zero is no arrival") {
  TimeGuards guards({[](double t) { return (t - 0.5) * (t - 0.5) + 1e-9; }});
  GuardScan scan(1, kNone);
  scan.start(0, Vector::Constant(1, 0.25), Vector::Zero(1), Vector::Zero(1), 1e-6);
  CHECK_FALSE(scan.advance(1, guards).found);
}

TEST_CASE("a guard that waits below zero is not missed where it comes up and goes") {
  // Positive over a tenth of a per cent of the interval, and over a half of it.
  for (const double half : {5e-4, 0.25}) {
    TimeGuards guards({[&](double t) { return half * half - (t - 0.6) * (t - 0.6); }});
    GuardScan scan(1, kNone);
    scan.start(0, Vector::Constant(1, half * half - 0.36), Vector::Zero(1), Vector::Constant(1, kNone), 1e-6);
    const Arrival& arrival = scan.advance(1, guards);
    REQUIRE(arrival.found);
    CHECK(arrival.t == doctest::Approx(0.6 + half).epsilon(1e-12));
  }
}

TEST_CASE("an arrival tells a pole from a zero, and a point without a value is passed by") {
  const auto arrival_of = [](const std::function<double(double)>& guard, double start) {
    TimeGuards guards({[&](double t) {
      const double value = guard(t);
      if (!std::isfinite(value)) throw std::runtime_error("no value");
      return value;
    }});
    GuardScan scan(1, kNone);
    scan.start(0, Vector::Constant(1, start), Vector::Zero(1), Vector::Zero(1), 0.25);
    return scan.advance(1, guards);
  };
  const Arrival pole = arrival_of([](double t) { return 1 / (0.4 - t); }, 2.5);
  REQUIRE(pole.found);
  CHECK(pole.steep);
  CHECK(pole.t == doctest::Approx(0.4).epsilon(1e-14));
  const Arrival zero = arrival_of([](double t) { return 0.4 - t; }, 0.4);
  REQUIRE(zero.found);
  CHECK_FALSE(zero.steep);
  // At the end of the interval, and at 1/2, where halving comes.
  CHECK_FALSE(arrival_of([](double t) { return 1 / ((t - 1) * (t - 1)); }, 1).found);
  CHECK(arrival_of([](double t) { return 1 / (0.5 - t); }, 2).steep);
}

TEST_CASE("the earliest of several guards arrives, and those at the same instant with it") {
  TimeGuards guards({[](double t) { return 0.7 - t; }, [](double t) { return 0.4 - t; },
                     [](double t) { return 2 * (0.4 - t); }, [](double t) { return 1 + t; }});
  GuardScan scan(4, kNone);
  Vector values(4);
  values << 0.7, 0.4, 0.8, 1;
  scan.start(0, values, Vector::Zero(4), Vector::Zero(4), 0.25);
  const Arrival& arrival = scan.advance(1, guards);
  REQUIRE(arrival.found);
  CHECK(arrival.t == doctest::Approx(0.4).epsilon(1e-14));
  CHECK(arrival.guards == std::vector<char>{0, 1, 1, 0});
}

TEST_CASE("a guard that starts at zero and leaves does not arrive at once") {
  TimeGuards guards({[](double t) { return t * (1 - t); }});
  GuardScan scan(1, kNone);
  scan.start(0, Vector::Zero(1), Vector::Constant(1, 1e-15), Vector::Constant(1, 1e-15), 1e-3);
  CHECK_FALSE(scan.armed()[0]);
  const Arrival& arrival = scan.advance(2, guards);
  REQUIRE(arrival.found);
  CHECK(arrival.t == doctest::Approx(1).epsilon(1e-12));
}

TEST_CASE("a guard that starts at zero and goes the wrong way arrives") {
  TimeGuards guards({[](double t) { return -t; }});
  GuardScan scan(1, kNone);
  scan.start(0, Vector::Zero(1), Vector::Constant(1, 1e-15), Vector::Constant(1, 1e-9), 1e-3);
  const Arrival& arrival = scan.advance(2, guards);
  REQUIRE(arrival.found);
  CHECK(arrival.t == doctest::Approx(1e-9).epsilon(1e-6));
}

TEST_CASE("a guard that leaves from within its noise does not arrive where steps are taken again") {
  // The first steps are much too long for t³, and the guard is clearly on its side after one of them.
  TimeGuards guards({[](double t) { return t * t * t - 1e-11; }});
  GuardScan scan(1, kNone);
  scan.start(0, Vector::Constant(1, -1e-11), Vector::Constant(1, 1e-7), Vector::Constant(1, 4e-7), 0.01);
  CHECK_FALSE(scan.advance(1, guards).found);
  CHECK(scan.armed()[0] != 0);
}

TEST_CASE("guards that stay at zero within their noise cost no more samples than one of them") {
  const auto samples_of = [](std::size_t count) {
    std::vector<std::function<double(double)>> functions;
    for (std::size_t i = 0; i < count; ++i) {
      functions.emplace_back(
          [i](double t) { return 1e-17 * std::cos(static_cast<double>(i) + 40 * t) - 1e-17; });
    }
    TimeGuards guards(functions);
    GuardScan scan(guards.count(), kNone);
    const Vector noise = Vector::Constant(guards.count(), 1e-14);
    scan.start(0, Vector::Zero(guards.count()), noise, noise, 1);
    CHECK(!scan.advance(1, guards).found);
    return guards.samples;
  };
  const int one = samples_of(1);
  CHECK(one < 10);
  CHECK(samples_of(200) == one);
}

TEST_CASE("a guard that leaves zero and returns within a step arrives where it returns") {
  for (const double lean : {0.3, 0.5, 0.8}) {
    TimeGuards guards({[lean](double t) { return t * (1 - t) * (lean + (1 - 2 * lean) * t) - 1e-6 * t; }});
    GuardScan scan(1, kNone);
    const Vector noise = Vector::Constant(1, 1e-14);
    scan.start(0, Vector::Zero(1), noise, noise, 1);
    const Arrival& arrival = scan.advance(1, guards);
    REQUIRE(arrival.found);
    CHECK(arrival.t == doctest::Approx(1).epsilon(1e-4));
    CHECK(arrival.t < 1);
  }
}

TEST_CASE("a guard that leaves zero and is all but back at the first sample arrives where it returns") {
  const double back = 1e-2;
  TimeGuards guards({[back](double t) { return t * (back - t); }, [back](double t) { return 2 * back - t; }});
  const Vector noise = Vector::Constant(2, 1e-14);
  for (const double before : {1e-13, 1e-15}) {
    GuardScan scan(2, kNone);
    scan.start(0, Vector::Unit(2, 1) * 2 * back, noise, Vector::Constant(2, 1), back - before);
    const Arrival& arrival = scan.advance(1, guards);
    REQUIRE(arrival.found);
    CHECK(arrival.t == doctest::Approx(back).epsilon(1e-9));
    CHECK(arrival.guards == std::vector<char>{1, 0});
  }
}

TEST_CASE("a smooth guard costs about one sample per integrator step") {
  TimeGuards guards({[](double t) { return 2 + std::sin(t); }});
  GuardScan scan(1, kNone);
  scan.start(0, Vector::Constant(1, 2), Vector::Zero(1), Vector::Zero(1), 0.05);
  for (int k = 1; k <= 1000; ++k) CHECK_FALSE(scan.advance(0.05 * k, guards).found);
  CHECK(guards.samples <= 1100);
}

TEST_CASE("where there is no further step, guards that would vanish an instant later are told from others") {
  TimeGuards guards({[](double t) { return 1 - t; }, [](double t) { return 1.001 - t; }});
  GuardScan scan(2, kNone);
  Vector values(2);
  guards.sample(0, values);
  scan.start(0, values, Vector::Zero(2), Vector::Zero(2), 1e-3);
  CHECK_FALSE(scan.imminent().found);
  REQUIRE_FALSE(scan.advance(0.9, guards).found);
  CHECK_FALSE(scan.imminent().found);
  REQUIRE_FALSE(scan.advance(1 - 1e-15, guards).found);
  const Arrival& arrival = scan.imminent();
  REQUIRE(arrival.found);
  CHECK(arrival.t == 1 - 1e-15);
  CHECK(arrival.guards == std::vector<char>{1, 0});
}

TEST_CASE("guards that vanish just beyond a zero at the end of the step arrive with it") {
  // The step ends at the zero of the first; 1e-14 later there is no more step to look at.
  TimeGuards guards({[](double t) { return 1 - t; }, [](double t) { return 2 * (1 + 1e-14 - t); },
                     [](double t) { return 1.001 - t; }, [](double t) { return t + 1e-14; }});
  GuardScan scan(4, kNone);
  Vector values(4);
  guards.sample(0, values);
  scan.start(0, values, Vector::Zero(4), Vector::Zero(4), 1e-3);
  const Arrival& arrival = scan.advance(1, guards);
  REQUIRE(arrival.found);
  CHECK(arrival.t == 1);
  CHECK(arrival.guards == std::vector<char>{1, 1, 0, 0});
}

TEST_CASE("an arrival is found where another guard has no value beyond it") {
  // The second one is a root that ends where the first one arrives.
  const auto root = [](double t) {
    if (t > 1.25) throw std::domain_error("no root");
    return 1 + std::sqrt(1.25 - t);
  };
  TimeGuards guards({[](double t) { return 1.25 - t; }, root});
  GuardScan scan(2, kNone);
  const Vector values{{1.25, root(0)}};
  scan.start(0, values, Vector::Zero(2), Vector::Zero(2), 1e-3);
  const Arrival& arrival = scan.advance(3, guards);
  REQUIRE(arrival.found);
  CHECK(std::abs(arrival.t - 1.25) <= 1e-12);
  CHECK(arrival.guards[0] == 1);
  CHECK(arrival.guards[1] == 0);
}

TEST_CASE("a guard that loses its value before anything arrives is an error") {
  const auto root = [](double t) {
    if (t > 1.25) throw std::domain_error("no root");
    return 1 + std::sqrt(1.25 - t);
  };
  TimeGuards guards({[](double t) { return 2 - t; }, root});
  GuardScan scan(2, kNone);
  const Vector values{{2, root(0)}};
  scan.start(0, values, Vector::Zero(2), Vector::Zero(2), 1e-3);
  CHECK_THROWS_AS(scan.advance(3, guards), std::domain_error);
}
