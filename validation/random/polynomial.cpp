#include "validation/random/polynomial.hpp"

#include <array>
#include <cmath>

namespace slideway::validation::random {
namespace {

constexpr std::size_t most = 40;
using Shifted = std::array<Real, most>;

class Search {
 public:
  Search(std::span<const Real> coefficients, Real length, int direction)
      : coefficients_(coefficients), length_(length), direction_(direction) {}

  FirstZero run() {
    visit(0, length_, 0);
    return result_;
  }

 private:
  // Whether the search is over.
  bool visit(Real low, Real high, int depth) {
    const Real middle = (low + high) / 2;
    const Real radius = (high - low) / 2;
    const std::size_t size = coefficients_.size();
    Shifted c;
    for (std::size_t k = 0; k < size; ++k) c[k] = coefficients_[k];
    for (std::size_t j = 0; j + 1 < size; ++j) {
      for (std::size_t k = size - 1; k-- > j;) c[k] += middle * c[k + 1];
    }
    Real power = 1;
    Real rest = 0;        // Σ_{j≥1} |cⱼ| rʲ
    Real rest_slope = 0;  // Σ_{j≥2} j |cⱼ| rʲ⁻¹
    for (std::size_t j = 1; j < size; ++j) {
      if (j >= 2) rest_slope += static_cast<Real>(j) * std::abs(c[j]) * power;
      power *= radius;
      rest += std::abs(c[j]) * power;
    }
    if (std::abs(c[0]) > rest) return false;
    if (size > 1 && std::abs(c[1]) > rest_slope) return monotone(low, high);
    constexpr int deepest = 40;
    if (depth == deepest) {
      // A polynomial that is nothing but rounding has as many such points as there are intervals; nothing is certain after the first.
      result_.touches = true;
      return true;
    }
    return visit(low, middle, depth + 1) || visit(middle, high, depth + 1);
  }

  bool monotone(Real low, Real high) {
    const auto signed_value = [&](Real s) {
      return value_of(coefficients_, s) * static_cast<Real>(direction_);
    };
    if (!(signed_value(low) <= 0 && signed_value(high) > 0)) return false;
    for (int k = 0; k < 80; ++k) {
      const Real middle = (low + high) / 2;
      (signed_value(middle) > 0 ? high : low) = middle;
    }
    if (high == 0) return false;
    result_.found = true;
    result_.s = high;
    return true;
  }

  std::span<const Real> coefficients_;
  Real length_;
  int direction_;
  FirstZero result_ = {};
};

}  // namespace

Real value_of(std::span<const Real> coefficients, Real s) {
  Real value = 0;
  for (std::size_t k = coefficients.size(); k-- > 0;) value = value * s + coefficients[k];
  return value;
}

FirstZero first_zero(std::span<const Real> coefficients, Real length, int direction) {
  if (coefficients.empty()) return {};
  return Search(coefficients, length, direction).run();
}

}  // namespace slideway::validation::random
