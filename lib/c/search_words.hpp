// The words of options that several searches take: parameters to vary, a box of states.
//
// It must not know what is searched for.
#pragma once

#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "lib/c/model.hpp"
#include "lib/c/options.hpp"
#include "slideway/orbit/equilibria.hpp"
#include "slideway/sweep/sweep_plan.hpp"

namespace slideway::door {

// The parts of "NAME:FIRST:LAST:…" at the colons. Refuses a text that has not `count` parts.
std::vector<std::string> colon_parts(const char* option, const std::string& text, std::size_t count,
                                     const char* expected);
// The parameters of the option `vary`, at most `most`; none without it.
std::vector<SweepAxis> taken_axes(OptionText& words, std::size_t most);
// Refuses a model of callbacks, which read what they read: no parameter of theirs can be varied.
void check_has_parameters(const RunInput& input);
// The box of "NAME:LEAST:GREATEST,…".
void set_box(const std::string& text, const System& system, EquilibriumOptions& options);

// A whole number that is at least `least`; nothing where the option is not there.
std::optional<Index> taken_whole(OptionText& words, const char* name, Index least);
// A number above 0; likewise.
std::optional<double> taken_size(OptionText& words, const char* name);

// The document that `write` makes of what it is shown.
template <class Write, class Shown>
std::string json_of(Write write, const Shown& shown) {
  std::ostringstream text;
  write(shown, text);
  return text.str();
}

}  // namespace slideway::door
