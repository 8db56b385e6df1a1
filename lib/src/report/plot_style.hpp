// The common style of all pictures: colours, gnuplot's terminals, quoting.
//
// Okabe & Ito's colours: distinct to colour-blind readers, and of different lightness in print; shapes and dashes
// carry the same news.
// It must not know what is drawn.
#pragma once

#include <string>

#include "slideway/io/plot.hpp"

namespace slideway {

inline constexpr const char* curve_colour = "#0072B2";
inline constexpr const char* sliding_colour = "#D55E00";
inline constexpr const char* band_colour = "#FBE3CF";
inline constexpr const char* surface_colour = "#444444";
inline constexpr const char* event_colour = "#000000";

// in_quotes() uses single quotes, in which gnuplot expands nothing. A quote is doubled, and what cannot be printed
// becomes a space.
std::string in_quotes(const std::string& text);

// The width of a page in nominal pixels, where nothing else is asked for: 16 cm for paper, `on_screen` else.
int page_width(PictureFormat format, int on_screen);

// picture_settings() returns the script's first lines: the terminal of a format, of a size in nominal pixels, and
// settings for all pictures. All words are taken as they are where the terminal is not enhanced.
std::string picture_settings(PictureFormat format, int width, int height, bool enhanced = false);

}  // namespace slideway
