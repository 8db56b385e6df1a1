#include "sensitivity/accumulated_changes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "sensitivity/differences.hpp"

namespace slideway {

namespace {

constexpr std::size_t kMostNoted = 64;

std::string key_of(const EventRecord& record) {
  std::string key = to_string(record.kind);
  if (record.name) key += " " + *record.name;
  for (const Index i : record.surfaces) key += " " + std::to_string(i);
  if (record.to) key += " " + record.to->word();
  return key;
}

}  // namespace

void AccumulatedChanges::note(const Saltation::Instant& instant, const Saltation::Change& change) {
  if (instant.records.empty()) return;
  Past past{key_of(*instant.records.front()), instant.t, change.time, change.at, instant.after};
  const Vector& after = instant.records.back()->after;
  if (after.size() > 0) past.after.head(after.size()) = after;
  past_.push_back(std::move(past));
  if (past_.size() > kMostNoted) past_.pop_front();
}

const AccumulatedChanges::Past* AccumulatedChanges::last(const Past*& before, const Past*& earliest) const {
  for (std::size_t k = past_.size(); k-- > 0;) {
    std::vector<const Past*> same = {&past_[k]};
    for (std::size_t j = k; j-- > 0 && same.size() < 3;)
      if (past_[j].key == past_[k].key) same.push_back(&past_[j]);
    if (same.size() < 3) continue;
    before = same[1];
    earliest = same[2];
    return same[0];
  }
  return nullptr;
}

// One contact that closes.
bool AccumulatedChanges::rest(const Saltation::Instant& instant, const EventRecord& record,
                              Saltation::Change& change, const Matrix& s) const {
  if (!instant.from || !instant.to || past_.empty()) return false;
  LocationTools& tools = instant.from->tools();
  if (!tools.contacts || record.surfaces.size() != 1) return false;
  const Index c = record.surfaces.front() - instant.from->surfaces();
  if (c < 0) return false;
  const std::string name = tools.contacts->contact(c).name;
  const auto impact = std::find_if(past_.rbegin(), past_.rend(), [&](const Past& past) {
    return past.key.find(std::string(to_string(EventKind::impact)) + " " + name) == 0;
  });
  if (impact == past_.rend()) return false;
  ContactDynamics& contacts = *tools.contacts;
  std::vector<Index> closed = instant.from->closed();
  closed.push_back(c);
  std::sort(closed.begin(), closed.end());
  const Vector weights = instant.from->weights();
  const Vector lambda = instant.from->lambda(impact->t, impact->after);
  const ContactModes& modes = instant.from->contact_modes();
  const auto remaining = [&](double t, const Vector& x) {
    Vector state = x;
    contacts.project(t, closed, lambda, modes, weights, state);
    const ContactDynamics::Pressed pressed = contacts.pressed_with(c, t, state, lambda, modes, closed);
    const auto place = std::find(pressed.contacts.begin(), pressed.contacts.end(), c);
    if (place == pressed.contacts.end()) return std::numeric_limits<double>::quiet_NaN();
    const double acceleration =
        pressed.accelerations[static_cast<std::size_t>(place - pressed.contacts.begin())];
    const double speed = contacts.rate(t, x, lambda, c);
    return 2 * speed / ((1 - contacts.contact(c).restitution_of(std::abs(speed), x)) * acceleration);
  };
  Vector buffer, derivative(1), moved(s.rows()), velocity(s.rows());
  change.time.resize(s.cols());
  for (Index k = 0; k < s.cols(); ++k) {
    const Vector direction = impact->at.col(k);
    refined_difference(
        difference_step(impact->t, impact->after, impact->time[k], direction, instant.from->typical_sizes(),
                        1),
        [&](double step, Vector& out) {
          moved = impact->after + step * direction;
          out[0] = remaining(impact->t + step * impact->time[k], moved);
        },
        buffer, derivative);
    change.time[k] = impact->time[k] + derivative[0];
  }
  if (!change.time.allFinite()) return false;
  // The force of the closed contact does to the rest of the state what the remaining impulses do, and the gap is as wide at the end of
  // flights as at their begin. From the last event at t_k on the motion is that with the contact closed, from the projected state:
  //     S⁺(t_k) = DΠ (x_k)_p − f⁺ (t_k)_p,     S⁺(t*) = (I + (t* − t_k) J⁺) S⁺(t_k)
  // S before the limit would not do, since relative velocities of its columns act on the rest of it until then.
  const Past& event = past_.back();
  Vector projected = event.after, along(s.rows());
  contacts.project(event.t, closed, lambda, modes, weights, projected);
  instant.to->velocity(event.t, projected, velocity);
  change.after.resize(s.rows(), s.cols());
  for (Index k = 0; k < s.cols(); ++k) {
    Vector direction = event.at.col(k);
    refined_difference(
        difference_step(event.t, event.after, event.time[k], direction, instant.from->typical_sizes(), 1),
        [&](double step, Vector& out) {
          out = event.after + step * direction;
          contacts.project(event.t + step * event.time[k], closed, lambda, modes, weights, out);
        },
        buffer, moved);
    direction = moved - event.time[k] * velocity;
    refined_difference(
        difference_step(instant.t, instant.after, 0, direction, instant.from->typical_sizes(), 1),
        [&](double step, Vector& out) {
          moved = instant.after + step * direction;
          instant.to->velocity(instant.t, moved, out);
        },
        buffer, along);
    change.after.col(k) = direction + (instant.t - event.t) * along;
  }
  instant.to->velocity(instant.t, instant.after, velocity);
  change.at = change.after + velocity * change.time.transpose();
  return true;
}

Saltation::Change AccumulatedChanges::limit(const Saltation::Instant& instant, const EventRecord& record,
                                            Saltation& saltation, const Matrix& s) {
  Saltation::Change change;
  change.after = change.at = s;
  if (rest(instant, record, change, s)) return change;
  const Past* before = nullptr;
  const Past* earliest = nullptr;
  const Past* const end = last(before, earliest);
  change.time = Vector::Constant(s.cols(), std::numeric_limits<double>::quiet_NaN());
  double ratio = std::numeric_limits<double>::quiet_NaN();
  if (end) ratio = (end->t - before->t) / (before->t - earliest->t);
  const bool is_told = ratio > 0 && ratio < 1;
  const double scale = (1 - ratio) * (1 - ratio);
  if (is_told) change.time = (end->time - 2 * ratio * before->time + ratio * ratio * earliest->time) / scale;
  if (instant.to && instant.to->ode().slides()) {
    // Relays moved S while they turned, and no more of them than what leaves it in the surfaces.
    saltation.settle(*instant.to, instant.t, instant.after, change.after);
    change.exists = true;
    return change;
  }
  if (!is_told || !instant.to) {
    change.exists = false;
    change.reason = "events accumulate, too few of them to tell the derivative of their limit";
    return change;
  }
  Vector velocity(s.rows());
  instant.to->velocity(instant.t, instant.after, velocity);
  change.at = (end->at - 2 * ratio * before->at + ratio * ratio * earliest->at) / scale;
  change.after = change.at - velocity * change.time.transpose();
  return change;
}

}  // namespace slideway
