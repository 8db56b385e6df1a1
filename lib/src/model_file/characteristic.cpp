#include "model_file/characteristic.hpp"

#include <utility>

namespace slideway::reader {
namespace {

// The polynomial in powers of u − origin.
Characteristic::Piece moved(const Characteristic::Piece& piece, double origin) {
  const double d = origin - piece.origin;
  const auto& c = piece.coefficients;
  return {origin,
          {c[0] + d * (c[1] + d * (c[2] + d * c[3])), c[1] + d * (2 * c[2] + d * 3 * c[3]),
           c[2] + 3 * d * c[3], c[3]}};
}

bool is_straight(const Characteristic::Piece& piece) {
  return piece.coefficients[2] == 0 && piece.coefficients[3] == 0;
}

// Two straight pieces that go on in each other.
bool goes_on(const Characteristic::Piece& before, const Characteristic::Piece& after) {
  return is_straight(before) && is_straight(after) && before.coefficients[1] == after.coefficients[1] &&
         moved(before, after.origin).coefficients[0] == after.coefficients[0];
}

}  // namespace

Characteristic::Pieces Characteristic::pieces(std::size_t knot) const {
  const std::vector<double>& knots = has_two_variables() ? data_.second : data_.first;
  const auto begin = data_.values.begin() + static_cast<std::ptrdiff_t>(knot * knots.size());
  const std::vector<double> values(begin, begin + static_cast<std::ptrdiff_t>(knots.size()));
  // Pieces over a variable are those over the time.
  const Input signal({.name = data_.name,
                      .times = knots,
                      .values = values,
                      .interpolation = data_.interpolation,
                      .extrapolation = Extrapolation::hold});
  std::vector<Piece> all;
  for (std::size_t k = 0; k + 1 < knots.size(); ++k) {
    Vector states(Input::states);
    signal.set_states(knots[k], 0, states);
    all.push_back({states[0], {states[1], states[2], states[3], states[4]}});
  }
  const bool is_line = data_.beyond == Beyond::linear;
  const Piece last = moved(all.back(), knots.back());
  const double slope_below = is_line ? all.front().coefficients[1] : 0;
  const double slope_above = is_line ? last.coefficients[1] : 0;
  all.insert(all.begin(), {knots.front(), {values.front(), slope_below, 0, 0}});
  all.push_back({knots.back(), {values.back(), slope_above, 0, 0}});

  const bool ends = data_.beyond == Beyond::error;
  Pieces result;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const bool is_beyond = ends && (k == 0 || k + 1 == all.size());
    if (k > 0) {
      const bool same_kind = !is_beyond && !result.is_beyond.back();
      if (same_kind && goes_on(result.pieces.back(), all[k])) continue;
      result.knots.push_back(knots[k - 1]);
    }
    result.pieces.push_back(all[k]);
    result.is_beyond.push_back(is_beyond);
  }
  return result;
}

}  // namespace slideway::reader
