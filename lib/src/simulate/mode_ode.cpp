#include "simulate/mode_ode.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace slideway {

ModeOde::ModeOde(Evaluator& evaluator) : evaluator_(evaluator), field_(evaluator), geometry_(evaluator) {
  h_ = Vector::Zero(evaluator.system().surfaces());
  sampled_ = Vector::Zero(guards());
  for (Sample& sample : samples_) sample.values = Vector::Zero(guards());
}

Index ModeOde::states() const { return evaluator_.system().states(); }
Index ModeOde::guards() const { return 2 * evaluator_.system().surfaces(); }

void ModeOde::set_mode(const Mode& mode, double sigma_minus, double sigma_plus) {
  field_.set_mode(mode);
  sigma_minus_ = sigma_minus;
  sigma_plus_ = sigma_plus;
  forget_samples();
}

void ModeOde::velocity(double t, ConstVectorRef x, VectorRef dx) { field_.velocity(t, x, dx); }

void ModeOde::jacobian(double t, ConstVectorRef x, ConstVectorRef, MatrixRef jacobian) {
  field_.jacobian(t, x, jacobian);
}

void ModeOde::project(double t, ConstVectorRef weights, VectorRef x) {
  if (constrained() && !geometry_.project(t, field_.sliding_surface(), weights, x)) {
    throw std::runtime_error("the state cannot be projected onto '" +
                             evaluator_.system().surface_names()[static_cast<std::size_t>(
                                 field_.sliding_surface())] +
                             "' = 0 at t = " + std::to_string(t));
  }
}

void ModeOde::exit_guards(double t, ConstVectorRef x, VectorRef values) {
  const Mode& mode = field_.mode();
  const Index sliding = field_.sliding_surface();
  if (mode.size() > (sliding >= 0 ? 1 : 0)) evaluator_.guards(t, x, h_);
  for (Index i = 0; i < mode.size(); ++i) {
    values[2 * i] = static_cast<double>(static_cast<signed char>(mode[i])) * h_[i];
    values[2 * i + 1] = 1;
  }
  if (sliding >= 0) {
    const NeighbourFields& fields = field_.neighbours(t, x, sliding);
    values[2 * sliding] = sigma_minus_ * fields.w_minus;
    values[2 * sliding + 1] = sigma_plus_ * fields.w_plus;
  }
  if (values.allFinite()) return;
  for (Index slot = 0; slot < values.size(); ++slot) {
    if (std::isfinite(values[slot])) continue;
    const Index i = surface_of(slot);
    const std::string& name = evaluator_.system().surface_names()[static_cast<std::size_t>(i)];
    const std::string what = i == sliding ? "a normal component of" : "the guard of";
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

void ModeOde::sample(double t, ConstVectorRef x, VectorRef values) {
  if (recall(t, values)) return;
  exit_guards(t, x, values);
  samples_[next_sample_].t = t;
  samples_[next_sample_].values = values;
  next_sample_ = (next_sample_ + 1) % samples_.size();
  samples_held_ = std::min(samples_held_ + 1, samples_.size());
}

void ModeOde::guard_values(double t, ConstVectorRef x, VectorRef values) {
  sample(t, x, sampled_);
  values = sampled_;
  for (Index slot = 0; slot < values.size(); ++slot) {
    if (armed_ && !(*armed_)[static_cast<std::size_t>(slot)]) values[slot] = 1;
  }
}

}  // namespace slideway
