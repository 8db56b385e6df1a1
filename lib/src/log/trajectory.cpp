#include "slideway/simulate/trajectory.hpp"

#include <algorithm>

#include "core/number_text.hpp"
#include "slideway/core/errors.hpp"

namespace slideway {

namespace {
// Records of steps are as small as they can be: a long run has millions.
std::uint32_t columns_of(Index terms) { return static_cast<std::uint32_t>(terms); }
}  // namespace

Trajectory::Trajectory(Index states, Projection projection)
    : states_(states), projection_(std::move(projection)) {}

double Trajectory::start() const {
  if (empty()) refuse({.what = "the trajectory is empty", .where = "Trajectory::start"});
  return segments_.front().start;
}

double Trajectory::end() const {
  if (empty()) refuse({.what = "the trajectory is empty", .where = "Trajectory::end"});
  return segments_.back().end;
}

std::size_t Trajectory::segment_index(double t, bool from_left) const {
  if (empty() || !(t >= segments_.front().start) || !(t <= segments_.back().end)) {
    refuse({.what = empty() ? "the trajectory is empty: nothing was recorded"
                            : "the time is outside the trajectory",
            .where = "Trajectory",
            .expected = empty() ? "" : "t in [" + exact_text(start()) + ", " + exact_text(end()) + "]",
            .got = exact_text(t),
            .advice = !empty() && start() == end()
                          ? "with Recording::nothing only the end is kept: ask by Options::output_times"
                          : ""});
  }
  // The last segment that starts at or before t (before t, for the limit from the left).
  const auto starts_after = [&](double time, const Segment& segment) {
    return from_left ? time <= segment.start : time < segment.start;
  };
  const auto next = std::upper_bound(segments_.begin(), segments_.end(), t, starts_after);
  return next == segments_.begin() ? 0 : static_cast<std::size_t>(next - segments_.begin()) - 1;
}

Vector Trajectory::operator()(double t) const {
  Vector x(states_);
  evaluate(segment_index(t, false), t, x);
  return x;
}

Vector Trajectory::before(double t) const {
  Vector x(states_);
  evaluate(segment_index(t, true), t, x);
  return x;
}

const Mode& Trajectory::mode(double t) const { return segments_[segment_index(t, false)].mode; }

const Mode& Trajectory::mode_before(double t) const { return segments_[segment_index(t, true)].mode; }

const std::string& Trajectory::location(double t) const {
  return segments_[segment_index(t, false)].location;
}

const Trajectory::Step& Trajectory::step_at(std::size_t index, double t) const {
  const Segment& segment = segments_.at(index);
  const auto first = steps_.begin() + static_cast<std::ptrdiff_t>(segment.first_step);
  const auto last = index + 1 < segments_.size()
                        ? steps_.begin() + static_cast<std::ptrdiff_t>(segments_[index + 1].first_step)
                        : steps_.end();
  auto step = std::lower_bound(first, last, t, [](const Step& s, double time) { return s.end < time; });
  if (step == last) --step;
  return *step;
}

template <class Visit>
void Trajectory::for_parts(const Step& piece, double t, const Visit& visit) const {
  if (piece.shared == kNone) return;
  for (const Part& part : shared_[piece.shared].parts) {
    // A part may jump where the piece begins.
    auto step = std::lower_bound(part.steps.begin(), part.steps.end(), t, [&](const Step& own, double time) {
      return own.end < time || own.end <= piece.start;
    });
    if (step == part.steps.end()) --step;
    visit(part.states, *step);
  }
}

void Trajectory::evaluate(std::size_t index, double t, VectorRef x) const {
  const Segment& segment = segments_.at(index);
  const Step& step = step_at(index, t);
  const Eigen::Map<const Matrix> coefficients(coefficients_.at(step.coefficients), states_, step.columns);
  const double s = (t - step.center) / step.scale;
  x = coefficients.col(step.columns - 1);
  for (Index k = static_cast<Index>(step.columns) - 2; k >= 0; --k) x = x * s + coefficients.col(k);
  for_parts(step, t, [&](const std::vector<Index>& states, const Step& own) {
    const auto count = static_cast<Index>(states.size());
    const double* const of_part = coefficients_.at(own.coefficients);
    const double at = (t - own.center) / own.scale;
    for (Index j = 0; j < count; ++j) {
      double value = 0;
      for (Index k = static_cast<Index>(own.columns) - 1; k >= 0; --k)
        value = value * at + of_part[k * count + j];
      x[states[static_cast<std::size_t>(j)]] = value;
    }
  });
  if (segment.mode.codimension() > 0 && projection_) projection_(t, segment, x);
}

void Trajectory::derivative(std::size_t index, double t, VectorRef dx) const {
  const Step& step = step_at(index, t);
  const auto slope = [&](const Step& own, Index state, Index count) {
    const double* const coefficients = coefficients_.at(own.coefficients);
    const double at = (t - own.center) / own.scale;
    double value = 0;
    for (Index k = static_cast<Index>(own.columns) - 1; k >= 1; --k)
      value = value * at + static_cast<double>(k) * coefficients[k * count + state];
    return value / own.scale;
  };
  for (Index i = 0; i < states_; ++i) dx[i] = slope(step, i, states_);
  for_parts(step, t, [&](const std::vector<Index>& states, const Step& own) {
    const auto count = static_cast<Index>(states.size());
    for (Index j = 0; j < count; ++j) dx[states[static_cast<std::size_t>(j)]] = slope(own, j, count);
  });
}

std::vector<double> Trajectory::step_times(std::size_t index) const {
  const Segment& segment = segments_.at(index);
  const std::size_t last = index + 1 < segments_.size() ? segments_[index + 1].first_step : steps_.size();
  std::vector<double> times{segment.start};
  for (std::size_t i = segment.first_step; i < last; ++i) {
    if (steps_[i].end > times.back()) times.push_back(steps_[i].end);
  }
  return times;
}

Trajectory::StepPolynomial Trajectory::step(std::size_t index) const {
  const Step& step = steps_.at(index);
  return {step.start,
          step.end,
          step.center,
          step.scale,
          {coefficients_.at(step.coefficients), states_, static_cast<Index>(step.columns)},
          step.shared != kNone};
}

bool Trajectory::ends_without_state() const {
  return !empty() && segments_.back().first_step == steps_.size();
}

void Trajectory::begin_segment(double t, const Mode& mode, const std::string& location) {
  if (ends_without_state()) segments_.pop_back();
  segments_.push_back({t, t, mode, location, steps_.size()});
}

void Trajectory::add_step(double start, double end, double center, double scale,
                          Eigen::Ref<const Matrix> coefficients) {
  steps_.push_back({start, end, center, scale, coefficients_.append(coefficients),
                    columns_of(coefficients.cols()), kNone});
  segments_.back().end = end;
}

double* Trajectory::add_step(double start, double end, double center, double scale, Index terms) {
  const NumberChunks::Place place = coefficients_.append_zeros(static_cast<std::size_t>(states_ * terms));
  steps_.push_back({start, end, center, scale, place, columns_of(terms), kNone});
  segments_.back().end = end;
  return coefficients_.at(place);
}

void Trajectory::add_point(double t, ConstVectorRef x) { add_step(t, t, t, 1, x); }

void Trajectory::keep(std::size_t segments, std::size_t steps) {
  segments_.resize(std::min(segments, segments_.size()));
  if (steps < steps_.size()) {
    if (shared_.empty()) coefficients_.forget_from(steps_[steps].coefficients);
    steps_.resize(steps);
  }
  if (segments_.empty()) return;
  Segment& last = segments_.back();
  last.end = last.first_step < steps_.size() ? steps_.back().end : last.start;
}

void Trajectory::append(const Trajectory& other) {
  const auto copied = [&](Step step, Index states) {
    step.coefficients = coefficients_.append(
        Eigen::Map<const Matrix>(other.coefficients_.at(step.coefficients), states, step.columns));
    return step;
  };
  const auto first_shared = static_cast<std::uint32_t>(shared_.size());
  for (const Shared& shared : other.shared_) {
    shared_.push_back({copied(shared.whole, states_), {}});
    for (const Part& part : shared.parts) {
      shared_.back().parts.push_back({part.states, {}});
      for (const Step& step : part.steps)
        shared_.back().parts.back().steps.push_back(copied(step, static_cast<Index>(part.states.size())));
    }
  }
  for (std::size_t k = 0; k < other.segments_.size(); ++k) {
    const Segment& segment = other.segments_[k];
    begin_segment(segment.start, segment.mode, segment.location);
    const std::size_t last =
        k + 1 < other.segments_.size() ? other.segments_[k + 1].first_step : other.steps_.size();
    for (std::size_t i = segment.first_step; i < last; ++i) {
      Step step = other.steps_[i];
      if (!(step.end > step.start)) continue;
      if (step.shared == kNone) {
        step = copied(step, states_);
      } else {
        step.shared += first_shared;
        step.coefficients = shared_[step.shared].whole.coefficients;
      }
      steps_.push_back(step);
      segments_.back().end = step.end;
    }
  }
}

void Trajectory::share_polynomial(double center, double scale, Eigen::Ref<const Matrix> coefficients) {
  Shared shared;
  shared.whole = {
      center, center, center, scale, coefficients_.append(coefficients), columns_of(coefficients.cols()),
      kNone};
  shared_.push_back(std::move(shared));
}

void Trajectory::add_part(const std::vector<Index>& states, const Trajectory& part) {
  Part own{states, part.steps_};
  for (Step& step : own.steps) {
    step.coefficients = coefficients_.append(
        Eigen::Map<const Matrix>(part.coefficients_.at(step.coefficients), part.states_, step.columns));
  }
  shared_.back().parts.push_back(std::move(own));
}

void Trajectory::add_piece(double start, double end) {
  Step piece = shared_.back().whole;
  piece.start = start;
  piece.end = end;
  piece.shared = static_cast<std::uint32_t>(shared_.size() - 1);
  steps_.push_back(piece);
  segments_.back().end = end;
}

}  // namespace slideway
