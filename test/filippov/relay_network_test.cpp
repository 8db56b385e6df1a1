// Many relays that see each other: against enumeration, and against the exact flow of a network on a path.

#include "filippov/relay_network.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "filippov/corner_solver.hpp"
#include "filippov/p_matrix.hpp"
#include "slideway/model/from_functor.hpp"
#include "slideway/simulate/simulator.hpp"

using namespace slideway;

namespace {

std::string word(const std::vector<Side>& sides) {
  std::string text;
  for (const Side side : sides) text += to_character(side);
  return text;
}

Eigen::SparseMatrix<double> sparse(const Matrix& matrix) { return matrix.sparseView(); }

RelaySolution solve_affine(const Vector& constant, const Matrix& derivative, const Vector& guess) {
  const Index n = constant.size();
  CornerOptions options;
  options.w_zero = Vector::Constant(n, 1e-14);
  const RelayNetwork network{
      .rates = [&](const Vector& lambda, Vector& w) { w = constant + derivative * lambda; },
      .derivative = [&](const Vector&) { return sparse(derivative); },
      .curvature = [n](const Vector&) { return Vector(Vector::Zero(n)); }};
  return solve_relays(network, options, guess);
}

TEST_CASE(
    "a ring of relays with one more than its rows are independent has another root, of any number and in any "
    "units") {
  // w of row i is a(i) - a(i - 1) - (λ(i) - λ(i - 1)) in its own unit: every λ + s does as well.
  for (const Index n : {7, 8, 19, 60}) {
    CAPTURE(n);
    Vector constant(n), drive(n);
    Matrix derivative = Matrix::Zero(n, n);
    for (Index i = 0; i < n; ++i) drive[i] = 0.3 * std::sin(1.3 * static_cast<double>(i));
    for (Index i = 0; i < n; ++i) {
      const Index before = (i + n - 1) % n;
      const double unit = 1 + 0.7 * std::sin(2.1 * static_cast<double>(i));
      constant[i] = unit * (drive[i] - drive[before]);
      derivative(i, i) = -unit;
      derivative(i, before) = unit;
    }
    const RelaySolution solution = solve_affine(constant, derivative, Vector::Zero(n));
    REQUIRE(solution.solved);
    REQUIRE(solution.other);
    const Vector change = *solution.other - solution.continuation.lambda;
    CHECK(std::abs(change[0]) > 1e-3);
    CHECK((change.array() - change[0]).abs().maxCoeff() < 1e-9);
    CHECK(solution.other->lpNorm<Eigen::Infinity>() <= 1 + 1e-9);
    CHECK((constant + derivative * *solution.other).lpNorm<Eigen::Infinity>() < 1e-9);
    // A chain has none.
    derivative(0, n - 1) = 0;
    CHECK_FALSE(solve_affine(constant, derivative, Vector::Zero(n)).other);
  }
}

TEST_CASE("the mode of a few affine relays is the one that enumeration finds") {
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  int shown = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    const Index n = 2 + trial % 4;
    const Matrix noise = Matrix::NullaryExpr(n, n, [&] { return normal(random); });
    const Matrix derivative = 0.5 * noise - Matrix::Identity(n, n);
    const Vector constant = Vector::NullaryExpr(n, [&] { return normal(random); });
    VertexTable table{Matrix(n, Index{1} << n)};
    for (Index v = 0; v < table.w.cols(); ++v) {
      Vector vertex(n);
      for (Index i = 0; i < n; ++i) vertex[i] = (v >> i) & 1 ? 1 : -1;
      table.w.col(v) = constant + derivative * vertex;
    }
    CornerOptions options;
    options.w_zero = Vector::Constant(n, 1e-13);
    const CornerAnswer all =
        consistent_modes(table, options, [n](const Vector&) { return Vector(Vector::Zero(n)); });
    const RelaySolution one = solve_affine(constant, derivative, Vector::Zero(n));
    REQUIRE_MESSAGE(one.solved, one.note);
    CHECK(one.affine);
    const bool among =
        std::any_of(all.continuations.begin(), all.continuations.end(), [&](const Continuation& c) {
          return c.sides == one.continuation.sides && (c.lambda - one.continuation.lambda).norm() < 1e-8;
        });
    CHECK(among);
    if (one.unique) {
      ++shown;
      CHECK(all.continuations.size() == 1);
      CHECK(is_p_matrix(-derivative));
    }
  }
  CHECK(shown > 100);
}

TEST_CASE("the tests for P-matrices show what is one and never what is none") {
  std::mt19937 random(9);
  std::normal_distribution<double> normal;
  int p = 0;
  for (int trial = 0; trial < 500; ++trial) {
    const Index n = 1 + trial % 6;
    const Matrix noise = Matrix::NullaryExpr(n, n, [&] { return normal(random); });
    const Matrix matrix = noise + Matrix::Identity(n, n);
    CHECK(shows_p_matrix(sparse(matrix)) == is_p_matrix(matrix));
    p += is_p_matrix(matrix) ? 1 : 0;
  }
  CHECK(p > 50);
  // Beyond enumeration: the Laplacian of a path with unequal columns is definite after scaling and an H-matrix.
  const Index n = 60;
  Matrix path = Matrix::Zero(n, n);
  path.diagonal().setConstant(2);
  path.diagonal(1).setConstant(-1);
  path.diagonal(-1).setConstant(-1);
  CHECK(shows_p_matrix(sparse(path)));
  CHECK(shows_p_matrix(sparse(path * Vector::LinSpaced(n, 0.1, 30).asDiagonal())));
  Matrix ring = path;
  ring(0, n - 1) = ring(n - 1, 0) = -1;
  CHECK_FALSE(shows_p_matrix(sparse(ring)));
  // A chain of one-way effects is triangular: its diagonal decides, however strong the effects.
  Matrix cascade = Matrix::Identity(n, n);
  cascade.triangularView<Eigen::StrictlyLower>().setConstant(-50);
  CHECK(shows_p_matrix(sparse(cascade)));
  cascade(7, 7) = -1;
  CHECK_FALSE(shows_p_matrix(sparse(cascade)));
}

TEST_CASE("a w that is not affine is solved, certified and not claimed to be unique") {
  // w_i = c_i - 2 l_i - 0.4 l_i l_{i+1} over a ring.
  const Index n = 12;
  const Vector constant = Vector::LinSpaced(n, -3, 3);
  const RelayNetwork network{.rates =
                                 [&](const Vector& lambda, Vector& w) {
                                   w.resize(n);
                                   for (Index i = 0; i < n; ++i)
                                     w[i] =
                                         constant[i] - 2 * lambda[i] - 0.4 * lambda[i] * lambda[(i + 1) % n];
                                 },
                             .derivative =
                                 [&](const Vector& lambda) {
                                   Matrix result = Matrix::Zero(n, n);
                                   for (Index i = 0; i < n; ++i) {
                                     result(i, i) = -2 - 0.4 * lambda[(i + 1) % n];
                                     result(i, (i + 1) % n) += -0.4 * lambda[i];
                                   }
                                   return sparse(result);
                                 },
                             .curvature = [n](const Vector&) { return Vector(Vector::Zero(n)); }};
  CornerOptions options;
  options.w_zero = Vector::Constant(n, 1e-14);
  const RelaySolution answer = solve_relays(network, options, Vector::Zero(n));
  REQUIRE_MESSAGE(answer.solved, answer.note);
  CHECK_FALSE(answer.affine);
  CHECK_FALSE(answer.unique);
  CHECK(answer.note.find("not shown") != std::string::npos);
  Vector w;
  network.rates(answer.continuation.lambda, w);
  for (Index i = 0; i < n; ++i) {
    if (answer.continuation.sides[static_cast<std::size_t>(i)] == Side::sliding)
      CHECK(std::abs(w[i]) < 1e-9);
    else
      CHECK(w[i] * answer.continuation.lambda[i] > 0);
  }
}

TEST_CASE("a relay tied at its bound leaves or stays by the second derivatives of all tied ones") {
  // w = -D l with l = 1 the solution: everything is tied. The rates decide: h'' = (1, -1, ...).
  const Index n = 8;
  Matrix derivative = Matrix::Zero(n, n);
  derivative.diagonal().setConstant(-2);
  derivative.diagonal(1).setConstant(1);
  derivative.diagonal(-1).setConstant(1);
  const Vector constant = -derivative * Vector::Ones(n);
  Vector second(n);
  for (Index i = 0; i < n; ++i) second[i] = i % 2 == 0 ? 1 : -3;
  CornerOptions options;
  options.w_zero = Vector::Constant(n, 1e-13);
  const RelayNetwork network{.rates = [&](const Vector& l, Vector& w) { w = constant + derivative * l; },
                             .derivative = [&](const Vector&) { return sparse(derivative); },
                             .curvature = [&](const Vector&) { return second; }};
  const RelaySolution answer = solve_relays(network, options, Vector::Zero(n));
  REQUIRE_MESSAGE(answer.solved, answer.note);
  CHECK(answer.unique);
  // Brute force over who leaves: l' = 0 and w' > 0 there, w' = 0 and l' < 0 elsewhere.
  std::vector<std::string> found;
  for (Index set = 0; set < (Index{1} << n); ++set) {
    std::vector<Index> slides;
    std::string text;
    for (Index i = 0; i < n; ++i) {
      const bool leaves = (set >> i) & 1;
      text += leaves ? '+' : '0';
      if (!leaves) slides.push_back(i);
    }
    Vector rate = Vector::Zero(n);
    if (!slides.empty()) {
      const Vector solved = derivative(slides, slides).fullPivLu().solve(-second(slides));
      for (std::size_t k = 0; k < slides.size(); ++k) rate[slides[k]] = solved[static_cast<Index>(k)];
    }
    const Vector w_rate = second + derivative * rate;
    bool good = true;
    for (Index i = 0; i < n; ++i) good = good && ((set >> i) & 1 ? w_rate[i] > 0 : rate[i] < 0);
    if (good) found.push_back(text);
  }
  REQUIRE(found.size() == 1);
  CHECK(word(answer.continuation.sides) == found.front());
}

// ---- The relay network on a path graph: x_i' = sgn(x_{i+1} - x_i) - sgn(x_i - x_{i-1}), the total-variation flow. ----

struct PathFlow {
  Index nodes = 0;
  template <class X, class H>
  void guards(auto, const X& x, H&& h) const {
    for (Index i = 0; i + 1 < nodes; ++i) h[i] = x[i + 1] - x[i];
  }
  template <class X, class L, class D>
  void field(auto, const X& x, const L& lambda, D&& dx) const {
    for (Index i = 0; i < nodes; ++i) dx[i] = 0.0 * x[i];
    for (Index i = 0; i + 1 < nodes; ++i) {
      dx[i] += lambda[i];
      dx[i + 1] -= lambda[i];
    }
  }
};

// The exact solution: clusters of equal height merge and never split; a cluster of n nodes moves at
// (side of its right neighbour - side of its left one)/n.
struct Clusters {
  std::vector<double> height, size, velocity;
  double time = 0;
  std::vector<double> merge_times;

  explicit Clusters(const Vector& x) : height(x.begin(), x.end()), size(height.size(), 1.0) {}

  void find_velocities() {
    const std::size_t k = height.size();
    velocity.assign(k, 0.0);
    for (std::size_t i = 0; i < k; ++i) {
      const double right = i + 1 < k ? (height[i + 1] > height[i] ? 1 : -1) : 0;
      const double left = i > 0 ? (height[i] > height[i - 1] ? 1 : -1) : 0;
      velocity[i] = (right - left) / size[i];
    }
  }
  // Up to `end`, merging on the way.
  void run(double end) {
    while (true) {
      find_velocities();
      double first = INFINITY;
      for (std::size_t i = 0; i + 1 < height.size(); ++i) {
        const double gap = height[i + 1] - height[i];
        const double rate = velocity[i + 1] - velocity[i];
        if (gap * rate < 0) first = std::min(first, -gap / rate);
      }
      const double step = std::min(first, end - time);
      for (std::size_t i = 0; i < height.size(); ++i) height[i] += step * velocity[i];
      time += step;
      if (first > step || !(first < INFINITY)) return;
      merge_times.push_back(time);
      // All that meet at this instant.
      for (std::size_t i = height.size() - 1; i > 0; --i) {
        if (std::abs(height[i] - height[i - 1]) > 1e-12) continue;
        const auto last = static_cast<std::ptrdiff_t>(i);
        height[i - 1] = (height[i - 1] * size[i - 1] + height[i] * size[i]) / (size[i - 1] + size[i]);
        size[i - 1] += size[i];
        height.erase(height.begin() + last);
        size.erase(size.begin() + last);
      }
    }
  }
  Vector heights() const {
    std::vector<double> all;
    for (std::size_t i = 0; i < height.size(); ++i)
      all.insert(all.end(), static_cast<std::size_t>(size[i]), height[i]);
    return Eigen::Map<Vector>(all.data(), static_cast<Index>(all.size()));
  }
};

TEST_CASE("relay networks on a path of 10 to 500 nodes follow the exact merging of clusters") {
  std::mt19937 random(31);
  std::uniform_real_distribution<double> uniform(0, 10);
  for (const Index nodes : {10, 17, 40, 100, 200, 500}) {
    const System system = from_functor(PathFlow{nodes}, {.states = nodes, .surfaces = nodes - 1});
    Vector x = Vector::NullaryExpr(nodes, [&] { return uniform(random); });
    Clusters exact(x);
    // To the moment when all are one: beyond the last merge.
    Clusters ahead(x);
    ahead.run(INFINITY);
    const double end = ahead.merge_times.back() * 1.1;
    exact.run(end);
    Simulator simulator(system, {.rtol = 1e-8, .method = Method::adams, .recording = Recording::nothing});
    const Solution solution = simulator.run({.start = 0, .end = end, .state = x});
    REQUIRE_MESSAGE(solution.outcome.status == Status::reached_end, solution.outcome.message);
    CHECK((solution.final.state - exact.heights()).lpNorm<Eigen::Infinity>() < 1e-6);
    CHECK(solution.final.mode.codimension() == nodes - 1);
    std::vector<double> entries;
    for (const EventRecord& event : solution.events) {
      if (event.kind == EventKind::sliding_entry || event.kind == EventKind::corner)
        entries.push_back(event.t);
    }
    REQUIRE(entries.size() == exact.merge_times.size());
    for (std::size_t k = 0; k < entries.size(); ++k)
      CHECK(std::abs(entries[k] - exact.merge_times[k]) < 1e-6);
  }
}

TEST_CASE("integer heights merge in several places at once, with ties at every bound") {
  std::mt19937 random(77);
  for (int trial = 0; trial < 6; ++trial) {
    const Index nodes = 12 + 4 * trial;
    const System system = from_functor(PathFlow{nodes}, {.states = nodes, .surfaces = nodes - 1});
    // Neighbours differ at the start; many gaps are equal.
    Vector x(nodes);
    x[0] = 0;
    for (Index i = 1; i < nodes; ++i)
      x[i] = x[i - 1] + (random() % 2 == 0 ? 1 : -1) * static_cast<double>(1 + random() % 3);
    Clusters exact(x);
    exact.run(40);
    Simulator simulator(system, {.rtol = 1e-9, .method = Method::adams, .recording = Recording::nothing});
    const Solution solution = simulator.run({.start = 0, .end = 40, .state = x});
    REQUIRE_MESSAGE(solution.outcome.status == Status::reached_end, solution.outcome.message);
    CHECK((solution.final.state - exact.heights()).lpNorm<Eigen::Infinity>() < 1e-6);
  }
}

// Blocks at rest that all start to slip at one instant: h_i = v_i, every one a group of its own.
struct Chain {
  Index blocks = 0;
  template <class X, class H>
  void guards(auto, const X& x, H&& h) const {
    for (Index i = 0; i < blocks; ++i) h[i] = x[blocks + i];
  }
  template <class T, class X, class L, class D>
  void field(const T& t, const X& x, const L& lambda, D&& dx) const {
    for (Index i = 0; i < blocks; ++i) {
      const auto left = i > 0 ? x[i - 1] - x[i] : 0.0 * x[i];
      const auto right = i + 1 < blocks ? x[i + 1] - x[i] : 0.0 * x[i];
      dx[i] = x[blocks + i];
      dx[blocks + i] = left + right + (0.1 * t - x[i]) - 0.5 * x[blocks + i] - lambda[i];
    }
  }
};

TEST_CASE("a thousand blocks leave sticking at one instant in one event") {
  for (const Index blocks : {20, 1000}) {
    const System system = from_functor(Chain{blocks}, {.states = 2 * blocks, .surfaces = blocks});
    Simulator simulator(system, {.rtol = 1e-7, .method = Method::adams, .recording = Recording::nothing});
    const auto began = std::chrono::steady_clock::now();
    const Solution solution = simulator.run({.start = 0, .end = 12, .state = Vector::Zero(2 * blocks)});
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    REQUIRE_MESSAGE(solution.outcome.status == Status::reached_end, solution.outcome.message);
    REQUIRE(solution.events.size() == 1);
    CHECK(std::abs(solution.events.front().t - 10) < 1e-5);
    CHECK(static_cast<Index>(solution.events.front().surfaces.size()) == blocks);
    MESSAGE(blocks << " blocks: " << seconds << " s");
  }
}

}  // namespace
