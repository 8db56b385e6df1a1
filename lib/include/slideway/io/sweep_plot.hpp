// The picture of a sweep over one or two parameters.
//
// One parameter, the bifurcation picture: for each state the points of the section over the parameter, or, without a
// section, its least and greatest value. Two parameters, a map: the colour of a cell is the greatest value of the
// state; the colours grow lighter with the value, for colour-blind readers and in print. Samples of two parameters are
// points of that colour instead.
// Runs that did not reach their end are marked.
// It must not know how the runs were made.
#pragma once

#include <string>
#include <vector>

#include "slideway/io/figure.hpp"

namespace slideway {

struct SweepPictureAxis {
  std::string name = {};
  std::vector<double> values = {};
  bool logarithmic = false;
};

// The contribution of one run; the vectors hold one entry per state, NaN for unknown values.
struct SweepPicturePoint {
  std::vector<double> values = {};  // one per axis
  bool succeeded = true;
  bool on_way_back = false;  // with falling values of the parameter, after rising ones
  std::vector<double> least = {};
  std::vector<double> greatest = {};
  std::vector<std::vector<double>> section = {};
};

struct SweepPicture {
  std::string title = {};
  std::vector<SweepPictureAxis> axes = {};     // one or two
  std::vector<std::string> states = {};        // those that are drawn, a panel each
  std::string section = {};                    // its name; "" without one
  std::vector<SweepPicturePoint> points = {};  // in the order in which lines join them
  bool is_scattered = false;                   // samples, not every combination
  bool has_way_back = false;
};

// Throws std::invalid_argument for more than two axes.
Figure sweep_figure(const SweepPicture& picture);

}  // namespace slideway
