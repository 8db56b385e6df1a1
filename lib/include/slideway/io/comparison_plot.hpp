// A picture of several methods that followed one problem: a guard over the whole time, the same close to its surface, and,
// with two states, the phase portrait close to the surface. One colour and one dash pattern for each method.
//
// It must not know how the curves were made.
#pragma once

#include <string>
#include <vector>

#include "slideway/io/figure.hpp"

namespace slideway {

struct ComparedCurve {
  std::string name = {};
  std::vector<double> guard = {};   // at the times of the picture; NaN where there is none
  std::vector<double> across = {};  // the two states of the portrait, likewise; empty without one
  std::vector<double> up = {};
};

struct ComparisonPicture {
  std::string title = {};
  std::string guard_name = {};
  std::string across_name = {};
  std::string up_name = {};
  std::vector<double> times = {};          // increasing
  std::vector<ComparedCurve> curves = {};  // the first is the one to compare with
  double zoom_from = 0;
  double zoom_to = 0;
};

Figure comparison_figure(const ComparisonPicture& picture);

}  // namespace slideway
