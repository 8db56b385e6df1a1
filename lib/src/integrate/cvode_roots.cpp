#include "integrate/cvode_roots.hpp"

#include <algorithm>
#include <cmath>

namespace slideway {

int CvodeRoots::register_with(void* cvode, CVRootFn function) {
  if (count_ == 0) return CV_SUCCESS;
  flags_.assign(static_cast<std::size_t>(count_), 0);
  functions_.reserve(flags_.size());
  int flag = CVodeRootInit(cvode, static_cast<int>(count_), function);
  if (flag == CV_SUCCESS) flag = CVodeSetNoInactiveRootWarn(cvode);
  std::vector<int> falling(flags_.size(), -1);
  if (flag == CV_SUCCESS) flag = CVodeSetRootDirection(cvode, falling.data());
  return flag;
}

void CvodeRoots::evaluate(double t, N_Vector x, double* values) noexcept {
  // CVODE takes a function that is zero at the start, or twice in a row, for inactive or an error: none is ever zero. It compares
  // signs by products, which must not underflow: a sign change that it loses has its search go on for ever.
  constexpr double not_fallen = 1;
  constexpr double smallest = 1e-150, largest = 1e150;
  Eigen::Map<Vector> result(values, count_);
  bool has_values = t != start_;
  if (has_values) {
    try {
      ode_.root_values(t, Eigen::Map<const Vector>(NV_DATA_S(x), NV_LENGTH_S(x)), result);
    } catch (...) {
      has_values = false;
    }
  }
  if (!has_values) {
    result.setConstant(not_fallen);
    return;
  }
  for (Index k = 0; k < count_; ++k) {
    const double value = values[k];
    const double size = std::abs(value);
    if (size >= smallest && size <= largest) continue;
    const double held = std::clamp(size, smallest, largest);
    values[k] = !std::isfinite(value) ? not_fallen : value < 0 ? -held : held;
  }
}

void CvodeRoots::note(void* cvode, double t) {
  functions_.clear();
  if (CVodeGetRootInfo(cvode, flags_.data()) != CV_SUCCESS) return;
  for (std::size_t k = 0; k < flags_.size(); ++k) {
    if (flags_[k] != 0) functions_.push_back(static_cast<int>(k));
  }
  time_ = t;
}

}  // namespace slideway
