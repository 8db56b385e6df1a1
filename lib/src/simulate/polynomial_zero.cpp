#include "simulate/polynomial_zero.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "simulate/precision.hpp"

namespace slideway {

namespace {

using Coefficients = GuardPolynomial::Coefficients;

// The polynomial of Bernstein coefficients b on [low, high] in the unit interval.
struct Piece {
  Coefficients b;
  Index degree;
  double low;
  double high;
};

double value(const Coefficients& c, Index degree, double tau) {
  double sum = c[static_cast<std::size_t>(degree)];
  for (Index k = degree - 1; k >= 0; --k) sum = sum * tau + c[static_cast<std::size_t>(k)];
  return sum;
}

// Halves the piece: de Casteljau's scheme leaves the coefficients of the left half on one edge, of the right on the other.
Piece split_off_left(Piece& piece) {
  const double middle = 0.5 * (piece.low + piece.high);
  Piece left{piece.b, piece.degree, piece.low, middle};
  Coefficients& b = piece.b;
  for (Index turn = 1; turn <= piece.degree; ++turn) {
    for (Index j = 0; j + turn <= piece.degree; ++j) {
      b[static_cast<std::size_t>(j)] =
          0.5 * (b[static_cast<std::size_t>(j)] + b[static_cast<std::size_t>(j + 1)]);
    }
    left.b[static_cast<std::size_t>(turn)] = b[0];
  }
  piece.low = middle;
  return left;
}

// The zero of the polynomial between low, where it is positive, and high, where it is negative, if there is only one: Newton's
// method, and halving where that leaves the bracket or is slow.
double only_zero(const Coefficients& c, Index degree, double low, double at_low, double high, double at_high,
                 double resolution) {
  double tau = (low * at_high - high * at_low) / (at_high - at_low);
  double before = at_low;
  for (int iteration = 0; iteration < kMostCuts; ++iteration) {
    double sum = c[static_cast<std::size_t>(degree)];
    double slope = 0;
    for (Index k = degree - 1; k >= 0; --k) {
      slope = slope * tau + sum;
      sum = sum * tau + c[static_cast<std::size_t>(k)];
    }
    if (sum == 0) return tau;
    const double width = high - low;
    (sum > 0 ? low : high) = tau;
    const double step = sum / slope;
    double next = tau - step;
    // The iteration is slow where neither the value nor the bracket has become much smaller.
    const bool is_slow = std::abs(sum) > 0.25 * std::abs(before) && high - low > 0.5 * width;
    before = sum;
    // Newton's method leads to another zero where the polynomial rises, such as the one just left.
    const bool falls = slope < 0;
    if (falls && std::abs(step) <= resolution) return std::clamp(next, low, high);
    if (high - low <= resolution) return 0.5 * (low + high);
    if (!falls || !(next > low && next < high) || is_slow) next = 0.5 * (low + high);
    tau = next;
  }
  return tau;
}

// The first zero of the piece of the polynomial with the powers c; infinity if there is none.
double first_zero_of(Piece piece, const Coefficients& c, double resolution, int halvings) {
  const auto first = piece.b.begin();
  const auto last = first + piece.degree;
  if (*first <= 0) return piece.low;
  int changes = 0;
  bool positive = true;
  for (auto b = first; b <= last; ++b) {
    if ((*b > 0) == positive) continue;
    positive = !positive;
    ++changes;
  }
  if (changes == 0) return kNever;
  if (changes == 1) {
    const auto at = [&](double tau) { return value(c, piece.degree, tau); };
    const double at_low = at(piece.low);
    const double at_high = at(piece.high);
    if (!(at_low > 0)) return piece.low;
    if (!(at_high < 0)) return piece.high;
    return only_zero(c, piece.degree, piece.low, at_low, piece.high, at_high, resolution);
  }
  if (halvings == 0 || piece.high - piece.low <= resolution) return *last <= 0 ? piece.high : kNever;
  const Piece left = split_off_left(piece);
  const double found = first_zero_of(left, c, resolution, halvings - 1);
  return found < kNever ? found : first_zero_of(piece, c, resolution, halvings - 1);
}

}  // namespace

double first_zero_after(double start, Coefficients c, Index degree, double sign, double level,
                        double resolution) {
  for (Index k = 0; k <= degree; ++k) c[static_cast<std::size_t>(k)] *= sign;
  if (start > 0) GuardPolynomial::move(c, degree, start, 1 - start);
  c[0] = std::max(c[0] + level, std::numeric_limits<double>::min());
  Piece piece{c, degree, 0, 1};
  GuardPolynomial::to_bernstein(piece.b, degree);
  const double found = first_zero_of(piece, c, resolution, kMostHalvings);
  return found < kNever ? start + (1 - start) * found : kNever;
}

}  // namespace slideway
