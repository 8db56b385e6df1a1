#include "report/plot_legend.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slideway {

namespace {

constexpr double symbol_width = 28;  // pixels
constexpr double gap = 16;
constexpr double bold_character = 8.5;
constexpr std::size_t least_title = 8;  // letters

}  // namespace

Legend::Symbol Legend::point(int type, double size, const char* colour) {
  return [=](const Spot& spot) {
    return fmt::format(
        "set label '' at screen {:.4f},{:.4f} point pointtype {} pointsize {:.2f} linewidth 1.2 "
        "linecolor rgb '{}'\n",
        0.5 * (spot.from + spot.to) + 4.0 * spot.column, spot.y, type, size, colour);
  };
}

Legend::Symbol Legend::line(const char* colour, double line_width, const std::string& dash) {
  return [=](const Spot& spot) {
    return fmt::format(
        "set arrow from screen {:.4f},{:.4f} to screen {:.4f},{:.4f} nohead linecolor rgb '{}' "
        "linewidth {}{}\n",
        spot.from, spot.y, spot.to, spot.y, colour, line_width, dash.empty() ? "" : " dashtype " + dash);
  };
}

double Legend::width(const Lettering& words, const Entry& entry) {
  return words.width(entry.title) + symbol_width + gap;
}

int Legend::arrange(const Lettering& words, double left, double right, const std::string& title) {
  row_ends_.clear();
  begin_ = right;
  const double wanted = bold_character * static_cast<double>(std::max(glyphs(title), least_title));
  double room = right - left - std::min(wanted, 0.5 * (right - left));
  double used = 0;
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    const double wide = width(words, entries_[k]);
    const bool row_is_empty = row_ends_.empty() ? k == 0 : row_ends_.back() == k;
    if (used + wide > room && !row_is_empty) {
      row_ends_.push_back(k);
      room = right - left;
      used = 0;
    }
    used += wide;
    if (row_ends_.empty()) begin_ = right - used;
  }
  row_ends_.push_back(entries_.size());
  return static_cast<int>(row_ends_.size());
}

std::string Legend::fitting(const std::string& title, double left) const {
  const auto letters = static_cast<std::size_t>(std::max(0.0, (begin_ - left) / bold_character));
  return shortened(title, std::max(letters, least_title));
}

std::string Legend::drawn(const Lettering& words, double right, int width, int height, double y) const {
  std::string text;
  std::size_t first = 0;
  for (std::size_t row = 0; row < row_ends_.size(); ++row) {
    double x = right;
    const double at = y - static_cast<double>(row) * row_height / height;
    for (std::size_t k = row_ends_[row]; k-- > first;) {
      x -= words.width(entries_[k].title);
      const double text_at = x / width;
      x -= symbol_width;
      text += entries_[k].symbol(
          {(x + 4) / width, (x + symbol_width - 6) / width, at, 1.0 / height, 1.0 / width});
      text += fmt::format("set label {} at screen {:.4f},{:.4f} left\n", words.verbatim(entries_[k].title),
                          text_at, at);
      x -= gap;
    }
    first = row_ends_[row];
  }
  return text;
}

}  // namespace slideway
