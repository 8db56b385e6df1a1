#include <algorithm>
#include <string>
#include <utility>

#include "core/number_text.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/simulate/sensitivity.hpp"

namespace slideway {

void Sensitivities::add_piece(double start, double end, double h, const Matrix& coefficients) {
  pieces_.push_back({start, end, h, coefficients_.size(), coefficients.cols()});
  coefficients_.insert(coefficients_.end(), coefficients.data(), coefficients.data() + coefficients.size());
}

void Sensitivities::end_existence(double t, std::string reason) {
  if (exists_until_ <= t) return;
  exists_until_ = t;
  reason_ = std::move(reason);
}

void Sensitivities::forget_pieces() {
  pieces_.clear();
  coefficients_.clear();
}

Matrix Sensitivities::at(const Piece& piece, double t) const {
  const auto q = static_cast<Index>(names_.size());
  const double u = 2 * (t - piece.start) / piece.h - 1;
  const Eigen::Map<const Matrix> all(coefficients_.data() + piece.offset, states_, piece.terms);
  Matrix result = all.rightCols(q);
  for (Index k = piece.terms / q - 2; k >= 0; --k) result = u * result + all.middleCols(k * q, q);
  return result;
}

Matrix Sensitivities::value(std::size_t piece, double t) const { return at(pieces_[piece], t); }

const Sensitivities::Piece& Sensitivities::piece_at(double t, bool from_left) const {
  if (pieces_.empty() || !(t >= pieces_.front().start && t <= pieces_.back().end)) {
    refuse({.what = "no derivatives are kept for this time",
            .where = "Sensitivities",
            .expected = pieces_.empty() ? "a run with Recording::dense"
                                        : "a time from " + number_text(pieces_.front().start) + " to " +
                                              number_text(pieces_.back().end),
            .got = number_text(t)});
  }
  const auto past =
      from_left ? std::lower_bound(pieces_.begin(), pieces_.end(), t,
                                   [](const Piece& piece, double time) { return piece.start < time; })
                : std::upper_bound(pieces_.begin(), pieces_.end(), t,
                                   [](double time, const Piece& piece) { return time < piece.start; });
  return past == pieces_.begin() ? *past : *(past - 1);
}

Matrix Sensitivities::operator()(double t) const {
  if (!pieces_.empty() && t == pieces_.back().end && final_.size() > 0) return final_;
  return at(piece_at(t, false), t);
}

Matrix Sensitivities::before(double t) const { return at(piece_at(t, true), t); }

}  // namespace slideway
