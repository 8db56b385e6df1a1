#include "slideway/simulate/passivity.hpp"
#include "simulate/precision.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace slideway {

namespace {

struct Node {
  double place;  // in [0, 1]
  double weight;
};

// Gauss's rule of three points.
const std::array<Node, 3> kRule = {Node{0.5 - 0.5 * std::sqrt(0.6), 5.0 / 18}, Node{0.5, 8.0 / 18},
                                   Node{0.5 + 0.5 * std::sqrt(0.6), 5.0 / 18}};

}  // namespace

PassivityWatch::PassivityWatch(const Automaton& problem, std::vector<FrictionElement> elements,
                               SlidingRule rule)
    : elements_(std::move(elements)), sums_(elements_.size()), forces_(problem, rule) {
  state_ = Vector::Zero(problem.system().states());
}

void PassivityWatch::add(const StepView& step) {
  if (!begun_) {
    begun_ = true;
    step.evaluate(step.start, state_);
    for (std::size_t k = 0; k < elements_.size(); ++k) {
      if (elements_[k].stored) sums_[k].stored = elements_[k].stored(step.start, state_);
    }
  }
  const double part = (step.end - step.start) / kWorkParts;
  for (int p = 0; p < kWorkParts; ++p) {
    for (const Node& node : kRule) {
      const double t = step.start + part * (p + node.place);
      step.evaluate(t, state_);
      forces_.find(t, state_, step.mode, step.location);
      // The surface slides where λ is not known, and its velocity is zero.
      lambda_ = forces_.lambda().array().isNaN().select(0, forces_.lambda());
      for (std::size_t k = 0; k < elements_.size(); ++k) {
        Sum& sum = sums_[k];
        const double power = elements_[k].force(t, state_, lambda_) * elements_[k].velocity(t, state_);
        const double term = part * node.weight * power - sum.rounding;
        const double next = sum.work + term;
        sum.rounding = (next - sum.work) - term;
        sum.work = next;
        sum.size += part * node.weight * std::abs(power);
      }
    }
    for (Sum& sum : sums_) sum.least = std::min(sum.least, sum.work);
  }
}

std::vector<FrictionWork> PassivityWatch::results(double rtol) const {
  std::vector<FrictionWork> result;
  for (std::size_t k = 0; k < elements_.size(); ++k) {
    const Sum& sum = sums_[k];
    FrictionWork work{elements_[k].name, sum.work, sum.least, sum.stored, sum.least + sum.stored, true};
    work.passive = work.margin >= -kWorkErrors * rtol * sum.size;
    result.push_back(std::move(work));
  }
  return result;
}

}  // namespace slideway
