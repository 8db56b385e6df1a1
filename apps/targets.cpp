#include "apps/targets.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "slideway/core/errors.hpp"
#include "slideway/io/files.hpp"
#include "slideway/io/plot.hpp"

namespace slideway::apps {

void check_targets(const std::vector<Target>& wanted) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    for (std::size_t j = i + 1; j < wanted.size(); ++j) {
      if (wanted[i].path == wanted[j].path) {
        const bool standard = is_standard_output(wanted[i].path);
        refuse({.what = fmt::format("{} and {} would write to the same place", wanted[i].option,
                                    wanted[j].option),
                .where = standard ? "standard output" : wanted[i].path,
                .expected = standard ? "one document on standard output" : "a file for each"});
      }
    }
    try {
      if (wanted[i].is_picture) picture_format(wanted[i].path);
      check_writable(wanted[i].path);
    } catch (const std::exception& error) {
      throw std::invalid_argument(fmt::format("{}: {}", wanted[i].option, error.what()));
    }
  }
}

bool any_on_standard_output(const std::vector<Target>& wanted) {
  return std::any_of(wanted.begin(), wanted.end(),
                     [](const Target& target) { return is_standard_output(target.path); });
}

}  // namespace slideway::apps
