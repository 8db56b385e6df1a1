#include "filippov/korobitsyn_frolova.hpp"

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

// The surface that a branch lies on, the two vertices beside it, and its side of the other surface.
constexpr Index kSurface[4] = {0, 1, 0, 1};
constexpr Index kBeside[4][2] = {{3, 2}, {3, 1}, {1, 0}, {2, 0}};
constexpr double kOutward[4] = {1, 1, -1, -1};

std::vector<Side> sides(const Side (&pair)[2]) { return {pair[0], pair[1]}; }

// −1, 0, +1: which is longer.
int compare(double first, double second) {
  if (std::abs(first - second) <= kEqual * std::max(first, second)) return 0;
  return first > second ? 1 : -1;
}

}  // namespace

std::string code_word(const VertexTable& table, const Vector& first_gradient, const Vector& second_gradient) {
  const double squared[] = {first_gradient.squaredNorm(), second_gradient.squaredNorm()};
  const double cosine = first_gradient.dot(second_gradient);
  std::string word(4, '0');
  for (std::size_t i = 0; i < 4; ++i) {
    const Index onto = kSurface[i];
    double rate = 0;
    for (const Index v : kBeside[i])
      rate += 0.5 * (table.w(1 - onto, v) - cosine / squared[onto] * table.w(onto, v));
    if (!(kOutward[i] * rate < 0)) word[3 - i] = '1';
  }
  return word;
}

HalfBranches half_branches(const VertexTable& table, const Matrix& fields, const Vector& first_gradient,
                           const Vector& second_gradient) {
  HalfBranches result;
  result.code_word = code_word(table, first_gradient, second_gradient);
  const Vector* gradients[] = {&first_gradient, &second_gradient};
  for (std::size_t i = 0; i < 4; ++i) {
    const Index onto = kSurface[i];
    const Vector& gradient = *gradients[onto];
    Vector mean = Vector::Zero(fields.rows());
    for (const Index v : kBeside[i])
      mean += 0.5 * (fields.col(v) - (table.w(onto, v) / gradient.squaredNorm()) * gradient);
    result.length[i] = mean.norm();
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
    // The branch opposite to the one that points inwards lies between its two neighbours.
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
