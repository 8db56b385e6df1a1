// Stores that lose nothing where they are empty, and spill where they are full: `if(S > 0, …)` and `if(W >= full, …)`, as models of snow
// and soil are written. A surface is kept by a field that is zero on it, whose relay is at its bound.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "test/simulate/model_text.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

struct Column {
  double snow, soil, rain, swing, frequency, phase, melt, full;
};

// Columns of snow above soil; part of what a column melts comes to the next one.
struct Slope {
  std::vector<Column> columns;
  static constexpr double kEnd = 8;

  explicit Slope(std::size_t n, unsigned seed) {
    std::mt19937 random(seed);
    const auto between = [&](double low, double high) {
      return low + (high - low) * static_cast<double>(random()) / static_cast<double>(std::mt19937::max());
    };
    for (std::size_t i = 0; i < n; ++i) {
      const double full = between(58, 61);
      columns.push_back({between(0.1, 1.5), full - between(0.05, 4), between(1, 4), between(1.5, 4),
                         between(0.7, 1.6), between(0, 6), between(1, 4), full});
    }
  }

  std::string text() const {
    std::string states, definitions, derivatives, spilt;
    const auto number = [](double value) { return "(" + std::to_string(value) + ")"; };
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const Column& one = columns[i];
      const std::string k = std::to_string(i);
      states +=
          "S" + k + " = " + std::to_string(one.snow) + "\nW" + k + " = " + std::to_string(one.soil) + "\n";
      definitions += "melt" + k + " = \"if(S" + k + " > 0, max(0, " + number(one.melt) + "*sin(" +
                     number(one.frequency) + "*t + " + number(one.phase) + ")), 0)\"\nin" + k + " = \"" +
                     number(one.rain) + " + " + number(one.swing) + "*sin(" + number(one.frequency) +
                     "*t) + melt" + k + (i > 0 ? " + 0.4*melt" + std::to_string(i - 1) : "") + "\"\nout" + k +
                     " = \"2.5*min(1, W" + k + "/" + number(one.full) + ")\"\nover" + k + " = \"if(W" + k +
                     " >= " + number(one.full) + ", max(0, in" + k + " - out" + k + "), 0)\"\n";
      derivatives += "S" + k + " = \"max(0, 0.4*sin(2*t + " + number(one.phase) + ")) - melt" + k + "\"\nW" +
                     k + " = \"in" + k + " - out" + k + " - over" + k + "\"\n";
      spilt += (i > 0 ? " + over" : "over") + k;
    }
    return "name = \"slope\"\n[states]\n" + states + "Q = 0\n[time]\nend = " + std::to_string(kEnd) +
           "\n[definitions]\n" + definitions + "[derivatives]\n" + derivatives + "Q = \"" + spilt + "\"\n";
  }

  // stepped() returns S and W of each column, and Q last, by an explicit method of first order: after each step it sets a store below zero
  // to zero and a store above `full` to `full`.
  Vector stepped(int steps) const {
    const double h = kEnd / steps;
    const auto n = static_cast<Index>(columns.size());
    Vector state = Vector::Zero(2 * n + 1);
    for (Index i = 0; i < n; ++i) {
      state[2 * i] = columns[static_cast<std::size_t>(i)].snow;
      state[2 * i + 1] = columns[static_cast<std::size_t>(i)].soil;
    }
    for (int k = 0; k < steps; ++k) {
      const double t = (k + 0.5) * h;
      double above = 0;
      for (Index i = 0; i < n; ++i) {
        const Column& one = columns[static_cast<std::size_t>(i)];
        double& snow = state[2 * i];
        double& soil = state[2 * i + 1];
        const double falls = std::max(0.0, 0.4 * std::sin(2 * t + one.phase));
        const double melt =
            std::min(std::max(0.0, one.melt * std::sin(one.frequency * t + one.phase)), falls + snow / h);
        snow = std::max(0.0, snow + h * (falls - melt));
        soil += h * (one.rain + one.swing * std::sin(one.frequency * t) + melt + 0.4 * above -
                     2.5 * std::min(1.0, soil / one.full));
        above = melt;
        state[2 * n] += std::max(0.0, soil - one.full);
        soil = std::min(soil, one.full);
      }
    }
    return state;
  }
};

}  // namespace

TEST_CASE("Columns of snow above soil melt and spill as steps with cuts say") {
  // More than six surfaces at once are slid along with seven columns.
  for (const std::size_t n : {1U, 2U, 3U, 7U}) {
    for (const unsigned seed : {1U, 2U, 3U, 4U}) {
      const Slope slope(n, seed);
      const Vector expected = 2 * slope.stepped(80000) - slope.stepped(40000);
      for (const Method method : {Method::automatic, Method::dopri5, Method::bdf, Method::rodas}) {
        CAPTURE(n);
        CAPTURE(seed);
        CAPTURE(std::string(to_string(method)));
        const Finished finished = run(slope.text(), method, 1e-8);
        CAPTURE(finished.solution.outcome.message);
        REQUIRE(finished.solution.outcome.reached_end());
        for (Index j = 0; j < expected.size(); ++j) CHECK(std::abs(finished.end(j) - expected[j]) <= 2e-4);
      }
    }
  }
}

TEST_CASE("A full store beside an empty one loses what it should once less comes in than goes out") {
  const std::string text =
      "name = \"bucket\"\n[states]\nW = 58\nQ = 0\nS = 0.5\n[time]\nend = 10\n[definitions]\n"
      "melt = \"if(S > 0, 4, 0)\"\nin = \"2.5 + 3*sin(t) + melt\"\nout = \"2\"\n"
      "over = \"if(W >= 60, max(0, in - out), 0)\"\n[derivatives]\nW = \"in - out - over\"\nQ = \"over\"\nS "
      "= "
      "\"-melt\"\n";
  const auto check = [](const Finished& finished, double rtol) {
    // The store is full from the time on when 58 + 0.5t + 3(1 − cos t) + 0.5 is 60, and loses from sin t = −1/6 on.
    const double first = std::numbers::pi + std::asin(1.0 / 6);
    const auto inflow = [](double from, double to) {
      return 0.5 * (to - from) + 3 * (std::cos(from) - std::cos(to));
    };
    const auto time_of = [&](double from, double amount, double high) {
      double low = from;
      for (int k = 0; k < 60; ++k)
        (inflow(from, 0.5 * (low + high)) < amount ? low : high) = 0.5 * (low + high);
      return high;
    };
    const double full = time_of(0, 1.5, 2), again = time_of(first, 0, 9),
                 second = first + 2 * std::numbers::pi;
    REQUIRE(finished.solution.outcome.reached_end());
    CHECK(std::abs(finished.end(0) - (60 + inflow(second, 10))) <= 1000 * 60 * rtol);
    CHECK(std::abs(finished.end(1) - (inflow(full, first) + inflow(again, second))) <= 1000 * 60 * rtol);
    CHECK(finished.end(2) == 0);
  };
  for_all_methods(text, {1e-5, 1e-8, 1e-11}, check);
}

TEST_CASE("An empty store stays empty when its loss comes and goes") {
  const std::string text =
      "name = \"empty\"\n[states]\nS = 1\n[time]\nend = 26\n[derivatives]\nS = \"if(S > 0, -max(0, sin(t)), "
      "0)\"\n";
  for_all_methods(text, {1e-4, 1e-8, 1e-11}, [](const Finished& finished, double) {
    CHECK(finished.solution.outcome.reached_end());
    CHECK(finished.end(0) == 0);
  });
}
