// CVODE's history, the coefficients of its dense output: x(t) = Σₖ zₖ sᵏ with s = (t − tₙ)/h and zₖ = hᵏ x⁽ᵏ⁾(tₙ)/k!.
//
// CVODE does not hand the zₖ out, and a call of CVodeGetDky for each costs as much as half a step. But
// CVodeGetDky(t, 0) asks its result, an N_Vector of the caller's own kind, to become the linear combination
// Σ sᵏ zₖ. A vector that notes the terms instead learns where CVODE keeps them, which is the same place for all its life.
// It must not know what is integrated.
#pragma once

#include <array>
#include <cmath>
#include <memory>
#include <new>
#include <stdexcept>

#include "integrate/sundials_handles.hpp"
#include "slideway/core/types.hpp"

namespace slideway::sundials {

class CvodeHistory {
 public:
  static constexpr int kMostTerms = 13;  // Adams at its highest order

  explicit CvodeHistory(SUNContext context) : collector_(N_VNewEmpty(context)) {
    if (!collector_) throw std::bad_alloc();
    collector_->ops->nvlinearcombination = collect;
    collector_->content = &places_;
  }

  // Returns the order q of the last step, which was of size h and ended at t; zₖ is in columns()[k], k = 0 … q.
  Index read(void* cvode, double t, double h) {
    int order = 0;
    CVodeGetLastOrder(cvode, &order);
    // Half a step back, the powers of s tell the terms apart.
    if (order >= places_.known && CVodeGetDky(cvode, t - 0.5 * h, 0, collector_.get()) != CV_SUCCESS) {
      throw std::runtime_error(
          "this version of CVODE keeps its history in a form that slideway does not know");
    }
    return order;
  }
  const double* const* columns() const { return places_.columns.data(); }

 private:
  struct Places {
    std::array<const double*, kMostTerms> columns = {};
    int known = 0;
  };
  struct FreeEmpty {
    void operator()(N_Vector vector) const { N_VFreeEmpty(vector); }
  };

  // The terms come from the highest power to s⁰ = 1.
  static int collect(int count, double* powers, N_Vector* terms, N_Vector result) {
    Places& places = *static_cast<Places*>(result->content);
    if (count < 2 || count > kMostTerms || powers[count - 1] != 1) return -1;
    const double s = powers[count - 2];
    for (int i = 0; i < count; ++i) {
      if (i + 1 < count && std::abs(powers[i] - s * powers[i + 1]) > 1e-12 * std::abs(powers[i])) return -1;
      const int k = count - 1 - i;
      const double* const place = NV_DATA_S(terms[i]);
      if (k < places.known && place != places.columns[static_cast<std::size_t>(k)]) return -1;
      places.columns[static_cast<std::size_t>(k)] = place;
    }
    places.known = count;
    return 0;
  }

  Places places_;
  std::unique_ptr<std::remove_pointer_t<N_Vector>, FreeEmpty> collector_;
};

}  // namespace slideway::sundials
