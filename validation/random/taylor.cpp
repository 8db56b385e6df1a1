#include "validation/random/taylor.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

namespace slideway::validation::random {
namespace {

constexpr Real epsilon = std::numeric_limits<Real>::epsilon();

Real product_term(std::span<const Real> a, std::span<const Real> b, std::size_t order) {
  Real sum = 0;
  for (std::size_t k = 0; k <= order; ++k) sum += a[k] * b[order - k];
  return sum;
}

// Coefficient `order` of ∫ a' b.
Real chain_term(std::span<const Real> a, std::span<const Real> b, std::size_t order) {
  Real sum = 0;
  for (std::size_t k = 1; k <= order; ++k) sum += static_cast<Real>(k) * a[k] * b[order - k];
  return sum / static_cast<Real>(order);
}

}  // namespace

Taylor::Taylor(const RandomModel& model, Reals drift) : model_(model), drift_(std::move(drift)) {
  const std::size_t locations = std::max<std::size_t>(1, model.locations.size());
  for (std::size_t k = 0; k < locations; ++k) programs_.push_back(compile(static_cast<int>(k)));
}

Taylor::Program Taylor::compile(int location) const {
  Program program;
  std::map<const void*, std::size_t> known;
  std::vector<Formula> kept;  // the keys are addresses
  const std::function<std::size_t(const Formula&)> add = [&](const Formula& formula) -> std::size_t {
    const auto found = known.find(formula.identity());
    if (found != known.end()) return found->second;
    std::vector<std::size_t> arguments;
    for (const Formula& argument : formula.arguments()) arguments.push_back(add(argument));
    std::size_t place = 0;
    if (formula.operation() == Operation::definition || formula.operation() == Operation::parameter) {
      place = arguments[0];
    } else {
      arguments.resize(2, 0);
      place = program.steps.size();
      program.steps.push_back({formula.operation(), formula.value(),
                               static_cast<std::size_t>(std::max(0, formula.index())), arguments[0],
                               arguments[1]});
    }
    kept.push_back(formula);
    known.emplace(formula.identity(), place);
    return place;
  };
  for (const SurfaceEntry& surface : model_.surfaces) program.guards.push_back(add(surface.guard));
  for (const ContactEntry& contact : model_.contacts) {
    program.gaps.push_back(add(contact.gap));
    program.rates.push_back(add(contact.rate));
  }
  for (const ResetEntry& reset : model_.resets) program.resets.push_back(add(reset.guard));
  for (std::size_t k = 0; k < program.steps.size(); ++k) program.guard_part.push_back(k);
  const std::size_t first = program.steps.size();
  for (std::size_t k = 0; k < model_.states.size(); ++k) {
    program.fields.push_back(add(model_.derivative(static_cast<int>(k), location)));
  }
  for (std::size_t k = first; k < program.steps.size(); ++k) program.field_part.push_back(k);
  for (const ResetEntry& reset : model_.resets) {
    program.assignments.emplace_back();
    for (const auto& assignment : reset.set) program.assignments.back().push_back(add(assignment.second));
  }
  return program;
}

void Taylor::begin(Real t, const Reals& x, const Regime& regime, const Reals& lambdas, const Reals& forces,
                   std::size_t order) {
  program_ = &programs_[static_cast<std::size_t>(regime.location)];
  regime_ = &regime;
  time_ = t;
  const std::size_t terms = order + 2;
  values_.reset(program_->steps.size(), terms);
  companions_.reset(program_->steps.size(), terms);
  states_.reset(x.size(), terms);
  lambdas_.reset(model_.surfaces.size(), terms);
  forces_.reset(model_.contacts.size(), terms);
  for (std::size_t j = 0; j < x.size(); ++j) states_[j][0] = x[j];
  sliding_.clear();
  closed_.clear();
  for (std::size_t i = 0; i < regime.sides.size(); ++i) {
    lambdas_[i][0] = regime.sides[i] == 0 ? lambdas[i] : static_cast<Real>(regime.sides[i]);
    if (regime.sides[i] == 0) sliding_.push_back(i);
  }
  for (std::size_t c = 0; c < regime.closed.size(); ++c) {
    if (!regime.closed[c]) continue;
    forces_[c][0] = forces[c];
    closed_.push_back(c);
  }
  evaluate(program_->guard_part, 0);
}

void Taylor::evaluate(const std::vector<std::size_t>& part, std::size_t order) {
  for (const std::size_t step : part) evaluate(step, order);
}

void Taylor::evaluate(std::size_t place, std::size_t k) {
  const Step& step = program_->steps[place];
  const std::span<Real> out = values_[place];
  const std::span<const Real> a = values_[step.first];
  const std::span<const Real> b = values_[step.second];
  const auto fixed = [&] { return regime_->sides[step.index]; };
  switch (step.operation) {
    case Operation::constant: out[k] = k == 0 ? static_cast<Real>(step.value) : 0; return;
    case Operation::time: out[k] = k == 0 ? time_ : k == 1 ? 1 : 0; return;
    case Operation::state: out[k] = states_[step.index][k]; return;
    case Operation::definition:
    case Operation::parameter: return;
    case Operation::add: out[k] = a[k] + b[k]; return;
    case Operation::subtract: out[k] = a[k] - b[k]; return;
    case Operation::multiply: out[k] = product_term(a, b, k); return;
    case Operation::divide: {
      Real sum = a[k];
      for (std::size_t j = 1; j <= k; ++j) sum -= b[j] * out[k - j];
      out[k] = sum / b[0];
      return;
    }
    case Operation::negate: out[k] = -a[k]; return;
    case Operation::sine:
    case Operation::cosine: {
      const std::span<Real> other = companions_[place];
      const bool is_sine = step.operation == Operation::sine;
      if (k == 0) {
        out[0] = is_sine ? std::sin(a[0]) : std::cos(a[0]);
        other[0] = is_sine ? std::cos(a[0]) : std::sin(a[0]);
        return;
      }
      const Real own = chain_term(a, other, k);
      const Real mate = chain_term(a, out, k);
      out[k] = is_sine ? own : -own;
      other[k] = is_sine ? -mate : mate;
      return;
    }
    case Operation::exponential: out[k] = k == 0 ? std::exp(a[0]) : chain_term(a, out, k); return;
    case Operation::sign: out[k] = lambdas_[step.index][k]; return;
    case Operation::choose: {
      if (fixed() != 0) {
        out[k] = fixed() > 0 ? a[k] : b[k];
        return;
      }
      const std::span<const Real> lambda = lambdas_[step.index];
      out[k] = (a[k] + b[k] + product_term(a, lambda, k) - product_term(b, lambda, k)) / 2;
      return;
    }
    case Operation::absolute:
      out[k] = fixed() != 0 ? static_cast<Real>(fixed()) * a[k] : product_term(a, lambdas_[step.index], k);
      return;
    case Operation::largest:
    case Operation::smallest: {
      const Real sign = step.operation == Operation::largest ? 1 : -1;
      if (fixed() != 0) {
        out[k] = sign * static_cast<Real>(fixed()) > 0 ? a[k] : b[k];
        return;
      }
      const std::span<const Real> lambda = lambdas_[step.index];
      out[k] = (a[k] + b[k] + sign * (product_term(a, lambda, k) - product_term(b, lambda, k))) / 2;
      return;
    }
  }
}

void Taylor::advance(std::size_t k) {
  evaluate(program_->field_part, k);
  for (std::size_t j = 0; j < program_->fields.size(); ++j) {
    Real rate = values_[program_->fields[j]][k];
    if (k == 0) rate += drift_[j];
    states_[j][k + 1] = rate;
  }
  for (const std::size_t c : closed_) {
    for (const auto& [state, strength] : model_.contacts[c].acts_on) {
      states_[static_cast<std::size_t>(state)][k + 1] += static_cast<Real>(strength) * forces_[c][k];
    }
  }
  for (std::size_t j = 0; j < program_->fields.size(); ++j) states_[j][k + 1] /= static_cast<Real>(k + 1);
  evaluate(program_->guard_part, k + 1);
}

Real Taylor::defect(std::size_t index, std::size_t k) const {
  const std::size_t place = index < sliding_.size() ? program_->guards[sliding_[index]]
                                                    : program_->rates[closed_[index - sliding_.size()]];
  return values_[place][k + 1] * static_cast<Real>(k + 1);
}

void Taylor::set_unknown(std::size_t index, std::size_t k, Real value) {
  if (index < sliding_.size()) {
    lambdas_[sliding_[index]][k] = value;
  } else {
    forces_[closed_[index - sliding_.size()]][k] = value;
  }
}

Real Taylor::unknown(std::size_t index, std::size_t k) const {
  return index < sliding_.size() ? lambdas_[sliding_[index]][k]
                                 : forces_[closed_[index - sliding_.size()]][k];
}

bool Taylor::factor(Reals matrix) {
  const std::size_t n = sliding_.size() + closed_.size();
  inverse_.assign(n * n, 0);
  for (std::size_t i = 0; i < n; ++i) inverse_[i * n + i] = 1;
  Real largest = 0;
  for (const Real entry : matrix) largest = std::max(largest, std::abs(entry));
  for (std::size_t column = 0; column < n; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column; row < n; ++row) {
      if (std::abs(matrix[row * n + column]) > std::abs(matrix[pivot * n + column])) pivot = row;
    }
    const Real head = matrix[pivot * n + column];
    constexpr Real singular = 1e-13L;
    if (!(std::abs(head) > singular * largest)) return false;
    for (std::size_t j = 0; j < n; ++j) {
      std::swap(matrix[pivot * n + j], matrix[column * n + j]);
      std::swap(inverse_[pivot * n + j], inverse_[column * n + j]);
    }
    for (std::size_t j = 0; j < n; ++j) {
      matrix[column * n + j] /= head;
      inverse_[column * n + j] /= head;
    }
    for (std::size_t row = 0; row < n; ++row) {
      const Real factor = matrix[row * n + column];
      if (row == column || factor == 0) continue;
      for (std::size_t j = 0; j < n; ++j) {
        matrix[row * n + j] -= factor * matrix[column * n + j];
        inverse_[row * n + j] -= factor * inverse_[column * n + j];
      }
    }
  }
  return true;
}

Reals Taylor::solution_of(const Reals& right) const {
  const std::size_t n = right.size();
  Reals out(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) out[i] += inverse_[i * n + j] * right[j];
  }
  return out;
}

// Newton's method; w is affine in each multiplier by itself, so that differences over 1 are its exact derivatives.
bool Taylor::solve_first() {
  const std::size_t n = sliding_.size() + closed_.size();
  constexpr int rounds = 30;
  for (int round = 0; round < rounds; ++round) {
    advance(0);
    Reals defects(n);
    for (std::size_t i = 0; i < n; ++i) defects[i] = defect(i, 0);
    matrix_.assign(n * n, 0);
    for (std::size_t j = 0; j < n; ++j) {
      const Real old = unknown(j, 0);
      set_unknown(j, 0, old + 1);
      advance(0);
      for (std::size_t i = 0; i < n; ++i) matrix_[i * n + j] = defect(i, 0) - defects[i];
      set_unknown(j, 0, old);
    }
    if (!factor(matrix_)) return false;
    const Reals change = solution_of(defects);
    bool done = true;
    for (std::size_t j = 0; j < n; ++j) {
      const Real next = unknown(j, 0) - change[j];
      if (!std::isfinite(next)) return false;
      done = done && std::abs(change[j]) <= 64 * epsilon * (1 + std::abs(next));
      set_unknown(j, 0, next);
    }
    if (done || (n == 1 && round == 1)) {
      advance(0);
      return true;
    }
  }
  return false;
}

// How far the last two terms of every series stay below an error in units of its size.
Real Taylor::radius_for(std::size_t order, Real error) const {
  Real length = std::numeric_limits<Real>::infinity();
  const auto limit = [&](std::span<const Real> series, std::size_t last, Real scale) {
    Real size = std::max(scale, std::abs(series[0]));
    if (size == 0) size = 1;
    for (const std::size_t k : {last, last - 1}) {
      const Real term = std::abs(series[k]) / size;
      if (term > 0) length = std::min(length, std::pow(error / term, 1 / static_cast<Real>(k)));
    }
  };
  for (std::size_t j = 0; j < model_.states.size(); ++j) {
    limit(states_[j], order, static_cast<Real>(model_.states[j].scale));
  }
  for (const std::size_t i : sliding_) limit(lambdas_[i], order - 1, 1);
  for (const std::size_t c : closed_) limit(forces_[c], order - 1, 1);
  for (const std::size_t place : program_->guards) limit(values_[place], order, std::abs(values_[place][1]));
  for (const std::size_t place : program_->resets) limit(values_[place], order, std::abs(values_[place][1]));
  for (const std::size_t place : program_->gaps) limit(values_[place], order, std::abs(values_[place][1]));
  return length;
}

void Taylor::expand(Real t, const Reals& x, const Regime& regime, std::size_t order, const Reals& lambdas,
                    const Reals& forces, Expansion& out) {
  begin(t, x, regime, lambdas, forces, order);
  out.valid = false;
  const std::size_t n = sliding_.size() + closed_.size();
  out.unknowns = n;
  matrix_.clear();
  if (n > 0 && !solve_first()) return;
  for (std::size_t k = 0; k < order; ++k) {
    if (k > 0 || n == 0) advance(k);
    if (n == 0 || k == 0) continue;
    Reals defects(n);
    for (std::size_t i = 0; i < n; ++i) defects[i] = defect(i, k);
    const Reals change = solution_of(defects);
    for (std::size_t i = 0; i < n; ++i) set_unknown(i, k, -change[i]);
    advance(k);
  }
  const std::size_t terms = order + 1;
  const auto copy = [&](const std::vector<std::size_t>& places, Series& to) {
    to.reset(places.size(), terms);
    for (std::size_t i = 0; i < places.size(); ++i) {
      for (std::size_t k = 0; k < terms; ++k) to[i][k] = values_[places[i]][k];
    }
  };
  const auto copy_series = [&](const Series& from, std::size_t count, Series& to, std::size_t used) {
    to.reset(count, used);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < used; ++k) to[i][k] = from[i][k];
    }
  };
  copy(program_->guards, out.guards);
  copy(program_->gaps, out.gaps);
  copy(program_->rates, out.rates);
  copy(program_->resets, out.resets);
  copy_series(states_, x.size(), out.states, terms);
  copy_series(lambdas_, model_.surfaces.size(), out.lambdas, order);
  copy_series(forces_, model_.contacts.size(), out.forces, order);
  out.matrix = matrix_;
  out.length = order >= 4 ? radius_for(order, epsilon / 4) : 0;
  out.radius = order >= 4 ? radius_for(order, 1) : 0;
  out.valid = true;
  for (std::size_t j = 0; j < x.size(); ++j) {
    for (std::size_t k = 0; k < terms; ++k) out.valid = out.valid && std::isfinite(out.states[j][k]);
  }
}

Reals Taylor::assigned(Real t, const Reals& x, const Regime& regime, std::size_t reset) {
  begin(t, x, regime, Reals(model_.surfaces.size(), 0), Reals(model_.contacts.size(), 0), 0);
  evaluate(program_->field_part, 0);
  const std::size_t first = program_->guard_part.size() + program_->field_part.size();
  for (std::size_t k = first; k < program_->steps.size(); ++k) evaluate(k, 0);
  Reals out;
  for (const std::size_t place : program_->assignments[reset]) out.push_back(values_[place][0]);
  return out;
}

Reals Taylor::velocities(Real t, const Reals& x, const Regime& regime, const Reals& lambdas,
                         const Reals& forces) {
  begin(t, x, regime, lambdas, forces, 1);
  for (std::size_t i = 0; i < lambdas.size(); ++i) {
    if (regime.sides[i] == 0) lambdas_[i][0] = lambdas[i];
  }
  advance(0);
  Reals out;
  for (const std::size_t place : program_->guards) out.push_back(values_[place][1]);
  for (const std::size_t place : program_->rates) out.push_back(values_[place][1]);
  return out;
}

}  // namespace slideway::validation::random
