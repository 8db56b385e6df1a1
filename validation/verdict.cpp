#include "validation/verdict.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include <fmt/format.h>

#include "slideway/detail/model/evaluator.hpp"

namespace slideway::validation {
namespace {

// Events that leave the mode alone are not part of the sequence.
bool counts(const EventRecord& event) {
  return event.kind != EventKind::grazing && event.kind != EventKind::record;
}

std::vector<const EventRecord*> counted_events(const Solution& solution) {
  std::vector<const EventRecord*> events;
  for (const EventRecord& event : solution.events) {
    if (counts(event)) events.push_back(&event);
  }
  return events;
}

std::string join(const std::vector<std::string>& words) {
  constexpr std::size_t shown = 16;
  std::string line;
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (k == shown && words.size() > shown + 1) return line + fmt::format(" … ({} modes)", words.size());
    if (k > 0) line += ' ';
    line += words[k].empty() ? "(none)" : words[k];
  }
  return line;
}

class Judge {
 public:
  Judge(const Case& problem, double rtol) : problem_(problem), reference_(problem.reference) {
    verdict_.allowed = allowed_error(problem, rtol);
  }

  Verdict judge(Solution solution) {
    verdict_.solution = std::move(solution);
    status();
    sequence();
    times();
    landmarks();
    event_states();
    corner();
    final_state();
    checkpoints();
    invariants();
    trajectory();
    drift();
    verdict_.passed = verdict_.failures.empty();
    return std::move(verdict_);
  }

 private:
  const Solution& solution() const { return verdict_.solution; }

  void fail(std::string line) { verdict_.failures.push_back(std::move(line)); }

  // Notes the comparison and returns its error; a number that is not one is an infinite error.
  double compare(std::string quantity, double expected, double got, double error) {
    if (!std::isfinite(error)) error = std::numeric_limits<double>::infinity();
    if (error > verdict_.allowed) {
      fail(fmt::format("{}: expected {:.15g}, got {:.15g} (error {:.2g}, allowed {:.2g})", quantity, expected,
                       got, error, verdict_.allowed));
    }
    verdict_.comparisons.push_back({std::move(quantity), expected, got, error});
    return error;
  }

  double compare_state(const std::string& where, const std::vector<double>& expected, ConstVectorRef got) {
    const std::vector<std::string>& names = problem_.system.state_names();
    double worst = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const double value = got(static_cast<Index>(i));
      const double error = std::abs(value - expected[i]) / std::max(problem_.scale, std::abs(expected[i]));
      const std::string name = i < names.size() ? names[i] : fmt::format("x{}", i + 1);
      worst = std::max(worst, compare(fmt::format("{}({})", name, where), expected[i], value, error));
    }
    return worst;
  }

  double compare_time(std::size_t event, double expected, double got) {
    const double since_start = std::abs(expected - problem_.run.start);
    return compare(fmt::format("t of event {}", event + 1), expected, got,
                   std::abs(got - expected) / std::max(1.0, since_start));
  }

  void status() {
    const Outcome& outcome = solution().outcome;
    if (outcome.status != reference_.status) {
      fail(fmt::format("status: expected {}, got {} at t = {:.15g}: {}", to_string(reference_.status),
                       to_string(outcome.status), outcome.t, outcome.message));
      return;
    }
    const bool to_end = reference_.status == Status::reached_end;
    const double expected = to_end ? problem_.run.end : stop_time();
    const double error =
        std::abs(outcome.t - expected) / std::max(1.0, std::abs(expected - problem_.run.start));
    if (to_end ? outcome.t != expected : !(error <= verdict_.allowed)) {
      fail(fmt::format("end: expected t = {:.15g}, got {:.15g}", expected, outcome.t));
    }
  }

  void sequence() {
    const std::vector<std::string>& expected = reference_.modes;
    const std::vector<std::string> got = mode_words(solution());
    verdict_.expected_modes = join(expected);
    verdict_.got_modes = join(got);
    if (expected.empty()) return;
    if (expected.size() != got.size()) {
      fail(fmt::format("events: expected {}, got {}", expected.size() - 1, got.size() - 1));
    }
    const std::vector<EventKind> kinds = event_kinds(reference_);
    const std::vector<const EventRecord*> events = counted_events(solution());
    for (std::size_t k = 0; k < std::min(expected.size(), got.size()); ++k) {
      if (expected[k] != got[k]) {
        fail(fmt::format("mode {}: expected '{}', got '{}'{}", k, expected[k], got[k],
                         k > 0 ? fmt::format(" at t = {:.15g}", events[k - 1]->t) : ""));
        return;
      }
      if (k > 0 && events[k - 1]->kind != kinds[k - 1]) {
        fail(fmt::format("event {}: expected {}, got {} at t = {:.15g}", k, to_string(kinds[k - 1]),
                         to_string(events[k - 1]->kind), events[k - 1]->t));
        return;
      }
    }
    if (reference_.status == Status::reached_end && solution().final.mode.word() != expected.back()) {
      fail(fmt::format("final mode: expected '{}', got '{}'", expected.back(), solution().final.mode.word()));
    }
  }

  void times() {
    const std::vector<const EventRecord*> events = counted_events(solution());
    for (std::size_t k = 0; k < std::min(events.size(), reference_.times.size()); ++k) {
      verdict_.time_error = std::max(verdict_.time_error, compare_time(k, reference_.times[k], events[k]->t));
    }
  }

  double stop_time() const {
    return reference_.times.empty() ? reference_.landmarks.back().t : reference_.times.back();
  }

  void landmarks() {
    const std::vector<const EventRecord*> events = counted_events(solution());
    if (events.size() > reference_.most_events) {
      fail(fmt::format("events: expected at most {}, got {}", reference_.most_events, events.size()));
    }
    if (events.size() < reference_.first_times.size()) {
      fail(fmt::format("events: expected at least {}, got {}", reference_.first_times.size(), events.size()));
    }
    for (std::size_t k = 0; k < std::min(events.size(), reference_.first_times.size()); ++k) {
      const double error = compare_time(k, reference_.first_times[k], events[k]->t);
      verdict_.time_error = std::max(verdict_.time_error, error);
    }
    std::set<EventKind> kinds;
    for (const Landmark& landmark : reference_.landmarks) kinds.insert(landmark.kind);
    std::size_t found = 0;
    for (const EventRecord* event : events) {
      if (kinds.count(event->kind) == 0) continue;
      if (found < reference_.landmarks.size()) {
        const Landmark& landmark = reference_.landmarks[found];
        if (landmark.kind != event->kind) {
          fail(fmt::format("landmark {}: expected {}, got {} at t = {:.15g}", found + 1,
                           to_string(landmark.kind), to_string(event->kind), event->t));
          return;
        }
        verdict_.time_error = std::max(verdict_.time_error, compare_time(found, landmark.t, event->t));
      }
      ++found;
    }
    if (found != reference_.landmarks.size()) {
      fail(fmt::format("landmarks: expected {}, got {}", reference_.landmarks.size(), found));
    }
  }

  void event_states() {
    const std::vector<const EventRecord*> events = counted_events(solution());
    for (std::size_t k = 0; k < std::min(events.size(), reference_.event_states.size()); ++k) {
      inside(compare_state(fmt::format("event {}", k + 1), reference_.event_states[k], events[k]->after));
    }
  }

  void corner() {
    if (!reference_.corner) return;
    const CornerClaims& claims = *reference_.corner;
    const EventLog& events = solution().events;
    const auto event = std::find_if(events.begin(), events.end(),
                                    [](const EventRecord& e) { return e.codeword.has_value(); });
    if (event == events.end()) {
      fail("no event has a code word");
      return;
    }
    if (*event->codeword != claims.code_word) {
      fail(fmt::format("code word: expected {}, got {}", claims.code_word, *event->codeword));
    }
    same_modes("continuations", claims.continuations, event->continuations);
    same_modes("modes of the convex hull alone", claims.beyond, event->in_convex_hull);
  }

  void same_modes(const std::string& what, const std::vector<std::string>& expected,
                  const std::vector<Mode>& got) {
    std::set<std::string> words;
    for (const Mode& mode : got) words.insert(mode.word());
    if (words == std::set<std::string>(expected.begin(), expected.end())) return;
    fail(fmt::format("{}: expected {}, got {}", what, fmt::join(expected, " "), fmt::join(words, " ")));
  }

  void final_state() {
    if (reference_.final.empty()) return;
    const std::string where = fmt::format("{:.6g}", solution().final.t);
    verdict_.final_error = compare_state(where, reference_.final, solution().final.state);
  }

  void checkpoints() {
    for (const Checkpoint& checkpoint : reference_.checkpoints) {
      if (!covers(checkpoint.t)) {
        fail(fmt::format("the trajectory does not reach the checkpoint t = {:.15g}", checkpoint.t));
        continue;
      }
      inside(compare_state(fmt::format("{:.6g}", checkpoint.t), checkpoint.state,
                           solution().trajectory(checkpoint.t)));
    }
  }

  void invariants() {
    if (solution().trajectory.empty()) return;
    for (const Invariant& invariant : reference_.invariants) {
      double worst = invariant.expected;
      for (const double t : random_times(solution().trajectory.start(), solution().trajectory.end(), 200)) {
        const double value = invariant.value(t, solution().trajectory(t));
        if (!(std::abs(value - invariant.expected) <= std::abs(worst - invariant.expected))) worst = value;
      }
      const double error = std::abs(worst - invariant.expected) / std::max(1.0, std::abs(invariant.expected));
      inside(compare(fmt::format("{}, worst", invariant.name), invariant.expected, worst, error));
    }
  }

  // The trajectory spans the run, starts and ends in the states reported, and is continuous at events.
  void trajectory() {
    const Trajectory& trajectory = solution().trajectory;
    if (trajectory.empty()) {
      fail("the trajectory is empty");
      return;
    }
    if (trajectory.start() != problem_.run.start || trajectory.end() != solution().outcome.t) {
      fail(fmt::format("trajectory: expected [{:.15g}, {:.15g}], got [{:.15g}, {:.15g}]", problem_.run.start,
                       solution().outcome.t, trajectory.start(), trajectory.end()));
      return;
    }
    agree("the trajectory at the start", trajectory(problem_.run.start), problem_.run.state);
    agree("the trajectory at the end", trajectory(trajectory.end()), solution().final.state);
    // Among several events at one instant only the first starts, and only the last ends, on the trajectory.
    const EventLog& events = solution().events;
    for (std::size_t k = 0; k < events.size(); ++k) {
      const EventRecord& event = events[k];
      if (event.before.size() == 0) continue;
      if ((k == 0 || events[k - 1].t < event.t) && event.t > problem_.run.start) {
        const ConstVectorRef before = event.before;
        // The rest of an accumulation is a straight line from the last impact.
        if (event.kind != EventKind::zeno) {
          agree(fmt::format("the trajectory before t = {:.15g}", event.t), trajectory.before(event.t),
                before);
        }
      }
      if (k + 1 < events.size() && events[k + 1].t == event.t) continue;
      // From the last impact of an accumulation on the state is where it comes to, and the flights left are not followed.
      if (k + 1 < events.size() && events[k + 1].kind == EventKind::zeno) continue;
      agree(fmt::format("the trajectory after t = {:.15g}", event.t), trajectory(event.t), event.after);
    }
  }

  void agree(const std::string& what, ConstVectorRef left, ConstVectorRef right) {
    const double difference = (left - right).lpNorm<Eigen::Infinity>();
    if (!(difference <= verdict_.allowed * std::max(problem_.scale, right.lpNorm<Eigen::Infinity>()))) {
      fail(fmt::format("{}: it is {:.2g} away from the state reported", what, difference));
    }
  }

  void drift() {
    verdict_.drift = solution().statistics.largest_drift;
    for (const Segment& segment : solution().trajectory.segments()) {
      if (segment.mode.codimension() == 0) continue;
      for (const double t : random_times(segment.start, segment.end, 20)) {
        verdict_.drift = std::max(verdict_.drift, drift_at(t, segment.mode));
      }
    }
    if (!(verdict_.drift <= allowed_drift)) {
      fail(
          fmt::format("drift while sliding: expected at most {}, got {:.3g}", allowed_drift, verdict_.drift));
    }
  }

  // |h| in units of ε·(Σ|∂ⱼh||xⱼ| + |∂ₜh||t|), with the natural size of a state for one that is near 0.
  double drift_at(double t, const Mode& mode) {
    Evaluator evaluator(problem_.system);
    const Vector x = solution().trajectory(t);
    const Index surfaces = problem_.system.surfaces();
    Vector h(surfaces), dt(surfaces);
    Matrix dx(surfaces, problem_.system.states());
    evaluator.guards(t, x, h);
    evaluator.guards_dt(t, x, dt);
    evaluator.guards_dx(t, x, dx);
    double worst = 0;
    for (Index i = 0; i < surfaces; ++i) {
      if (!mode.slides_on(i)) continue;
      double size = std::abs(dt(i) * t);
      for (Index j = 0; j < x.size(); ++j)
        size += std::abs(dx(i, j)) * std::max(std::abs(x(j)), problem_.scale);
      worst = std::max(worst, std::abs(h(i)) / (std::numeric_limits<double>::epsilon() * size));
    }
    for (std::size_t c = 0; c < problem_.system.contacts().size(); ++c) {
      if (!mode.slides_on(surfaces + static_cast<Index>(c))) continue;
      const Guard& gap = problem_.system.contacts()[c].gap;
      Vector gradient(x.size());
      gap.gradient(t, x, gradient);
      double size = std::abs(gap.rate(t, x, 1, Vector::Zero(x.size())) * t);
      for (Index j = 0; j < x.size(); ++j)
        size += std::abs(gradient(j)) * std::max(std::abs(x(j)), problem_.scale);
      worst = std::max(worst, std::abs(gap.value(t, x)) / (std::numeric_limits<double>::epsilon() * size));
    }
    return worst;
  }

  bool covers(double t) const {
    const Trajectory& trajectory = solution().trajectory;
    return !trajectory.empty() && trajectory.start() <= t && t <= trajectory.end();
  }

  void inside(double error) { verdict_.inside_error = std::max(verdict_.inside_error, error); }

  std::vector<double> random_times(double start, double end, int count) {
    std::uniform_real_distribution<double> inside_interval(0, 1);
    std::vector<double> times;
    for (int k = 0; k < count; ++k) {
      times.push_back(std::clamp(start + (end - start) * inside_interval(random_), start, end));
    }
    return times;
  }

  const Case& problem_;
  const Reference& reference_;
  Verdict verdict_;
  std::mt19937_64 random_{20240607};
};

}  // namespace

double Verdict::worst_error() const { return std::max({final_error, time_error, inside_error}); }

double allowed_error(const Case& problem, double rtol) {
  return std::max(1e-11, rtol) * std::max(1000.0, 10 * problem.condition);
}

std::vector<std::string> mode_words(const Solution& solution) {
  const std::vector<const EventRecord*> events = counted_events(solution);
  std::vector<std::string> words;
  // An event without a `from` is at the start: there is no mode before it.
  words.push_back(!events.empty() && !events.front()->from ? "" : solution.initial.mode.word());
  for (const EventRecord* event : events) words.push_back(event->to ? event->to->word() : "");
  return words;
}

Verdict judge(const Case& problem, Method method, double rtol) {
  Options options;
  options.rtol = rtol;
  options.atol = Tolerance(problem.scale * rtol / 100);
  options.method = method;
  options.on_ambiguity = problem.on_ambiguity;
  options.max_step = problem.max_step;
  options.sliding_rule = problem.sliding_rule;
  options.selection = problem.selection;
  return Judge(problem, rtol).judge(Simulator(problem_of(problem), options).run(problem.run));
}

}  // namespace slideway::validation
