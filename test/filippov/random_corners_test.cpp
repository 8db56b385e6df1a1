// Random corners against an enumeration that shares nothing with the library: w in monomials instead of vertices, roots of
// polynomials instead of boxes.
#include <doctest/doctest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <array>
#include <cmath>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "filippov/corner.hpp"
#include "filippov/corner_solver.hpp"
#include "slideway/model/from_functor.hpp"

namespace slideway {
namespace {

using Words = std::multiset<std::string>;

CornerAnswer answer_of(const VertexTable& table) {
  CornerOptions options;
  options.w_zero = Vector::Constant(table.surfaces(), 1e-13);
  const Index a = table.surfaces();
  // Constant fields: every second derivative is zero.
  return consistent_modes(table, options, [a](const Vector&) { return Vector(Vector::Zero(a)); });
}

Words words(const std::vector<Continuation>& continuations) {
  Words result;
  for (const Continuation& continuation : continuations) {
    std::string word;
    for (const Side side : continuation.sides) word += to_character(side);
    result.insert(word);
  }
  return result;
}

VertexTable random_table(Index surfaces, std::mt19937& random) {
  std::normal_distribution<double> normal;
  VertexTable table{Matrix(surfaces, Index{1} << surfaces)};
  for (Index k = 0; k < table.w.size(); ++k) table.w.data()[k] = normal(random);
  return table;
}

// Coefficients of one polynomial, the constant first.
using Polynomial = std::vector<double>;

Polynomial operator*(const Polynomial& left, const Polynomial& right) {
  Polynomial result(left.size() + right.size() - 1, 0.0);
  for (std::size_t i = 0; i < left.size(); ++i) {
    for (std::size_t j = 0; j < right.size(); ++j) result[i + j] += left[i] * right[j];
  }
  return result;
}

Polynomial operator-(const Polynomial& left, const Polynomial& right) {
  Polynomial result(std::max(left.size(), right.size()), 0.0);
  for (std::size_t i = 0; i < left.size(); ++i) result[i] += left[i];
  for (std::size_t i = 0; i < right.size(); ++i) result[i] -= right[i];
  return result;
}

double value(const Polynomial& polynomial, double x) {
  double sum = 0;
  for (std::size_t k = polynomial.size(); k-- > 0;) sum = sum * x + polynomial[k];
  return sum;
}

// One monomial ∏ λᵢ per subset of the surfaces: column S of `of_monomial` belongs to the subset with the bits of S.
struct Monomials {
  Matrix of_monomial;

  explicit Monomials(const VertexTable& table) : of_monomial(Matrix::Zero(table.w.rows(), table.w.cols())) {
    for (Index subset = 0; subset < table.w.cols(); ++subset) {
      for (Index v = 0; v < table.w.cols(); ++v) {
        const bool odd = __builtin_parityll(static_cast<unsigned long long>(subset & ~v)) != 0;
        of_monomial.col(subset) += (odd ? -1.0 : 1.0) / static_cast<double>(table.w.cols()) * table.w.col(v);
      }
    }
  }
  Vector at(const std::vector<double>& lambda) const {
    Vector sum = Vector::Zero(of_monomial.rows());
    for (Index subset = 0; subset < of_monomial.cols(); ++subset) {
      double product = 1;
      for (std::size_t i = 0; i < lambda.size(); ++i) product *= (subset >> i) & 1 ? lambda[i] : 1.0;
      sum += product * of_monomial.col(subset);
    }
    return sum;
  }
};

// All consistent modes for constant fields in general position. What is near to a tie is doubtful.
class BruteForce {
 public:
  explicit BruteForce(const VertexTable& table) : monomials_(table), surfaces_(table.w.rows()) {
    std::vector<double> lambda(static_cast<std::size_t>(surfaces_), 0.0);
    std::string word(lambda.size(), '0');
    visit(0, word, lambda);
  }
  const Words& found() const { return found_; }
  bool doubtful() const { return doubtful_; }

 private:
  void visit(std::size_t i, std::string& word, std::vector<double>& lambda) {
    if (i == lambda.size()) {
      std::vector<std::size_t> sliding;
      for (std::size_t k = 0; k < word.size(); ++k) {
        if (word[k] == '0') sliding.push_back(k);
      }
      solve(word, sliding, lambda);
      return;
    }
    for (const char side : {'-', '0', '+'}) {
      word[i] = side;
      lambda[i] = side == '-' ? -1 : side == '+' ? 1 : 0;
      visit(i + 1, word, lambda);
    }
    lambda[i] = 0;
  }

  // w of one surface with the relays that do not slide put in: coefficients by subset of `sliding`.
  std::vector<double> restricted(std::size_t row, const std::vector<std::size_t>& sliding,
                                 const std::vector<double>& lambda) const {
    std::vector<double> result(std::size_t{1} << sliding.size(), 0.0);
    for (Index subset = 0; subset < monomials_.of_monomial.cols(); ++subset) {
      double coefficient = monomials_.of_monomial(static_cast<Index>(row), subset);
      for (std::size_t i = 0; i < lambda.size(); ++i) {
        const bool slides = std::find(sliding.begin(), sliding.end(), i) != sliding.end();
        if (((subset >> i) & 1) && !slides) coefficient *= lambda[i];
      }
      std::size_t local = 0;
      for (std::size_t z = 0; z < sliding.size(); ++z) {
        if ((subset >> sliding[z]) & 1) local |= std::size_t{1} << z;
      }
      result[local] += coefficient;
    }
    return result;
  }

  void solve(const std::string& word, const std::vector<std::size_t>& sliding, std::vector<double> lambda) {
    std::vector<std::vector<double>> w;
    for (const std::size_t row : sliding) w.push_back(restricted(row, sliding, lambda));
    const auto keep = [&](std::vector<double> values) {
      for (std::size_t z = 0; z < sliding.size(); ++z) lambda[sliding[z]] = values[z];
      accept(word, sliding, lambda);
    };
    if (sliding.empty()) keep({});
    if (sliding.size() == 1 && w[0][1] != 0) keep({-w[0][0] / w[0][1]});
    if (sliding.size() == 1 && w[0][0] == 0 && w[0][1] == 0) doubtful_ = true;
    if (sliding.size() == 2) {
      // w = p(x) + q(x)·y for both: p₁q₂ − p₂q₁ = 0.
      const auto p = [&](std::size_t i) { return Polynomial{w[i][0], w[i][1]}; };
      const auto q = [&](std::size_t i) { return Polynomial{w[i][2], w[i][3]}; };
      for (const double x : roots(p(0) * q(1) - p(1) * q(0))) {
        const std::size_t better = std::abs(value(q(0), x)) > std::abs(value(q(1), x)) ? 0 : 1;
        keep({x, -value(p(better), x) / value(q(better), x)});
      }
    }
    if (sliding.size() == 3) {
      // Linear in y, z and yz with coefficients linear in x: by Cramer's rule each is Nₖ/Δ, and N₁N₂ = N₃Δ.
      const auto column = [&](std::size_t k) {
        std::array<Polynomial, 3> result;
        for (std::size_t i = 0; i < 3; ++i) result[i] = {w[i][2 * k], w[i][2 * k + 1]};
        return result;
      };
      const auto one = column(0), y = column(1), z = column(2), yz = column(3);
      const Polynomial delta = determinant(y, z, yz);
      const Polynomial minus_y = determinant(one, z, yz);
      const Polynomial minus_z = determinant(y, one, yz);
      const Polynomial minus_yz = determinant(y, z, one);
      for (const double x : roots(minus_y * minus_z - minus_yz * (Polynomial{0.0} - delta))) {
        const double d = value(delta, x);
        keep({x, -value(minus_y, x) / d, -value(minus_z, x) / d});
      }
    }
  }

  static Polynomial determinant(const std::array<Polynomial, 3>& a, const std::array<Polynomial, 3>& b,
                                const std::array<Polynomial, 3>& c) {
    const auto minor = [&](std::size_t i, std::size_t j) { return b[i] * c[j] - b[j] * c[i]; };
    return a[0] * minor(1, 2) - (a[1] * minor(0, 2) - a[2] * minor(0, 1));
  }

  // The real roots near [−1, 1], as eigenvalues of the companion matrix.
  std::vector<double> roots(const Polynomial& polynomial) {
    const Index degree = static_cast<Index>(polynomial.size()) - 1;
    if (std::abs(polynomial.back()) < 1e-12) {
      doubtful_ = true;
      return {};
    }
    Matrix companion = Matrix::Zero(degree, degree);
    companion.diagonal(-1).setOnes();
    for (Index k = 0; k < degree; ++k) {
      companion(k, degree - 1) = -polynomial[static_cast<std::size_t>(k)] / polynomial.back();
    }
    const Eigen::VectorXcd values = companion.eigenvalues();
    std::vector<double> result;
    for (const std::complex<double>& root : values) {
      if (std::abs(root.real()) > 1.01) continue;
      if (std::abs(root.imag()) < 1e-4 && root.imag() != 0) doubtful_ = true;
      if (root.imag() == 0) result.push_back(root.real());
    }
    for (std::size_t i = 0; i < result.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (std::abs(result[i] - result[j]) < 1e-4) doubtful_ = true;
      }
    }
    return result;
  }

  void accept(const std::string& word, const std::vector<std::size_t>& sliding,
              const std::vector<double>& lambda) {
    for (const std::size_t i : sliding) {
      if (!(std::abs(lambda[i]) < 1 + 1e-6)) return;
    }
    bool consistent = true;
    bool near = false;
    const Vector w = monomials_.at(lambda);
    for (std::size_t i = 0; i < word.size(); ++i) {
      if (word[i] == '0') {
        consistent = consistent && std::abs(lambda[i]) < 1;
        near = near || std::abs(std::abs(lambda[i]) - 1) < 1e-6;
      } else {
        const double away = lambda[i] * w[static_cast<Index>(i)];
        if (away < -1e-6) return;
        consistent = consistent && away > 0;
        near = near || std::abs(away) < 1e-6;
      }
    }
    if (near) doubtful_ = true;
    if (consistent) found_.insert(word);
  }

  Monomials monomials_;
  Index surfaces_;
  Words found_;
  bool doubtful_ = false;
};

// Asks both, and returns how many corners had more than one continuation.
int compare_random_corners(Index surfaces, int trials, unsigned seed) {
  std::mt19937 random(seed);
  int doubtful = 0, many = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const VertexTable table = random_table(surfaces, random);
    const CornerAnswer answer = answer_of(table);
    REQUIRE_FALSE(answer.continuations.empty());
    const BruteForce expected(table);
    if (expected.doubtful()) {
      ++doubtful;
      continue;
    }
    CAPTURE(trial);
    REQUIRE_FALSE(answer.incomplete);
    REQUIRE(words(answer.continuations) == expected.found());
    REQUIRE(expected.found().size() % 2 == 1);
    many += expected.found().size() > 1 ? 1 : 0;
  }
  CHECK(doubtful < trials / 100);
  return many;
}

TEST_CASE("10000 random corners of two surfaces have the continuations of an independent enumeration") {
  CHECK(compare_random_corners(2, 10000, 20261120) > 1000);
}

TEST_CASE("10000 random corners of three surfaces have the continuations of an independent enumeration") {
  CHECK(compare_random_corners(3, 10000, 7) > 1000);
}

TEST_CASE("corners of small integers always have a continuation, and an even number only at a tie") {
  std::mt19937 random(3);
  std::uniform_int_distribution<int> integer(-3, 3);
  int even = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const Index surfaces = trial % 2 == 0 ? 2 : 3;
    VertexTable table{Matrix(surfaces, Index{1} << surfaces)};
    for (Index k = 0; k < table.w.size(); ++k) table.w.data()[k] = integer(random);
    const CornerAnswer answer = answer_of(table);
    CAPTURE(table.w);
    CHECK_FALSE(answer.continuations.empty());
    if (answer.continuations.size() % 2 == 1) continue;
    ++even;
    CHECK(BruteForce(table).doubtful());
  }
  CHECK(even > 100);
}

}  // namespace
}  // namespace slideway
