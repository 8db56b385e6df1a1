#include "integrate/stepper_options.hpp"

#include <fmt/format.h>

#include <cmath>

#include "slideway/core/errors.hpp"

namespace slideway {

Index checked_size(const SmoothOde& ode, const char* where) {
  if (ode.states() < 1) {
    refuse({.what = "too few states",
            .where = where,
            .expected = "at least 1",
            .got = std::to_string(ode.states())});
  }
  return ode.states();
}

void check_options(const StepperOptions& options, Index states, const char* where) {
  if (!(options.rtol >= smallest_rtol && options.rtol < 1)) {
    refuse({.what = "rtol is out of range",
            .where = where,
            .expected = "a number in [1e-14, 1)",
            .got = fmt::format("{}", options.rtol),
            .advice = "1e-13 is about the least that doubles support"});
  }
  if (options.atol.size() != states) {
    refuse({.what = "wrong number of absolute tolerances",
            .where = where,
            .expected = fmt::format("{}", states),
            .got = fmt::format("{}", options.atol.size())});
  }
  for (Index i = 0; i < states; ++i) {
    if (std::isfinite(options.atol(i)) && options.atol(i) > 0) continue;
    refuse({.what = fmt::format("atol[{}] is out of range", i),
            .where = where,
            .expected = "a positive number",
            .got = fmt::format("{}", options.atol(i))});
  }
  if (!(options.max_step >= 0)) {
    refuse({.what = "max_step is out of range",
            .where = where,
            .expected = "a positive number, or 0 for no limit",
            .got = fmt::format("{}", options.max_step)});
  }
}

}  // namespace slideway
