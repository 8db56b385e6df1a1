#include "rules/pending_limits.hpp"

#include <algorithm>
#include <utility>

#include "simulate/run_shared.hpp"

namespace slideway {

void PendingLimits::show(AccumulationLimit limit, double t, const Vector& x) {
  limit.record.t = t;
  limit.record.after = x;
  log_.report(std::move(limit.record));
}

double PendingLimits::pass(double from, bool arrived) {
  const double reach = arrived ? location_accuracy(now_.t, now_.stepper->last_step_size()) : 0;
  while (!now_.agenda.limits.empty()) {
    const auto first =
        std::min_element(now_.agenda.limits.begin(), now_.agenda.limits.end(),
                         [](const AccumulationLimit& one, const AccumulationLimit& other) {
                           return one.is_held() != other.is_held() ? other.is_held() : one.t < other.t;
                         });
    if (first->is_held() || first->t > now_.t + reach) break;
    const double t = std::clamp(first->t, from, now_.t);
    Vector x = now_.x;
    if (t < now_.t) {
      now_.stepper->evaluate(t, x);
      now_.here->stepper->error_weights(x, now_.weights);
      now_.here->ode.project(t, now_.weights, x);
      now_.here->stepper->error_weights(now_.x, now_.weights);
    }
    if (t > from) log_.append_step(from, t);
    AccumulationLimit limit = std::move(*first);
    now_.agenda.limits.erase(first);
    show(std::move(limit), t, x);
    if (now_.options.recording == Recording::dense && t < now_.t)
      log_.solution().trajectory.begin_segment(t, now_.word(), now_.here->name);
    from = t;
  }
  return from;
}

void PendingLimits::show_those_that_end(const Arrivals& arrivals) {
  const auto ends = [&](Index member) {
    if (member >= now_.regime.mode().size())
      return contains(arrivals.releases, member - now_.regime.mode().size());
    return std::any_of(arrivals.meeting.met.begin(), arrivals.meeting.met.end(),
                       [&](const Met& met) { return met.surface == member; });
  };
  for (std::size_t k = 0; k < now_.agenda.limits.size();) {
    if (!std::any_of(now_.agenda.limits[k].members.begin(), now_.agenda.limits[k].members.end(), ends)) {
      ++k;
      continue;
    }
    AccumulationLimit limit = std::move(now_.agenda.limits[k]);
    now_.agenda.limits.erase(now_.agenda.limits.begin() + static_cast<std::ptrdiff_t>(k));
    show(std::move(limit), now_.t, now_.x);
  }
}

void PendingLimits::drop_disturbed() {
  const Mode now = now_.as_shown(now_.regime.mode());
  std::erase_if(now_.agenda.limits, [&](const AccumulationLimit& limit) {
    return std::any_of(limit.members.begin(), limit.members.end(),
                       [&](Index i) { return i >= now.size() || !now.slides_on(i); });
  });
}

}  // namespace slideway
