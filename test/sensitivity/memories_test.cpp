// Derivatives by parameters of models with functions that remember: steps of the time, steps of states, hysteresis.
#include "test/sensitivity/differentiated.hpp"

using namespace slideway;
using namespace slideway::test;

TEST_CASE("a parameter beside steps of the time has its own derivative") {
  at_all_tolerances(R"TOML(
[parameters]
p = 0.7
[states]
x = 1.0
[time]
end = 3.0
[derivatives]
x = "-p*x + 0.3*floor(t/0.5)"
)TOML",
                    {"p", "x"}, [](const Differentiated& run) {
                      // x = e^(−3p) + 0.3 Σ k (e^(−p(3 − b)) − e^(−p(3 − a)))/p over the intervals from a = k/2 to b
                      const double p = 0.7;
                      double by_p = -3 * std::exp(-3 * p);
                      for (int k = 1; k < 6; ++k) {
                        const double a = 3 - 0.5 * k, b = 2.5 - 0.5 * k, late = std::exp(-p * b),
                                     early = std::exp(-p * a);
                        by_p += 0.3 * k * ((a * early - b * late) / p - (late - early) / (p * p));
                      }
                      run.expect(run.end("x", "p"), by_p);
                      run.expect(run.end("x", "x"), std::exp(-2.1));
                    });
}

TEST_CASE("a parameter beside steps of a state has its own derivative") {
  at_all_tolerances(R"TOML(
[parameters]
p = 0.7
q = 1.0
[states]
y = 0.3
[time]
end = 3.0
[derivatives]
y = "0.1*q*floor(y*2) + p"
)TOML",
                    {"p"}, [](const Differentiated& run) {
                      // From 1/2 on y needs 0.5/(p + k/10) for the k-th half.
                      double time = 0.2 / 0.7, by_p = -0.2 / 0.49;
                      for (int k = 1; k < 6; ++k) {
                        const double rate = 0.7 + 0.1 * k;
                        time += 0.5 / rate;
                        by_p -= 0.5 / (rate * rate);
                      }
                      run.expect(run.end("y", "p"), 3 - time - 1.3 * by_p);
                    });
}

TEST_CASE("a parameter beside a relay with a band has its own derivative") {
  at_all_tolerances(R"TOML(
[parameters]
p = 0.7
low = 0.5
[states]
x = 2.0
y = 0.0
[time]
end = 3.0
[derivatives]
x = "-p*x"
y = "p*hysteresis(x, low, 1.2)"
)TOML",
                    {"p", "low"}, [](const Differentiated& run) {
                      // It is on until x = low, at t = ln(2/low)/p: y = 2 ln(2/low) − 3p.
                      run.expect(run.end("x", "p"), -6 * std::exp(-2.1));
                      run.expect(run.end("y", "p"), -3);
                      run.expect(run.end("y", "low"), -4);
                    });
}
