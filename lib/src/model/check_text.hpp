// Words that the checks of a model share.
//
// It must not know what is checked.
#pragma once

#include <string>
#include <vector>

#include "slideway/core/errors.hpp"
#include "slideway/model/system.hpp"

namespace slideway {

inline const std::string& name_at(const std::vector<std::string>& names, Index i) {
  return names[static_cast<std::size_t>(i)];
}

inline std::string place(const System& system) {
  return system.name().empty() ? "system" : "system '" + system.name() + "'";
}

inline void require_size(const System& system, Index got, Index expected, const std::string& what,
                         const std::string& function) {
  if (got == expected) return;
  refuse({.what = "the number of entries of " + what + " does not fit",
          .where = function + ", " + place(system),
          .expected = std::to_string(expected),
          .got = std::to_string(got)});
}

}  // namespace slideway
