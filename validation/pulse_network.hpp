// The exact motion of pulse-coupled oscillators, all to all (Mirollo & Strogatz, SIAM J. Appl. Math. 50, 1990):
//
//     xᵢ' = S₀ − γ xᵢ,   0 < γ < S₀;   where xᵢ rises through 1 it fires: xᵢ = 0, and every other gets xⱼ + ε.
//
// Between firings xᵢ(t) = S₀/γ + (xᵢ − S₀/γ) exp(−γt): the order does not change, and the highest is the next to fire.
// An instant goes in rounds. In round 1 those fire that the flow has brought to 1, in round k + 1 those that were below 1, before
// round k or after their own firing in it, and are above 1 after it; each fires once a round, in the order of the indices. Two rules:
//     plain      a pulse lifts every other, those that have fired at this instant, too: of m that fire in a round the k-th ends
//                at (m − k) ε
//     absorbing  who has fired at this instant is at 0 and stays there, as in the paper: who fires together goes on together
// Counted, not played: all of a round at once, in long double. It is the oracle of the tests; it shares no code with the library and
// knows no integrator.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <vector>

namespace slideway::validation {

struct PulseParameters {
  double drive = 2;       // S₀
  double leak = 1;        // γ
  double strength = 0.1;  // ε > 0
  bool absorbing = true;
};

struct Firing {
  long double t = 0;
  std::size_t oscillator = 0;  // from 0
  int round = 1;
};

struct PulseMotion {
  std::vector<Firing> firings = {};
  std::vector<long double> state = {};  // at the end
  // How near the motion comes to another list of firings: the smallest |x − 1| after a round of one that has not fired in it, and of
  // those that are next to fire when another does.
  long double margin = std::numeric_limits<long double>::infinity();
  // How many groups of oscillators there are that go on together.
  std::size_t groups = 0;
};

class PulseNetwork {
 public:
  PulseNetwork(const PulseParameters& parameters, const std::vector<double>& start)
      : rest_(static_cast<long double>(parameters.drive) / parameters.leak),
        leak_(parameters.leak),
        strength_(parameters.strength),
        absorbing_(parameters.absorbing),
        start_(start.begin(), start.end()) {
    if (!(parameters.leak > 0 && parameters.drive > parameters.leak && parameters.strength > 0))
      throw std::invalid_argument("PulseNetwork: 0 < gamma < S0 and eps > 0");
    for (const long double x : start_)
      if (!(x < 1)) throw std::invalid_argument("PulseNetwork: states below 1");
  }

  PulseMotion solve(double end) const {
    PulseMotion motion;
    std::vector<long double> x = start_;
    long double t = 0;
    while (true) {
      const long double highest = *std::max_element(x.begin(), x.end());
      const long double wait = std::log((rest_ - highest) / (rest_ - 1)) / leak_;
      if (t + wait > end) {
        drift(x, end - t);
        break;
      }
      t += wait;
      std::vector<std::size_t> due;
      for (std::size_t i = 0; i < x.size(); ++i)
        if (x[i] == highest) due.push_back(i);
      drift(x, wait);
      for (const std::size_t i : due) x[i] = 1;
      for (const long double one : x)
        if (one != 1) motion.margin = std::min(motion.margin, 1 - one);
      avalanche(t, due, x, motion);
    }
    motion.state = x;
    std::sort(x.begin(), x.end());
    motion.groups = static_cast<std::size_t>(std::unique(x.begin(), x.end()) - x.begin());
    return motion;
  }

 private:
  void drift(std::vector<long double>& x, long double time) const {
    const long double decay = std::exp(-leak_ * time);
    for (long double& one : x) one = rest_ + (one - rest_) * decay;
  }

  void avalanche(long double t, std::vector<std::size_t> due, std::vector<long double>& x,
                 PulseMotion& motion) const {
    constexpr int most_rounds = 100'000;
    std::vector<char> has_fired(x.size(), 0);
    for (int round = 1; !due.empty(); ++round) {
      if (round > most_rounds) throw std::runtime_error("PulseNetwork: an avalanche without end");
      const auto count = static_cast<long double>(due.size());
      std::vector<char> fires(x.size(), 0);
      for (std::size_t k = 0; k < due.size(); ++k) {
        motion.firings.push_back({t, due[k], round});
        fires[due[k]] = has_fired[due[k]] = 1;
        x[due[k]] = absorbing_ ? 0 : (count - 1 - static_cast<long double>(k)) * strength_;
      }
      std::vector<std::size_t> next;
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (!fires[i] && !(absorbing_ && has_fired[i])) x[i] += count * strength_;
        motion.margin = std::min(motion.margin, std::abs(x[i] - 1));
        if (x[i] > 1) next.push_back(i);
      }
      due = next;
    }
  }

  long double rest_, leak_, strength_;
  bool absorbing_;
  std::vector<long double> start_;
};

}  // namespace slideway::validation
