#include "sensitivity/saltation.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>

#include "core/factorise.hpp"
#include "model/differentiable_reset.hpp"
#include "sensitivity/differences.hpp"
#include "sensitivity/start_sides.hpp"

namespace slideway {

namespace {

// Two fields are one, and two derivatives the same, where they differ by less than this part of themselves. Fields at an event differ
// by what their arguments are off by, a tolerance, times their stiffness; derivatives that are not the same differ by parts of 1.
constexpr double kSameField = 1e-6;
constexpr double kSameDerivative = 1e-6;
// An exit belongs to the instant where its function, at its rate, is zero within this part of the stretch before. A located zero is at
// 1e-10 of it or less, and a function that the exit does not depend on is away by the stretch itself: this is between the two.
constexpr double kAtZero = 1e-3;
// Differences of a smooth jump by two steps agree to some 1e-11; those of a kink or a step differ by parts of themselves.
constexpr double kSmoothJump = 1e-6;
// A kink is looked for by steps of 1e-7 of the arguments: this part of a difference's step, which is a hundredth of them. The second
// difference over such a step is 1e-7 of the slope where the jump varies as its arguments do, and 4ε/1e-7 = 1e-8 of its values by
// rounding. The bounds are a thousand times the one and, as the step turns them into slopes, a hundred times the other.
// With half and twice the step all jumps of the tests are told alike.
constexpr double kKinkStep = 1e-5;
constexpr double kKinkOfSlope = 1e-4;
constexpr double kKinkOfValue = 1e-12;
// The step of a difference changes the speed of an impact by this part of it at most. A change by all of it would leave no impact.
constexpr double kPartOfSpeed = 0.1;
// The change of speed is linear in short steps, so that the second try arrives; further ones serve curved gaps.
constexpr int kMostTries = 8;
constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

bool is_jump(EventKind kind) {
  return kind == EventKind::reset || kind == EventKind::transition || kind == EventKind::impact ||
         kind == EventKind::contact || kind == EventKind::sample;
}

// An event of the first round at a time that is known.
bool is_at_known_time(const EventRecord& record) {
  return record.kind == EventKind::sample && record.round <= 1;
}

bool is_watched(EventKind kind) {
  return kind == EventKind::reset || kind == EventKind::transition || kind == EventKind::stop ||
         kind == EventKind::record;
}

bool is_of_kind(EventKind kind, const Watched& watched) {
  switch (kind) {
    case EventKind::record: return watched.kind == WatchedKind::record;
    case EventKind::stop: return watched.kind == WatchedKind::stop;
    default: return watched.kind == WatchedKind::reset || watched.kind == WatchedKind::edge;
  }
}

bool has_name(const EventRecord& record, const Watched& watched) {
  return record.name ? *record.name == watched.name : watched.name.empty();
}

// The event of a record; of several that it may be the one whose guard is nearest to zero. Null where there is none.
const Watched* fired(const EventWatch& watch, const Automaton& automaton, const EventRecord& record, double t,
                     ConstVectorRef x) {
  const Watched* best = nullptr;
  double nearest = std::numeric_limits<double>::infinity();
  for (Index e = 0; e < watch.size(); ++e) {
    const Watched& watched = watch[e];
    if (!is_of_kind(record.kind, watched) || !has_name(record, watched)) continue;
    if (watched.kind == WatchedKind::edge && record.to_location &&
        automaton.edges()[watched.edge].to != *record.to_location)
      continue;
    const double away = std::abs(watched.when.value(t, x));
    if (best && !(away < nearest)) continue;
    best = &watched;
    nearest = away;
  }
  return best;
}

// slides_after() tells whether the k-th listed surface slides in the mode that follows.
bool slides_after(const EventRecord& record, std::size_t k) {
  if (!record.to) return false;
  const Index place = record.listed_only ? static_cast<Index>(k) : record.surfaces[k];
  return place < record.to->size() && record.to->slides_on(place);
}

// has_kink() tells whether the slopes of f(s) to either side of 0 differ, where central differences of any step
// give their mean: (f(s) + f(−s) − 2f(0))/s of what is smooth is below both bounds.
template <class Values>
bool has_kink(const Values& f, double step, const Vector& slope) {
  if (!(step > 0)) return false;
  const Vector here = f(0.0), ahead = f(step), behind = f(-step);
  const Vector jump = (ahead + behind - 2 * here) / step;
  // A step of equal parts to both sides is seen by the slope between these alone.
  const Vector off = (ahead - behind) / (2 * step) - slope;
  const Vector sizes = here.cwiseAbs().cwiseMax(ahead.cwiseAbs()).cwiseMax(behind.cwiseAbs());
  return (jump.cwiseAbs().cwiseMax(off.cwiseAbs()).array() >
          kKinkOfSlope * slope.cwiseAbs().array() + kKinkOfValue / step * sizes.array())
      .any();
}

// Onto gap = 0, without speed, of the contacts that are closed; nothing where that is not found.
void onto_contacts(SegmentField& field, double t, Vector& x) {
  field.tools().contacts->project(t, field.closed(), field.lambda(t, x), field.contact_modes(),
                                  field.weights(), x);
}

// agree() tells whether two derivatives are the same but for errors of the solution.
bool agree(const Matrix& a, const Matrix& b) {
  const double size = std::max(a.cwiseAbs().maxCoeff(), b.cwiseAbs().maxCoeff());
  return (a - b).cwiseAbs().maxCoeff() <= kSameDerivative * size;
}

bool is_same_time(double a, double b) {
  return std::abs(a - b) <= kSameDerivative * std::max(std::abs(a), std::abs(b));
}

bool is_same_time_in_all(const Vector& a, const Vector& b) {
  for (Index c = 0; c < a.size(); ++c)
    if (!is_same_time(a[c], b[c])) return false;
  return true;
}

}  // namespace

double Saltation::value(SegmentField& field, Index slot, double t, ConstVectorRef x) {
  ModeOde& ode = field.ode();
  const Index first_contact = ode.contact_slot(0);
  const Index first_event = ode.event_slot(0);
  if (slot >= first_event) return field.tools().event_value(t, x, slot - first_event);
  guards_.resize(ode.guards());
  if (slot < first_contact && !field.mode().slides_on(slot / 2)) {
    field.tools().evaluator.guards(t, x, guards_.head(field.surfaces()));
    return guards_[slot / 2];
  }
  ode.exit_guards(t, x, guards_);
  return guards_[slot];
}

std::optional<double> Saltation::slope_of_exit(SegmentField& field, Index slot, double t, ConstVectorRef x,
                                               double t_dot, ConstVectorRef x_dot) {
  ModeOde& ode = field.ode();
  Evaluator& evaluator = field.tools().evaluator;
  const std::vector<Index>& sliding = ode.field().sliding();
  if (slot >= ode.contact_slot(0) || sliding.size() != 1 || ode.field().solves_for_lambda())
    return std::nullopt;
  if (evaluator.breaks_away() || !evaluator.guards_are_affine() ||
      evaluator.field_along_source() != DerivativeSource::dual)
    return std::nullopt;
  const Index surface = sliding.front();
  const bool is_plus = slot != ModeOde::first_slot(surface);
  Vector lambda = Vector::Zero(field.surfaces());
  field.mode().fill_lambda(lambda);
  lambda[surface] = is_plus ? 1 : -1;
  buffer_.resize(x.size());
  moved_.resize(x.size());
  evaluator.field_along(t, x, lambda, t_dot, x_dot, moved_, buffer_);
  const double slope = evaluator.guard_rate(t, x, buffer_, surface) - evaluator.affine_dt()[surface];
  if (!std::isfinite(slope)) return std::nullopt;
  return is_plus ? -slope : slope;
}

double Saltation::slope(SegmentField& field, Index slot, bool is_exit, double t, ConstVectorRef x,
                        double t_dot, ConstVectorRef x_dot) {
  ModeOde& ode = field.ode();
  LocationTools& tools = field.tools();
  if (!is_exit) {
    if (slot >= ode.event_slot(0)) return tools.watch[slot - ode.event_slot(0)].when.rate(t, x, t_dot, x_dot);
    if (slot >= ode.contact_slot(0))
      return tools.contacts->contact(slot - ode.contact_slot(0)).gap.rate(t, x, t_dot, x_dot);
    Vector rates(field.surfaces());
    tools.evaluator.guard_directional(t, x, t_dot, x_dot, rates);
    return rates[slot / 2];
  }
  if (const std::optional<double> exact = slope_of_exit(field, slot, t, x, t_dot, x_dot)) return *exact;
  Vector derivative(1), at(x.size());
  const auto along = [&](double time_rate, ConstVectorRef direction) {
    const double step = difference_step(t, x, time_rate, direction, field.typical_sizes(), 1);
    refined_difference(
        step,
        [&](double s, Vector& out) {
          at = x + s * direction;
          out[0] = value(field, slot, t + s * time_rate, at);
        },
        buffer_, derivative);
    return derivative[0];
  };
  // Each parameter moves by itself, and by the same steps at every event: a problem for other values of it may have to be made.
  const Index n = field.states_of_problem();
  Vector direction = x_dot;
  direction.tail(x.size() - n).setZero();
  double result = along(t_dot, direction);
  for (Index k = n; k < x.size(); ++k) {
    if (x_dot[k] != 0) result += x_dot[k] * along(0, Vector::Unit(x.size(), k));
  }
  return result;
}

Vector Saltation::times(SegmentField& field, const Trigger& trigger, const Instant& instant, double rate,
                        const Matrix& s) {
  Vector result(s.cols());
  for (Index c = 0; c < s.cols(); ++c) {
    const Vector column = s.col(c);
    result[c] = -slope(field, trigger.slot, trigger.is_exit, instant.t, instant.before, 0, column) / rate;
  }
  return result;
}

void Saltation::add_event_triggers(const Instant& instant, const EventRecord& record,
                                   std::vector<Trigger>& found) {
  SegmentField& from = *instant.from;
  const EventWatch& watch = from.tools().watch;
  Trigger best;
  double nearest = std::numeric_limits<double>::infinity();
  for (Index e = 0; e < watch.size(); ++e) {
    if (!is_of_kind(record.kind, watch[e]) || !has_name(record, watch[e])) continue;
    const double distance = std::abs(watch[e].when.value(instant.t, instant.before));
    if (!(distance < nearest)) continue;
    nearest = distance;
    best.slot = from.ode().event_slot(e);
  }
  if (std::isfinite(nearest)) found.push_back(best);
}

void Saltation::add_nearest_edge(const Instant& instant, std::vector<Trigger>& found) {
  const EventWatch& watch = instant.from->tools().watch;
  Trigger best;
  double nearest = std::numeric_limits<double>::infinity();
  for (Index e = 0; e < watch.size(); ++e) {
    const double distance = std::abs(watch[e].when.value(instant.t, instant.before));
    if (watch[e].kind != WatchedKind::edge || !(distance < nearest)) continue;
    nearest = distance;
    best.slot = instant.from->ode().event_slot(e);
  }
  if (std::isfinite(nearest)) found.push_back(best);
}

std::vector<Saltation::Trigger> Saltation::triggers(const Instant& instant, const Vector& velocity) {
  SegmentField& from = *instant.from;
  std::vector<Trigger> found;
  const Index surfaces = from.surfaces();
  bool jumped = false;
  std::vector<Trigger> exits;
  for (const EventRecord* const record : instant.records) {
    if (record->round > 1) break;
    if (is_watched(record->kind)) {
      add_event_triggers(instant, *record, found);
      jumped = jumped || is_jump(record->kind);
      continue;
    }
    if (jumped && !is_jump(record->kind)) break;
    for (std::size_t k = 0; k < record->surfaces.size(); ++k) {
      const Index i = record->surfaces[k];
      Trigger trigger;
      if (i >= surfaces) {
        const Index c = i - surfaces;
        if (!from.tools().contacts || c >= from.tools().contacts->contacts()) {
          // The surface between two locations that are about to be one.
          add_nearest_edge(instant, found);
          continue;
        }
        const std::vector<Index>& closed = from.closed();
        const bool is_closed = std::find(closed.begin(), closed.end(), c) != closed.end();
        trigger.slot = from.ode().contact_slot(c);
        trigger.is_exit = is_closed;
        if (is_closed == is_jump(record->kind)) continue;
        (is_closed ? exits : found).push_back(trigger);
        continue;
      }
      if (jumped) continue;
      trigger.is_surface = true;
      trigger.surface = i;
      if (!from.mode().slides_on(i)) {
        trigger.slot = ModeOde::first_slot(i);
        found.push_back(trigger);
      } else if (!slides_after(*record, k)) {
        trigger.is_exit = true;
        const Index slot = ModeOde::first_slot(i);
        const bool is_plus = std::abs(value(from, slot + 1, instant.t, instant.before)) <
                             std::abs(value(from, slot, instant.t, instant.before));
        trigger.slot = slot + (is_plus ? 1 : 0);
        exits.push_back(trigger);
      }
    }
    jumped = jumped || is_jump(record->kind);
  }
  if (found.empty()) found = exits;
  std::vector<Trigger> distinct;
  for (Trigger& trigger : found) {
    if (std::any_of(distinct.begin(), distinct.end(),
                    [&](const Trigger& other) { return other.slot == trigger.slot; }))
      continue;
    trigger.rate = slope(from, trigger.slot, trigger.is_exit, instant.t, instant.before, 1, velocity);
    distinct.push_back(trigger);
  }
  if (distinct.empty() || !distinct.front().is_exit) return distinct;
  // Several that stop to slide at once do so for one reason, the one that is zero here.
  Trigger nearest;
  double least = std::numeric_limits<double>::infinity();
  for (const Trigger& trigger : distinct) {
    const double away = std::abs(value(from, trigger.slot, instant.t, instant.before) / trigger.rate);
    if (!(away < least)) continue;
    least = away;
    nearest = trigger;
  }
  // The exits tell nothing of the time, and none is near zero, where more surfaces slide than their fields span.
  const bool is_told =
      !instant.segment_before || least <= kAtZero * (instant.t - instant.segment_before->start);
  return is_told && std::isfinite(least) ? std::vector{nearest} : std::vector<Trigger>();
}

// time_event_of() takes, of several of the same name that are due, the k-th for the k-th record.
const TimeEvent* Saltation::time_event_of(const Instant& instant, const EventRecord& record) const {
  const SegmentField& field = instant.from ? *instant.from : *instant.to;
  std::size_t before = 0;
  for (const EventRecord* const other : instant.records) {
    if (other == &record) break;
    if (other->kind == EventKind::sample && other->name == record.name) ++before;
  }
  for (const TimeEvent& event : field.time_events()) {
    if (event.name != record.name.value_or("")) continue;
    const double due = event.time(event.first_from(record.t));
    if (!(std::abs(due - record.t) <= time_rounding(record.t))) continue;
    if (before-- == 0) return &event;
  }
  return nullptr;
}

Vector Saltation::known_time(const Instant& instant, const EventRecord& record, const Matrix& s) const {
  Vector result = Vector::Zero(s.cols());
  const TimeEvent* const event = time_event_of(instant, record);
  const auto* const reset = event ? event->reset.target<DifferentiableReset>() : nullptr;
  if (!reset || !reset->times()) return result;
  const SegmentField& field = instant.from ? *instant.from : *instant.to;
  const Index states = field.states_of_problem();
  const std::int64_t k = event->first_from(record.t);
  for (Index c = 0; c < s.cols(); ++c) result[c] = reset->times()->rate(k, s.col(c).tail(s.rows() - states));
  return result;
}

void Saltation::take_known_times(const Instant& instant, const Matrix& s, Change& change) const {
  bool is_first = true;
  for (const EventRecord* const record : instant.records) {
    if (!is_at_known_time(*record)) continue;
    const Vector time = known_time(instant, *record, s);
    if (!is_first && !is_same_time_in_all(time, change.time)) {
      change.exists = false;
      change.reason = "known times that move apart coincide, and their order may matter";
    }
    if (is_first) change.time = time;
    is_first = false;
  }
  if (change.time.isZero(0) || (instant.from && instant.to)) return;
  change.exists = false;
  change.reason = "a known time that moves is that of the start or of the end of the run";
}

const ResetFunction* Saltation::reset_of(const Instant& instant, const EventRecord& record, double t,
                                         ConstVectorRef x) {
  if (record.kind == EventKind::sample) {
    const TimeEvent* const event = time_event_of(instant, record);
    return event ? &event->reset : nullptr;
  }
  // The location that it leaves may be one that this instant only passed through.
  SegmentField& field = instant.from ? *instant.from : *instant.to;
  const LocationTools* const passed = record.from_location ? field.tools_of(*record.from_location) : nullptr;
  const EventWatch* const watches[] = {passed ? &passed->watch : nullptr, &field.tools().watch,
                                       instant.to ? &instant.to->tools().watch : nullptr};
  for (const EventWatch* const watch : watches) {
    const Watched* const watched = watch ? fired(*watch, field.automaton(), record, t, x) : nullptr;
    if (watched) return watched->reset ? &watched->reset : nullptr;
  }
  return nullptr;
}

void Saltation::jump_once(const Instant& instant, const EventRecord& record, double t, VectorRef x) {
  LocationTools& tools = instant.from ? instant.from->tools() : instant.to->tools();
  if (record.kind == EventKind::sample) {
    const ResetFunction* const reset = reset_of(instant, record, t, x);
    jump_is_smooth_ = jump_is_smooth_ && reset != nullptr;
    if (!reset) return;
    const Vector before = x;
    (*reset)(t, before, x);
    return;
  }
  if (record.kind == EventKind::impact || record.kind == EventKind::contact) {
    const Index surfaces = tools.system.surfaces();
    std::vector<Index> touching = instant.from ? instant.from->closed() : std::vector<Index>();
    for (const Index i : record.surfaces)
      if (i >= surfaces) touching.push_back(i - surfaces);
    std::sort(touching.begin(), touching.end());
    touching.erase(std::unique(touching.begin(), touching.end()), touching.end());
    const Vector lambda = instant.from ? instant.from->lambda(t, x) : instant.to->lambda(t, x);
    ContactModes modes = (instant.from ? instant.from : instant.to)->contact_modes();
    tools.contacts->impact(t, lambda, touching, true, modes, x);
    return;
  }
  if (const ResetFunction* const reset = reset_of(instant, record, t, x)) {
    const Vector before = x;
    (*reset)(t, before, x);
  }
}

const DifferentiableReset* Saltation::exact_reset_of(const Instant& instant, const EventRecord& record,
                                                     ConstVectorRef x) {
  if (record.kind == EventKind::impact || record.kind == EventKind::contact) return nullptr;
  const ResetFunction* const reset = reset_of(instant, record, instant.t, x);
  const auto* const exact = reset ? reset->target<DifferentiableReset>() : nullptr;
  return exact && exact->has_along() ? exact : nullptr;
}

double Saltation::step_of_impact(const Instant& instant, const EventRecord& record, const Vector& x,
                                 double time, const Vector& direction, double step) {
  if (record.kind != EventKind::impact && record.kind != EventKind::contact) return step;
  LocationTools& tools = instant.from ? instant.from->tools() : instant.to->tools();
  SegmentField& field = instant.from ? *instant.from : *instant.to;
  const Vector lambda = field.lambda(instant.t, x);
  for (const Index i : record.surfaces) {
    const Index c = i - tools.system.surfaces();
    if (c < 0) continue;
    const double speed = -tools.contacts->rate(instant.t, x, lambda, c);
    if (!(speed > 0)) continue;
    for (int k = 0; k < kMostTries; ++k) {
      double change = 0;
      for (const double s : {-step, step}) {
        moved_ = x + s * direction;
        try {
          change = std::max(change,
                            std::abs(tools.contacts->rate(instant.t + s * time, moved_, lambda, c) + speed));
        } catch (const std::exception&) {
          // Beyond a bound of a parameter there is no impact to look at.
        }
      }
      if (!(change > kPartOfSpeed * speed)) break;
      // The new step is a little shorter than a linear change asks for, so that few tries are needed.
      step *= 0.9 * kPartOfSpeed * speed / change;
    }
  }
  return step;
}

Matrix Saltation::jump(const Instant& instant, const Vector& time, const Matrix& moved) {
  Matrix result = moved;
  Vector x = instant.before;
  double typical = 1;
  // The state before the instant is on the contacts that are closed, and so are its neighbours.
  bool is_first = instant.from && !instant.from->closed().empty();
  for (const EventRecord* const record : instant.records) {
    if (!is_jump(record->kind)) continue;
    // Entries that the jump leaves as they are have their own derivative, without the rounding of differences.
    std::vector<char> is_changed(static_cast<std::size_t>(x.size()), 0);
    const auto jump_from_contacts = [&](double t, Vector& state) {
      const Vector start = state;
      if (is_first) onto_contacts(*instant.from, t, state);
      jump_once(instant, *record, t, state);
      for (Index i = 0; i < state.size(); ++i)
        if (state[i] != start[i]) is_changed[static_cast<std::size_t>(i)] = 1;
    };
    Vector image(x.size());
    const DifferentiableReset* const exact = is_first ? nullptr : exact_reset_of(instant, *record, x);
    const bool compares = exact && exact->compares_neighbours();
    for (Index c = 0; c < result.cols(); ++c) {
      const Vector direction = result.col(c);
      const double longest =
          difference_step(instant.t, x, time[c], direction,
                          (instant.from ? instant.from : instant.to)->typical_sizes(), typical);
      const double step = step_of_impact(instant, *record, x, time[c], direction, longest);
      std::fill(is_changed.begin(), is_changed.end(), char{0});
      bool is_exact = false;
      if (exact) {
        moved_ = x;
        image = direction;
        exact->along(instant.t, x, time[c], direction, moved_, image);
        is_exact = image.allFinite();
      }
      Reached reached = Reached::both_sides;
      const double apart = is_exact ? 0
                                    : refined_difference(
                                          step,
                                          [&](double h, Vector& out) {
                                            out = x + h * direction;
                                            jump_from_contacts(instant.t + h * time[c], out);
                                          },
                                          buffer_, image, &reached);
      const auto moved_by = [&](double length) -> Vector {
        Vector out = x + length * direction;
        jump_from_contacts(instant.t + length * time[c], out);
        return out;
      };
      // At a bound of a parameter there is one side only, and no kink.
      const bool is_bent =
          !compares && reached == Reached::both_sides && has_kink(moved_by, kKinkStep * step, image);
      jump_is_smooth_ = jump_is_smooth_ && apart <= kSmoothJump && !is_bent;
      for (Index i = 0; i < image.size(); ++i)
        result(i, c) = is_exact || is_changed[static_cast<std::size_t>(i)] != 0 ? image[i] : direction[i];
    }
    jump_from_contacts(instant.t, x);
    is_first = false;
  }
  return result;
}

void Saltation::settle(SegmentField& to, double t, ConstVectorRef x, Matrix& s) {
  const Matrix kept = to.kept_normals(t, x);
  if (kept.rows() > 0) {
    // Parameters stay; of the states those move that the constraints see.
    Matrix by_state = kept;
    by_state.rightCols(x.size() - to.states_of_problem()).setZero();
    s -= by_state.completeOrthogonalDecomposition().solve(kept * s);
  }
  if (!to.ode().slides()) return;
  const std::vector<Index>& sliding = to.ode().field().sliding();
  const auto k = static_cast<Index>(sliding.size());
  const Index n = x.size();
  Matrix normals(k, n);
  Vector gradient(n);
  for (Index r = 0; r < k; ++r) {
    to.tools().evaluator.guard_gradient(t, x, sliding[static_cast<std::size_t>(r)], gradient);
    normals.row(r) = gradient.transpose();
  }
  const Matrix off = normals * s;
  if (off.cwiseAbs().maxCoeff() <= 1e-14 * (normals.cwiseAbs() * s.cwiseAbs()).maxCoeff()) return;
  const Vector lambda = to.lambda(t, x);
  Matrix effects = Matrix::Zero(n, to.surfaces());
  to.tools().evaluator.field_dlambda(t, x, lambda, effects);
  Matrix columns(n, k);
  for (Index r = 0; r < k; ++r) columns.col(r) = effects.col(sliding[static_cast<std::size_t>(r)]);
  const Eigen::FullPivLU<Matrix> couplings(normals * columns);
  if (!couplings.isInvertible()) return;
  s -= columns * couplings.solve(off);
}

// The first event comes first, then the second one along what follows the first.
std::optional<Matrix> Saltation::in_order(const Instant& instant, const Trigger& first, const Trigger& second,
                                          const Vector& velocity, const Vector& velocity_after,
                                          const Matrix& s) {
  Segment between = *instant.segment_before;
  LocationTools& tools = instant.from->tools();
  Vector lambda = instant.from->lambda(instant.t, instant.before);
  Vector minus(velocity.size()), plus(velocity.size()), gradient(velocity.size());
  tools.evaluator.neighbour_fields(instant.t, instant.before, lambda, first.surface, minus, plus);
  const double w_minus = tools.evaluator.guard_rate(instant.t, instant.before, minus, first.surface);
  const double w_plus = tools.evaluator.guard_rate(instant.t, instant.before, plus, first.surface);
  if (w_minus > 0 && w_plus > 0) {
    between.mode.set(first.surface, Side::plus);
  } else if (w_minus < 0 && w_plus < 0) {
    between.mode.set(first.surface, Side::minus);
  } else if (w_minus > 0 && w_plus < 0) {
    between.mode.set(first.surface, Side::sliding);
  } else {
    return std::nullopt;
  }
  middle_.take(between, instant.t, instant.before, lambda);
  Vector along(velocity.size());
  middle_.velocity(instant.t, instant.before, along);
  const Vector time = times(*instant.from, first, instant, first.rate, s);
  Matrix result = s + (velocity - along) * time.transpose();
  const double rate = slope(middle_, second.slot, false, instant.t, instant.before, 1, along);
  if (rate == 0) return std::nullopt;
  const Vector later = times(middle_, second, instant, rate, result);
  result += (along - velocity_after) * later.transpose();
  return result;
}

Saltation::Change Saltation::in_orders(const Instant& instant, const std::vector<Trigger>& triggers,
                                       const Vector& velocity, const Vector& velocity_after,
                                       const Matrix& s) {
  Change change;
  std::vector<Vector> all;
  for (const Trigger& trigger : triggers)
    all.push_back(times(*instant.from, trigger, instant, trigger.rate, s));
  change.time = all.front();
  change.times.resize(static_cast<Index>(all.size()), s.cols());
  for (std::size_t k = 0; k < all.size(); ++k) change.times.row(static_cast<Index>(k)) = all[k].transpose();
  bool same_times = true;
  for (const Vector& other : all) same_times = same_times && agree(other, all.front());
  change.at = s + velocity * change.time.transpose();
  change.after = change.at - velocity_after * change.time.transpose();
  settle(*instant.to, instant.t, instant.after, change.after);
  if (same_times) return change;
  const bool may_try = triggers.size() == 2 && triggers[0].is_surface && triggers[1].is_surface &&
                       !triggers[0].is_exit && !triggers[1].is_exit;
  std::optional<Matrix> orders[2];
  try {
    for (const int k : {0, 1}) {
      if (!may_try) continue;
      orders[k] = in_order(instant, triggers[static_cast<std::size_t>(k)],
                           triggers[static_cast<std::size_t>(1 - k)], velocity, velocity_after, s);
      if (orders[k]) settle(*instant.to, instant.t, instant.after, *orders[k]);
    }
  } catch (const std::exception&) {
    orders[0].reset();
  }
  if (orders[0] && orders[1]) {
    change.time_below = change.time_above = change.time;
    change.after_below = change.after_above = change.after;
    for (Index c = 0; c < s.cols(); ++c) {
      // Towards larger values the earlier of the two comes first.
      const int first = all[0][c] <= all[1][c] ? 0 : 1;
      change.after_above.col(c) = orders[first]->col(c);
      change.after_below.col(c) = orders[1 - first]->col(c);
      change.time_above[c] = all[static_cast<std::size_t>(first)][c];
      change.time_below[c] = all[static_cast<std::size_t>(1 - first)][c];
      if (!is_same_time(change.time_above[c], change.time_below[c])) change.time[c] = kNoNumber;
    }
    change.after = change.after_above;
    change.in_one_order = *orders[0];
    if (agree(change.after_above, change.after_below)) return change;
    change.exists = false;
    change.reason = "two events coincide, and what follows depends on which of them is first";
    return change;
  }
  std::vector<Matrix> others;
  for (const Vector& time : all) {
    Matrix other = s + (velocity - velocity_after) * time.transpose();
    settle(*instant.to, instant.t, instant.after, other);
    others.push_back(std::move(other));
  }
  for (const Matrix& other : others) {
    if (agree(other, others.front())) continue;
    change.exists = false;
    change.reason = "events coincide whose order may matter";
  }
  for (Index c = 0; c < s.cols(); ++c)
    for (const Vector& time : all)
      if (!is_same_time(time[c], all.front()[c])) change.time[c] = kNoNumber;
  return change;
}

bool Saltation::begins_on(double value, ConstVectorRef gradient, ConstVectorRef x, const Matrix& s) {
  constexpr double rounding = 16 * std::numeric_limits<double>::epsilon();
  if (std::abs(value) > rounding * gradient.cwiseAbs().dot(x.cwiseAbs())) return false;
  const Vector moves = (gradient.transpose() * s).transpose().cwiseAbs();
  const Vector sizes = (gradient.cwiseAbs().transpose() * s.cwiseAbs()).transpose();
  return (moves.array() > rounding * sizes.array()).any();
}

// A solution that begins where something happens at once has neighbours to which it happens later, or not at all.
void Saltation::look_at_start(const Instant& instant, const Matrix& s, Change& change) {
  SegmentField& to = *instant.to;
  LocationTools& tools = to.tools();
  const double t = instant.t;
  const Vector& x = instant.before;
  Vector gradient(x.size());
  for (const EventRecord* const record : instant.records) {
    if (record->round > 1 || !is_jump(record->kind) || !is_watched(record->kind)) continue;
    LocationTools* const begun = record->from_location ? to.tools_of(*record->from_location) : nullptr;
    const Watched* const watched = fired(begun ? begun->watch : tools.watch, to.automaton(), *record, t, x);
    if (!watched) continue;
    watched->when.gradient(t, x, gradient);
    if (!begins_on(watched->when.value(t, x), gradient, x, s)) continue;
    change.exists = false;
    change.reason = "the run begins where an event fires: beside it the event comes later, or not at all";
    look_beside_event(instant, *record, *watched, s, change);
    return;
  }
  if (!change.exists || !instant.segment_after) return;
  Vector guards(to.surfaces()), minus(x.size()), plus(x.size());
  tools.evaluator.guards(t, x, guards);
  std::vector<Index> jumping;
  bool leaves = false;
  for (Index i = 0; i < to.surfaces(); ++i) {
    tools.evaluator.guard_gradient(t, x, i, gradient);
    if (!begins_on(guards[i], gradient, x, s)) continue;
    Vector lambda = to.lambda(t, x);
    tools.evaluator.neighbour_fields(t, x, lambda, i, minus, plus);
    if ((minus - plus).norm() <= kSameField * (minus.norm() + plus.norm())) continue;
    jumping.push_back(i);
    leaves = leaves || !to.mode().slides_on(i);
  }
  // Where all of them are slid along, neighbours arrive from both sides, and that is what settle() has done.
  if (!leaves) return;
  change.exists = false;
  change.reason =
      "the run begins on a surface where the field jumps: beside it solutions begin on one side or the "
      "other";
  StartSides::Sides sides = StartSides(middle_).find(t, x, to, *instant.segment_after, jumping, s);
  take_sides(instant, sides.below, sides.above, change);
}

// Neighbours before the event come to it later; those behind it have it at once where it is an edge, and have none where it is not.
void Saltation::look_beside_event(const Instant& instant, const EventRecord& record, const Watched& watched,
                                  const Matrix& s, Change& change) {
  const Vector& x = instant.before;
  const std::string location = record.from_location.value_or(
      instant.segment_after && !record.to_location ? instant.segment_after->location : "");
  LocationTools* const begun = instant.to->tools_of(location);
  const auto jumps = std::count_if(instant.records.begin(), instant.records.end(),
                                   [](const auto* other) { return is_jump(other->kind); });
  if (!begun || begun->contacts || jumps != 1 || watched.delay.time > 0 ||
      watched.initially != Initially::by_rule)
    return;
  const Index surfaces = begun->system.surfaces();
  Vector guards(surfaces), gradient(x.size());
  begun->evaluator.guards(instant.t, x, guards);
  Segment before{.start = instant.t, .end = instant.t, .mode = Mode(surfaces), .location = location};
  for (Index i = 0; i < surfaces; ++i) {
    begun->evaluator.guard_gradient(instant.t, x, i, gradient);
    if (begins_on(guards[i], gradient, x, s)) return;
    before.mode.set(i, guards[i] < 0 ? Side::minus : Side::plus);
  }
  middle_.take(before, instant.t, x, Vector());
  Instant later = instant;
  later.from = &middle_;
  const Change late = changed(later, s);
  if (!late.exists) return;
  Vector velocity(x.size());
  middle_.velocity(instant.t, x, velocity);
  const double rate = watched.when.rate(instant.t, x, 1, velocity);
  watched.when.gradient(instant.t, x, gradient);
  const bool fires_behind = watched.kind == WatchedKind::edge && watched.direction != Direction::any;
  Matrix below = late.after, above = late.after;
  change.time_below = change.time_above = late.time;
  for (Index c = 0; c < s.cols(); ++c) {
    const double moves = gradient.dot(s.col(c)) * (rate < 0 ? -1 : 1);
    if (moves == 0) continue;
    auto behind = moves > 0 ? above.col(c) : below.col(c);
    double& time = moves > 0 ? change.time_above[c] : change.time_below[c];
    if (fires_behind) {
      behind = change.after.col(c);
      time = 0;
    } else {
      behind.setConstant(kNoNumber);
      time = kNoNumber;
    }
    change.time[c] = kNoNumber;
  }
  take_sides(instant, below, above, change);
}

void Saltation::take_sides(const Instant& instant, Matrix& below, Matrix& above, Change& change) {
  bool same = true;
  for (Index c = 0; c < below.cols(); ++c) {
    Matrix sides[2] = {below.col(c), above.col(c)};
    for (Matrix& side : sides)
      if (side.allFinite()) settle(*instant.to, instant.t, instant.after, side);
    below.col(c) = sides[0];
    above.col(c) = sides[1];
    const bool is_one = sides[0].allFinite() && sides[1].allFinite() && agree(sides[0], sides[1]);
    if (is_one) change.after.col(c) = above.col(c);
    same = same && is_one;
  }
  if (!same) {
    change.after_below = below;
    change.after_above = above;
    return;
  }
  change.exists = true;
  change.reason.clear();
}

Saltation::Change Saltation::apply(const Instant& instant, const Matrix& s) {
  jump_is_smooth_ = true;
  Change change = changed(instant, s);
  if (!instant.from && instant.to && change.exists) look_at_start(instant, s, change);
  if (jump_is_smooth_ || !change.exists) return change;
  change.exists = false;
  change.reason = "what the jump sets has a kink or a step here";
  return change;
}

Saltation::Change Saltation::changed(const Instant& instant, const Matrix& s) {
  Change change;
  const Index n = s.rows();
  change.time = Vector::Zero(s.cols());
  change.at = change.after = s;
  bool jumps = false;
  for (const EventRecord* const record : instant.records) {
    jumps = jumps || is_jump(record->kind);
    if (record->kind == EventKind::grazing) {
      change.exists = false;
      change.reason =
          "the solution touches a surface: beside it some solutions meet the surface and others do not";
    }
    if (record->kind == EventKind::two_fold || record->kind == EventKind::repelling ||
        record->kind == EventKind::ambiguous) {
      change.exists = false;
      change.reason = "what follows is not unique";
    }
  }
  Vector velocity = Vector::Zero(n), velocity_after = Vector::Zero(n);
  std::vector<Trigger> found;
  if (instant.from) {
    instant.from->velocity(instant.t, instant.before, velocity);
    found = triggers(instant, velocity);
  }
  if (instant.to) instant.to->velocity(instant.t, instant.after, velocity_after);
  if (!change.exists && !jumps) {
    // A touch, or one of several continuations: this solution goes on with its own derivative.
    change.time.setConstant(kNoNumber);
    if (instant.to) settle(*instant.to, instant.t, instant.after, change.after);
    return change;
  }
  const double speeds = velocity.norm() + velocity_after.norm();
  const bool is_one_field = !jumps && instant.to && (velocity - velocity_after).norm() <= kSameField * speeds;
  for (const Trigger& trigger : found) {
    if (std::abs(trigger.rate) > 0) continue;
    change.time.setConstant(kNoNumber);
    // Whenever a surface is met that does not change the field, as by a tank that is found empty, the derivatives go on.
    if (is_one_field && found.size() == 1) return change;
    change.exists = false;
    change.reason = "a surface is met without speed";
    return change;
  }
  const bool at_known_time = std::any_of(instant.records.begin(), instant.records.end(),
                                         [](const EventRecord* record) { return is_at_known_time(*record); });
  if (at_known_time && !found.empty()) {
    change.exists = false;
    change.reason = "an event coincides with a time that is known, and their order may matter";
    found.clear();
  } else if (at_known_time) {
    take_known_times(instant, s, change);
  }
  if (found.size() > 1 && !jumps && instant.to) return in_orders(instant, found, velocity, velocity_after, s);
  const bool changes_mode = instant.from && instant.to && !instant.records.empty();
  if (found.empty() && changes_mode && !at_known_time) {
    // The field must not change where nothing tells when.
    change.time.setConstant(kNoNumber);
    if (is_one_field) return change;
    change.exists = false;
    change.reason = "nothing that is zero tells when this happens";
    if (!jumps) return change;
    change.time.setZero();
  }
  if (!found.empty()) change.time = times(*instant.from, found.front(), instant, found.front().rate, s);
  const auto through = [&](const Vector& time) {
    change.at = s + velocity * time.transpose();
    if (jumps) change.at = jump(instant, time, change.at);
    Matrix after = change.at - velocity_after * time.transpose();
    if (instant.to) settle(*instant.to, instant.t, instant.after, after);
    return after;
  };
  if (!instant.to) {
    // The run ends here: at this time the state is what it is.
    if (jumps) change.after = through(change.time);
    return change;
  }
  for (std::size_t k = found.size(); k-- > 1;) {
    const Vector time = times(*instant.from, found[k], instant, found[k].rate, s);
    if (agree(time, change.time) || agree(through(time), through(change.time))) continue;
    change.exists = false;
    change.reason = "events coincide whose order may matter";
  }
  change.after = through(change.time);
  return change;
}

Vector Saltation::time_of(const Instant& instant, const Matrix& s) {
  for (const EventRecord* const record : instant.records)
    if (is_at_known_time(*record)) return known_time(instant, *record, s);
  Vector velocity(s.rows());
  instant.from->velocity(instant.t, instant.before, velocity);
  const std::vector<Trigger> found = triggers(instant, velocity);
  if (found.empty() || found.front().rate == 0) return Vector::Constant(s.cols(), kNoNumber);
  return times(*instant.from, found.front(), instant, found.front().rate, s);
}

}  // namespace slideway
