// Reads CVODE's history, the coefficients of its dense output: x(t) = Σₖ zₖ sᵏ with s = (t − tₙ)/h and
// zₖ = hᵏ x⁽ᵏ⁾(tₙ)/k!.
//
// CVODE does not hand the zₖ out, and a call of CVodeGetDky for each costs as much as half a step. But
// CVodeGetDky(t, 0) asks its result, an N_Vector of the caller's own kind, to become the linear combination
// Σ sᵏ zₖ. A vector whose linear combination copies the terms gets them all at once, and exactly.
// It must not know what is integrated.
#pragma once

#include <cmath>
#include <memory>
#include <new>
#include <stdexcept>

#include "integrate/sundials_handles.hpp"
#include "slideway/core/types.hpp"

namespace slideway::sundials {

class CvodeHistory {
 public:
  explicit CvodeHistory(SUNContext context) : collector_(N_VNewEmpty(context)) {
    if (!collector_) throw std::bad_alloc();
    collector_->ops->nvlinearcombination = collect;
  }

  // Copies zₖ into column k of `coefficients`, k = 0 … q, and returns the order q of the last step, which was
  // of size h and ended at t.
  Index read(void* cvode, double t, double h, Matrix& coefficients) {
    collector_->content = &coefficients;
    // Half a step back, the powers of s tell the terms apart.
    if (CVodeGetDky(cvode, t - 0.5 * h, 0, collector_.get()) != CV_SUCCESS) {
      throw std::runtime_error(
          "this version of CVODE keeps its history in a form that slideway does not know");
    }
    int order = 0;
    CVodeGetLastOrder(cvode, &order);
    return order;
  }

 private:
  struct FreeEmpty {
    void operator()(N_Vector vector) const { N_VFreeEmpty(vector); }
  };

  // The terms come from the highest power to s⁰ = 1.
  static int collect(int count, double* powers, N_Vector* terms, N_Vector result) {
    Matrix& coefficients = *static_cast<Matrix*>(result->content);
    if (count < 2 || count > coefficients.cols() || powers[count - 1] != 1) return -1;
    const double s = powers[count - 2];
    for (int i = 0; i < count; ++i) {
      if (i + 1 < count && std::abs(powers[i] - s * powers[i + 1]) > 1e-12 * std::abs(powers[i])) return -1;
      coefficients.col(count - 1 - i) = values(terms[i]);
    }
    return 0;
  }

  std::unique_ptr<std::remove_pointer_t<N_Vector>, FreeEmpty> collector_;
};

}  // namespace slideway::sundials
