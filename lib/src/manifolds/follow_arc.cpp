#include "manifolds/follow_arc.hpp"
#include "simulate/plain_options.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>

namespace slideway {

namespace {

// A state that changes by less than this part of its size within the time of the slowest eigenvalue rests, as far as runs know it.
constexpr double kRest = 1e-9;
// The observer measures chords, which are shorter than the arc.
constexpr double kLongerThanChords = 1.01;
constexpr int kChords = 4;  // of a step
constexpr int kPanels = 4;  // of a step, with five nodes each: exact for polynomials of degree 9 in the speed
constexpr int kDeepest = 12;  // halvings of a step
// Chords shorter than this part of the extent of the piece in each state are not divided, and their points need not be kept.
constexpr double kSmallPart = 1e-3;
constexpr double kLongestPart = 1.0 / 50;
constexpr double kLeastExtent = 1e-3;  // of the size of a state
// Two modes meet at one place, while a jump leads away; states are located to rounding.
constexpr double kSamePlace = 1e-9;

// Gauss and Legendre's nodes and weights on [-1, 1].
constexpr std::array<std::pair<double, double>, 5> kNodes = {{{0.0, 0.5688888888888889},
                                                              {0.5384693101056831, 0.47862867049936647},
                                                              {-0.5384693101056831, 0.47862867049936647},
                                                              {0.9061798459386640, 0.23692688505618908},
                                                              {-0.9061798459386640, 0.23692688505618908}}};

struct Progress {
  double length = 0;
  bool is_at_rest = false;
};

double length_between(const Trajectory& trajectory, std::size_t segment, double from, double to,
                      Vector& rate) {
  const double half = 0.5 * (to - from) / kPanels;
  double sum = 0;
  for (int panel = 0; panel < kPanels; ++panel) {
    const double middle = from + (2 * panel + 1) * half;
    for (const auto& [node, weight] : kNodes) {
      trajectory.derivative(segment, middle + half * node, rate);
      sum += weight * half * rate.norm();
    }
  }
  return sum;
}

class ArcSampler {
 public:
  ArcSampler(const Solution& solution, const ArcQuestion& question)
      : solution_(solution),
        question_(question),
        extent_(extent_of(solution)),
        rate_(question.sizes.size()) {}

  // Returns the time of the last point.
  double sample(ManifoldArc& arc) {
    const Trajectory& trajectory = solution_.trajectory;
    double length = question_.begin_length;
    double last_time = solution_.initial.t;
    for (std::size_t k = 0; k < trajectory.segments().size(); ++k) {
      const std::vector<double> times = trajectory.step_times(k);
      add(arc, k, times.front(), length, true);
      for (std::size_t i = 0; i + 1 < times.size(); ++i) {
        const double step = length_between(trajectory, k, times[i], times[i + 1], rate_);
        double until = times[i + 1];
        const bool ends = length + step >= question_.length;
        if (ends) until = time_at(k, times[i], times[i + 1], question_.length - length);
        divide(arc, k, times[i], until, length, 0);
        length = ends ? question_.length : length + step;
        add(arc, k, until, length, i + 2 == times.size() || ends);
        last_time = until;
        if (ends) {
          arc.end = ManifoldEnd::length;
          return until;
        }
      }
    }
    return last_time;
  }

 private:
  Vector state_at(std::size_t segment, double t) const {
    Vector x(question_.sizes.size());
    solution_.trajectory.evaluate(segment, t, x);
    return x;
  }

  // How far the states move, at steps of the run up to the length of the piece.
  Vector extent_of(const Solution& solution) const {
    Vector low = solution.initial.state, high = low, before = low, x(low.size());
    double length = question_.begin_length;
    const Trajectory& trajectory = solution.trajectory;
    for (std::size_t k = 0; k < trajectory.segments().size() && length < question_.length; ++k) {
      for (const double t : trajectory.step_times(k)) {
        trajectory.evaluate(k, t, x);
        if (t > trajectory.segments()[k].start) length += (x - before).norm();
        before = x;
        if (length > question_.length) break;
        low = low.cwiseMin(x);
        high = high.cwiseMax(x);
      }
    }
    return (high - low).cwiseMax(kLeastExtent * question_.sizes);
  }
  double part_of_extent(const Vector& change) const {
    return change.cwiseQuotient(extent_).lpNorm<Eigen::Infinity>();
  }

  double time_at(std::size_t segment, double from, double to, double length) {
    double low = from, high = to;
    for (int k = 0; k < 60 && high > low; ++k) {
      const double middle = 0.5 * (low + high);
      if (length_between(solution_.trajectory, segment, from, middle, rate_) < length) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return high;
  }

  // Points inside of a stretch, where the curve leaves its chord.
  void divide(ManifoldArc& arc, std::size_t segment, double from, double to, double length, int depth) {
    const Vector first = state_at(segment, from), last = state_at(segment, to);
    const double middle_time = 0.5 * (from + to);
    const Vector middle = state_at(segment, middle_time);
    const double chord = part_of_extent(last - first);
    const double apart = part_of_extent(middle - 0.5 * (first + last));
    // An arc that turns by an angle is an eighth of angle times chord away from its chord.
    const bool is_straight = 8 * apart <= question_.angle * chord && chord <= kLongestPart;
    if (depth >= kDeepest || is_straight || std::max(chord, apart) <= kSmallPart) return;
    divide(arc, segment, from, middle_time, length, depth + 1);
    const double until = length + length_between(solution_.trajectory, segment, from, middle_time, rate_);
    add(arc, segment, middle_time, until, false);
    divide(arc, segment, middle_time, to, until, depth + 1);
  }

  // A point that must not be kept is left out where the last one is near.
  void add(ManifoldArc& arc, std::size_t segment, double t, double length, bool must_be_kept) {
    const Segment& part = solution_.trajectory.segments()[segment];
    ManifoldPoint point{.time = question_.time_sign * (t - solution_.initial.t),
                        .arclength = length,
                        .state = state_at(segment, t),
                        .mode = part.mode,
                        .location = part.location};
    if (!arc.points.empty()) {
      const ManifoldPoint& before = arc.points.back();
      const double apart = part_of_extent(point.state - before.state);
      if (!must_be_kept && apart < kSmallPart) return;
      if (length == before.arclength) {
        if (apart <= kSamePlace) {
          // One place, where another mode begins.
          arc.points.back().mode = point.mode;
          arc.points.back().location = point.location;
          return;
        }
        point.after_jump = true;
      }
    }
    arc.points.push_back(std::move(point));
  }

  const Solution& solution_;
  const ArcQuestion& question_;
  Vector extent_;  // of the piece in each state, no less than a part of the size of that
  Vector rate_;
};

std::string name_of(const EventRecord& event) {
  std::string names;
  for (const std::string& name : event.surface_names) names += (names.empty() ? "" : ",") + name;
  return names.empty() && event.name ? *event.name : names;
}

double length_at(const ManifoldArc& arc, double time) {
  for (std::size_t k = 1; k < arc.points.size(); ++k)
    if (std::abs(arc.points[k].time) >= std::abs(time)) return arc.points[k].arclength;
  return arc.points.back().arclength;
}

void list_events(const Solution& solution, const ArcQuestion& question, double end, ManifoldArc& arc) {
  for (const EventRecord& event : solution.events) {
    if (event.t > end || !event.from) continue;
    const double time = question.time_sign * (event.t - solution.initial.t);
    arc.events.push_back(
        {.kind = to_string(event.kind),
         .name = name_of(event),
         .time = time,
         .arclength = length_at(arc, time),
         .state = event.before.size() > 0 ? event.before : solution.trajectory.before(event.t)});
  }
}

void tell_end(const Solution& solution, const Progress& progress, ManifoldArc& arc) {
  arc.message = solution.outcome.message;
  switch (solution.outcome.status) {
    case Status::reached_end:
      arc.end = ManifoldEnd::time;
      arc.message = "the time that a piece may take is over";
      return;
    case Status::stopped_by_event: arc.end = ManifoldEnd::stop; return;
    case Status::ambiguous: arc.end = ManifoldEnd::ambiguous; return;
    case Status::stopped_by_caller:
      arc.end = progress.is_at_rest ? ManifoldEnd::rest : ManifoldEnd::failure;
      if (progress.is_at_rest) arc.message = "it comes to rest";
      return;
    default: arc.end = ManifoldEnd::failure; return;
  }
}

}  // namespace

Options arc_options(const Options& asked) {
  Options options = plain_options(asked, Recording::dense);
  options.on_ambiguity = Ambiguity::stop;
  return options;
}

FollowedArc follow_arc(const Automaton& problem, const Options& options, const ArcQuestion& question) {
  Progress progress{.length = question.begin_length};
  Options watched = options;
  watched.on_step = [&](const StepView& step) {
    Vector x(question.sizes.size()), before(question.sizes.size());
    step.evaluate(step.start, before);
    const Vector begin = before;
    for (int k = 1; k <= kChords; ++k) {
      step.evaluate(step.start + (step.end - step.start) * k / kChords, x);
      progress.length += (x - before).norm();
      before = x;
    }
    const double change = (x - begin).cwiseQuotient(question.sizes).lpNorm<Eigen::Infinity>();
    progress.is_at_rest =
        step.end > step.start && change * question.rest_time <= kRest * (step.end - step.start);
    const bool is_long = progress.length >= kLongerThanChords * question.length;
    return progress.is_at_rest || is_long ? Answer::stop : Answer::go_on;
  };
  Run run = question.run;
  run.end = run.start + question.most_time;
  FollowedArc result;
  result.solution = Simulator(problem, watched).run(run);
  tell_end(result.solution, progress, result.arc);
  result.end_time = ArcSampler(result.solution, question).sample(result.arc);
  if (result.arc.end == ManifoldEnd::length) result.arc.message.clear();
  list_events(result.solution, question, result.end_time, result.arc);
  return result;
}

}  // namespace slideway
