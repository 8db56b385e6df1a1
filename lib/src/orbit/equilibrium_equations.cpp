#include "orbit/equilibrium_equations.hpp"

#include <cmath>
#include <utility>

namespace slideway {

namespace {

constexpr double kForceStep =
    6e-6;  // of the size of a state: the cube root of the rounding unit, as central differences want

}  // namespace

EquilibriumEquations::EquilibriumEquations(Evaluator& evaluator, SlidingRule rule, double t, Mode mode,
                                           Vector sizes)
    : evaluator_(evaluator),
      rule_(rule),
      t_(t),
      mode_(std::move(mode)),
      sizes_(std::move(sizes)),
      n_(evaluator.system().states()),
      m_(evaluator.system().surfaces()) {
  for (Index i = 0; i < mode_.size(); ++i) {
    if (!mode_.slides_on(i)) continue;
    if (i < m_) {
      sliding_.push_back(i);
    } else {
      closed_.push_back(i - m_);
    }
  }
}

Vector EquilibriumEquations::start(ConstVectorRef x) const {
  Vector z = Vector::Zero(unknowns());
  z.head(n_) = x.cwiseQuotient(sizes_);
  return z;
}

Vector EquilibriumEquations::lambda(ConstVectorRef z) const {
  Vector lambda = Vector::Zero(m_);
  for (Index i = 0; i < m_; ++i)
    if (!mode_.slides_on(i)) lambda[i] = mode_[i] == Side::plus ? 1 : -1;
  for (std::size_t k = 0; k < sliding_.size(); ++k) lambda[sliding_[k]] = z[n_ + static_cast<Index>(k)];
  return lambda;
}

Vector EquilibriumEquations::forces(ConstVectorRef z) const {
  Vector forces = Vector::Zero(mode_.size() - m_);
  const Index first = n_ + static_cast<Index>(sliding_.size());
  for (std::size_t k = 0; k < closed_.size(); ++k) forces[closed_[k]] = z[first + static_cast<Index>(k)];
  return forces;
}

void EquilibriumEquations::evaluate(ConstVectorRef z, Vector& value, Matrix& jacobian) {
  const Index size = unknowns();
  value = Vector::Zero(size);
  jacobian = Matrix::Zero(size, size);
  const Vector x = state(z);
  Vector relays = lambda(z);
  Vector field(n_);
  Matrix by_state = Matrix::Zero(n_, n_);
  if (sliding_.size() == 1 && rule_ != SlidingRule::equivalent_control) {
    const Index i = sliding_.front();
    const double alpha = 0.5 * (1 + relays[i]);
    Vector minus(n_), plus(n_);
    Matrix by_minus = Matrix::Zero(n_, n_);
    relays[i] = -1;
    evaluator_.field(t_, x, relays, minus);
    evaluator_.field_dx(t_, x, relays, by_minus);
    relays[i] = 1;
    evaluator_.field(t_, x, relays, plus);
    evaluator_.field_dx(t_, x, relays, by_state);
    field = (1 - alpha) * minus + alpha * plus;
    by_state = ((1 - alpha) * by_minus + alpha * by_state).eval();
    jacobian.col(n_).head(n_) = 0.5 * (plus - minus);
  } else {
    evaluator_.field(t_, x, relays, field);
    evaluator_.field_dx(t_, x, relays, by_state);
    if (!sliding_.empty()) {
      Matrix effects = Matrix::Zero(n_, m_);
      evaluator_.field_dlambda(t_, x, relays, effects);
      for (std::size_t k = 0; k < sliding_.size(); ++k)
        jacobian.col(n_ + static_cast<Index>(k)).head(n_) = effects.col(sliding_[k]);
    }
  }
  value.head(n_) = field;
  jacobian.topLeftCorner(n_, n_) = by_state * sizes_.asDiagonal();
  if (!sliding_.empty()) {
    Vector guards(m_), gradient(n_);
    evaluator_.guards(t_, x, guards);
    for (std::size_t k = 0; k < sliding_.size(); ++k) {
      const Index row = n_ + static_cast<Index>(k);
      gradient.setZero();
      evaluator_.guard_gradient(t_, x, sliding_[k], gradient);
      value[row] = guards[sliding_[k]];
      jacobian.row(row).head(n_) = gradient.cwiseProduct(sizes_).transpose();
    }
  }
  if (!closed_.empty()) add_forces(z, x, value, jacobian);
}

void EquilibriumEquations::add_forces(ConstVectorRef z, const Vector& x, Vector& value, Matrix& jacobian) {
  const Index first = n_ + static_cast<Index>(sliding_.size());
  Vector effect(n_), above(n_), below(n_), moved(n_), gradient(n_);
  const auto effect_at = [&](const Contact& contact, const Vector& at, Vector& b) {
    b.setZero();
    contact.acts_on(t_, at, b);
  };
  for (std::size_t k = 0; k < closed_.size(); ++k) {
    const Contact& contact = evaluator_.system().contacts()[static_cast<std::size_t>(closed_[k])];
    const Index row = first + static_cast<Index>(k);
    const double force = z[row];
    effect_at(contact, x, effect);
    value.head(n_) += force * effect;
    jacobian.col(row).head(n_) = effect;
    for (Index j = 0; j < n_; ++j) {
      const double step = kForceStep * sizes_[j];
      moved = x;
      moved[j] = x[j] + step;
      effect_at(contact, moved, above);
      moved[j] = x[j] - step;
      effect_at(contact, moved, below);
      jacobian.col(j).head(n_) += force * (above - below) / (2 * kForceStep);
    }
    gradient.setZero();
    contact.gap.gradient(t_, x, gradient);
    value[row] = contact.gap.value(t_, x);
    jacobian.row(row).head(n_) = gradient.cwiseProduct(sizes_).transpose();
  }
}

}  // namespace slideway
