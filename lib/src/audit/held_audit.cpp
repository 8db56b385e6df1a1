#include "audit/held_audit.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace slideway::auditing {
HeldAudit::HeldAudit(WrittenField& field, const ErrorsWithin& errors,
                     const std::vector<std::string>& state_names, Findings& findings)
    : field_(field), errors_(errors), state_names_(state_names), findings_(findings) {
  for (Index k = 0; k < std::min<Index>(errors.discrete_from, field.states()); ++k)
    if (const std::optional<double> rate = field.constant_rate(static_cast<std::uint32_t>(k)))
      steady_.push_back({.state = k, .rate = *rate});
}

void HeldAudit::begin(const Vector& x) {
  held_ = x;
  is_known_ = true;
}

// Resets, time events and edges set states. Where events accumulate, the last ones are not told.
void HeldAudit::record(const EventRecord& record) {
  const bool sets = sets_states(record.kind) || (record.kind == EventKind::zeno && field_.has_resets());
  if (!sets) return;
  is_known_ = record.after.size() == static_cast<Index>(state_names_.size());
  if (is_known_) held_ = record.after;
  for (Steady& one : steady_) one.is_known = false;
}

void HeldAudit::look(double t, const Matrix& states) {
  const Index n = states.rows();
  const auto known = static_cast<Index>(field_.states());
  for (Index k = errors_.discrete_from; k < n; ++k) {
    const double value = states(k, 0);
    const double other = states(k, states.cols() - 1);
    const bool is_moved = !same_bits(value, other);
    const bool is_wrong = is_known_ && !same_bits(value, held_[k]);
    if (k >= known || !(is_moved || is_wrong)) continue;
    const std::string& name = state_names_[static_cast<std::size_t>(k)];
    findings_.fail("held " + name, name, t,
                   fmt::format("the discrete state {} is {:.6g} from t = {:.6g} on, but it was last set to "
                               "{:.6g}",
                               name, is_wrong ? value : other, t, is_wrong ? held_[k] : value));
  }
  if (!is_known_) begin(states.col(0));
  if (!steady_.empty()) look_at_steady(t, states.col(0));
}

void HeldAudit::look_at_steady(double t, const Vector& x) {
  for (Steady& one : steady_) {
    const double wanted = one.value + one.rate * (t - one.t);
    // Projections of others onto surfaces move it within the tolerances. Each step rounds its end on the clock, and the state there.
    constexpr double epsilon = std::numeric_limits<double>::epsilon();
    const double of_step = epsilon * (std::abs(one.rate * t) + std::abs(x[one.state]));
    const double allowed = kSure * (errors_.rtol * std::abs(x[one.state]) + errors_.atol[one.state]) +
                           static_cast<double>(steps_ - one.step + 1) * of_step;
    if (one.is_known && std::abs(x[one.state] - wanted) > allowed) {
      const std::string& name = state_names_[static_cast<std::size_t>(one.state)];
      findings_.fail("steady " + name, name, t,
                     fmt::format("from t = {:.6g} to {:.6g} {} moves by {:.6g}, but its derivative is {:.6g}",
                                 one.t, t, name, x[one.state] - one.value, one.rate));
    }
    if (one.is_known) continue;
    one.is_known = true;
    one.t = t;
    one.value = x[one.state];
    one.step = steps_;
  }
}

void HeldAudit::fill(Matrix& states) const {
  for (Index k = errors_.discrete_from; k < states.rows(); ++k) states.row(k).setConstant(held_[k]);
}

}  // namespace slideway::auditing
