// The exact solution of the dry-friction oscillator
//
//     x'' = −x − μ sgn(x') + A cos(ω t),   x(0) = x₀, x'(0) = 0,   ω ≠ 1,
//
// from closed forms, in long double and with a certificate that no event is missed. It is the oracle of the tests:
// it shares no code with the library and knows no integrator.
//
// Slip with s = sgn(x') is a harmonic arc
//     x(t) = −μ s + P cos ωt + C cos τ + D sin τ,   τ = t − t₀,   P = A/(1 − ω²),
// which ends at the first zero of g = s x'. With |g''| ≤ M, g(a) + g'(a) r − M r²/2 > 0 on [0, r) proves that there
// is no zero in [a, a + r); marching by the largest such r approaches the first zero from the left, like Newton's
// method, and can't pass it.
// Stick (x' = 0) holds while |A cos ωt − x| < μ; its end is an exact arc cosine.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <vector>

namespace slideway::validation {

struct OscillatorParameters {
  double mu = 0.4;         // friction level, > 0
  double amplitude = 1;    // A > 0
  double frequency = 0.5;  // ω > 0, not 1
  double position = 2;     // x₀
  double end = 100;
};

// The modes are words of one character: '-' and '+' slip, '0' sticks.
struct OscillatorEvent {
  long double t;
  char from;
  char to;
  long double x;  // position there; the velocity is 0
};

struct OscillatorMotion {
  char initial_mode = '0';
  std::vector<OscillatorEvent> events = {};
  long double position = 0;  // at the end
  long double velocity = 0;
  // How close the motion comes to one with another event list: the smallest excess or lack of force at a
  // decision, the smallest |x'| at a turning point of x' that isn't zero, and the same for the extrema of the
  // force while sticking. Dimensionless, relative to 1.
  long double margin = std::numeric_limits<long double>::infinity();
  long double shortest_interval = std::numeric_limits<long double>::infinity();  // between two events
};

class ClosedFormOscillator {
 public:
  explicit ClosedFormOscillator(const OscillatorParameters& parameters)
      : mu_(parameters.mu),
        amplitude_(parameters.amplitude),
        frequency_(parameters.frequency),
        end_(parameters.end),
        position_(parameters.position) {
    if (!(mu_ > 0 && amplitude_ > 0 && frequency_ > 0) || frequency_ == 1) {
      throw std::invalid_argument("ClosedFormOscillator: mu, amplitude, frequency > 0 and frequency != 1");
    }
    forced_ = amplitude_ / (1 - frequency_ * frequency_);
  }

  // The motion with the position moved by `kick(k)` when a slip ends with event k: how a solution behaves
  // that is exact but for errors of that size.
  template <class Kick>
  OscillatorMotion solve(Kick kick) const {
    OscillatorMotion motion;
    long double t = 0;
    long double x = position_;
    char mode = mode_at_rest(t, x, motion);
    motion.initial_mode = mode;
    while (true) {
      const Piece piece = mode == '0' ? stick(t, x, motion) : slip(t, x, mode == '+' ? 1 : -1, motion);
      if (piece.end > end_) {
        motion.position = piece.position;
        motion.velocity = piece.velocity;
        return motion;
      }
      motion.shortest_interval = std::min(motion.shortest_interval, piece.end - t);
      t = piece.end;
      x = piece.position;
      char next = piece.next;
      if (mode != '0') {
        x += kick(motion.events.size());
        next = mode_at_rest(t, x, motion);
      }
      motion.events.push_back({t, mode, next, x});
      mode = next;
    }
  }

  OscillatorMotion solve() const {
    return solve([](std::size_t) { return 0.0L; });
  }

 private:
  struct Piece {
    long double end;  // > end_ when the motion ends inside the piece
    long double position;
    long double velocity;
    char next;  // after a stick
  };

  long double drive(long double t) const { return amplitude_ * std::cos(frequency_ * t); }

  // The mode that follows a state with velocity 0: the force x'' would need decides.
  char mode_at_rest(long double t, long double x, OscillatorMotion& motion) const {
    const long double force = drive(t) - x;
    motion.margin = std::min(motion.margin, std::abs(std::abs(force) - mu_));
    return force > mu_ ? '+' : force < -mu_ ? '-' : '0';
  }

  // The first time in (t, ∞) at which cos ωt = level, or infinity.
  long double first_time(long double t, long double level) const {
    if (std::abs(level) > 1) return std::numeric_limits<long double>::infinity();
    const long double turn = 2 * std::numbers::pi_v<long double>;
    const long double angle = std::acos(level);
    const long double phase = frequency_ * t;
    const auto after = [&](long double root) {
      const long double turns = std::ceil((phase - root) / turn);
      return (root + turn * turns) / frequency_;
    };
    long double first = std::numeric_limits<long double>::infinity();
    for (const long double root : {angle, -angle}) {
      long double candidate = after(root);
      if (candidate <= t) candidate += turn / frequency_;
      first = std::min(first, candidate);
    }
    return first;
  }

  Piece stick(long double t, long double x, OscillatorMotion& motion) const {
    // The extrema of the force, ±A − x, against ±μ.
    motion.margin = std::min(motion.margin, std::abs(amplitude_ - x - mu_));
    motion.margin = std::min(motion.margin, std::abs(-amplitude_ - x + mu_));
    const long double up = first_time(t, (x + mu_) / amplitude_);
    const long double down = first_time(t, (x - mu_) / amplitude_);
    return {std::min(up, down), x, 0, up < down ? '+' : '-'};
  }

  // The local minimum of g in [low, high], where its derivative changes sign from - to +.
  template <class G, class G1>
  static long double minimum(const G& g, const G1& g1, long double low, long double high) {
    for (int k = 0; k < 64; ++k) {
      const long double middle = 0.5L * (low + high);
      (g1(middle) < 0 ? low : high) = middle;
    }
    return g(low);
  }

  Piece slip(long double start, long double x, long double sign, OscillatorMotion& motion) const {
    const long double omega = frequency_;
    const long double cosine = x + mu_ * sign - forced_ * std::cos(omega * start);
    const long double sine = forced_ * omega * std::sin(omega * start);
    const long double amplitude = std::hypot(cosine, sine);

    const auto position = [&](long double t) {
      const long double s = t - start;
      return -mu_ * sign + forced_ * std::cos(omega * t) + cosine * std::cos(s) + sine * std::sin(s);
    };
    // g = sign x' and its derivatives.
    const auto g = [&](long double t) {
      const long double s = t - start;
      return sign * (-forced_ * omega * std::sin(omega * t) - cosine * std::sin(s) + sine * std::cos(s));
    };
    const auto g1 = [&](long double t) {
      const long double s = t - start;
      return sign *
             (-forced_ * omega * omega * std::cos(omega * t) - cosine * std::cos(s) - sine * std::sin(s));
    };
    const auto g2 = [&](long double t) {
      const long double s = t - start;
      return sign * (forced_ * omega * omega * omega * std::sin(omega * t) + cosine * std::sin(s) -
                     sine * std::cos(s));
    };
    const long double bound2 = std::abs(forced_) * omega * omega * omega + amplitude;
    const long double bound3 = std::abs(forced_) * omega * omega * omega * omega + amplitude;

    // Away from the zero at the start: g ≥ g'(0) s + g''(0) s²/2 − M₃ s³/6 there, and g'(0) ≥ 0 by the choice of mode.
    const long double slope = std::max(g1(start), 0.0L);
    const long double curvature = g2(start);
    long double clear = 0;
    if (curvature > 0) clear = 1.5L * curvature / bound3;
    clear = std::max(clear, slope / bound2);
    if (!(clear > 0)) throw std::runtime_error("ClosedFormOscillator: a slip that does not start");

    long double t = start + clear;
    const long double rounding = 64 * std::numeric_limits<long double>::epsilon() *
                                 (std::abs(forced_) * omega + amplitude) * (1 + std::abs(start));
    long double before = t;
    for (int k = 0; k < 1'000'000; ++k) {
      if (t > end_) return {end_ + 1, position(end_), sign * g(end_), '0'};
      const long double value = g(t);
      const long double derivative = g1(t);
      if (derivative > 0 && g1(before) < 0)
        motion.margin = std::min(motion.margin, minimum(g, g1, before, t));
      before = t;
      if (value <= rounding) return {t, position(t), 0, '0'};
      const long double root = std::sqrt(derivative * derivative + 2 * bound2 * value);
      // The same root of the quadratic, without cancellation.
      const long double reach =
          derivative > 0 ? (derivative + root) / bound2 : 2 * value / (root - derivative);
      t += reach;
    }
    throw std::runtime_error("ClosedFormOscillator: the march does not end");
  }

  long double mu_, amplitude_, frequency_, end_, position_;
  long double forced_ = 0;
};

}  // namespace slideway::validation
