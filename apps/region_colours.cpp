#include "apps/region_colours.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace slideway::apps {

std::string region_colour(std::size_t number) {
  static constexpr std::array colours = {"#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00",
                                         "#F0E442", "#332288", "#88CCEE", "#AA4499", "#999933", "#661100"};
  return colours[number % colours.size()];
}

std::string region_grey(std::size_t number) {
  constexpr int darkest = 0x40, step = 0x28, lightest = 0xE0;
  const int level = std::min(lightest, darkest + step * static_cast<int>(number));
  return fmt::format("#{0:02X}{0:02X}{0:02X}", level);
}

}  // namespace slideway::apps
