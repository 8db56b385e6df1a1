#include "slideway/model/table.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "core/number_text.hpp"
#include "slideway/core/errors.hpp"

namespace slideway {

namespace {

// The polynomial in powers of u − origin.
Table::Piece moved(const Table::Piece& piece, double origin) {
  const double d = origin - piece.origin;
  const auto& c = piece.coefficients;
  return {origin,
          {c[0] + d * (c[1] + d * (c[2] + d * c[3])), c[1] + d * (2 * c[2] + d * 3 * c[3]),
           c[2] + 3 * d * c[3], c[3]}};
}

bool is_straight(const Table::Piece& piece) {
  return piece.coefficients[2] == 0 && piece.coefficients[3] == 0;
}

// Two straight pieces that go on in each other.
bool goes_on(const Table::Piece& before, const Table::Piece& after) {
  return is_straight(before) && is_straight(after) && before.coefficients[1] == after.coefficients[1] &&
         moved(before, after.origin).coefficients[0] == after.coefficients[0];
}

std::string name_of(const TableData& data) {
  return data.name.empty() ? "Table" : "Table '" + data.name + "'";
}

void check_knots(const std::vector<double>& knots, const std::string& which, const std::string& where) {
  if (knots.size() < 2) {
    refuse({.what = "too few knots of the " + which + " variable",
            .where = where,
            .expected = "two or more",
            .got = std::to_string(knots.size())});
  }
  for (std::size_t k = 0; k < knots.size(); ++k) {
    if (std::isfinite(knots[k]) && (k == 0 || knots[k] > knots[k - 1])) continue;
    refuse({.what = "knot " + std::to_string(k + 1) + " of the " + which +
                    " variable is not after the one before",
            .where = where,
            .expected = k == 0 ? "a finite number" : "more than " + number_text(knots[k - 1]),
            .got = number_text(knots[k])});
  }
}

void check_monotone(const TableData& data, const std::string& where) {
  if (!data.second.empty() || data.interpolation == Interpolation::cubic) {
    refuse({.what = "a table that is asked to be monotone",
            .where = where,
            .expected = "one variable, and lines, steps or pchip, which rise where the values do",
            .got = data.second.empty() ? "splines, which may swing" : "two variables"});
  }
  const bool rises = data.values[1] > data.values[0];
  for (std::size_t k = 1; k < data.values.size(); ++k) {
    const double before = data.values[k - 1], value = data.values[k];
    if (rises ? value > before : value < before) continue;
    refuse({.what = "the values are not monotone",
            .where = where,
            .expected = (rises ? "more than " : "less than ") + number_text(before) + " at " +
                        number_text(data.first[k]),
            .got = number_text(value)});
  }
}

void check(const TableData& data) {
  const std::string where = name_of(data);
  check_knots(data.first, "first", where);
  if (!data.second.empty()) check_knots(data.second, "second", where);
  const std::size_t wanted = data.first.size() * std::max<std::size_t>(1, data.second.size());
  if (data.values.size() != wanted) {
    refuse({.what = "the number of values does not fit",
            .where = where,
            .expected = "as many as knots, " + std::to_string(wanted),
            .got = std::to_string(data.values.size())});
  }
  if (!data.slopes.empty() && !data.second.empty()) {
    refuse({.what = "slopes of a table in two variables",
            .where = where,
            .expected = "one variable",
            .got = "two"});
  }
  for (const double value : data.values) {
    if (!std::isfinite(value))
      refuse({.what = "a value is not finite",
              .where = where,
              .expected = "finite numbers",
              .got = number_text(value)});
  }
  if (data.monotone) check_monotone(data, where);
}

// The part of the way from one row to the next, and the row below.
Table::Pieces parts_between(const TableData& data, std::vector<std::size_t>& rows) {
  const std::vector<double>& knots = data.first;
  const std::size_t last = knots.size() - 1;
  const bool holds = data.interpolation == Interpolation::hold;
  Table::Pieces made;
  made.knots = knots;
  for (std::size_t k = 0; k <= last + 1; ++k) {
    const bool is_outside = k == 0 || k > last;
    const std::size_t row = std::min(k == 0 ? 0 : k - 1, holds ? last : last - 1);
    const bool is_line = !holds && (!is_outside || data.beyond == Beyond::linear);
    const double slope = is_line ? 1 / (knots[row + 1] - knots[row]) : 0;
    made.pieces.push_back({knots[row], {is_line || holds || k == 0 ? 0.0 : 1.0, slope, 0, 0}});
    made.is_beyond.push_back(is_outside && data.beyond == Beyond::error);
    rows.push_back(row);
  }
  return made;
}

}  // namespace

Table::Table(TableData data) : data_(std::move(data)) {
  check(data_);
  if (!has_two_variables()) {
    along_first_ = pieces();
    return;
  }
  along_first_ = parts_between(data_, row_of_piece_);
  for (std::size_t k = 0; k < data_.first.size(); ++k) rows_.push_back(pieces_of(k, false));
}

Table::Pieces Table::pieces_of(std::size_t knot, bool merges) const {
  const std::vector<double>& knots = has_two_variables() ? data_.second : data_.first;
  const auto begin = data_.values.begin() + static_cast<std::ptrdiff_t>(knot * knots.size());
  const std::vector<double> values(begin, begin + static_cast<std::ptrdiff_t>(knots.size()));
  // Pieces over a variable are those over the time.
  const Input signal({.name = data_.name,
                      .times = knots,
                      .values = values,
                      .slopes = data_.slopes,
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
      if (merges && same_kind && goes_on(result.pieces.back(), all[k])) continue;
      result.knots.push_back(knots[k - 1]);
    }
    result.pieces.push_back(all[k]);
    result.is_beyond.push_back(is_beyond);
  }
  return result;
}

// The relays on the sides of the knots, and of a knot itself those above it, but for the last one.
Vector Table::relays_at(double u, double v) const {
  Vector relays(surfaces());
  Index next = 0;
  const Pieces* const second = rows_.empty() ? nullptr : &rows_.front();
  for (const auto& [along, at] : {std::pair<const Pieces*, double>(&along_first_, u), {second, v}}) {
    if (!along) continue;
    for (std::size_t k = 0; k < along->knots.size(); ++k) {
      const bool is_end = k + 1 == along->knots.size() && along->is_beyond.back() && !jumps();
      relays[next++] = (is_end ? at > along->knots[k] : at >= along->knots[k]) ? 1 : -1;
    }
    if (along->knots.empty()) continue;
    const bool is_outside = ((along->is_beyond.front() && at < along->knots.front()) ||
                             (along->is_beyond.back() && at > along->knots.back()));
    if (!is_outside && !std::isnan(at)) continue;
    throw std::out_of_range(name_of(data_) + " has no value at " + number_text(at) + ": its knots are from " +
                            number_text(along->knots.front()) + " to " + number_text(along->knots.back()) +
                            "; Beyond::hold or Beyond::linear says what lies there");
  }
  return relays;
}

double Table::operator()(double u) const { return value(u, relays_at(u, 0), 0); }
double Table::operator()(double u, double v) const { return value(u, v, relays_at(u, v), 0); }

}  // namespace slideway
