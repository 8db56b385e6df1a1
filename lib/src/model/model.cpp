#include "slideway/model/model.hpp"

#include <algorithm>
#include <cctype>

namespace slideway {
namespace {

char lower_case(char character) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(character)));
}

// Damerau–Levenshtein distance (optimal string alignment): insertions, deletions, substitutions and swaps of
// neighbours cost 1. Letters that differ in case only count as equal.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> before(width), previous(width), current(width);
  for (std::size_t j = 0; j < width; ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j < width; ++j) {
      const char letter = lower_case(a[i - 1]);
      const std::size_t substitution = previous[j - 1] + (letter == lower_case(b[j - 1]) ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, substitution});
      const bool swapped =
          i > 1 && j > 1 && letter == lower_case(b[j - 2]) && lower_case(a[i - 2]) == lower_case(b[j - 1]);
      if (swapped) current[j] = std::min(current[j], before[j - 2] + 1);
    }
    before.swap(previous);
    previous.swap(current);
  }
  return previous[b.size()];
}

}  // namespace

std::string nearest_name(const std::string& name, const std::vector<std::string>& known) {
  // A third of the letters may be wrong, at least one, but never all of them.
  const std::size_t limit = std::max<std::size_t>(1, name.size() / 3);
  std::string nearest;
  std::size_t smallest = limit + 1;
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance >= smallest || distance >= std::max(name.size(), candidate.size())) continue;
    smallest = distance;
    nearest = candidate;
  }
  return nearest;
}

}  // namespace slideway
