#include "orbit/eigenvalue_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace slideway {

namespace {

// Two eigenvalues with a smaller imaginary part, in their own size, are real ones that meet. The tests of orbits pass with 1e-7 and 1e-5.
constexpr double kPairSize = 1e-6;

}  // namespace

double largest_of(const std::vector<std::complex<double>>& values) {
  double size = 0;
  for (const auto& value : values) size = std::max(size, std::abs(value));
  return size;
}

double product_of_sums(const std::vector<std::complex<double>>& values, double size) {
  std::complex<double> product = 1;
  if (size > 0)
    for (std::size_t i = 0; i < values.size(); ++i)
      for (std::size_t j = i + 1; j < values.size(); ++j) product *= (values[i] + values[j]) / size;
  return product.real();
}

std::vector<std::complex<double>> least_pair_first(std::vector<std::complex<double>> values) {
  double least = std::numeric_limits<double>::infinity();
  std::size_t first = 0, second = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t j = i + 1; j < values.size(); ++j) {
      if (std::abs(values[i] + values[j]) >= least) continue;
      least = std::abs(values[i] + values[j]);
      first = i;
      second = j;
    }
  if (second == 0) return values;
  std::swap(values[0], values[first]);
  std::swap(values[1], values[second]);
  return values;
}

bool has_pair_on_axis(const std::vector<std::complex<double>>& values) {
  if (values.size() < 2) return false;
  const auto sorted = least_pair_first(values);
  return sorted[0].imag() != 0 && sorted[0] == std::conj(sorted[1]) &&
         std::abs(sorted[0].imag()) > kPairSize * std::abs(sorted[0]);
}

}  // namespace slideway
