// How the outcomes of a sweep are distributed. All numbers are exact, and depend on the rows only.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "slideway/core/types.hpp"

namespace slideway {

// A column of the table, over the runs that reached their end or a stop and have a finite value there. Quartiles between two
// values are interpolated linearly.
struct SweepColumnStatistics {
  std::string column = {};
  Index values = 0;
  double least = 0;  // these are NaN where there is no value
  double lower_quartile = 0;
  double median = 0;
  double mean = 0;
  double upper_quartile = 0;
  double greatest = 0;
};

struct SweepStatistics {
  Index runs = 0;  // that were made
  std::vector<std::pair<std::string, Index>> statuses =
      {};  // how many there are of each, in the order of the words
  std::vector<SweepColumnStatistics> columns = {};
};

}  // namespace slideway
