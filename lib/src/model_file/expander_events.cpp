// Expander: inputs, time events, and the events of guards.
#include "model_file/expander.hpp"

#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "core/number_text.hpp"
#include "expression/expression_tape.hpp"
#include "expression/tape_inputs.hpp"

namespace slideway::reader {

double Expander::value_of_parameters(const Formula& formula, std::uint32_t i, Vector* by) {
  const auto count = static_cast<Index>(expanded_.free_parameters);
  if (by) by->setZero(count);
  const NodeId node = builder_.build(formula, Jumps::values, i);
  if (expanded_.graph.is_constant(node)) return expanded_.graph.value(node);
  const Tape tape(expanded_.graph, {node});
  const Vector& values = expanded_.initial;
  for (Index k = 0; by && k < count; ++k) {
    const Vector direction = Vector::Unit(values.size(), values.size() - count + k);
    tape.evaluate<Dual<double>>(MovingPoint{point(expanded_.start, values), point(0, direction)},
                                [&](std::size_t, const Dual<double>& value) { (*by)[k] = value.derivative; });
  }
  return tape.value<double>(point(expanded_.start, values));
}

void Expander::set_times(const EveryDescription& every, std::uint32_t i, ExpandedEvery& made) {
  const auto any = [](double) { return true; };
  const auto count = static_cast<Index>(expanded_.free_parameters);
  TimeEvent& times = made.times;
  TimesByParameters by;
  by.offset = by.period = Vector::Zero(count);
  by.at = Matrix::Zero(static_cast<Index>(every.at.size()), count);
  if (every.period)
    times.period = time_number(
        *every.period, i, "a number > 0", [](double value) { return value > 0; }, &by.period);
  if (every.offset) times.offset = time_number(*every.offset, i, "a finite number", any, &by.offset);
  if (every.count) {
    constexpr double most = 9e15;
    times.count =
        static_cast<std::int64_t>(time_number(*every.count, i, "a whole number from 1 on", [](double value) {
          return value >= 1 && value <= most && value == std::floor(value);
        }));
  }
  Vector row;
  for (const Formula& time : every.at) {
    const double earlier = times.at.empty() ? -std::numeric_limits<double>::infinity() : times.at.back();
    times.at.push_back(time_number(
        time, i, times.at.empty() ? "a finite number" : "a time after " + exact_text(earlier),
        [earlier](double value) { return value > earlier; }, &row));
    by.at.row(static_cast<Index>(times.at.size()) - 1) = row.transpose();
  }
  for (Index k = 0; k < count && !made.by_parameters; ++k)
    if (by.moved_by(k)) made.by_parameters = std::make_shared<const TimesByParameters>(by);
}

void Expander::build_inputs() {
  for (const InputDescription& input : model_.inputs) {
    const auto first = static_cast<Index>(extents_.first_state[input.first_state]);
    const std::vector<double>& times = input.signal->data().times;
    const bool ends = input.signal->data().extrapolation == Extrapolation::error;
    if (ends && (expanded_.start < times.front() || expanded_.end > times.back())) {
      mistakes_.push_back({input.position, input.name.size(),
                           "input " + in_quotes(input.name) + " does not last for the whole run",
                           "knots from " + exact_text(expanded_.start) + " to " + exact_text(expanded_.end),
                           "knots from " + exact_text(times.front()) + " to " + exact_text(times.back()),
                           "change [time], or write extrapolation = \"hold\" or \"periodic\" beside it"});
      continue;
    }
    input.signal->set_states(expanded_.start, first, expanded_.initial);
    for (TimeEvent& knots : input.signal->knots(first, expanded_.start)) {
      ExpandedEvery every;
      every.reset = knots.reset;
      every.times = std::move(knots);
      expanded_.every.push_back(std::move(every));
    }
  }
}

void Expander::build_every() {
  for (const EveryDescription& table : model_.every) {
    for_every(table, [&](std::uint32_t i, const std::string& name) {
      ExpandedEvery made;
      made.times.name = name;
      made.times.priority = table.priority;
      succeeds([&] { set_times(table, i, made); });
      if (name.empty() && !table.at.empty()) made.times.name = "at times";
      if (name.empty() && table.period) made.times.name = "every " + builder_.text(*table.period, i);
      made.set = build_assignments(table.set, Jumps::values, i);
      expanded_.every.push_back(std::move(made));
    });
  }
}

void Expander::build_events(const std::string& kind, const std::vector<EventDescription>& events,
                            std::vector<ExpandedEvent>& result) {
  for (const EventDescription& event : events) {
    // Resets that set all of a large vector would hold as many values as there are pairs of elements.
    std::vector<Assignment> single, every;
    for (const Assignment& line : event.set) (event.size && is_common(line) ? every : single).push_back(line);
    std::shared_ptr<const std::vector<ExpandedAssignment>> common;
    for_every(event, [&](std::uint32_t i, const std::string& name) {
      if (!common && !every.empty())
        common = std::make_shared<const std::vector<ExpandedAssignment>>(
            build_assignments(every, Jumps::values, i));
      ExpandedEvent made;
      made.name = name;
      made.direction = event.direction;
      made.across_jumps = event.across_jumps;
      made.common = common;
      made.from = event.from;
      made.to = event.to;
      made.zeno = event.zeno;
      made.values = delayed_values(model_, event);
      made.priority = event.priority;
      made.initially = event.initially;
      succeeds([&] {
        if (event.delay)
          made.delay = time_number(*event.delay, i, "a number >= 0", [](double value) { return value >= 0; });
      });
      succeeds([&] {
        const FormulaBuilder::EventGuard guard = builder_.event_guard(event.when, i);
        made.guard = guard.node;
        if (made.direction != Direction::any) {
          made.at_zero = guard.at_zero;
          made.holds_at_zero = guard.holds_at_zero;
        }
        // It fires where the condition ceases to hold.
        if (made.direction == Direction::falling) {
          if (guard.at_zero != AtZero::unknown)
            made.at_zero = guard.at_zero == AtZero::holds ? AtZero::fails : AtZero::holds;
          if (guard.holds_at_zero) made.holds_at_zero = expanded_.graph.opposite(*guard.holds_at_zero);
        }
        if (guard.opposite && made.direction != Direction::any)
          made.direction = made.direction == Direction::rising ? Direction::falling : Direction::rising;
        if (!guard.is_decided) check_is_met(made.guard, event.when, kind, name, "a guard");
        // The name is that of a surface without a name.
        if (name.empty()) made.name = builder_.text(event.when, i);
      });
      made.set = build_assignments(single, Jumps::values, i);
      result.push_back(std::move(made));
    });
  }
}

}  // namespace slideway::reader
