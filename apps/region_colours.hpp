// The colours of regions in pictures: of attractors, and of ends that are none.
//
// It must not know what is drawn.
#pragma once

#include <cstddef>
#include <string>

namespace slideway::apps {

// Colours that colour-blind readers tell apart; further numbers repeat them.
std::string region_colour(std::size_t number);
// Greys from dark to light.
std::string region_grey(std::size_t number);

}  // namespace slideway::apps
