#include "sensitivity/differentiate.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/number_text.hpp"
#include "sensitivity/accumulated_changes.hpp"
#include "sensitivity/ledger_replay.hpp"
#include "sensitivity/saltation.hpp"
#include "sensitivity/segment_field.hpp"
#include "sensitivity/sparse_collocation.hpp"
#include "sensitivity/variation.hpp"

namespace slideway {

namespace {

// The first of dense_formulas() serves where nothing is known yet. High orders are cheap, since solving is beside the evaluation of J.
const Collocation::Formulas& dense_formulas() {
  static const Collocation::Formulas formulas = {Radau(5), Radau(3), Radau(4), Radau(6), Radau(7), Radau(8)};
  return formulas;
}

const Collocation::Formulas& sparse_formulas() {
  static const Collocation::Formulas formulas = {Radau(5)};
  return formulas;
}

// The steps of the solution in which J is seen at least once. Half as many cost the rod a third and dry friction a tenth more; twice as many
// cost the rod a seventh less and the belt 6 % more. Errors remain those of the run.
constexpr std::size_t kStepsOfStretch = 8;
// Steps of large systems see J at five stages at least, and so no less often in twice as many steps. Stretches of 8 cost the rod a seventh
// more, with the same errors.
constexpr std::size_t kStepsOfLargeStretch = 16;
// The equations of a step are solved to this part of the tolerance. A hundredth of it changes errors by less than a thousandth of themselves.
constexpr double kPartOfTolerance = 0.01;
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

std::vector<std::shared_ptr<const RelayStructure>> structures_of(const Automaton& automaton) {
  std::vector<std::shared_ptr<const RelayStructure>> structures;
  for (const Location& location : automaton.locations())
    structures.push_back(std::make_shared<const RelayStructure>(location.system));
  return structures;
}

class Differentiator {
 public:
  Differentiator(const Automaton& problem,
                 const std::vector<std::shared_ptr<const RelayStructure>>& structures, const Options& options,
                 const Run& run, const Solution& solution)
      : wanted_(options.sensitivities),
        options_(options),
        run_(run),
        solution_(solution),
        states_(run.state.size()),
        replay_(problem, structures, options, run, solution, wanted_.parameters),
        saltation_(replay_.middle()),
        variation_(states_, options.rtol),
        result_(std::make_shared<Sensitivities>(wanted_.names, states_)),
        s_(wanted_.initial),
        sizes_(replay_.sizes()) {}

  std::shared_ptr<Sensitivities> execute() {
    try {
      follow();
    } catch (const std::exception& error) {
      fail(time_, error.what());
    }
    while (result_->events().size() < solution_.events.size()) {
      EventSensitivity missing;
      missing.time = Vector::Constant(s_.cols(), kUnknown);
      missing.before = missing.after = Matrix::Constant(states_, s_.cols(), kUnknown);
      missing.exists = false;
      missing.reason = result_->reason();
      result_->add_event(std::move(missing));
    }
    result_->end_with(s_.topRows(states_));
    for (const double t : options_.output_times) result_->add_output(output(t));
    return result_;
  }

 private:
  void fail(double t, const std::string& why) {
    s_.topRows(states_).setConstant(kUnknown);
    result_->end_existence(t, why);
  }

  Matrix output(double t) const {
    if (result_->pieces() > 0 && t >= run_.start && t <= solution_.trajectory.end()) return (*result_)(t);
    if (t == solution_.outcome.t) return result_->final();
    return Matrix::Constant(states_, s_.cols(), kUnknown);
  }

  const std::vector<Segment>& segments() const { return solution_.trajectory.segments(); }

  void follow() {
    time_ = segments().front().start;
    end_of_instant(0);
    for (std::size_t k = 0; k < segments().size(); ++k) {
      follow_segment(k);
      time_ = segments()[k].end;
      end_of_instant(k + 1);
    }
  }

  void follow_segment(std::size_t k) {
    const std::vector<double> times = solution_.trajectory.step_times(k);
    const double end = segments()[k].end;
    if (times.size() < 2 || !(end > times.front())) return;
    Vector state(states_);
    const std::unique_ptr<Collocation> collocation = collocation_of(k);
    Variation::Piece piece;
    if (options_.recording == Recording::dense || !options_.output_times.empty()) {
      piece = [this](double start, double h, const Matrix& coefficients) {
        result_->add_piece(start, start + h, h, coefficients);
      };
    }
    // J is seen in stretches of at most so many steps of the solution, all of about as many, between records, which change nothing.
    const std::size_t most = collocation->keeps_factors() ? kStepsOfLargeStretch : kStepsOfStretch;
    const std::size_t steps = times.size() - 1, stretches = (steps + most - 1) / most;
    const std::size_t of_stretch = (steps + stretches - 1) / stretches;
    std::optional<double>& rate = rates_[{segments()[k].location, segments()[k].mode.word()}];
    variation_.restart(times[of_stretch] - times[0], rate);
    // Floors are those of the stretch of a step.
    std::size_t floors_of = times.size();
    const auto longest = [&](double t) {
      const auto past = std::upper_bound(times.begin(), times.end(), t) - times.begin();
      const std::size_t step = static_cast<std::size_t>(past) - 1;
      const double until = step + of_stretch < steps ? times[step + of_stretch] : end;
      if (floors_of != step / of_stretch) find_floors(state, k, until);
      floors_of = step / of_stretch;
      return until - t;
    };
    const bool goes_on = collocation->keeps_factors();
    double from = times.front();
    std::size_t next = 0;
    while (from < end) {
      next = goes_on ? steps : std::min(next + of_stretch, steps);
      double until = std::max(from, next + 1 == times.size() ? end : times[next]);
      time_ = from;
      const bool has_record =
          next_event_ < solution_.events.size() && solution_.events[next_event_].t < std::min(until, end);
      if (has_record) {
        until = std::max(from, solution_.events[next_event_].t);
        next = static_cast<std::size_t>(std::lower_bound(times.begin(), times.end(), until) - times.begin());
        next = next > 0 ? next - 1 : 0;
      }
      if (goes_on) {
        if (until > from) variation_.advance(from, until, longest, *collocation, floors_, s_, piece);
      } else {
        find_floors(state, k, until);
        const auto whole = [&](double) { return until - from; };
        if (until > from) variation_.advance(from, until, whole, *collocation, floors_, s_, piece);
      }
      from = until;
      if (has_record) time_event(k);
    }
    rate = variation_.first_rate();
  }

  std::unique_ptr<Collocation> collocation_of(std::size_t k) {
    SegmentField& here = replay_.field_of(k);
    if (const Pattern* const pattern = here.pattern_of_many_states()) {
      return std::make_unique<SparseCollocation>(
          sparse_formulas(), states_, *pattern, kPartOfTolerance * options_.rtol,
          [this, &here, k](double t, SplitJacobian& result) {
            here.split_jacobian(t, replay_.state_for_jacobian(k, t), result);
          });
    }
    return std::make_unique<DenseCollocation>(dense_formulas(), states_,
                                              [this, &here, k](double t, Matrix& result) {
                                                here.jacobian(t, replay_.state_for_jacobian(k, t), result);
                                              });
  }

  // Entries of S matter from a hundredth of what a change of p by its own size makes of x by its own.
  void find_floors(Vector& state, std::size_t segment, double t) {
    if (floors_.rows() != states_) floors_.resize(states_, s_.cols());
    solution_.trajectory.evaluate(segment, t, state);
    for (Index j = 0; j < s_.cols(); ++j) {
      // The change that makes one of what it begins at another one altogether.
      double reciprocal = 0;
      const Index beyond = s_.rows() - states_;
      for (Index i = 0; i < beyond; ++i)
        if (wanted_.parameters[i] != 0)
          reciprocal = std::max(reciprocal, std::abs(s_(states_ + i, j) / wanted_.parameters[i]));
      for (Index i = 0; i < states_; ++i)
        reciprocal = std::max(reciprocal,
                              std::abs(wanted_.initial(i, j)) / std::max(std::abs(run_.state[i]), sizes_[i]));
      const double size = reciprocal > 0 ? 1 / reciprocal : 1;
      for (Index i = 0; i < states_; ++i)
        floors_(i, j) = 0.01 * std::max(std::abs(state[i]), sizes_[i]) / size;
    }
  }

  EventSensitivity entry(const Matrix& before) const {
    EventSensitivity result;
    result.before = before.topRows(states_);
    result.after = result.before;
    return result;
  }

  void time_event(std::size_t k) {
    EventSensitivity noted = entry(s_);
    const Saltation::Instant instant = replay_.instant_within(k, next_event_);
    noted.time = saltation_.time_of(instant, s_);
    result_->add_event(std::move(noted));
    ++next_event_;
  }

  // All events between the segment before `next` and that one.
  void end_of_instant(std::size_t next) {
    const std::size_t first = next_event_;
    next_event_ = replay_.events_before(next).end;
    if (next < segments().size()) replay_.take(next);
    const std::optional<Saltation::Instant> found = replay_.instant(next);
    if (!found) return;
    const Saltation::Instant& instant = *found;
    const Matrix before = s_;
    const auto zeno = std::find_if(instant.records.begin(), instant.records.end(),
                                   [](const auto* record) { return record->kind == EventKind::zeno; });
    Saltation::Change change = zeno == instant.records.end()
                                   ? saltation_.apply(instant, s_)
                                   : accumulation_.limit(instant, **zeno, saltation_, s_);
    accumulation_.note(instant, change);
    s_ = change.after;
    s_.bottomRows(s_.rows() - states_) = before.bottomRows(s_.rows() - states_);
    if (!change.exists) result_->end_existence(instant.t, change.reason);
    const Matrix saltation =
        options_.full_events && !instant.records.empty() && instant.from && zeno == instant.records.end()
            ? saltation_of(instant)
            : Matrix();
    EventSensitivity noted = entry(before);
    noted.time = change.time;
    noted.after = s_.topRows(states_);
    noted.exists = change.exists;
    noted.reason = change.reason;
    noted.saltation = saltation;
    noted.time_below = change.time_below;
    noted.time_above = change.time_above;
    if (change.after_below.size() > 0) noted.after_below = change.after_below.topRows(states_);
    if (change.after_above.size() > 0) noted.after_above = change.after_above.topRows(states_);
    for (std::size_t e = first; e < next_event_; ++e) result_->add_event(noted);
    if (!instant.from && !change.exists) result_->begin_with(std::move(noted));
  }

  Matrix saltation_of(const Saltation::Instant& instant) {
    Matrix unit = Matrix::Zero(s_.rows(), states_);
    unit.topRows(states_).setIdentity();
    const Saltation::Change change = saltation_.apply(instant, unit);
    return change.after.topRows(states_);
  }

  const SensitivityRequest& wanted_;
  const Options& options_;
  const Run& run_;
  const Solution& solution_;
  Index states_;
  LedgerReplay replay_;
  Saltation saltation_;
  AccumulatedChanges accumulation_;
  Variation variation_;
  std::shared_ptr<Sensitivities> result_;
  Matrix s_, floors_;
  Vector sizes_;
  // The rates at which S varied at the beginning of the last segment, by location and mode.
  std::map<std::pair<std::string, std::string>, std::optional<double>> rates_;
  std::size_t next_event_ = 0;
  double time_ = 0;
};

}  // namespace

std::shared_ptr<Sensitivities> differentiate(
    const Automaton& automaton, const std::vector<std::shared_ptr<const RelayStructure>>& structures,
    const Options& options, const Run& run, const Solution& solution) {
  if (!options.sensitivities.extended)
    return Differentiator(automaton, structures, options, run, solution).execute();
  const Automaton& extended = *options.sensitivities.extended;
  const auto its_structures = structures_of(extended);
  return Differentiator(extended, its_structures, options, run, solution).execute();
}

}  // namespace slideway
