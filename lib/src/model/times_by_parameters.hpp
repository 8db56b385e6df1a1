// The derivatives of the times of a time event by parameters, where these are the last states of a problem: of offset + k·period, or of
// a list of times.
//
// It must not know where they come from.
#pragma once

#include <cstdint>

#include "slideway/core/types.hpp"

namespace slideway {

struct TimesByParameters {
  Vector offset = {}, period = {};  // of an event with a period, an entry for each parameter
  Matrix at = {};                   // of a list, a row for each time

  // The derivative of the k-th time where the parameters move at these rates.
  double rate(std::int64_t k, ConstVectorRef rates) const {
    if (at.rows() > 0) return at.row(static_cast<Index>(k)).dot(rates);
    return offset.dot(rates) + static_cast<double>(k) * period.dot(rates);
  }
  // moved_by() tells whether some time depends on a parameter.
  bool moved_by(Index parameter) const {
    if (at.rows() > 0) return !at.col(parameter).isZero(0);
    return offset[parameter] != 0 || period[parameter] != 0;
  }
};

}  // namespace slideway
