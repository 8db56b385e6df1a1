// Chains of blocks that stick, coupled by what bends where they are: many surfaces are met at once as soon as one block slips, and most of
// them belong to kinks, on whose surfaces no relay acts.
#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "test/simulate/model_text.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

// The first of n blocks is pulled by 3t against friction of 0.3; a coupling that is bent by 0.05 pulls by 0.1, too little for the next block.
std::string pulled_chain(int n) {
  return "name = \"chain\"\n[parameters]\nn = " + std::to_string(n) +
         "\n[states]\nx = { size = \"n\", value = \"0\", ends = \"clamped\" }\n"
         "v = { size = \"n\", value = \"0\", ends = \"clamped\" }\n[time]\nend = 2\n[derivatives]\nx = "
         "\"v[i]\"\n"
         "v = \"if(i == 1, 3*t, 0) + if(i > 1, 0.1*if(abs(x[i-1] - x[i]) > 0.05, 1, 0), 0)"
         " - if(i < n, 0.1*if(abs(x[i] - x[i+1]) > 0.05, 1, 0), 0) - 0.3*sgn(v[i])\"\n";
}

// A coupling as a text and as a function of the stretch and of its rate.
struct Coupling {
  std::string text;  // with D for the stretch and W for the rate
  std::function<double(double, double)> force;
};
const std::vector<Coupling> couplings = {
    {"5*deadzone(D, -0.05, 0.05)", [](double d, double) { return 5 * (d - std::clamp(d, -0.05, 0.05)); }},
    {"5*D*(1 + abs(D))", [](double d, double) { return 5 * d * (1 + std::abs(d)); }},
    {"20*max(D, 0) + 0.5*D", [](double d, double) { return 20 * std::max(d, 0.0) + 0.5 * d; }},
    {"5*D + 2*W*if(abs(D) > 0.03, 1, 0)",
     [](double d, double w) { return 5 * d + (std::abs(d) > 0.03 ? 2 * w : 0); }},
    {"sat(20*D, -0.6, 0.6)", [](double d, double) { return std::clamp(20 * d, -0.6, 0.6); }},
    {"5*D + 3*min(W, 0.1)", [](double d, double w) { return 5 * d + 3 * std::min(w, 0.1); }},
};

std::string with(std::string text, const std::string& word, const std::string& value) {
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += value.size())
    text.replace(at, word.size(), value);
  return text;
}

struct Chain {
  std::vector<const Coupling*> between;
  std::vector<double> friction, drive;  // block i is driven by drive[i]·t

  std::string text() const {
    std::string states, derivatives;
    std::vector<std::string> forces;
    for (std::size_t i = 0; i < between.size(); ++i) {
      const std::string a = std::to_string(i), b = std::to_string(i + 1);
      forces.push_back(
          "(" +
          with(with(between[i]->text, "D", "(x" + a + " - x" + b + ")"), "W", "(v" + a + " - v" + b + ")") +
          ")");
    }
    for (std::size_t i = 0; i < friction.size(); ++i) {
      const std::string name = std::to_string(i);
      states += "x" + name + " = 0\nv" + name + " = 0\n";
      derivatives +=
          "x" + name + " = \"v" + name + "\"\nv" + name + " = \"" + std::to_string(drive[i]) + "*t";
      if (i > 0) derivatives += " + " + forces[i - 1];
      if (i < forces.size()) derivatives += " - " + forces[i];
      derivatives += " - " + std::to_string(friction[i]) + "*sgn(v" + name + ")\"\n";
    }
    return "name = \"chain\"\n[states]\n" + states + "[time]\nend = 2\n[derivatives]\n" + derivatives;
  }

  // Time-stepping in the manner of Moreau: friction takes what it can of the velocity at the end of a step. The order is one.
  Vector stepped(int steps) const {
    const std::size_t n = friction.size();
    std::vector<double> x(n), v(n), force(between.size());
    const double h = 2.0 / steps;
    for (int k = 0; k < steps; ++k) {
      for (std::size_t i = 0; i < between.size(); ++i)
        force[i] = between[i]->force(x[i] - x[i + 1], v[i] - v[i + 1]);
      for (std::size_t i = 0; i < n; ++i) {
        const double pull = drive[i] * k * h + (i > 0 ? force[i - 1] : 0) - (i + 1 < n ? force[i] : 0);
        const double free = v[i] + h * pull;
        v[i] = free - std::clamp(free, -h * friction[i], h * friction[i]);
      }
      for (std::size_t i = 0; i < n; ++i) x[i] += h * v[i];
    }
    Vector state(static_cast<Index>(2 * n));
    for (std::size_t i = 0; i < n; ++i) {
      state[static_cast<Index>(2 * i)] = x[i];
      state[static_cast<Index>(2 * i + 1)] = v[i];
    }
    return state;
  }
};

}  // namespace

TEST_CASE(
    "the first of a chain of blocks slips away from kinks that the others hold, however many they are") {
  for (const int n : {3, 4, 9, 40, 150}) {
    CAPTURE(n);
    const double bent = 0.1 + std::cbrt(0.1);
    const double way = 0.5 * std::pow(1.9, 3) - 0.05 * (2 - bent) * (2 - bent);
    for (const Method method : {Method::automatic, Method::rodas, Method::bdf}) {
      for (const double rtol : {1e-4, 1e-9}) {
        CAPTURE(rtol);
        const Finished finished = run(pulled_chain(n), method, rtol);
        REQUIRE(finished.solution.outcome.succeeded());
        REQUIRE(finished.solution.events.size() == 2);
        CHECK(std::abs(finished.solution.events[0].t - 0.1) < 10 * rtol);
        CHECK(std::abs(finished.solution.events[1].t - bent) < 100 * rtol);
        CHECK(std::abs(finished.end(0) - way) < 100 * rtol);
        for (Index i = 1; i < n; ++i) CHECK(std::abs(finished.end(i)) < 1e-15);
      }
    }
  }
}

TEST_CASE("chains of blocks with couplings that bend start from rest as a time-stepping scheme has it") {
  std::mt19937 random(20261130);
  const auto one_of = [&](int count) { return std::uniform_int_distribution<int>(0, count - 1)(random); };
  for (int sample = 0; sample < 24; ++sample) {
    CAPTURE(sample);
    Chain chain;
    const int n = 3 + one_of(8);
    for (int i = 0; i < n; ++i) {
      chain.friction.push_back(0.1 + 0.1 * one_of(5));
      chain.drive.push_back(i == 0 ? 1.5 : one_of(3) == 0 ? 0.5 * (1 + one_of(4)) : 0);
      if (i > 0) chain.between.push_back(&couplings[static_cast<std::size_t>(one_of(6))]);
    }
    const Vector coarse = chain.stepped(10'000), fine = chain.stepped(20'000);
    const Vector expected = 2 * fine - coarse;
    const double uncertain = 1e-4 + (fine - coarse).lpNorm<Eigen::Infinity>();
    for (const Method method : {Method::automatic, Method::dop853, Method::bdf}) {
      const Finished finished = run(chain.text(), method, 1e-7);
      CAPTURE(chain.text());
      CAPTURE(finished.solution.outcome.message);
      REQUIRE(finished.solution.outcome.succeeded());
      CHECK((Vector(finished.solution.final.state) - expected).lpNorm<Eigen::Infinity>() < uncertain);
    }
  }
}

TEST_CASE(
    "a row of blocks that touch is pushed against the friction of all of them, and all slip at one time") {
  for (const int n : {3, 6, 7, 12, 30}) {
    CAPTURE(n);
    std::string states, derivatives, contacts;
    for (int i = 0; i < n; ++i) {
      const std::string a = std::to_string(i), b = std::to_string(i + 1);
      states += "x" + a + " = " + a + "\nv" + a + " = 0\n";
      derivatives +=
          "x" + a + " = \"v" + a + "\"\nv" + a + " = \"" + (i == 0 ? "t " : "") + "- 0.2*sgn(v" + a + ")\"\n";
      if (i + 1 == n) continue;
      contacts += "[[contacts]]\nname = \"c" + a + "\"\ngap = \"x" + b + " - x" + a +
                  " - 1\"\nacts_on = { v" + b + " = \"1\", v" + a + " = \"-1\" }\nrestitution = 0.5\n";
    }
    const std::string end = std::to_string(0.2 * n + 1);
    const std::string text = "name = \"row\"\n[states]\n" + states + "[time]\nend = " + end +
                             "\n[derivatives]\n" + derivatives + contacts;
    for (const Method method : {Method::automatic, Method::rodas, Method::bdf}) {
      const Finished finished = run(text, method, 1e-8);
      CAPTURE(finished.solution.outcome.message);
      REQUIRE(finished.solution.outcome.succeeded());
      for (Index i = 0; i < n; ++i) {
        CHECK(std::abs(finished.end(2 * i) - static_cast<double>(i) - 1 / (6.0 * n)) < 1e-7);
        CHECK(std::abs(finished.end(2 * i + 1) - 1 / (2.0 * n)) < 1e-7);
      }
    }
  }
}

TEST_CASE("a kink between two states that a closed contact and its friction hold at zero stalls no method") {
  // max(g, b) has g = b = 0 there, and its relay acts on neither.
  const std::string text = R"toml(
name = "kink between held states"
[states]
b = 0.478
n = -0.339
g = 0.131
q = -0.0264
v = -0.511
[tables]
tab = { x = [-1.31, -0.571, 0.424, 0.786, 1.16], values = [-0.655, -0.206, 0.332, 0.915, 1.26], interpolation = "pchip", extrapolation = "hold", monotone = true }
[time]
end = 5
[friction]
F = { law = "stribeck-linear", velocity = "v", Fc = 0.549, Fs = 0.659, vs = 0.299 }
[derivatives]
g = "1.06*sin(2.9*t + 1.65) - 0.413 - 0.1*g"
b = "n"
n = "-1.92 - 0.1*n"
q = "v"
v = "-1.27*q - 0.327*v + tab(max(g, b - 0)) - F"
[[contacts]]
name = "floor"
gap = "b"
acts_on = { n = "1" }
restitution = 0.423
friction = { mu = 0.245, mu_s = 0.319, velocity = "g", acts_on = { g = "1" } }
[[contacts]]
name = "ceiling"
gap = "1.2 - b"
acts_on = { n = "-1" }
restitution = 0.423
)toml";
  const Finished exact = run(text, Method::dop853, 1e-12);
  for_all_methods(text, {1e-4, 1e-6, 1e-8, 1e-10}, [&](const Finished& finished, double rtol) {
    CHECK(finished.solution.statistics.restarts < 100);
    for (Index j = 0; j < 5; ++j) CHECK(std::abs(finished.end(j) - exact.end(j)) <= 1000 * rtol);
  });
}
