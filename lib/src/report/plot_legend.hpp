// The legend of a picture: entries at the upper right of the page, in rows where one line is too short for them.
//
// It must not know what the entries mean.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "report/plot_lettering.hpp"

namespace slideway {

class Legend {
 public:
  // Spot tells where a symbol is drawn, in fractions of the page.
  struct Spot {
    double from, to, y;
    double pixel;   // of the height
    double column;  // a pixel of the width
  };
  // The commands of gnuplot that draw a symbol.
  using Symbol = std::function<std::string(const Spot&)>;

  void add(std::string title, Symbol symbol) { entries_.push_back({std::move(title), std::move(symbol)}); }

  // Arranges the entries between two pixels of a page; the first row leaves room for a title, up to a half. The number of rows.
  int arrange(const Lettering& words, double left, double right, const std::string& title);
  // The title, or as much of it as there is room for when the entries are arranged.
  std::string fitting(const std::string& title, double left) const;
  // The commands that draw it, for a page of this size whose first row is at `y`.
  std::string drawn(const Lettering& words, double right, int width, int height, double y) const;
  // The pixel where the first row begins.
  double begin() const { return begin_; }

  static constexpr double row_height = 20;  // pixels

  static Symbol point(int type, double size, const char* colour);
  static Symbol line(const char* colour, double line_width, const std::string& dash);

 private:
  struct Entry {
    std::string title;
    Symbol symbol;
  };
  static double width(const Lettering& words, const Entry& entry);

  std::vector<Entry> entries_ = {};
  std::vector<std::size_t> row_ends_ = {};
  double begin_ = 0;
};

}  // namespace slideway
