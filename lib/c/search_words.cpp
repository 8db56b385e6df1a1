#include "lib/c/search_words.hpp"

#include <limits>
#include <utility>

#include "apps/text.hpp"
#include "slideway/core/errors.hpp"

namespace slideway::door {

std::vector<std::string> colon_parts(const char* option, const std::string& text, std::size_t count,
                                     const char* expected) {
  std::vector<std::string> parts = apps::split(text, ':');
  if (parts.size() != count)
    refuse({.what = "an option has no such value", .where = option, .expected = expected, .got = text});
  return parts;
}

std::vector<SweepAxis> taken_axes(OptionText& words, std::size_t most) {
  std::vector<SweepAxis> axes;
  const auto value = taken(words, "vary");
  if (!value) return axes;
  for (const std::string& text : parts_of(*value)) {
    const std::vector<std::string> parts = colon_parts("vary", text, 4, "NAME:FIRST:LAST:COUNT");
    SweepAxis axis{.name = parts[0]};
    axis.first = number_of("vary", parts[1]);
    axis.last = number_of("vary", parts[2]);
    axis.count = whole_number_of("vary", parts[3], 2);
    if (axis.first == axis.last)
      refuse({.what = "a branch is followed between two values",
              .where = "vary",
              .expected = "different ends",
              .got = text});
    axes.push_back(std::move(axis));
  }
  const bool is_twice = axes.size() == 2 && axes[0].name == axes[1].name;
  if (axes.size() > most || is_twice)
    refuse({.what = "there are too many parameters to vary",
            .where = "vary",
            .expected = most == 1 ? "one" : "one or two different ones",
            .got = *value});
  return axes;
}

void check_has_parameters(const RunInput& input) {
  if (!input.is_called) return;
  refuse({.what = "a model of callbacks has no parameter to vary",
          .where = "vary",
          .expected = "a model that is a file",
          .got = "callbacks"});
}

void set_box(const std::string& text, const System& system, EquilibriumOptions& options) {
  options.lower = options.upper = Vector::Constant(system.states(), std::numeric_limits<double>::quiet_NaN());
  for (const std::string& side : parts_of(text)) {
    const std::vector<std::string> parts = colon_parts("box", side, 3, "NAME:LEAST:GREATEST,…");
    const Index state = system.state_index(parts[0]);
    options.lower[state] = number_of("box", parts[1]);
    options.upper[state] = number_of("box", parts[2]);
  }
}

std::optional<Index> taken_whole(OptionText& words, const char* name, Index least) {
  const auto text = taken(words, name);
  return text ? std::optional<Index>(whole_number_of(name, *text, least)) : std::nullopt;
}

std::optional<double> taken_size(OptionText& words, const char* name) {
  const auto text = taken(words, name);
  if (!text) return std::nullopt;
  const double value = number_of(name, *text);
  if (!(value > 0))
    refuse(
        {.what = "an option has no such value", .where = name, .expected = "a number above 0", .got = *text});
  return value;
}

}  // namespace slideway::door
