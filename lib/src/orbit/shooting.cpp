#include "orbit/shooting.hpp"

#include <utility>

#include "core/number_text.hpp"

namespace slideway {

Shooting::Shooting(const Simulator& simulator, Round round, Vector sizes, std::vector<ShotStart> shots)
    : simulator_(simulator),
      round_(std::move(round)),
      sizes_(std::move(sizes)),
      shots_(std::move(shots)),
      n_(sizes_.size()) {
  if (!round_.period_is_unknown) return;
  const Vector u = unknowns();
  if (!follow(u)) return;
  phase_ = field_at_start(u).cwiseQuotient(sizes_);
  const double norm = phase_.norm();
  if (norm > 0) phase_ /= norm;
}

Vector Shooting::unknowns() const {
  Vector u(n_ * count() + (round_.period_is_unknown ? 1 : 0));
  for (Index k = 0; k < count(); ++k)
    u.segment(k * n_, n_) =
        (shots_[static_cast<std::size_t>(k)].state - begin(k, round_.period) * round_.clocks)
            .cwiseQuotient(sizes_);
  if (round_.period_is_unknown) u[u.size() - 1] = 1;
  return u;
}

Equations Shooting::equations() {
  return {.value = [this](ConstVectorRef u, VectorRef f) { return value(u, f); },
          .jacobian = [this](ConstVectorRef u, MatrixRef result) { return jacobian(u, result); }};
}

double Shooting::period(ConstVectorRef u) const {
  return round_.period_is_unknown ? round_.period * u[u.size() - 1] : round_.period;
}

Vector Shooting::state(ConstVectorRef u, Index shot) const {
  Vector result = u.segment(shot * n_, n_).cwiseProduct(sizes_) + begin(shot, period(u)) * round_.clocks;
  // A discrete state that nothing sets is the same in every shot, whatever Newton's method makes of its unknown.
  for (const Index i : round_.held) result[i] = shots_.front().state[i];
  return result;
}

double Shooting::length(Index shot) const {
  const double until = shot + 1 < count() ? shots_[static_cast<std::size_t>(shot) + 1].fraction : 1.0;
  return until - shots_[static_cast<std::size_t>(shot)].fraction;
}

double Shooting::begin(Index shot, double period) const {
  return round_.start + shots_[static_cast<std::size_t>(shot)].fraction * period;
}

Vector Shooting::field_of(const Solution& run, const std::string& location) const {
  const Automaton& problem = simulator_.automaton();
  const System& system =
      location.empty() ? problem.system() : problem.locations()[problem.location_index(location)].system;
  Vector lambda = Vector::Zero(system.surfaces()), field(n_);
  run.initial.mode.first(system.surfaces()).fill_lambda(lambda);
  system.field(run.initial.t, run.initial.state, lambda, field);
  return field - round_.clocks;
}

Vector Shooting::field_at_start(ConstVectorRef u) {
  return runs(u).empty() ? Vector::Zero(n_) : field_of(runs_.front(), shots_.front().location);
}

const std::vector<Solution>& Shooting::runs(ConstVectorRef u) {
  follow(u);
  return runs_;
}

Matrix Shooting::monodromy(ConstVectorRef u) {
  Matrix result = Matrix::Identity(n_, n_);
  for (const Solution& run : runs(u)) result = run.sensitivities->final().leftCols(n_) * result;
  return result;
}

bool Shooting::follow(ConstVectorRef u) {
  if (followed_.size() == u.size() && followed_ == u) return !runs_.empty();
  followed_ = u;
  runs_.clear();
  const double whole = period(u);
  if (!(whole > 0) || !u.allFinite()) {
    failure_ = "the period would not be positive";
    return false;
  }
  failure_.clear();
  for (Index k = 0; k < count(); ++k) {
    const ShotStart& shot = shots_[static_cast<std::size_t>(k)];
    const double from = begin(k, whole);
    const double until = k + 1 < count() ? begin(k + 1, whole) : round_.start + whole;
    const ShotStart& next = shots_[static_cast<std::size_t>((k + 1) % count())];
    try {
      runs_.push_back(
          simulator_.run({.start = from, .end = until, .state = state(u, k), .location = shot.location}));
    } catch (const std::invalid_argument& error) {
      failure_ = error.what();
    }
    if (failure_.empty()) {
      const Solution& run = runs_.back();
      if (!run.outcome.reached_end()) {
        failure_ = "the solution ends at t = " + number_text(run.outcome.t) + " as " +
                   to_string(run.outcome.status) + ": " + run.outcome.message;
      } else if (run.final.location != next.location) {
        failure_ = "the solution ends in the location '" + run.final.location + "' and not in '" +
                   next.location + "'";
      }
    }
    if (!failure_.empty()) {
      runs_.clear();
      return false;
    }
  }
  return true;
}

bool Shooting::value(ConstVectorRef u, VectorRef f) {
  if (!follow(u)) return false;
  for (Index k = 0; k < count(); ++k) {
    const Solution& run = runs_[static_cast<std::size_t>(k)];
    f.segment(k * n_, n_) = (run.final.state - run.final.t * round_.clocks).cwiseQuotient(sizes_) -
                            u.segment(((k + 1) % count()) * n_, n_);
  }
  const Index last = (count() - 1) * n_;
  for (const Index i : round_.held) f[last + i] += u[i] - shots_.front().state[i] / sizes_[i];
  if (!round_.period_is_unknown) return true;
  f[f.size() - 1] = phase_.size() == 0 ? 0 : phase_.dot(u.head(n_) - unknowns().head(n_));
  return phase_.size() > 0;
}

bool Shooting::jacobian(ConstVectorRef u, MatrixRef result) {
  if (!follow(u)) return false;
  result.setZero();
  for (Index k = 0; k < count(); ++k) {
    const Solution& run = runs_[static_cast<std::size_t>(k)];
    const Matrix derivative = run.sensitivities->final().leftCols(n_);
    if (!derivative.allFinite()) {
      failure_ = "there is no derivative: " + run.sensitivities->reason();
      return false;
    }
    const Index next = (k + 1) % count();
    result.block(k * n_, k * n_, n_, n_) +=
        sizes_.cwiseInverse().asDiagonal() * derivative * sizes_.asDiagonal();
    result.block(k * n_, next * n_, n_, n_) -= Matrix::Identity(n_, n_);
    if (!round_.period_is_unknown) continue;
    const Vector rate = derivative * field_of(run, shots_[static_cast<std::size_t>(k)].location);
    result.block(k * n_, result.cols() - 1, n_, 1) = (length(k) * round_.period) * rate.cwiseQuotient(sizes_);
  }
  for (const Index i : round_.held) result((count() - 1) * n_ + i, i) += 1;
  if (round_.period_is_unknown && phase_.size() > 0)
    result.block(result.rows() - 1, 0, 1, n_) = phase_.transpose();
  return true;
}

}  // namespace slideway
