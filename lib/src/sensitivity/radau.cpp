#include "sensitivity/radau.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace slideway {

namespace {

constexpr int kGrid = 4000;  // finer than any two nodes are apart
constexpr int kBisections = 60;

// P_s − P_{s−1} at x, of Legendre's polynomials: its zeros are the nodes of Radau on [−1, 1].
double legendre_difference(Index s, double x) {
  double last = 1, here = x;
  for (Index k = 1; k < s; ++k) {
    const auto d = static_cast<double>(k);
    const double next = ((2 * d + 1) * x * here - d * last) / (d + 1);
    last = here;
    here = next;
  }
  return here - last;
}

Vector nodes_of(Index s) {
  std::vector<double> zeros;
  const auto point = [](int k) { return -1 + 2.0 * k / kGrid; };
  for (int k = 0; k + 1 < kGrid && static_cast<Index>(zeros.size()) + 1 < s; ++k) {
    double low = point(k), high = point(k + 1);
    const bool rises = legendre_difference(s, low) < 0;
    if (rises == (legendre_difference(s, high) < 0)) continue;
    for (int turn = 0; turn < kBisections; ++turn) {
      const double middle = 0.5 * (low + high);
      ((legendre_difference(s, middle) < 0) == rises ? low : high) = middle;
    }
    zeros.push_back(0.25 * (low + high) + 0.5);
  }
  zeros.push_back(1);
  return Eigen::Map<const Vector>(zeros.data(), static_cast<Index>(zeros.size()));
}

// The coefficients of Π (u − points(j)) over j ≠ without.
Vector product_without(const Vector& points, Index without) {
  Vector polynomial = Vector::Zero(points.size() + 1);
  polynomial[0] = 1;
  Index degree = 0;
  for (Index j = 0; j < points.size(); ++j) {
    if (j == without) continue;
    ++degree;
    for (Index d = degree; d > 0; --d) polynomial[d] = polynomial[d - 1] - points[j] * polynomial[d];
    polynomial[0] *= -points[j];
  }
  return polynomial;
}

// Row k: the polynomial that is 1 at points(k) and 0 at the others.
Matrix lagrange(const Vector& points) {
  Matrix result(points.size(), points.size());
  for (Index k = 0; k < points.size(); ++k) {
    double scale = 1;
    for (Index j = 0; j < points.size(); ++j)
      if (j != k) scale *= points[k] - points[j];
    result.row(k) = product_without(points, k).head(points.size()).transpose() / scale;
  }
  return result;
}

// The integral from −1 to `end`.
double integral(const Vector& polynomial, double end) {
  double sum = 0, at_begin = 0;
  for (Index d = polynomial.size(); d-- > 0;) {
    sum = end * sum + polynomial[d] / static_cast<double>(d + 1);
    at_begin = -at_begin + polynomial[d] / static_cast<double>(d + 1);
  }
  return end * sum + at_begin;
}

double factorial(Index n) { return std::tgamma(static_cast<double>(n) + 1); }

}  // namespace

// Polynomials are in powers of u = 2θ − 1, whose coefficients are far smaller than those in powers of θ.
Radau::Radau(Index s) : stages(s), nodes(nodes_of(s)), weights(s, s), at_start(s) {
  const Vector centred = 2 * nodes.array() - 1;
  const Matrix through_nodes = lagrange(centred);
  for (Index i = 0; i < s; ++i)
    for (Index j = 0; j < s; ++j)
      weights(i, j) = 0.5 * integral(through_nodes.row(j).transpose(), centred[i]);
  for (Index j = 0; j < s; ++j) {
    double value = 0;
    for (Index d = s; d-- > 0;) value = through_nodes(j, d) - value;
    at_start[j] = value;
  }
  Vector with_start(s + 1);
  with_start << -1, centred;
  through_start = lagrange(with_start);
  defect = nodes.prod() / factorial(s);
  const Vector remainder = product_without(with_start, -1);
  inside = 0;
  constexpr int points = 100;
  for (int k = 1; k <= points; ++k)
    inside = std::max(inside, std::abs(integral(remainder, 2.0 * k / points - 1)));
  inside /= std::pow(2.0, static_cast<double>(s + 2)) * factorial(s + 1);
}

}  // namespace slideway
