#include "lib/fmi/hybrid_fmu.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <Eigen/QR>

#include "lib/fmu/past_zero.hpp"
#include "slideway/detail/model/corner_blend.hpp"

namespace slideway::fmi {
namespace {

// The tolerance of an FMU that tells none: the usual rtol of runs (Options::rtol).
constexpr double usual_tolerance = 1e-6;

// Differences are taken over this part of the sizes of states: their error is about its square, and that of rounding ε over it.
constexpr double kPart = 1e-6;
// Two values are the same where they differ by less than this part of a difference. Smooth ones differ by kPart of it and rounding by ε/kPart,
// and a kink makes a difference of about its size.
constexpr double kKink = 1e-3;

signed char sign_of(double z) { return z > 0 ? 1 : -1; }

EventPlace between(const EventPlace& from, const EventPlace& to, double part) {
  return {from.t + part * (to.t - from.t), from.x + part * (to.x - from.x)};
}

Vector derivatives_at(Instance& instance, Index n) {
  Vector dx = Vector::Zero(n);
  instance.derivatives(dx);
  return dx;
}

}  // namespace

HybridFmu::HybridFmu(std::shared_ptr<const Fmu> fmu, StartValues values, std::shared_ptr<const Inputs> inputs,
                     double start, double end, std::optional<double> tolerance)
    : fmu_(std::move(fmu)),
      inputs_(std::move(inputs)),
      loader_(fmu_, std::move(values), inputs_, start, tolerance),
      n_(static_cast<Index>(fmu_->description().states.size())),
      m_(static_cast<Index>(fmu_->description().indicators.size())),
      span_(end > start ? end - start : 1),
      tolerance_(tolerance.value_or(usual_tolerance)),
      sizes_(Vector::Zero(m_)),
      differences_(m_, n_),
      kinds_(static_cast<std::size_t>(m_), IndicatorKind::unknown),
      directions_(static_cast<std::size_t>(m_)) {
  for (const Variable& variable : fmu_->description().variables) {
    const bool is_number = variable.type != Type::text && variable.type != Type::binary;
    const bool is_free = variable.role == Role::output || variable.role == Role::local;
    if (is_number && is_free && !variable.is_continuous) discrete_.push_back(&variable);
  }
  Vector x = loader_.first().x;
  const double number = begin_stage(loader_.first(), start, start, x);
  initial_.resize(n_ + 1);
  initial_ << x, number;
  largest_ = x.cwiseAbs();
}

double HybridFmu::past_zero(double t) const { return fmu::time_past_zero(t, span_); }

HybridFmu::Stage& HybridFmu::stage_of(ConstVectorRef x) {
  // A derivative by differences moves the number by less than a half.
  constexpr double half = 0.5;
  const double number = x[n_] + half;
  if (!(number >= 0 && number < static_cast<double>(stages_.size())))
    throw std::domain_error(fmt::format("{}: there is no stage {} of the FMU: the state 'stage' is its own",
                                        fmu_->file(), x[n_]));
  return *stages_[static_cast<std::size_t>(number)];
}

Signs HybridFmu::signs_of(const Stage& stage, const Vector& z) const {
  Signs signs = stage.base;
  for (Index j = 0; j < m_; ++j) signs[static_cast<std::size_t>(j)] = sign_in(stage, z, j);
  return signs;
}

// An indicator that is an event keeps the sign with which the stage began.
signed char HybridFmu::sign_in(const Stage& stage, const Vector& values, Index indicator) const {
  const auto j = static_cast<std::size_t>(indicator);
  return kinds_[j] == IndicatorKind::event ? stage.base[j] : sign_of(values[indicator]);
}

const Vector& HybridFmu::indicators_at(const Stage& stage, double t, ConstVectorRef x) {
  if (asked_ == &stage && asked_at_.t == t && asked_at_.x == x.head(n_)) return z_;
  asked_ = nullptr;
  // One indicator has no other to share with.
  const bool is_shared = m_ > 1;
  if (is_shared && known_of_ == &stage) {
    if (const auto known = known_.find(key_of(t, x)); known != known_.end()) {
      z_ = known->second;
      asked_at_.t = t;
      asked_at_.x = x.head(n_);
      asked_ = &stage;
      return z_;
    }
  }
  z_.resize(m_);
  loader_.at(base_of(stage), t, x.head(n_)).indicators(z_);
  for (Index j = 0; j < m_; ++j)
    if (std::isnan(z_[j]))
      throw std::domain_error(fmt::format("{}: event indicator '{}' is no number at t = {:.10g}",
                                          fmu_->file(),
                                          fmu_->description().indicators[static_cast<std::size_t>(j)], t));
  sizes_ = sizes_.cwiseMax(z_.cwiseAbs());
  asked_at_.t = t;
  asked_at_.x = x.head(n_);
  asked_ = &stage;
  if (!is_shared) return z_;
  // Differences take two points for each state and for the time; tables of many states have a bound of 32 MB.
  constexpr Index most_numbers = 4'000'000;
  const Index most_points = std::min(2 * (n_ + 4), most_numbers / (n_ + m_ + 1));
  if (known_of_ != &stage || static_cast<Index>(known_.size()) >= most_points) known_.clear();
  known_of_ = &stage;
  known_.emplace(key_of(t, x), z_);
  return z_;
}

const std::string& HybridFmu::key_of(double t, ConstVectorRef x) {
  point_.assign(reinterpret_cast<const char*>(&t), sizeof t);
  point_.append(reinterpret_cast<const char*>(x.data()), static_cast<std::size_t>(n_) * sizeof(double));
  return point_;
}

void HybridFmu::forget_indicators() {
  asked_ = differed_ = nullptr;
  known_of_ = nullptr;
}

void HybridFmu::look(Stage& stage, double t, ConstVectorRef x) {
  constexpr int most_changes = 100;
  if (stage.place.t == t && stage.place.x == x.head(n_)) return;
  for (int k = 0; k < most_changes; ++k) {
    const Vector& z = indicators_at(stage, t, x);
    bool is_same = true;
    for (Index j = 0; j < m_; ++j)
      is_same = is_same && sign_in(stage, z, j) == stage.last[static_cast<std::size_t>(j)];
    if (!is_same) {
      const Signs signs = signs_of(stage, z);
      if (!stage.nodes.contains(signs)) {
        classify(stage, stage.place, stage.last, {t, x.head(n_)});
        continue;
      }
      stage.last = signs;
    }
    stage.place.t = t;
    stage.place.x = x.head(n_);
    largest_ = largest_.cwiseMax(stage.place.x.cwiseAbs());
    return;
  }
}

// Bisects the way between two places down to the first change of signs, and asks what it is.
void HybridFmu::classify(Stage& stage, const EventPlace& from, const Signs& signs, const EventPlace& to) {
  const Vector z_from = indicators_at(stage, from.t, from.x), z_to = indicators_at(stage, to.t, to.x);
  double low = 0, high = 1;
  constexpr int bisections = 60;
  for (int k = 0; k < bisections; ++k) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    const EventPlace place = between(from, to, middle);
    (signs_of(stage, indicators_at(stage, place.t, place.x)) == signs ? low : high) = middle;
  }
  const EventPlace before = between(from, to, low);
  const EventPlace beyond = strictly_beyond(stage, from, to, high, high - low);
  const Vector z_before = indicators_at(stage, before.t, before.x);
  const Vector z_beyond = indicators_at(stage, beyond.t, beyond.x);
  const Signs changed = signs_of(stage, z_beyond);
  // Over a way of few rounding errors any indicator may keep its value.
  const bool is_long = std::abs(to.t - from.t) > past_zero(from.t) ||
                       (to.x - from.x).norm() > fmu::many_roundings * from.x.norm();
  for (Index j = 0; j < m_; ++j) {
    const auto at = static_cast<std::size_t>(j);
    if (changed[at] == signs[at] || directions_[at].size() > 0 || !is_long) continue;
    if (z_before[j] == z_from[j] && z_beyond[j] == z_to[j]) find_direction(stage, j, before, beyond);
  }
  const std::shared_ptr<const Node> node = stage.nodes.at(signs);
  EventAnswer answer = loader_.make_event(node, beyond);
  const bool restores = is_relay(stage, node, before, beyond, answer);
  for (std::size_t j = 0; j < signs.size(); ++j) {
    if (changed[j] == signs[j]) continue;
    if (restores) {
      if (kinds_[j] == IndicatorKind::unknown) kinds_[j] = IndicatorKind::relay;
      continue;
    }
    if (kinds_[j] == IndicatorKind::relay && stage.nodes.size() > 1 && signs[j] != stage.base[j])
      throw std::domain_error(fmt::format(
          "{}: event indicator '{}' only switches the derivatives in one place, and sets something in "
          "another one, at t = {:.10g}: this is not followed here",
          fmu_->file(), fmu_->description().indicators[j], beyond.t));
    kinds_[j] = IndicatorKind::event;
  }
  if (restores) stage.nodes.emplace(changed, answer.node);
  stage.last = restores ? changed : signs_of(stage, z_before);
  stage.place = restores ? beyond : before;
}

// The first place on the way from `part` on where no indicator that has changed its sign is zero. An FMU whose relation is z < 0 has not changed
// where z = 0, though the standard counts the zero to the far side. It is the place at `part` where there is no other one.
EventPlace HybridFmu::strictly_beyond(const Stage& stage, const EventPlace& from, const EventPlace& to,
                                      double part, double width) {
  const EventPlace first = between(from, to, part);
  const Signs signs = signs_of(stage, indicators_at(stage, first.t, first.x));
  double by = std::max(width, std::numeric_limits<double>::epsilon());
  for (double at = part; true; at = std::min(1.0, at + by), by *= 2) {
    const EventPlace place = between(from, to, at);
    const Vector& z = indicators_at(stage, place.t, place.x);
    if (signs_of(stage, z) != signs) return first;
    bool is_strict = true;
    for (std::size_t j = 0; j < signs.size(); ++j)
      is_strict = is_strict && (signs[j] == stage.last[j] || z[static_cast<Index>(j)] != 0);
    if (is_strict) return place;
    if (at == 1) return first;
  }
}

// Nothing is set by the event there, and the event of the way back restores what was.
bool HybridFmu::is_relay(Stage& stage, const std::shared_ptr<const Node>& node, const EventPlace& before,
                         const EventPlace& beyond, EventAnswer& answer) {
  const auto sets_nothing = [&](const EventAnswer& made, const EventPlace& place) {
    return made.x == place.x && made.next_time == stage.next_time && !made.terminates;
  };
  if (!sets_nothing(answer, beyond)) return false;
  Vector z_old(m_), z_new(m_);
  loader_.at(node, beyond.t, beyond.x).indicators(z_old);
  loader_.at(answer.node, beyond.t, beyond.x).indicators(z_new);
  // A relation that moves guards is no relay: the guards of both sides would differ. Tools shift a guard by a hysteresis, which is less.
  for (Index j = 0; j < m_; ++j)
    if (std::abs(z_new[j] - z_old[j]) > tolerance_ * sizes_[j]) return false;
  const EventPlace back = place_back(answer.node, before, beyond, z_old);
  const EventAnswer returned = loader_.make_event(answer.node, back);
  if (!sets_nothing(returned, back)) return false;
  if (discrete_values(node, before) != discrete_values(returned.node, before)) return false;
  // An FMU that solves equations for its derivatives finds them to its tolerance.
  const Vector dx = derivatives_at(loader_.at(node, before.t, before.x), n_);
  const Vector again = derivatives_at(loader_.at(returned.node, before.t, before.x), n_);
  for (Index i = 0; i < n_; ++i) {
    const double size = std::max({std::abs(dx[i]), std::abs(again[i]), std::abs(before.x[i]) / span_});
    if (!(std::abs(again[i] - dx[i]) <= tolerance_ * size)) return false;
  }
  answer.node->back = back;
  return true;
}

// A place on the way back from which the new node, too, sees the indicators on their old sides: a hysteresis moves their zeros.
EventPlace HybridFmu::place_back(const std::shared_ptr<const Node>& node, const EventPlace& before,
                                 const EventPlace& beyond, const Vector& z_beyond) {
  const Signs beyond_signs = signs_at(node, beyond);
  const auto is_back = [&](const EventPlace& place) {
    const Signs signs = signs_at(node, place);
    for (Index j = 0; j < m_; ++j)
      if (sign_of(z_beyond[j]) == beyond_signs[static_cast<std::size_t>(j)] &&
          signs[static_cast<std::size_t>(j)] != beyond_signs[static_cast<std::size_t>(j)])
        return true;
    return false;
  };
  const double length = (beyond.x - before.x).norm() + std::abs(beyond.t - before.t);
  if (length == 0) return before;
  const double most = 1e-2 * (1 + beyond.x.norm() + std::abs(beyond.t)) / length;
  for (double part = 1; part < most; part *= 2) {
    EventPlace place = between(beyond, before, part);
    // Time does not go back before the event.
    place.t = beyond.t;
    if (is_back(place)) return place;
  }
  return before;
}

Vector HybridFmu::discrete_values(const std::shared_ptr<const Node>& node, const EventPlace& place) {
  return loader_.at(node, place.t, place.x).values(discrete_);
}

// The direction of steepest change of the distance, found along the way that led to the place.
void HybridFmu::find_direction(const Stage& stage, Index indicator, const EventPlace& from,
                               const EventPlace& to) {
  const auto at = static_cast<std::size_t>(indicator);
  Vector z(m_);
  z = indicators_at(stage, to.t, to.x);
  const double side = sign_of(z[indicator]);
  Vector way(n_ + 1);
  const EventPlace& last = stage.place;
  way << to.t - last.t, to.x - last.x;
  const double length = way.norm();
  if (length == 0) return;
  way *= side / length;
  const double step = 1e-3 * length;
  Vector slope(n_ + 1);
  for (Index i = 0; i <= n_; ++i) {
    const auto shifted = [&](double by) {
      Vector x = from.x;
      if (i > 0) x[i - 1] += by;
      return distance(stage, indicator, i == 0 ? from.t + by : from.t, x, way);
    };
    slope[i] = (shifted(step) - shifted(-step)) / (2 * step);
  }
  if (slope.allFinite() && slope.norm() > 0) directions_[at] = slope.normalized();
}

// The way to the change of the sign along the direction, positive where z is.
double HybridFmu::distance(const Stage& stage, Index indicator, double t, ConstVectorRef x,
                           const Vector& direction) {
  const Vector x_here = x.head(n_);
  const auto sign_at = [&](double by) {
    return sign_of(indicators_at(stage, t + by * direction[0], x_here + by * direction.tail(n_))[indicator]);
  };
  const signed char side = sign_at(0);
  const double size = 1 + x_here.norm() + std::abs(t);
  const double least = std::numeric_limits<double>::epsilon() * size, most = 1e3 * size;
  double near = 0, far = least;
  while (far < most && sign_at(-side * far) == side) {
    near = far;
    far *= 4;
  }
  if (far >= most) return side * most;
  while (far - near > 0.25 * least + 1e-15 * far) {
    const double middle = 0.5 * (near + far);
    (sign_at(-side * middle) == side ? near : far) = middle;
  }
  return side * 0.5 * (near + far);
}

double HybridFmu::guard(const Stage& stage, Index indicator, double t, ConstVectorRef x) {
  const Vector& direction = directions_[static_cast<std::size_t>(indicator)];
  if (direction.size() > 0) return distance(stage, indicator, t, x, direction);
  return indicators_at(stage, t, x)[indicator];
}

void HybridFmu::surfaces(double t, ConstVectorRef x, VectorRef h) {
  Stage& stage = stage_of(x);
  look(stage, t, x);
  for (Index j = 0; j < m_; ++j) {
    const auto at = static_cast<std::size_t>(j);
    // The surface of an event, or of an unknown indicator, has no zero: its guard is the side.
    h[j] = kinds_[at] == IndicatorKind::relay ? guard(stage, j, t, x) : stage.base[at];
  }
}

double HybridFmu::event_guard(Index indicator, double t, ConstVectorRef x) {
  Stage& stage = stage_of(x);
  look(stage, t, x);
  const auto at = static_cast<std::size_t>(indicator);
  if (kinds_[at] == IndicatorKind::relay) return 1;
  return stage.base[at] * guard(stage, indicator, t, x);
}

// A place beside may be the first place on the other side of an unknown indicator: look() then finds out what the indicator is.
IndicatorDifferences::Guards HybridFmu::guards_of(Stage& stage) {
  if (std::exchange(differed_, &stage) != &stage) differences_.forget();
  return [this, &stage](double t, ConstVectorRef x, VectorRef guards) {
    look(stage, t, x);
    guards = indicators_at(stage, t, x);
    for (Index j = 0; j < m_; ++j)
      if (directions_[static_cast<std::size_t>(j)].size() > 0) guards[j] = guard(stage, j, t, x);
  };
}

void HybridFmu::event_slopes(Index indicator, double t, ConstVectorRef x, const std::vector<Index>& states,
                             std::vector<double>& slopes) {
  const auto at = static_cast<std::size_t>(indicator);
  std::fill(slopes.begin(), slopes.end(), 0.0);
  if (kinds_[at] == IndicatorKind::relay) return;
  Stage& stage = stage_of(x);
  const Matrix& all = differences_.slopes(guards_of(stage), t, x.head(n_));
  // The number of the stage, the last state, moves no guard.
  for (std::size_t k = 0; k < states.size(); ++k)
    if (states[k] < n_) slopes[k] = stage.base[at] * all(indicator, states[k]);
}

double HybridFmu::running_error(Index indicator, double t, ConstVectorRef x) {
  const auto here = x.head(n_);
  // A distance is bisected to the last digits of time and states.
  if (directions_[static_cast<std::size_t>(indicator)].size() > 0) return 1 + here.norm() + std::abs(t);
  return differences_.noise(guards_of(stage_of(x)), indicator, t, here);
}

double HybridFmu::time_guard(double t, ConstVectorRef x) {
  const Stage& stage = stage_of(x);
  const double next = std::min(stage.next_time, stage.asked_time);
  return std::isfinite(next) ? t - next : -1;
}

bool HybridFmu::has_time_event(ConstVectorRef x) {
  const Stage& stage = stage_of(x);
  return std::isfinite(std::min(stage.next_time, stage.asked_time));
}

double HybridFmu::end_guard(ConstVectorRef x) { return stage_of(x).terminates ? 1 : -1; }

const std::shared_ptr<const Node>& HybridFmu::node_of(Stage& stage, ConstVectorRef signs, double t,
                                                      ConstVectorRef x) {
  // λ means something to relays alone: the surface of any other indicator has no zero, whatever a caller asks for.
  bool is_base = true;
  for (std::size_t j = 0; j < stage.base.size() && is_base; ++j)
    is_base = kinds_[j] != IndicatorKind::relay || sign_of(signs[static_cast<Index>(j)]) == stage.base[j];
  if (is_base) return base_of(stage);
  Signs wanted = stage.base;
  for (std::size_t j = 0; j < wanted.size(); ++j)
    if (kinds_[j] == IndicatorKind::relay) wanted[j] = sign_of(signs[static_cast<Index>(j)]);
  const auto found = stage.nodes.find(wanted);
  return found != stage.nodes.end() ? found->second : derived_node(stage, wanted, t, x);
}

// Moves the state to where all indicators have the signs wanted, by the least change, and makes an event there.
const std::shared_ptr<const Node>& HybridFmu::derived_node(Stage& stage, const Signs& signs, double t,
                                                           ConstVectorRef x) {
  const Vector here = x.head(n_);
  // The indicators that are moved just past their zeros: those on the wrong side, and those that the way of these would lead there.
  std::set<Index> moved;
  const auto is_all_right = [&](const Vector& at) {
    const Signs found = signs_of(stage, indicators_at(stage, t, at));
    bool is_right = true;
    for (Index j = 0; j < m_; ++j) {
      if (found[static_cast<std::size_t>(j)] == signs[static_cast<std::size_t>(j)]) continue;
      is_right = false;
      moved.insert(j);
    }
    return is_right;
  };
  bool is_right = is_all_right(here);
  const std::set<Index> wrong = moved;
  for (double size = fmu::many_roundings; size < 1; size *= 10) {
    moved = wrong;
    for (std::size_t known = 0; is_right || moved.size() > known;) {
      known = moved.size();
      const EventPlace place{t, is_right ? here : place_past_zeros(stage, moved, signs, size, t, here)};
      if (!is_right && !is_all_right(place.x)) continue;
      const EventAnswer answer = loader_.make_event(base_of(stage), place);
      if (answer.x == place.x) return stage.nodes.emplace(signs, answer.node).first->second;
      // The FMU set a state at this event, which no relay does. The indicators are events from now on, and the field has one side.
      for (const Index j : wrong) kinds_[static_cast<std::size_t>(j)] = IndicatorKind::event;
      return base_of(stage);
    }
  }
  std::string sides;
  for (const Index j : wrong)
    sides += fmt::format("{}'{}' {} zero", sides.empty() ? "" : ", ",
                         fmu_->description().indicators[static_cast<std::size_t>(j)],
                         signs[static_cast<std::size_t>(j)] > 0 ? "above" : "below");
  throw std::domain_error(fmt::format(
      "{}: no state near that at t = {:.10g} has the event indicators on the sides that are asked for: {}",
      fmu_->file(), t, sides));
}

// The least change of the state that moves these indicators past their zeros, by this part of the state.
Vector HybridFmu::place_past_zeros(const Stage& stage, const std::set<Index>& moved, const Signs& signs,
                                   double size, double t, const Vector& here) {
  const auto count = static_cast<Index>(moved.size());
  Matrix slopes(count, n_);
  Vector change(count);
  Index k = 0;
  for (const Index j : moved) {
    for (Index i = 0; i < n_; ++i) {
      const double step = 1e-6 * (1 + std::abs(here[i]));
      Vector plus = here, minus = here;
      plus[i] += step;
      minus[i] -= step;
      slopes(k, i) = (guard(stage, j, t, plus) - guard(stage, j, t, minus)) / (2 * step);
    }
    change[k] = signs[static_cast<std::size_t>(j)] * size * (1 + here.norm()) * slopes.row(k).norm() -
                guard(stage, j, t, here);
    ++k;
  }
  return here + Eigen::CompleteOrthogonalDecomposition<Matrix>(slopes).solve(change);
}

void HybridFmu::field(double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef dx) {
  Stage& stage = stage_of(x);
  blend_corners<double>(lambda, dx, "the derivatives of an FMU", [&](ConstVectorRef signs, VectorRef corner) {
    loader_.at(node_of(stage, signs, t, x), t, x.head(n_)).derivatives(corner.head(n_));
    corner[n_] = 0;
  });
}

void HybridFmu::field_by_states(double t, ConstVectorRef x, ConstVectorRef lambda, MatrixRef derivative) {
  Stage& stage = stage_of(x);
  const auto evaluate = [&](ConstVectorRef signs, MatrixRef corner) {
    Instance& instance = loader_.at(node_of(stage, signs, t, x), t, x.head(n_));
    for (Index i = 0; i < n_; ++i)
      instance.derivatives_by_state(static_cast<std::size_t>(i), corner.col(i).head(n_));
  };
  blend_corners<double>(lambda, derivative, "the derivatives of an FMU", evaluate);
}

void HybridFmu::values(double t, ConstVectorRef x, ConstVectorRef lambda,
                       const std::vector<const Variable*>& variables, VectorRef values) {
  Stage& stage = stage_of(x);
  blend_corners<double>(lambda, values, "the variables of an FMU",
                        [&](ConstVectorRef signs, VectorRef corner) {
                          corner = loader_.at(node_of(stage, signs, t, x), t, x.head(n_)).values(variables);
                        });
}

// The classical method of fourth order, in a few steps, so that each state moves that moves by a derivative of high order.
EventPlace HybridFmu::followed(const std::shared_ptr<const Node>& node, const EventPlace& from, double by) {
  constexpr int steps = 4;
  const double h = by / steps;
  EventPlace place = from;
  const auto slope = [&](double part, const Vector& k) {
    return derivatives_at(loader_.at(node, place.t + part * h, place.x + part * h * k), n_);
  };
  for (int step = 0; step < steps; ++step) {
    const Vector a = slope(0, Vector::Zero(n_)), b = slope(0.5, a), c = slope(0.5, b), d = slope(1, c);
    place.x += h / 6 * (a + 2 * b + 2 * c + d);
    place.t += h;
  }
  return place;
}

// A place past the zero, as the standard wants it, on the side that the indicator comes to; none where the motion stays on its side.
std::optional<EventPlace> HybridFmu::place_beyond(Stage& stage, Index indicator, double t, ConstVectorRef x) {
  const auto at = static_cast<std::size_t>(indicator);
  const Vector here = x.head(n_);
  // The standard counts a zero to the far side of a falling indicator, and an FMU whose relation is z < 0 does not.
  std::optional<EventPlace> at_zero;
  const auto is_beyond = [&](const EventPlace& place) {
    const double z = indicators_at(stage, place.t, place.x)[indicator];
    if (sign_of(z) == stage.base[at]) return false;
    if (z == 0 && !at_zero) at_zero = place;
    return z != 0;
  };
  if (is_beyond({t, here})) return EventPlace{t, here};
  Vector signs(m_);
  for (Index j = 0; j < m_; ++j) signs[j] = stage.last[static_cast<std::size_t>(j)];
  const Vector dx = derivatives_at(loader_.at(node_of(stage, signs, t, x), t, here), n_);
  // From one rounding error of the time on; a zero of higher order changes its sign late.
  const double least = past_zero(t) * std::numeric_limits<double>::epsilon() / fmu::many_roundings;
  constexpr double longest = 1e6;
  const double most = longest * past_zero(t);
  for (double by = least; by < most; by *= 4)
    for (const EventPlace& straight : {EventPlace{t, here + by * dx}, EventPlace{t + by, here + by * dx}})
      if (is_beyond(straight)) return straight;
  // A motion from rest has no speed at first: followed() takes steps of a Runge-Kutta method.
  EventPlace place;
  for (double by = least; by < most; by *= 4) {
    place = followed(node_of(stage, signs, t, x), {t, here}, by);
    if (is_beyond(place)) return place;
  }
  if (at_zero) return at_zero;
  // The motion only touches the zero.
  if (indicators_at(stage, place.t, place.x)[indicator] != 0) return std::nullopt;
  throw std::domain_error(
      fmt::format("{}: event indicator '{}' has a zero at t = {:.10g}, but does not change its sign past it",
                  fmu_->file(), fmu_->description().indicators[at], t));
}

// The stage that an event leads to, with its number. The motion that begins may leave the zero of an indicator that the event has not told
// the FMU of yet, as a ball leaves the floor: a further event, past the zero, tells it. The FMU has made the event at the time `made_at`.
double HybridFmu::begin_stage(EventAnswer answer, double made_at, double t, Vector& x) {
  constexpr int most_further = 100;
  // The FMU knows the place where it has made the event, which need not be (t, x).
  EventPlace place{made_at, answer.x};
  Signs base = signs_at(answer.node, place);
  std::set<Signs> told = {base};
  for (int k = 0; k < most_further && !answer.terminates; ++k) {
    const Vector dx = derivatives_at(loader_.at(answer.node, t, x), n_);
    const EventPlace past{std::max(t + past_zero(t), made_at), x + past_zero(t) * dx};
    if (!past.x.allFinite()) break;
    const Signs signs = signs_at(answer.node, past);
    bool leaves = false;
    for (std::size_t j = 0; j < signs.size(); ++j)
      leaves = leaves || (kinds_[j] != IndicatorKind::relay && signs[j] != base[j]);
    if (!leaves) break;
    answer = loader_.make_event(answer.node, past);
    // The stage has the signs that the FMU has been told last, whatever follows: with others a zero would be missed.
    if (answer.x == past.x) {
      base = signs;
      place = past;
      // A motion that both sides lead back to the zero slides there; the run finds that out.
      if (!told.insert(base).second) break;
      continue;
    }
    // An event that puts the states back where they were, as at the end of sliding by a rounding of λ, would do so for ever.
    if (answer.x == place.x) {
      base = signs_at(answer.node, place);
      if (!told.insert(base).second) break;
    }
    for (Index i = 0; i < n_; ++i)
      if (answer.x[i] != past.x[i]) x[i] = answer.x[i];
    place = {past.t, answer.x};
    base = signs_at(answer.node, place);
    told = {base};
  }
  stages_.push_back(std::make_unique<Stage>(Stage{.nodes = {{base, answer.node}},
                                                  .first = answer.node,
                                                  .base = base,
                                                  .last = base,
                                                  .place = place,
                                                  .next_time = answer.next_time,
                                                  .terminates = answer.terminates}));
  return static_cast<double>(stages_.size() - 1);
}

Signs HybridFmu::signs_at(const std::shared_ptr<const Node>& node, const EventPlace& place) {
  Vector z = Vector::Zero(m_);
  loader_.at(node, place.t, place.x).indicators(z);
  Signs signs;
  for (const double value : z) signs.push_back(sign_of(value));
  return signs;
}

bool HybridFmu::is_known(const Stage& stage, Index indicator, double t, ConstVectorRef before,
                         VectorRef after) const {
  for (const Firing& known : stage.firings) {
    if (known.indicator != indicator || known.t != t || known.before != before) continue;
    after = known.after;
    return true;
  }
  return false;
}

void HybridFmu::take(Index indicator, double t, ConstVectorRef before, VectorRef after,
                     const EventPlace& place, std::size_t piece) {
  Stage& stage = stage_of(before);
  Vector signs(m_);
  for (Index j = 0; j < m_; ++j) signs[j] = stage.last[static_cast<std::size_t>(j)];
  EventAnswer answer = loader_.make_event(node_of(stage, signs, t, before), place, piece);
  Vector x = before.head(n_);
  for (Index i = 0; i < n_; ++i)
    if (answer.x[i] != place.x[i]) x[i] = answer.x[i];
  const double number = begin_stage(std::move(answer), place.t, t, x);
  after.head(n_) = x;
  after[n_] = number;
  constexpr std::size_t most = 4;
  if (stage.firings.size() == most) stage.firings.erase(stage.firings.begin());
  stage.firings.push_back({indicator, t, before, after});
}

void HybridFmu::fire(Index indicator, double t, ConstVectorRef before, VectorRef after) {
  Stage& stage = stage_of(before);
  if (is_known(stage, indicator, t, before, after)) return;
  look(stage, t, before);
  const std::optional<EventPlace> beyond = place_beyond(stage, indicator, t, before);
  if (!beyond) return;
  look(stage, beyond->t, beyond->x);
  // A relay that is met for the first time sets nothing: the run finds its surface there.
  if (kinds_[static_cast<std::size_t>(indicator)] == IndicatorKind::relay) return;
  take(indicator, t, before, after, *beyond, base_of(stage)->piece);
}

void HybridFmu::fire_time(double t, ConstVectorRef before, VectorRef after) {
  Stage& stage = stage_of(before);
  constexpr Index of_time = -1;
  if (is_known(stage, of_time, t, before, after)) return;
  const double due = std::min(stage.next_time, stage.asked_time);
  take(of_time, t, before, after, {std::max(t, due), before.head(n_)}, base_of(stage)->piece);
}

void HybridFmu::fire_inputs(double t, ConstVectorRef before, VectorRef after) {
  Stage& stage = stage_of(before);
  constexpr Index of_inputs = -2;
  if (is_known(stage, of_inputs, t, before, after)) return;
  const std::size_t piece = inputs_->piece_from(t);
  if (piece != base_of(stage)->piece) take(of_inputs, t, before, after, {t, before.head(n_)}, piece);
}

Vector HybridFmu::sizes_at(ConstVectorRef x) const {
  Vector sizes = x.head(n_).cwiseAbs().cwiseMax(largest_);
  for (Index i = 0; i < n_; ++i) {
    const std::optional<double> nominal =
        fmu_->description().states[static_cast<std::size_t>(i)].variable.nominal;
    if (nominal) sizes[i] = std::max(sizes[i], std::abs(*nominal));
    if (!(sizes[i] > 0)) sizes[i] = 1;
  }
  return sizes;
}

Vector HybridFmu::held_in(const Stage& stage, double t, const Vector& x) {
  Instance& instance = loader_.at(stage.first, t, x);
  Vector z = Vector::Zero(m_);
  instance.indicators(z);
  // A time event that does not come is a number, too.
  const double next = std::isfinite(stage.next_time) ? (stage.next_time - t) / span_ : -1;
  Vector held(n_ + m_ + 1);
  held << derivatives_at(instance, n_), z, next;
  return held;
}

bool HybridFmu::holds_alike(const Stage& one, HybridFmu& of_other, const Stage& other, double t,
                            const Vector& x) {
  Vector sizes(n_ + m_ + 1);
  sizes << sizes_at(x) / span_, sizes_, 1;
  const Vector held = held_in(one, t, x);
  sizes = sizes.cwiseMax(held.cwiseAbs()).eval();
  const Vector apart = (held - of_other.held_in(other, t, x)).cwiseAbs();
  if (!(apart.array() <= kKink * kPart * sizes.array()).all()) return false;
  const Vector a = loader_.at(one.first, t, x).values(discrete_);
  const Vector b = of_other.loader_.at(other.first, t, x).values(of_other.discrete_);
  // A discrete value of zero is the sum of terms as large as states: a few hundred roundings of them.
  constexpr double rounding = 1e-13;
  const double floor = n_ > 0 ? rounding * largest_.maxCoeff() : 0;
  for (Index k = 0; k < a.size(); ++k)
    if (std::abs(a[k] - b[k]) > std::max(floor, kKink * kPart * std::max(std::abs(a[k]), std::abs(b[k]))))
      return false;
  return true;
}

bool HybridFmu::starts_alike(HybridFmu& other, double t) {
  return holds_alike(*stages_.front(), other, *other.stages_.front(), t, initial_.head(n_));
}

double HybridFmu::step_of_state(Index state) const { return kPart * sizes_at(initial_)[state]; }

void HybridFmu::fire_along(const Fire& fire, double t, ConstVectorRef before, double t_dot,
                           ConstVectorRef before_dot, VectorRef after, VectorRef after_dot) {
  fire(t, before, after);
  const Vector x = after;
  after_dot = before_dot;
  after_dot[n_] = 0;
  const double length = std::max(std::abs(t_dot) / span_,
                                 before_dot.head(n_).cwiseQuotient(sizes_at(before)).cwiseAbs().maxCoeff());
  // Nothing happens at an indicator that is only touched.
  if (!(length > 0) || x[n_] == before[n_]) return;
  // The stages behind the neighbours are forgotten again.
  Stage& stage = stage_of(before);
  const std::vector<Firing> firings = stage.firings;
  const std::size_t stages = stages_.size();
  const double step = kPart / length;
  const auto neighbour = [&](double by) {
    Vector moved = before, made;
    moved.head(n_) += by * before_dot.head(n_);
    made = moved;
    fire(t + by * t_dot, moved, made);
    return made;
  };
  const auto forget = [&] {
    stage.firings = firings;
    forget_indicators();
    stages_.resize(stages);
  };
  try {
    const Vector ahead = neighbour(step), behind = neighbour(-step);
    if (ahead[n_] == before[n_] || behind[n_] == before[n_])
      throw std::domain_error("an event of the FMU does not happen at states beside this one");
    const Vector slope = (ahead - behind) / (2 * step), off = ahead + behind - 2 * x;
    if ((off.head(n_).cwiseQuotient(sizes_at(x)).cwiseAbs().array() > kKink * kPart).any())
      throw std::domain_error("what an event of the FMU sets has a kink or a step here");
    if (!holds_alike(stage_of(ahead), *this, stage_of(behind), t, x.head(n_)))
      throw std::domain_error(
          "an event of the FMU keeps something of the state that is no state, as a sample does: derivatives "
          "by "
          "the state would leave that out");
    after_dot.head(n_) = slope.head(n_);
  } catch (...) {
    forget();
    throw;
  }
  forget();
}

void HybridFmu::complete_step(double t, ConstVectorRef x) {
  Stage& stage = stage_of(x);
  const auto found = stage.nodes.find(stage.last);
  const auto& node = found == stage.nodes.end() ? base_of(stage) : found->second;
  constexpr double roundings = 4;
  // The FMU may remember the step, and answer otherwise from now on.
  forget_indicators();
  if (loader_.complete_step(node, t, x.head(n_)))
    stage.asked_time = t + roundings * std::numeric_limits<double>::epsilon() * std::max(1.0, std::abs(t));
}

}  // namespace slideway::fmi
