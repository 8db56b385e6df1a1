#include "slideway/model/time_event.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace slideway {

namespace {

// A time is a product and a sum, of numbers that may themselves be quotients of parameters.
constexpr double kTimeRoundings = 8 * std::numeric_limits<double>::epsilon();

}  // namespace

double time_rounding(double t) { return kTimeRoundings * std::abs(t); }

double TimeEvent::time(std::int64_t k) const {
  constexpr double never = std::numeric_limits<double>::infinity();
  if (k < 0) return never;
  if (!is_periodic())
    return k < static_cast<std::int64_t>(at.size()) ? at[static_cast<std::size_t>(k)] : never;
  return count > 0 && k >= count ? never : offset + static_cast<double>(k) * period;
}

std::int64_t TimeEvent::first_from(double t) const {
  const double from = t - time_rounding(t);
  if (!is_periodic()) return std::lower_bound(at.begin(), at.end(), from) - at.begin();
  // Double numbers do not tell one whole number from the next beyond this.
  constexpr double most = 9007199254740992.0;
  const double periods = std::clamp(std::floor((from - offset) / period) - 1, 0.0, most);
  auto k = static_cast<std::int64_t>(periods);
  while (time(k) < from) ++k;
  return k;
}

}  // namespace slideway
