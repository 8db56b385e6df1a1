#include "slideway/model/settings.hpp"

#include <algorithm>
#include <cmath>

#include "core/number_text.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/model/model.hpp"

namespace slideway {
namespace {

// A chain of thousands of blocks is understood from its first names.
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most = 40;
  std::string text;
  for (std::size_t k = 0; k < std::min(most, names.size()); ++k) text += (k > 0 ? ", " : "") + names[k];
  if (names.size() > most) text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

}  // namespace

void check_setting(const std::string& model, const std::string& name, double value,
                   const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    // The comparison with every name of a large model would take long.
    constexpr std::size_t many = 1000;
    const std::size_t looked_at = std::min(many, known.size());
    const std::string near =
        nearest_name(name, {known.begin(), known.begin() + static_cast<std::ptrdiff_t>(looked_at)});
    refuse({.what = "there is no parameter or state '" + name + "'",
            .where = model,
            .expected = "one of " + listed(known),
            .advice = near.empty() ? "" : "did you mean '" + near + "'?"});
  }
  if (!std::isfinite(value)) {
    refuse({.what = "'" + name + "' cannot be set to that",
            .where = model,
            .expected = "a finite number",
            .got = exact_text(value)});
  }
}

}  // namespace slideway
