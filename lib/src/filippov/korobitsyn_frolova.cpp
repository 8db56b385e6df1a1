#include "slideway/filippov/korobitsyn_frolova.hpp"

#include <algorithm>
#include <cmath>

namespace slideway {

namespace {

// Lengths this near to each other are equal.
constexpr double kEqual = 1e-12;

// Branch i (0 … 3) as a mode, and the region between branch i and the next.
constexpr Side kBranch[4][2] = {{Side::sliding, Side::plus},
                                {Side::plus, Side::sliding},
                                {Side::sliding, Side::minus},
                                {Side::minus, Side::sliding}};
constexpr Side kRegion[4][2] = {{Side::plus, Side::plus},
                                {Side::plus, Side::minus},
                                {Side::minus, Side::minus},
                                {Side::minus, Side::plus}};

std::vector<Side> sides(const Side (&pair)[2]) { return {pair[0], pair[1]}; }

// −1, 0, +1: which is longer.
int compare(double first, double second) {
  if (std::abs(first - second) <= kEqual * std::max(first, second)) return 0;
  return first > second ? 1 : -1;
}

}  // namespace

HalfBranches half_branches(const VertexTable& table, const Matrix& fields, const Vector& first_gradient,
                           const Vector& second_gradient) {
  const Vector* gradients[] = {&first_gradient, &second_gradient};
  const double cosine = first_gradient.dot(second_gradient);
  // The two vertices beside each branch, the surface it lies on, and the side of the other surface.
  constexpr Index beside[4][2] = {{3, 2}, {3, 1}, {1, 0}, {2, 0}};
  constexpr double outward[4] = {1, 1, -1, -1};
  HalfBranches result;
  result.code_word.assign(4, '0');
  for (Index i = 0; i < 4; ++i) {
    const Index onto = i % 2;
    const Index along = 1 - onto;
    const double squared = gradients[onto]->squaredNorm();
    Vector mean = Vector::Zero(fields.rows());
    double rate = 0;
    for (const Index v : beside[i]) {
      mean += 0.5 * (fields.col(v) - (table.w(onto, v) / squared) * *gradients[onto]);
      rate += 0.5 * (table.w(along, v) - cosine / squared * table.w(onto, v));
    }
    result.length[static_cast<std::size_t>(i)] = mean.norm();
    if (!(outward[i] * rate < 0)) result.code_word[static_cast<std::size_t>(3 - i)] = '1';
  }
  return result;
}

std::optional<std::vector<Side>> korobitsyn_frolova_mode(const HalfBranches& branches) {
  const auto away = [&](std::size_t i) { return branches.code_word[3 - i % 4] == '1'; };
  const auto length = [&](std::size_t i) { return branches.length[i % 4]; };
  const auto count = std::count(branches.code_word.begin(), branches.code_word.end(), '1');
  const std::vector<Side> both{Side::sliding, Side::sliding};
  if (count == 0) return both;
  if (count == 4) return std::nullopt;
  for (std::size_t i = 0; i < 4; ++i) {
    if (count == 1 && away(i)) return sides(kBranch[i]);
    if (count == 2 && away(i) && away(i + 1)) return sides(kRegion[i]);
    if (count == 2 && away(i) && away(i + 2)) {
      const int longer = compare(length(i), length(i + 2));
      return longer == 0 ? both : sides(kBranch[longer > 0 ? i : (i + 2) % 4]);
    }
    // Between the neighbours of the one that points inwards lies the branch opposite to it.
    if (count == 3 && !away(i)) {
      const std::size_t opposite = (i + 2) % 4;
      const int longer = compare(length(i + 1), length(i + 3));
      if (longer == 0) return sides(kBranch[opposite]);
      return sides(kRegion[longer > 0 ? (i + 1) % 4 : opposite]);
    }
  }
  return std::nullopt;
}

}  // namespace slideway
