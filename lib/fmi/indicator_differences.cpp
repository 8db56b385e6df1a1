#include "lib/fmi/indicator_differences.hpp"

#include <cmath>

#include "model/finite_difference.hpp"
#include "model/probed_error.hpp"

namespace slideway::fmi {

IndicatorDifferences::IndicatorDifferences(Index indicators, Index states)
    : at_x_(states), slopes_(indicators, states), noise_(Vector::Zero(indicators)) {}

const Matrix& IndicatorDifferences::slopes(const Indicators& of, double t, ConstVectorRef x) {
  if (at_t_ == t && at_x_ == x) return slopes_;
  forget();
  Vector moved = x;
  for (Index j = 0; j < x.size(); ++j) {
    const auto evaluate = [&](double by, VectorRef z) {
      moved[j] = x[j] + by;
      of(t, moved, z);
    };
    difference(evaluate, value_step(x[j], 1), DifferenceSide::both, slopes_.col(j));
    moved[j] = x[j];
  }
  at_t_ = t;
  at_x_ = x;
  return slopes_;
}

double IndicatorDifferences::noise(const Indicators& of, Index indicator, double t, ConstVectorRef x) {
  constexpr int enough = 4;
  const bool is_larger = largest_.size() == 0 || std::abs(t) > largest_[0] ||
                         (x.cwiseAbs().array() > largest_.tail(x.size()).array()).any();
  if (is_larger) {
    largest_.resize(x.size() + 1);
    largest_ << 2 * std::abs(t), 2 * x.cwiseAbs();
    places_ = 0;
  }
  if (places_ < enough) {
    ++places_;
    Vector found(noise_.size());
    probe_errors(of, t, x, found);
    noise_ = noise_.cwiseMax(found);
  }
  return noise_[indicator];
}

}  // namespace slideway::fmi
