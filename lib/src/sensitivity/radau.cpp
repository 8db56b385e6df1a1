#include "sensitivity/radau.hpp"

#include <algorithm>
#include <cmath>

#include "core/factorise.hpp"

namespace slideway {

namespace {

// The nodes inside are the zeros of Jacobi's polynomial P_{s−1}^(1,0), the eigenvalues of the matrix of its recurrence.
Vector nodes_of(Index s) {
  Matrix recurrence = Matrix::Zero(s - 1, s - 1);
  for (Index k = 0; k + 1 < s; ++k) {
    const double odd = 2 * static_cast<double>(k) + 1;
    recurrence(k, k) = -1 / (odd * (odd + 2));
    if (k == 0) continue;
    recurrence(k - 1, k) = recurrence(k, k - 1) = 0.5 * std::sqrt(odd * odd - 1) / odd;
  }
  Vector nodes = Vector::Ones(s);
  if (s > 1) {
    const Eigen::EigenSolver<Matrix> solver(recurrence, false);
    nodes.head(s - 1) = (solver.eigenvalues().real().array() + 1) / 2;
    std::sort(nodes.begin(), nodes.end());
  }
  return nodes;
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
