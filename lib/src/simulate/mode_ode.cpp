#include "simulate/mode_ode.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace slideway {

ModeOde::ModeOde(Evaluator& evaluator, const RelayStructure& structure)
    : evaluator_(evaluator), field_(evaluator, structure), geometry_(evaluator, structure) {
  h_ = Vector::Zero(evaluator.system().surfaces());
  sampled_ = Vector::Zero(guards());
  for (Sample& sample : samples_) sample.values = Vector::Zero(guards());
}

Index ModeOde::states() const { return evaluator_.system().states(); }
Index ModeOde::guards() const { return 2 * evaluator_.system().surfaces(); }

void ModeOde::set_mode(const Mode& mode, ConstVectorRef lambda, bool repelling) {
  field_.set_mode(mode, lambda);
  sigma_ = repelling ? -1 : 1;
  forget_samples();
}

void ModeOde::velocity(double t, ConstVectorRef x, VectorRef dx) { field_.velocity(t, x, dx); }

void ModeOde::jacobian(double t, ConstVectorRef x, ConstVectorRef, MatrixRef jacobian) {
  field_.jacobian(t, x, jacobian);
}

void ModeOde::project(double t, ConstVectorRef weights, VectorRef x) {
  if (!constrained() || geometry_.project(t, field_.sliding(), weights, x)) return;
  std::string names;
  for (const Index i : field_.sliding()) {
    names += (names.empty() ? "'" : ", '") + evaluator_.system().surface_names()[static_cast<std::size_t>(i)] + "'";
    if (names.size() > 200) break;
  }
  throw std::runtime_error("the state cannot be projected onto " + names + " = 0 at t = " + std::to_string(t));
}

void ModeOde::exit_guards(double t, ConstVectorRef x, VectorRef values) {
  const Mode& mode = field_.mode();
  const std::vector<Index>& sliding = field_.sliding();
  if (mode.size() > static_cast<Index>(sliding.size())) evaluator_.guards(t, x, h_);
  for (Index i = 0; i < mode.size(); ++i) {
    values[2 * i] = static_cast<double>(static_cast<signed char>(mode[i])) * h_[i];
    values[2 * i + 1] = 1;
  }
  if (sliding.size() == 1) {
    const NeighbourFields& fields = field_.neighbours(t, x, sliding.front());
    values[2 * sliding.front()] = sigma_ * fields.w_minus;
    values[2 * sliding.front() + 1] = -sigma_ * fields.w_plus;
  } else if (!sliding.empty()) {
    const Vector& lambda = field_.lambda(t, x);
    for (const Index i : sliding) {
      values[2 * i] = 1 + lambda[i];
      values[2 * i + 1] = 1 - lambda[i];
    }
  }
  if (values.allFinite()) return;
  for (Index slot = 0; slot < values.size(); ++slot) {
    if (std::isfinite(values[slot])) continue;
    const Index i = surface_of(slot);
    const std::string& name = evaluator_.system().surface_names()[static_cast<std::size_t>(i)];
    const std::string what = mode.slides_on(i) ? "a normal component of" : "the guard of";
    throw std::runtime_error(what + " surface '" + name + "' is not finite (" + std::to_string(values[slot]) +
                             ") at t = " + std::to_string(t) + " in mode \"" + mode.word() + "\"");
  }
}

bool ModeOde::recall(double t, VectorRef values) const {
  for (std::size_t k = 0; k < samples_held_; ++k) {
    if (samples_[k].t == t) {
      values = samples_[k].values;
      return true;
    }
  }
  return false;
}

void ModeOde::forget_samples() {
  samples_held_ = 0;
  next_sample_ = 0;
}

void ModeOde::remember(double t, ConstVectorRef values) {
  samples_[next_sample_].t = t;
  samples_[next_sample_].values = values;
  next_sample_ = (next_sample_ + 1) % samples_.size();
  samples_held_ = std::min(samples_held_ + 1, samples_.size());
}

void ModeOde::sample(double t, ConstVectorRef x, VectorRef values) {
  if (recall(t, values)) return;
  exit_guards(t, x, values);
  remember(t, values);
}

void ModeOde::guard_values(double t, ConstVectorRef x, VectorRef values) {
  sample(t, x, sampled_);
  values = sampled_;
  for (Index slot = 0; slot < values.size(); ++slot) {
    if (armed_ && !(*armed_)[static_cast<std::size_t>(slot)]) values[slot] = 1;
  }
}

}  // namespace slideway
