// Pairs of eigenvalues of a real matrix: whether one is on the imaginary axis.
//
// It must not know where the eigenvalues come from.
#pragma once

#include <complex>
#include <vector>

namespace slideway {

// The largest |μ|; 0 without eigenvalues.
double largest_of(const std::vector<std::complex<double>>& values);
// ∏(μᵢ + μⱼ)/size over all pairs, which is smooth in the matrix and vanishes at a pair on the imaginary axis; 1 where the size is 0.
double product_of_sums(const std::vector<std::complex<double>>& values, double size);

// The eigenvalues with the two of the smallest |μᵢ + μⱼ| in front. The order is the same for fewer than two.
std::vector<std::complex<double>> least_pair_first(std::vector<std::complex<double>> values);
// has_pair_on_axis() takes the two eigenvalues with the smallest sum. It returns true if they are a complex pair.
bool has_pair_on_axis(const std::vector<std::complex<double>>& values);

}  // namespace slideway
