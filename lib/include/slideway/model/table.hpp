// A characteristic y = f(u) or y = f(u, v): values at knots, and what lies between and beyond them.
//
// A table of one variable has pieces that are polynomials
//     y = c₀ + c₁ (u − u₀) + c₂ (u − u₀)² + c₃ (u − u₀)³
// A table of two variables has such pieces along the second one at every knot of the first one, and straight lines, or steps, between those. At the knots
// it bends or jumps, so that each is a surface of a system that has it, with the guard u − knot:
//
//     const Table table({.first = {-1, 0, 2}, .values = {0, 1, 1}, .beyond = Beyond::hold});
//     void guards(auto, const auto& x, auto&& h) const { table.guards(x[0], h, 0); }
//     void field(auto, const auto& x, const auto& lambda, auto&& dx) const { dx[0] = -table.value(x[0], lambda, 0); }
//
// with table.surfaces() surfaces from the first on, here 0. It must not know files or graphs.
#pragma once

#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "slideway/core/types.hpp"
#include "slideway/model/input.hpp"

namespace slideway {

// The values beyond the knots: none, which ends a run there; the value at the nearest end; the straight line that the end has.
enum class Beyond { error, hold, linear };

struct TableData {
  std::string name = {};            // for messages
  std::vector<double> first = {};   // knots of the first variable, ascending, two at least
  std::vector<double> second = {};  // of the second one; empty where there is none
  std::vector<double> values = {};  // of all second knots for every first one
  std::vector<double> slopes =
      {};  // of a cubic in one variable at its knots; empty for those of the natural spline
  // `interpolation` of two variables is between the knots of the second one; there are lines, or steps, between those of the first one.
  Interpolation interpolation = Interpolation::linear;
  Beyond beyond = Beyond::error;
  bool monotone = false;  // values of one variable that rise and fall are refused
};

class Table {
 public:
  struct Piece {
    double origin = 0;
    double coefficients[4] = {0, 0, 0, 0};
  };
  // The pieces of one variable from the lowest on: the first has no knot below it, and each of the others begins at a knot.
  struct Pieces {
    std::vector<double> knots = {};    // between the pieces
    std::vector<Piece> pieces = {};    // one more than knots
    std::vector<bool> is_beyond = {};  // of a piece: that it has no value
  };

  // Throws std::invalid_argument where knots do not ascend, or sizes or numbers make no sense.
  explicit Table(TableData data);

  const TableData& data() const { return data_; }
  bool has_two_variables() const { return !data_.second.empty(); }
  // jumps() tells whether the characteristic jumps at its knots instead of bending only.
  bool jumps() const { return data_.interpolation == Interpolation::hold; }
  // pieces() are those of one variable, or the dependence on the second variable at this knot of the first.
  Pieces pieces(std::size_t knot = 0) const { return pieces_of(knot, true); }

  // surfaces() counts its surfaces: one for each knot, those of the first variable before those of the second.
  Index surfaces() const { return static_cast<Index>(along_first_.knots.size() + data_.second.size()); }
  // guards() sets h[first …], and value() takes their relays; both serve all numbers that a field is called with. Beyond knots that end
  // a run the value is no number.
  template <class Scalar, class Guards>
  void guards(const Scalar& u, Guards&& h, Index first) const {
    set_guards(along_first_.knots, u, h, first);
  }
  template <class Scalar, class Other, class Guards>
  void guards(const Scalar& u, const Other& v, Guards&& h, Index first) const {
    set_guards(along_first_.knots, u, h, first);
    set_guards(data_.second, v, h, first + static_cast<Index>(along_first_.knots.size()));
  }
  template <class Scalar, class Relays>
  auto value(const Scalar& u, const Relays& lambda, Index first) const {
    return by_knots(along_first_, u, lambda, first,
                    [&](std::size_t k) { return piece_value(along_first_, k, u); });
  }
  template <class Scalar, class Relays>
  auto value(const Scalar& u, const Scalar& v, const Relays& lambda, Index first) const {
    const Index second = first + static_cast<Index>(along_first_.knots.size());
    return by_knots(along_first_, u, lambda, first, [&](std::size_t k) {
      const auto row = [&](std::size_t r) {
        return by_knots(rows_[r], v, lambda, second,
                        [&](std::size_t l) { return piece_value(rows_[r], l, v); });
      };
      const Scalar part = piece_value(along_first_, k, u);
      const auto below = row(row_of_piece_[k]);
      using Result = std::decay_t<decltype(below)>;
      return jumps() ? Result(below + part) : Result(below + part * (row(row_of_piece_[k] + 1) - below));
    });
  }

  // f(u) and f(u, v), for whoever wants to look: the value above a knot where it jumps. Throws std::out_of_range beyond the knots, unless
  // something lies there.
  double operator()(double u) const;
  double operator()(double u, double v) const;

 private:
  template <class Scalar, class Guards>
  static void set_guards(const std::vector<double>& knots, const Scalar& u, Guards&& h, Index first) {
    for (std::size_t k = 0; k < knots.size(); ++k) h[first + static_cast<Index>(k)] = u - knots[k];
  }
  template <class Scalar>
  static Scalar piece_value(const Pieces& along, std::size_t k, const Scalar& u) {
    using std::pow;
    const auto& [origin, c] = along.pieces[k];
    const Scalar since = u - origin;
    Scalar value = c[0] + since * (c[1] + since * (c[2] + since * c[3]));
    // A power of what is negative beyond the end is no number.
    if (along.is_beyond[k])
      value = value + pow(k == 0 ? Scalar(u - along.knots.front()) : Scalar(along.knots.back() - u), 1.5);
    return value;
  }
  // by_knots() blends the pieces from `low` to `high` by the relays, half by half; a relay that is the number ±1 leaves one half out.
  template <class Scalar, class Relays, class Value>
  static auto by_knots(const Pieces& along, const Scalar& u, const Relays& lambda, Index first,
                       const Value& value) {
    return by_knots(along, u, lambda, first, value, 0, along.knots.size());
  }
  template <class Scalar, class Relays, class Value>
  static auto by_knots(const Pieces& along, const Scalar& u, const Relays& lambda, Index first,
                       const Value& value, std::size_t low, std::size_t high)
      -> decltype(value(low) * lambda[first]) {
    using Result = decltype(value(low) * lambda[first]);
    if (low == high) return Result(value(low));
    const std::size_t middle = low + (high - low + 1) / 2;
    const auto& relay = lambda[first + static_cast<Index>(middle) - 1];
    const auto above = [&] { return by_knots(along, u, lambda, first, value, middle, high); };
    const auto below = [&] { return by_knots(along, u, lambda, first, value, low, middle - 1); };
    const bool ends_above = middle == along.knots.size() && along.is_beyond.back();
    const bool ends_below = middle == 1 && along.is_beyond.front();
    constexpr bool is_number = std::is_convertible_v<decltype(relay), double>;
    if ((is_number || ends_below) && is_at(relay, 1)) return above();
    if ((is_number || ends_above) && is_at(relay, -1)) return below();
    return Result(0.5 * ((1.0 + relay) * above() + (1.0 - relay) * below()));
  }
  // Numbers that tell what a value depends on are not compared.
  template <class Number>
  static bool is_at(const Number& relay, double side) {
    if constexpr (std::is_convertible_v<Number, double>)
      return relay == side;
    else if constexpr (requires { relay.derivative; })
      return is_at(relay.value, side);
    else
      return false;
  }
  // Straight pieces that go on in each other are one where they are merged.
  Pieces pieces_of(std::size_t knot, bool merges) const;
  Vector relays_at(double u, double v) const;

  TableData data_;
  Pieces along_first_;        // of two variables: the part of the way to the next row
  std::vector<Pieces> rows_;  // of two variables, along the second one
  std::vector<std::size_t> row_of_piece_;
};

}  // namespace slideway
