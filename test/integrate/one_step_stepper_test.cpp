#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "integrate/dop853_stepper.hpp"
#include "integrate/dopri5_stepper.hpp"
#include "integrate/stepper.hpp"
#include "test/integrate/function_ode.hpp"
#include "test/integrate/stepping.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

constexpr OneStepMethod kMethods[] = {OneStepMethod::dopri5, OneStepMethod::dop853};
// How many evaluations a step takes.
int cost_of(OneStepMethod method) { return method == OneStepMethod::dopri5 ? 6 : 15; }
const char* name_of(OneStepMethod method) { return method == OneStepMethod::dopri5 ? "dopri5" : "dop853"; }

// Whether each state at t is no farther from its chord than the stepper says, which ends where the last step does.
bool is_near_chord(Stepper& stepper, const StepReport& step, double t) {
  const Interpolant polynomial = stepper.interpolant();
  std::vector<int> all(static_cast<std::size_t>(polynomial.states));
  std::iota(all.begin(), all.end(), 0);
  const StepChords chords = stepper.chords_of(all);
  if (chords.start != step.start || chords.end != step.end) return false;
  const Eigen::Map<const Vector> first(chords.first, polynomial.states);
  const Eigen::Map<const Vector> last(chords.last, polynomial.states);
  const Eigen::Map<const Vector> off(chords.off, polynomial.states);
  if (first != state_at(stepper, step.start, polynomial.states)) return false;
  if (last != state_at(stepper, step.end, polynomial.states)) return false;
  const double part = (t - step.start) / (step.end - step.start);
  const Vector chord = (1 - part) * first + part * last;
  const Vector x = state_at(stepper, t, polynomial.states);
  return ((x - chord).cwiseAbs().array() <= off.array() + 10 * std::numeric_limits<double>::epsilon()).all();
}

Vector solve(FunctionOde& ode, OneStepMethod method, const StepperOptions& options, double start,
             const Vector& x, double end) {
  return end_state(*make_one_step_stepper(ode, method, options), start, x, end);
}

}  // namespace

TEST_CASE("a one-step method is as accurate as the tolerance asks") {
  for (const OneStepMethod method : kMethods) {
    CAPTURE(name_of(method));
    const double end = 20 * std::numbers::pi;
    for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-13}) {
      CAPTURE(rtol);
      FunctionOde falling = decay();
      CHECK(std::abs(solve(falling, method, tolerances(1, rtol), 0, vector({1}), 5)(0) - std::exp(-5.0)) <
            20 * rtol);
      FunctionOde swinging = oscillator();
      CHECK((solve(swinging, method, tolerances(2, rtol), 0, vector({1, 0}), end) - vector({1, 0})).norm() <
            1000 * rtol);
    }
  }
}

TEST_CASE(
    "motion that is a polynomial of degree four is exact, inside the steps too, and takes few of them") {
  for (const OneStepMethod method : kMethods) {
    CAPTURE(name_of(method));
    // x = 1 + t − 3t² + 2t³ − t⁴/2
    FunctionOde ode(
        1, [](double t, ConstVectorRef, VectorRef dx) { dx(0) = 1 - 6 * t + 6 * t * t - 2 * t * t * t; });
    auto stepper = make_one_step_stepper(ode, method, tolerances(1, 1e-10));
    REQUIRE(stepper->start(0, vector({1}), 2, 0));
    for (StepReport report; report.status != StepStatus::reached_end;) {
      report = stepper->step();
      REQUIRE(report.status != StepStatus::failed);
      for (const double part : {0.0, 0.1, 0.37, 0.5, 0.9, 1.0}) {
        const double t = report.start + part * (report.end - report.start);
        const double exact = 1 + t - 3 * t * t + 2 * t * t * t - 0.5 * t * t * t * t;
        CHECK(std::abs(state_at(*stepper, t, 1)(0) - exact) < 20 * std::numeric_limits<double>::epsilon());
      }
    }
    CHECK(stepper->statistics().steps <= 7);
  }
}

TEST_CASE(
    "dense output of dopri5 is of order four, that of dop853 of order seven, and it joins up with its "
    "slopes") {
  for (const OneStepMethod method : kMethods) {
    CAPTURE(name_of(method));
    // The error inside a step of fixed size falls like h⁵ and h⁸.
    const auto worst_error = [method](double h) {
      FunctionOde ode = oscillator();
      StepperOptions options = tolerances(2, 0.5);
      options.max_step = h;
      auto stepper = make_one_step_stepper(ode, method, options);
      REQUIRE(stepper->start(0, vector({1, 0}), 10 * h, h));
      const StepReport report = stepper->step();
      REQUIRE(report.end == doctest::Approx(h));
      double worst = 0;
      for (double t = 0; t <= h; t += h / 64) {
        const Vector exact = vector({std::cos(t), -std::sin(t)});
        worst = std::max(worst, (state_at(*stepper, t, 2) - exact).norm());
      }
      const Interpolant polynomial = stepper->interpolant();
      Vector slope = Vector::Zero(2);
      for (Index k = 1; k < polynomial.terms; ++k) {
        slope += static_cast<double>(k) * polynomial.coefficient(k) / polynomial.scale;
      }
      const Vector x = state_at(*stepper, report.end, 2);
      CHECK((slope - vector({x(1), -x(0)})).norm() < 100 * std::numeric_limits<double>::epsilon());
      return worst;
    };
    const double coarse = worst_error(0.4);
    const double fine = worst_error(0.1);
    const bool is_high = method == OneStepMethod::dop853;
    CHECK(coarse < (is_high ? 1e-9 : 1e-4));
    CHECK(std::log(coarse / fine) / std::log(4.0) > (is_high ? 7.3 : 4.7));
  }
}

TEST_CASE("the polynomial of a step is its dense output, and solves the equation to the tolerance") {
  for (const OneStepMethod method : kMethods) {
    CAPTURE(name_of(method));
    std::mt19937 random(1);
    FunctionOde ode = oscillator();
    auto stepper = make_one_step_stepper(ode, method, tolerances(2, 1e-9));
    REQUIRE(stepper->start(0, vector({1, 0}), 20, 0));
    for (StepReport report; report.status != StepStatus::reached_end;) {
      report = stepper->step();
      REQUIRE(report.status != StepStatus::failed);
      const Interpolant interpolant = stepper->interpolant();
      for (int i = 0; i < 5; ++i) {
        const double t = std::uniform_real_distribution<>(report.start, report.end)(random);
        const Vector x = state_at(*stepper, t, 2);
        CHECK((x - value_at(interpolant, t)).norm() < 10 * std::numeric_limits<double>::epsilon());
        CHECK(is_near_chord(*stepper, report, t));
        CHECK((x - vector({std::cos(t), -std::sin(t)})).norm() < 1e-7);
      }
    }
  }
}

TEST_CASE("of a step one state's polynomial and one state within it are those of the whole") {
  for (const OneStepMethod method : kMethods) {
    CAPTURE(name_of(method));
    const Index n = 40;
    std::vector<int> every(static_cast<std::size_t>(n));
    std::iota(every.begin(), every.end(), 0);
    FunctionOde ode(n, [](double t, ConstVectorRef x, VectorRef dx) {
      for (Index i = 0; i < dx.size(); ++i) dx[i] = -x[i] * static_cast<double>(i + 1) / 7 + std::cos(t);
    });
    auto one = make_one_step_stepper(ode, method, tolerances(n, 1e-6));
    auto whole = make_one_step_stepper(ode, method, tolerances(n, 1e-6));
    REQUIRE(one->start(0, Vector::LinSpaced(n, -1, 1), 3, 0));
    REQUIRE(whole->start(0, Vector::LinSpaced(n, -1, 1), 3, 0));
    for (StepReport report; report.status != StepStatus::reached_end;) {
      report = one->step();
      REQUIRE(whole->step().end == report.end);
      const Interpolant all = whole->interpolant();
      const int states[] = {3, 39};
      const Interpolant some = one->interpolant_of(states);
      REQUIRE(some.terms == all.terms);
      CHECK(some.center == all.center);
      CHECK(some.scale == all.scale);
      for (Index k = 0; k < all.terms; ++k) {
        for (const int i : states) CHECK(some.columns[k][i] == all.columns[k][i]);
      }
      const StepChords of_some = one->chords_of(states);
      const StepChords of_all = whole->chords_of(every);
      for (const int i : states) {
        CHECK(of_some.first[i] == of_all.first[i]);
        CHECK(of_some.last[i] == of_all.last[i]);
        CHECK(of_some.off[i] == of_all.off[i]);
      }
      // Without the polynomial, and with it.
      const double t = report.start + 0.3 * (report.end - report.start);
      const Vector expected = state_at(*whole, t, n);
      CHECK(state_at(*one, t, n) == expected);
      CHECK(state_at(*one, t, n) == expected);
    }
  }
}

TEST_CASE(
    "a velocity that is not finite at a quick look is asked for once more, and the steps are the same") {
  for (const OneStepMethod method : kMethods) {
    CAPTURE(name_of(method));
    // Ten equal states that fall through 0, where the quick way ends; one that throws there instead.
    class Falling final : public slideway::SmoothOde {
     public:
      Falling(Index states, bool quickly, bool throws)
          : states_(states), quickly_(quickly), throws_(throws) {}
      Index states() const override { return states_; }
      void velocity(double t, ConstVectorRef, VectorRef dx) override { dx.setConstant(-1 - t); }
      void quick_velocity(double t, ConstVectorRef x, VectorRef dx) override {
        velocity(t, x, dx);
        if (!quickly_ || x(states_ - 1) > 0) return;
        if (throws_) throw std::runtime_error("below 0");
        dx(states_ - 1) = std::numeric_limits<double>::infinity();
      }
      void jacobian(double, ConstVectorRef, ConstVectorRef, slideway::MatrixRef) override {}
      void project(double, ConstVectorRef, VectorRef) override {}

     private:
      Index states_;
      bool quickly_, throws_;
    };
    for (const Index states : {1, 2, 10, 21}) {
      for (const bool throws : {false, true}) {
        CAPTURE(states);
        CAPTURE(throws);
        std::vector<Vector> ends;
        for (const bool quickly : {false, true}) {
          Falling ode(states, quickly, throws);
          auto stepper = make_one_step_stepper(ode, method, tolerances(states, 1e-8));
          REQUIRE(stepper->start(0, Vector::Constant(states, 0.5), 1, 0));
          REQUIRE(run(*stepper).status == StepStatus::reached_end);
          ends.push_back(state_at(*stepper, 1, states));
          CHECK(stepper->statistics().steps <= 12);
        }
        CHECK(ends[0] == ends[1]);
        CHECK(std::abs(ends[0](0) + 1) < 20 * std::numeric_limits<double>::epsilon());
      }
    }
  }
}

TEST_CASE(
    "a step of dopri5 costs six evaluations and one of dop853 fifteen, a start two, or one with a first step "
    "given") {
  for (const OneStepMethod method : kMethods) {
    CAPTURE(name_of(method));
    FunctionOde ode = oscillator();
    auto stepper = make_one_step_stepper(ode, method, tolerances(2, 1e-6));
    REQUIRE(stepper->start(0, vector({1, 0}), 10, 0));
    CHECK(ode.velocity_calls == 2);
    REQUIRE(stepper->step().status == StepStatus::advanced);
    CHECK(ode.velocity_calls == 2 + cost_of(method));
    REQUIRE(stepper->start(0, vector({1, 0}), 10, 0.05));
    CHECK(ode.velocity_calls == 3 + cost_of(method));
    CHECK(stepper->step().end == doctest::Approx(0.05));
    CHECK(ode.velocity_calls == 3 + 2 * cost_of(method));
    CHECK(stepper->statistics().velocity_evaluations == 3 + 2 * cost_of(method));
    CHECK(stepper->statistics().steps == 2);
    CHECK(stepper->statistics().restarts == 2);
  }
}

TEST_CASE("the starting step is neither refused nor timid, whatever the units and the tolerance") {
  for (const OneStepMethod method : kMethods) {
    CAPTURE(name_of(method));
    for (const double rtol : {1e-3, 1e-6, 1e-9, 1e-12}) {
      for (const double unit : {1e-6, 1.0, 1e6}) {
        for (const double time : {1e-3, 1.0, 1e3}) {
          FunctionOde ode(2, [&](double, ConstVectorRef x, VectorRef dx) {
            dx(0) = x(1) / time;
            dx(1) = -x(0) / time;
          });
          StepperOptions options = tolerances(2, rtol);
          options.atol *= unit;
          auto stepper = make_one_step_stepper(ode, method, options);
          CAPTURE(rtol);
          CAPTURE(unit);
          CAPTURE(time);
          REQUIRE(stepper->start(0, vector({unit, 0}), 100 * time, 0));
          const StepReport first = stepper->step();
          CHECK(ode.velocity_calls == 2 + cost_of(method));
          for (int k = 0; k < 10; ++k) stepper->step();
          CHECK(first.end > 0.1 * stepper->last_step_size());
        }
      }
    }
  }
}

TEST_CASE("a one-step method never evaluates beyond the end") {
  for (const OneStepMethod method : kMethods) {
    CAPTURE(name_of(method));
    for (const double first_step : {0.0, 1e-3, 50.0}) {
      FunctionOde ode = oscillator();
      auto stepper = make_one_step_stepper(ode, method, tolerances(2, 1e-5));
      for (const double end : {1.0, 1.7, 1e2}) {
        ode.latest_time = -1;
        REQUIRE(stepper->start(0.3, vector({1, 0}), end, first_step));
        const StepReport report = run(*stepper);
        CHECK(report.status == StepStatus::reached_end);
        CHECK(report.end == end);
        CHECK(ode.latest_time == end);
      }
      CHECK(stepper->statistics().velocity_evaluations == ode.velocity_calls);
      CHECK(stepper->statistics().jacobian_evaluations == 0);
    }
  }
}

TEST_CASE("steps of a one-step method keep to max_step, and the first one to first_step") {
  for (const OneStepMethod method : kMethods) {
    CAPTURE(name_of(method));
    FunctionOde ode(1, [](double, ConstVectorRef, VectorRef dx) { dx(0) = 1; });
    StepperOptions options = tolerances(1, 1e-6);
    options.max_step = 0.25;
    auto stepper = make_one_step_stepper(ode, method, options);
    REQUIRE(stepper->start(0, vector({0}), 10, 0.01));
    StepReport report = stepper->step();
    CHECK(report.end == doctest::Approx(0.01));
    while (report.status == StepStatus::advanced) {
      CHECK(report.end - report.start <= 0.25 * (1 + 1e-12));
      CHECK(stepper->last_step_size() <= 0.25 * (1 + 1e-12));
      const double before = report.end;
      report = stepper->step();
      CHECK(report.start == before);
    }
    CHECK(report.status == StepStatus::reached_end);
    CHECK(state_at(*stepper, 10, 1)(0) == doctest::Approx(10));
  }
}

TEST_CASE("an interval of a few units in the last place is one step") {
  for (const OneStepMethod method : kMethods) {
    CAPTURE(name_of(method));
    for (const double t : {0.0, 1.0, -1.0, 1e-3, 1e15, -1e15}) {
      const double scale = std::max(1.0, std::abs(t));
      for (const int ulps : {1, 2, 3, 10, 49, 100, 150, 1000, 20000}) {
        double end = t;
        for (int i = 0; i < ulps; ++i) end = std::nextafter(end, std::numeric_limits<double>::infinity());
        FunctionOde ode(1, [scale](double, ConstVectorRef x, VectorRef dx) { dx = -x / scale; });
        auto stepper = make_one_step_stepper(ode, method, tolerances(1, 1e-6));
        REQUIRE(stepper->start(t, vector({1}), end, 0));
        const StepReport report = run(*stepper);
        CAPTURE(t);
        CAPTURE(ulps);
        CHECK(report.end == end);
        CHECK(report.status == StepStatus::reached_end);
        CHECK(std::abs(state_at(*stepper, end, 1)(0) - std::exp((t - end) / scale)) <
              4 * std::numeric_limits<double>::epsilon());
        CHECK(std::abs(state_at(*stepper, report.start, 1)(0) - 1) <
              4 * std::numeric_limits<double>::epsilon());
        CHECK(stepper->step().status == StepStatus::failed);
        if (ulps < 50) CHECK(report.start == t);
      }
    }
  }
}

TEST_CASE("times of a one-step method may be negative or huge") {
  for (const OneStepMethod method : kMethods) {
    CAPTURE(name_of(method));
    for (const double start : {-1e9, -3.0, 1e9}) {
      FunctionOde ode = decay();
      const Vector x = solve(ode, method, tolerances(1, 1e-7), start, vector({1}), start + 2);
      CHECK(x(0) == doctest::Approx(std::exp(-2.0)).epsilon(1e-5));
    }
    FunctionOde slow(1, [](double, ConstVectorRef x, VectorRef dx) { dx = -1e-30 * x; });
    const Vector x = solve(slow, method, tolerances(1, 1e-7), -1e30, vector({1}), 1e30);
    CHECK(x(0) == doctest::Approx(std::exp(-2.0)).epsilon(1e-5));
  }
}

TEST_CASE("a state at rest stays there, in few steps of a one-step method") {
  for (const OneStepMethod method : kMethods) {
    CAPTURE(name_of(method));
    FunctionOde ode(2, [](double, ConstVectorRef, VectorRef dx) { dx.setZero(); });
    auto stepper = make_one_step_stepper(ode, method, tolerances(2, 1e-10));
    REQUIRE(stepper->start(0, vector({3, 0}), 1e6, 0));
    CHECK(run(*stepper).status == StepStatus::reached_end);
    CHECK(state_at(*stepper, 1e6 - 123.4, 2) == vector({3, 0}));
    CHECK(stepper->statistics().steps < 10);
  }
}

TEST_CASE("a one-step method tries a step that meets a wall of NaN again with a smaller one") {
  for (const OneStepMethod method : kMethods) {
    CAPTURE(name_of(method));
    // x' = −10 x, but defined for x ≥ 0 only; the first step is far too long.
    long not_finite = 0;
    FunctionOde ode(1, [&](double, ConstVectorRef x, VectorRef dx) {
      dx(0) = -10 * std::sqrt(x(0)) * std::sqrt(x(0));
      not_finite += std::isnan(dx(0));
    });
    auto stepper = make_one_step_stepper(ode, method, tolerances(1, 1e-6));
    REQUIRE(stepper->start(0, vector({1}), 1, 0.5));
    CHECK(run(*stepper).status == StepStatus::reached_end);
    CHECK(not_finite > 0);
    CHECK(state_at(*stepper, 1, 1)(0) == doctest::Approx(std::exp(-10.0)).epsilon(0.01));
  }
}

TEST_CASE(
    "a wall of NaN that a one-step method cannot avoid is the user function's failure, and says where") {
  for (const OneStepMethod method : kMethods) {
    CAPTURE(name_of(method));
    // Falls through the wall x = 0 at ∫₀¹ dx/(1+√x) = 2 − 2 log 2.
    const double wall = 2 - 2 * std::log(2.0);
    FunctionOde ode(1, [](double, ConstVectorRef x, VectorRef dx) { dx(0) = -1 - std::sqrt(x(0)); });
    auto stepper = make_one_step_stepper(ode, method, tolerances(1, 1e-6));
    REQUIRE(stepper->start(0, vector({1}), 2, 0));
    const StepReport report = run(*stepper);
    CHECK(report.status == StepStatus::failed);
    CHECK(report.end == doctest::Approx(wall).epsilon(1e-4));
    CHECK(stepper->failure().by_user_function);
    CHECK(stepper->failure().message.find("the velocity is not finite at t = ") != std::string::npos);
    CHECK(stepper->failure().message.find("entry [0] is ") != std::string::npos);
    CHECK(stepper->step().status == StepStatus::failed);
  }
}

TEST_CASE("the text of an exception reaches the failure of a one-step method") {
  for (const OneStepMethod method : kMethods) {
    CAPTURE(name_of(method));
    FunctionOde ode(1, [](double t, ConstVectorRef x, VectorRef dx) {
      if (t > 0.5) throw std::runtime_error("the valve is shut");
      dx = -x;
    });
    auto stepper = make_one_step_stepper(ode, method, tolerances(1, 1e-6));
    REQUIRE(stepper->start(0, vector({1}), 1, 0));
    const StepReport report = run(*stepper);
    CHECK(report.status == StepStatus::failed);
    CHECK(report.end == doctest::Approx(0.5));
    CHECK(stepper->failure().by_user_function);
    CHECK(stepper->failure().message.find("the valve is shut") != std::string::npos);
    // At the start there is not even a first step.
    CHECK_FALSE(stepper->start(0.6, vector({1}), 1, 0));
    CHECK(stepper->failure().by_user_function);
    CHECK(stepper->failure().message.find("the valve is shut") != std::string::npos);
    CHECK(stepper->step().status == StepStatus::failed);
  }
}

TEST_CASE("unbounded growth and overflow are failures of the step") {
  for (const OneStepMethod method : kMethods) {
    CAPTURE(name_of(method));
    FunctionOde exploding(1, [](double, ConstVectorRef x, VectorRef dx) { dx(0) = x(0) * x(0); });
    auto stepper = make_one_step_stepper(exploding, method, tolerances(1, 1e-6));
    REQUIRE(stepper->start(0, vector({1}), 2, 0));
    StepReport report = run(*stepper);
    CHECK(report.status == StepStatus::failed);
    CHECK(report.end == doctest::Approx(1).epsilon(1e-4));
    INFO(stepper->failure().message);
    CHECK_FALSE(stepper->failure().by_user_function);
    const bool near_pole = stepper->failure().message.find("t = 0.9999") != std::string::npos ||
                           stepper->failure().message.find("t = 1") != std::string::npos;
    CHECK(near_pole);

    // A spike that is over within the rounding of the time it happens at.
    FunctionOde spiking(1, [](double, ConstVectorRef x, VectorRef dx) { dx(0) = std::exp(x(0)); });
    stepper = make_one_step_stepper(spiking, method, tolerances(1, 1e-6));
    REQUIRE(stepper->start(0, vector({-2}), 10, 0));
    CHECK(run(*stepper).status == StepStatus::failed);
    CHECK(stepper->failure().message.find("between this time and the next") != std::string::npos);

    FunctionOde growing(1, [](double, ConstVectorRef x, VectorRef dx) { dx = x; });
    stepper = make_one_step_stepper(growing, method, tolerances(1, 1e-4));
    REQUIRE(stepper->start(0, vector({1}), 1000, 0));
    report = run(*stepper);
    CHECK(report.status == StepStatus::failed);
    CHECK(report.end > 600);
    CHECK(report.end < 710);
    CHECK_FALSE(stepper->failure().by_user_function);
  }
}

TEST_CASE("every step ends on the surface, at no further evaluation, and the dense output joins up") {
  for (const OneStepMethod method : kMethods) {
    CAPTURE(name_of(method));
    const double end = 200 * std::numbers::pi;
    const auto solved = [&](bool constrain, long& calls) {
      FunctionOde ode = oscillator();
      ode.with_projection([](double, ConstVectorRef, VectorRef x) { x /= x.norm(); });
      ode.constrain = constrain;
      auto stepper = make_one_step_stepper(ode, method, tolerances(2, 1e-6));
      REQUIRE(stepper->start(0, vector({1, 0}), end, 0));
      double drift = 0;
      Vector x = vector({1, 0});
      for (StepReport report; report.status != StepStatus::reached_end;) {
        report = stepper->step();
        REQUIRE(report.status != StepStatus::failed);
        // The polynomial starts where the step before ended, and ends at the projected state.
        CHECK(state_at(*stepper, report.start, 2) == x);
        x = state_at(*stepper, report.end, 2);
        const Interpolant polynomial = stepper->interpolant();
        Vector sum = Vector::Zero(2);
        for (Index k = 0; k < polynomial.terms; ++k) sum += polynomial.coefficient(k);
        CHECK((sum - x).norm() < 10 * std::numeric_limits<double>::epsilon());
        for (const double part : {0.3, 0.5, 0.8}) {
          const double t = report.start + part * (report.end - report.start);
          CHECK(is_near_chord(*stepper, report, t));
        }
        drift = std::max(drift, std::abs(x.norm() - 1));
      }
      calls = ode.velocity_calls;
      return std::pair(drift, (x - vector({1, 0})).norm());
    };
    long free_calls = 0;
    long calls = 0;
    const auto [free_drift, free_error] = solved(false, free_calls);
    const auto [drift, error] = solved(true, calls);
    CHECK(drift < 4 * std::numeric_limits<double>::epsilon());
    CHECK(free_drift > 1e-6);
    CHECK(error <= 2 * free_error);
    CHECK(static_cast<double>(calls) < 1.02 * static_cast<double>(free_calls));
  }
}

TEST_CASE("a projection that throws is a user function's failure for one-step methods too") {
  for (const OneStepMethod method : kMethods) {
    CAPTURE(name_of(method));
    FunctionOde ode = oscillator();
    ode.with_projection([](double t, ConstVectorRef, VectorRef x) {
      if (t > 0.5) throw std::runtime_error("no surface here");
      x /= x.norm();
    });
    auto stepper = make_one_step_stepper(ode, method, tolerances(2, 1e-4));
    REQUIRE(stepper->start(0, vector({1, 0}), 1, 0));
    CHECK(run(*stepper).status == StepStatus::failed);
    CHECK(stepper->failure().by_user_function);
    CHECK(stepper->failure().message.find("no surface here") != std::string::npos);
  }
}

TEST_CASE("one-step methods notice stiffness, and only that") {
  for (const OneStepMethod method : kMethods) {
    CAPTURE(name_of(method));
    const auto goes_stiff = [](OneStepStepper& stepper, const Vector& x, double end) {
      stepper.watch_stiffness();
      REQUIRE(stepper.start(0, x, end, 0));
      while (stepper.step().status == StepStatus::advanced) {
        if (stepper.is_stiff()) return true;
      }
      return stepper.is_stiff();
    };
    const auto becomes_stiff = [&](FunctionOde ode, const Vector& x, double end) {
      const StepperOptions options = tolerances(x.size(), 1e-6);
      Dopri5Stepper dopri5(ode, options);
      Dop853Stepper dop853(ode, options);
      return method == OneStepMethod::dopri5 ? goes_stiff(dopri5, x, end) : goes_stiff(dop853, x, end);
    };
    CHECK_FALSE(becomes_stiff(oscillator(), vector({1, 0}), 1000));
    CHECK_FALSE(becomes_stiff(decay(), vector({1}), 5));
    // Prothero and Robinson's problem, x = cos t.
    const auto follow = [](double rate) {
      return FunctionOde(1, [rate](double t, ConstVectorRef x, VectorRef dx) {
        dx(0) = -rate * (x(0) - std::cos(t)) - std::sin(t);
      });
    };
    CHECK_FALSE(becomes_stiff(follow(1), vector({1}), 100));
    CHECK(becomes_stiff(follow(1e4), vector({1}), 1));
    CHECK(becomes_stiff(follow(1e6), vector({2}), 1));
  }
}

TEST_CASE("a start of a one-step method that makes no sense is refused with a reason") {
  for (const OneStepMethod method : kMethods) {
    CAPTURE(name_of(method));
    FunctionOde ode = decay();
    auto stepper = make_one_step_stepper(ode, method, tolerances(1, 1e-6));
    check_senseless_starts(*stepper);
    CHECK_THROWS_AS(make_one_step_stepper(ode, method, tolerances(2, 1e-6)), std::invalid_argument);
    CHECK_THROWS_AS(make_one_step_stepper(ode, method, tolerances(1, 0)), std::invalid_argument);
  }
}

TEST_CASE("both points of Heun's formula stay in a convex domain that the field does not leave") {
  // b' = √t − √b from 0: a stage of the fifth order formula has a negative b, whatever the length of the step.
  const auto outflow = [](double t, ConstVectorRef x, VectorRef dx) {
    dx[0] = std::sqrt(t) - std::sqrt(x[0]);
  };
  for (const double rtol : {1e-4, 1e-8}) {
    FunctionOde tank(1, outflow);
    const auto heun = make_one_step_stepper(tank, OneStepMethod::heun, tolerances(1, rtol));
    REQUIRE(heun->start(0, vector({0}), 1, 1e-3));
    const StepReport step = heun->step();
    REQUIRE(step.status == StepStatus::advanced);
    // x = 2/3 t^(3/2) in the first order.
    CHECK(std::abs(state_at(*heun, step.end, 1)[0] - 2.0 / 3 * std::pow(step.end, 1.5)) <= rtol / 100);
    CHECK(is_near_chord(*heun, step, 0.3 * step.end));
    FunctionOde again(1, outflow);
    const auto dopri5 = make_one_step_stepper(again, OneStepMethod::dopri5, tolerances(1, rtol));
    REQUIRE(dopri5->start(0, vector({0}), 1, 1e-3));
    CHECK(dopri5->step().status == StepStatus::failed);
  }
  FunctionOde swings = oscillator();
  const double error = std::abs(
      solve(swings, OneStepMethod::heun, tolerances(2, 1e-6), 0, vector({1, 0}), 1)[0] - std::cos(1.0));
  CHECK(error <= 1e-4);
}
