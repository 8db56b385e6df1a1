// The axes of a picture's panels: their ranges, which of them are logarithmic, and what has no place on those.
//
// It must not know how panels are arranged.
#pragma once

#include <string>
#include <vector>

#include "report/plot_curves.hpp"
#include "report/plot_lettering.hpp"

namespace slideway {

struct Axis {
  Range range = {};
  bool is_logarithmic = false;

  // The lines of gnuplot for the axis 'x', 'y' or 'z', which was linear before.
  std::string commands(char axis) const;
  double middle() const;
  // The format of the numbers in quotes; empty where gnuplot's own will do.
  std::string number_format(const Lettering& words) const;
};

// The values kept at a place of each run, on a logarithmic axis if that is asked for and one of them is above zero. Adds a sentence
// on those that are left out.
Axis value_axis(const std::vector<const RunCurves*>& runs, const std::vector<std::size_t>& places,
                const std::string& name, bool logarithmic, std::vector<std::string>& notes);
// Likewise of time. A logarithmic axis of a run from t = 0 begins about where its first step ends.
Axis time_axis(const Range& time, bool logarithmic, double first_step, std::vector<std::string>& notes);

bool is_among(const std::vector<std::string>& names, const std::string& name);

}  // namespace slideway
