#include "integrate/checked_ode.hpp"

#include <fmt/format.h>

#include <cmath>
#include <exception>
#include <limits>
#include <stdexcept>

#include "slideway/core/not_finite.hpp"

namespace slideway {

namespace {

// An infinite derivative of a finite velocity, as of √x at x = 0, makes no linear model of the velocity: the entry is left out. Newton's
// method and the error test see what that costs, and the next matrix is made where x has moved.
template <class Entries>
void leave_out_infinite(Entries&& entries) {
  for (double& entry : entries)
    if (std::isinf(entry)) entry = 0;
}

}  // namespace

// `call` computes the result and returns whether it is finite.
template <typename Call>
bool CheckedOde::attempt(const char* function, double t, ConstVectorRef x, const Call& call) noexcept {
  obstructed_ = false;
  if (!all_finite(x)) return false;
  try {
    if (call()) return true;
  } catch (...) {
    note_exception(function, t);
    return false;
  }
  obstructed_ = true;
  return false;
}

void CheckedOde::note_not_finite(const char* function, double t, const Eigen::Ref<const Matrix>& result) {
  obstructed_ = true;
  obstacle_.function = function;
  obstacle_.t = t;
  obstacle_.text.clear();
  for (Index column = 0; column < result.cols(); ++column) {
    for (Index row = 0; row < result.rows(); ++row) {
      if (std::isfinite(result(row, column))) continue;
      obstacle_.row = row;
      obstacle_.column = column;
      obstacle_.value = result(row, column);
      return;
    }
  }
}

void CheckedOde::note_exception(const char* function, double t) noexcept {
  obstructed_ = true;
  obstacle_.function = function;
  obstacle_.t = t;
  obstacle_.row = -1;
  obstacle_.whole = false;
  try {
    try {
      throw;
    } catch (const NotFinite& exception) {
      obstacle_.whole = true;
      obstacle_.text = exception.what();
    } catch (const std::exception& exception) {
      obstacle_.text = exception.what();
    } catch (...) {
      obstacle_.text = "an exception that is no std::exception";
    }
  } catch (const std::exception&) {
    obstacle_.text.clear();
  }
}

bool CheckedOde::jacobian(double t, ConstVectorRef x, ConstVectorRef dx, MatrixRef jacobian) noexcept {
  ++jacobian_evaluations_;
  return attempt("jacobian", t, x, [&] {
    ode_.jacobian(t, x, dx, jacobian);
    if (jacobian.allFinite()) return true;
    for (Index column = 0; column < jacobian.cols(); ++column) leave_out_infinite(jacobian.col(column));
    if (jacobian.allFinite()) return true;
    note_not_finite("jacobian", t, jacobian);
    return false;
  });
}

bool CheckedOde::split_jacobian(double t, ConstVectorRef x, ConstVectorRef dx,
                                SplitJacobian& jacobian) noexcept {
  ++jacobian_evaluations_;
  return attempt("jacobian", t, x, [&] {
    ode_.split_jacobian(t, x, dx, jacobian);
    if (jacobian.is_finite()) return true;
    leave_out_infinite(jacobian.values);
    if (jacobian.is_finite()) return true;
    throw std::runtime_error("an entry is not finite");
  });
}

bool CheckedOde::jacobian_times(double t, ConstVectorRef x, ConstVectorRef direction,
                                VectorRef product) noexcept {
  return attempt("jacobian", t, x, [&] {
    ode_.jacobian_times(t, x, direction, product);
    if (all_finite(product)) return true;
    note_not_finite("directional derivative", t, product);
    return false;
  });
}

bool CheckedOde::prepare_preconditioner(double t, ConstVectorRef x, double gamma) noexcept {
  return attempt("setup of the preconditioner", t, x, [&] {
    ode_.prepare_preconditioner(t, x, gamma);
    return true;
  });
}

bool CheckedOde::precondition(double t, ConstVectorRef x, ConstVectorRef r, VectorRef z) noexcept {
  if (!all_finite(r)) return false;
  return attempt("preconditioner", t, x, [&] {
    ode_.precondition(r, z);
    if (all_finite(z)) return true;
    note_not_finite("result of the preconditioner", t, z);
    return false;
  });
}

bool CheckedOde::project(double t, ConstVectorRef weights, VectorRef x) noexcept {
  obstructed_ = false;
  return all_finite(x) && project_finite(t, weights, x);
}

bool CheckedOde::project_finite(double t, ConstVectorRef weights, VectorRef x) noexcept {
  obstructed_ = false;
  try {
    ode_.project(t, weights, x);
    if (all_finite(x)) return true;
  } catch (...) {
    note_exception("projection", t);
    return false;
  }
  note_not_finite("projection", t, x);
  return false;
}

std::string CheckedOde::obstacle() const {
  if (obstacle_.function == nullptr) return {};
  if (obstacle_.row < 0 && obstacle_.whole) return obstacle_.text;
  if (obstacle_.row < 0) {
    return fmt::format("the {} threw at t = {}: {}", obstacle_.function, obstacle_.t, obstacle_.text);
  }
  const std::string entry = std::string(obstacle_.function) == "jacobian"
                                ? fmt::format("({},{})", obstacle_.row, obstacle_.column)
                                : fmt::format("[{}]", obstacle_.row);
  return fmt::format("the {} is not finite at t = {}: entry {} is {}", obstacle_.function, obstacle_.t, entry,
                     obstacle_.value);
}

void CheckedOde::forget_obstacle() {
  obstructed_ = false;
  obstacle_.function = nullptr;
}

}  // namespace slideway
