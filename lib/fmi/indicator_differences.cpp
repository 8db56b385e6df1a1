#include "lib/fmi/indicator_differences.hpp"

#include <cmath>

#include "model/finite_difference.hpp"
#include "model/probed_error.hpp"

namespace slideway::fmi {

IndicatorDifferences::IndicatorDifferences(Index indicators, Index states)
    : at_x_(states), slopes_(indicators, states), noise_(Vector::Zero(indicators)), second_noise_(noise_) {}

const Matrix& IndicatorDifferences::slopes(const Guards& of, double t, ConstVectorRef x) {
  if (at_t_ == t && at_x_ == x) return slopes_;
  forget();
  Vector moved = x;
  for (Index j = 0; j < x.size(); ++j) {
    const auto evaluate = [&](double by, VectorRef guards) {
      moved[j] = x[j] + by;
      of(t, moved, guards);
    };
    difference(evaluate, value_step(x[j], 1), DifferenceSide::both, slopes_.col(j));
    moved[j] = x[j];
  }
  at_t_ = t;
  at_x_ = x;
  return slopes_;
}

double IndicatorDifferences::noise(const Guards& of, Index indicator, double t, ConstVectorRef x) {
  // probe_errors() sees two thirds of the width of the noise at a place, on average: the second largest of four places is above that average.
  constexpr int enough = 4;
  const bool is_larger = served_.size() == 0 || std::abs(t) > served_[0] ||
                         (x.cwiseAbs().array() > served_.tail(x.size()).array()).any();
  if (is_larger) {
    is_first_ = served_.size() == 0;
    served_.resize(x.size() + 1);
    served_ << 2 * std::abs(t), 2 * x.cwiseAbs();
    places_ = 0;
  }
  if (places_ < enough) {
    is_first_ = is_first_ && places_ == 0;
    ++places_;
    Vector found(noise_.size());
    probe_errors(of, t, x, found);
    second_noise_ = second_noise_.cwiseMax(found.cwiseMin(noise_));
    noise_ = noise_.cwiseMax(found);
  }
  return is_first_ ? noise_[indicator] : second_noise_[indicator];
}

}  // namespace slideway::fmi
