#include "filippov/lemke_path.hpp"

#include <algorithm>
#include <cmath>

#include "core/at.hpp"
#include "core/constants.hpp"

namespace slideway {

namespace {

// Entries of a pivoted tableau below this part of the largest are rounding.
constexpr double kPivotZero = 1e-11;
constexpr double kTie = 1e-12;

// Every index has one moving variable: r ≥ 0 at the lower bound, z between, y = −r ≥ 0 at the upper bound;
// with z₀ that is one more than there are rows, so the solutions of
//     r − y − Mz − z₀·1 = q
// form a path, followed from z₀ = ∞ down. The variable that stops at a bound hands over to its neighbour.
class LemkePath {
 public:
  LemkePath(const Matrix& M, const Vector& q, const Vector& upper) : upper_(upper), n_(q.size()) {
    // Columns: r | z | z₀. A row reads: basic variable + Σ columns·(nonbasic) = value.
    tableau_ = Matrix::Zero(n_, 2 * n_ + 1);
    tableau_.leftCols(n_).setIdentity();
    tableau_.middleCols(n_, n_) = -M;
    tableau_.col(2 * n_).setConstant(-1);
    value_ = q;
    parts_.assign(at(n_), BoxPart::lower);
    basic_.resize(at(n_));
    for (Index i = 0; i < n_; ++i) basic_[at(i)] = i;
  }

  LemkeEnd follow() {
    if (value_.minCoeff() >= 0) return LemkeEnd::solved;
    // z₀ enters at the size that makes the worst r zero; of equal ones the lexicographically least, which is the last.
    Index row = 0;
    for (Index i = 1; i < n_; ++i) {
      if (value_[i] <= value_[row]) row = i;
    }
    Index entering = hand_over(row, false);
    pivot(row, 2 * n_, 0.0);
    // Far more than any path met in practice; only rounding that breaks the lexicographic order can make it longer.
    const Index limit = 1000 + 100 * n_;
    for (Index count = 0; count < limit; ++count) {
      const double direction = parts_[at(index_of(entering))] == BoxPart::free && from_above_ ? -1 : 1;
      const Step step = ratio_test(entering, direction);
      if (step.kind == Step::none) return LemkeEnd::ray;
      if (step.kind == Step::flip) {
        // z crosses the whole box: the value of the others follows, the basis stays.
        const Index i = index_of(entering);
        value_ -= direction * upper_[i] * tableau_.col(entering);
        parts_[at(i)] = direction > 0 ? BoxPart::upper : BoxPart::lower;
        entering = i;
        from_above_ = false;
        continue;
      }
      const bool finished = basic_[at(step.row)] == 2 * n_;
      const double start = direction < 0 ? upper_[index_of(entering)] : 0;
      const Index next = finished ? entering : hand_over(step.row, step.at_upper);
      const double leaving_value = step.at_upper ? upper_[index_of(basic_[at(step.row)])] : 0;
      advance(step, entering, direction, start, leaving_value);
      if (finished) return LemkeEnd::solved;
      entering = next;
    }
    return LemkeEnd::limit;
  }

  const std::vector<BoxPart>& parts() const { return parts_; }
  Vector z() const {
    Vector result = Vector::Zero(n_);
    for (Index i = 0; i < n_; ++i) {
      if (parts_[at(i)] == BoxPart::upper) result[i] = upper_[i];
    }
    for (Index row = 0; row < n_; ++row) {
      const Index variable = basic_[at(row)];
      if (variable >= n_ && variable < 2 * n_) result[variable - n_] = value_[row];
    }
    return result;
  }

 private:
  struct Step {
    enum Kind { none, flip, pivot } kind = none;
    Index row = -1;
    bool at_upper = false;
    double length = kInfinity;
  };

  Index index_of(Index variable) const { return variable < n_ ? variable : variable - n_; }

  // y moves as −r: its column is that of r with the other sign.
  double sign(Index variable) const {
    return variable < n_ && parts_[at(variable)] == BoxPart::upper ? -1.0 : 1.0;
  }

  // The variable that takes over from the basic one of `row`, which is at a bound.
  Index hand_over(Index row, bool at_upper) {
    const Index variable = basic_[at(row)];
    const Index i = index_of(variable);
    if (variable < n_) {
      // r or y has come to zero: z leaves the bound that it was at.
      from_above_ = parts_[at(i)] == BoxPart::upper;
      parts_[at(i)] = BoxPart::free;
      return n_ + i;
    }
    from_above_ = false;
    parts_[at(i)] = at_upper ? BoxPart::upper : BoxPart::lower;
    return i;
  }

  Step ratio_test(Index entering, double direction) const {
    const Vector column = direction * sign(entering) * tableau_.col(entering);
    const double tiny = kPivotZero * std::max(1.0, column.lpNorm<Eigen::Infinity>());
    Step best;
    if (entering >= n_ && upper_[entering - n_] < kInfinity) {
      best.kind = Step::flip;
      best.length = upper_[entering - n_];
    }
    // The length at which the basic variable of a row meets a bound.
    const auto length_to_bound = [&](Index row) {
      if (std::abs(column[row]) <= tiny) return kInfinity;
      const double bound = column[row] > 0 ? 0.0 : upper_of(basic_[at(row)]);
      // Rounding may have carried the value beyond its bound by a little.
      return bound < kInfinity ? std::max(0.0, (value_[row] - bound) / column[row]) : kInfinity;
    };
    double shortest = best.length;
    for (Index row = 0; row < n_; ++row) shortest = std::min(shortest, length_to_bound(row));
    if (shortest == kInfinity) return best;
    const double tied = shortest + kTie * std::max(1.0, shortest);
    if (best.length > tied) best.kind = Step::none;
    for (Index row = 0; row < n_; ++row) {
      if (length_to_bound(row) > tied) continue;
      if (best.kind == Step::none || precedes(row, best, column))
        best = {Step::pivot, row, column[row] < 0, shortest};
    }
    best.length = shortest;
    return best;
  }

  double upper_of(Index variable) const {
    return variable < n_ || variable == 2 * n_ ? kInfinity : upper_[variable - n_];
  }

  // Whether, of two that stop the path at the same length, this row does so first when q is perturbed by (ε, ε², …): the
  // first n columns hold how values change with q. z₀ comes before all: it ends the path.
  bool precedes(Index row, const Step& best, const Vector& column) const {
    if (basic_[at(row)] == 2 * n_) return true;
    if (best.kind == Step::pivot && basic_[at(best.row)] == 2 * n_) return false;
    for (Index j = 0; j < n_; ++j) {
      const double mine = tableau_(row, j) / column[row];
      const double other = best.kind == Step::flip ? 0 : tableau_(best.row, j) / column[best.row];
      const double tie = kTie * std::max({1.0, std::abs(mine), std::abs(other)});
      if (mine < other - tie) return true;
      if (mine > other + tie) return false;
    }
    return false;
  }

  void advance(const Step& step, Index entering, double direction, double start, double leaving_value) {
    const double entering_sign = sign(entering);
    value_ -= direction * entering_sign * step.length * tableau_.col(entering);
    const double entering_value = start + direction * step.length;
    value_[step.row] = leaving_value;
    exchange(step.row, entering, entering_sign);
    value_[step.row] = entering_value;
  }

  // z₀ takes the place of the worst r, which was below zero.
  void pivot(Index row, Index entering, double leaving_value) {
    const double length = (value_[row] - leaving_value) / tableau_(row, entering);
    value_ -= length * tableau_.col(entering);
    exchange(row, entering, 1.0);
    value_[row] = length;
  }

  // Rows are kept in terms of the variable as it moves: y for an index at its upper bound.
  void exchange(Index row, Index entering, double entering_sign) {
    const Vector column = entering_sign * tableau_.col(entering);
    tableau_.row(row) /= column[row];
    for (Index other = 0; other < n_; ++other) {
      if (other != row && column[other] != 0) tableau_.row(other) -= column[other] * tableau_.row(row);
    }
    basic_[at(row)] = entering;
  }

  const Vector& upper_;
  Index n_;
  Matrix tableau_;
  Vector value_;  // of the basic variables
  std::vector<Index> basic_;
  std::vector<BoxPart> parts_;
  bool from_above_ = false;
};

}  // namespace

LemkeAnswer follow_lemke_path(const Matrix& M, const Vector& q, const Vector& upper) {
  LemkePath path(M, q, upper);
  const LemkeEnd end = path.follow();
  return {.end = end, .parts = path.parts(), .z = path.z()};
}

}  // namespace slideway
