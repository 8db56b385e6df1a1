#include "log/run_log.hpp"

#include <stdexcept>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "core/named_call.hpp"
#include "core/number_text.hpp"
#include "log/trajectory_projection.hpp"
#include "simulate/precision.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {

namespace {

// Surfaces that do not see each other are resolved group by group; a record lists them in the order of the file.
void list_in_order(EventRecord& record) {
  const std::size_t count = record.surfaces.size();
  if (std::is_sorted(record.surfaces.begin(), record.surfaces.end())) return;
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return record.surfaces[a] < record.surfaces[b]; });
  const auto reorder = [&](auto& entries) {
    if (entries.size() != count) return;
    const auto before = entries;
    for (std::size_t k = 0; k < count; ++k) entries[k] = before[order[k]];
  };
  reorder(record.surface_names);
  reorder(record.w_minus);
  reorder(record.w_plus);
  reorder(record.lambda);
  reorder(record.surfaces);
}

}  // namespace

RunLog::RunLog(const RunState& now, const std::vector<std::shared_ptr<const RelayStructure>>& structures)
    : now_(now), structures_(structures), state_(Vector::Zero(now.x.size())) {
  const auto times = static_cast<Index>(now.options.output_times.size());
  solution_.outputs = Matrix::Constant(now.x.size(), times, kNotANumber);
  solution_.trajectory = empty_trajectory();
}

Trajectory RunLog::empty_trajectory() const {
  return Trajectory(now_.x.size(),
                    make_projection(now_.tools.automaton(), structures_, now_.errors.atol(), now_.options));
}

void RunLog::finish_ambiguous(const SeveralMotions&, std::string message) {
  solution_.outcome = {Status::ambiguous, now_.t, std::move(message)};
}

void RunLog::finish(Status status, std::string message) {
  if (status == Status::ambiguous) throw std::logic_error("an ambiguous outcome without several motions");
  solution_.outcome = {status, now_.t, std::move(message)};
}

void RunLog::warn_once(const std::string& opening, std::string warning) {
  std::vector<std::string>& warnings = solution_.warnings;
  const auto is_told = [&](const std::string& one) { return one.starts_with(opening); };
  if (std::none_of(warnings.begin(), warnings.end(), is_told)) warnings.push_back(std::move(warning));
}

bool RunLog::too_many_events() {
  if (static_cast<Index>(solution_.events.size()) < now_.options.max_events) return false;
  const EventLog& events = solution_.events;
  const double latest_half = events.empty() ? 0 : now_.t - events[events.size() / 2].t;
  const bool ever_denser =
      events.size() >= kManyEvents && latest_half < kDenserPart * (now_.t - events.front().t);
  finish(Status::step_limit,
         "the limit of " + std::to_string(now_.options.max_events) +
             " events is reached at t = " + number_text(now_.t) +
             (ever_denser ? "; they come ever faster, half of them in the last " + number_text(latest_half) +
                                ", so more of them lead hardly further"
                          : "") +
             "; raise max_events");
  return true;
}

void RunLog::report(EventRecord&& record) {
  if (now_.tools.automaton().has_locations()) {
    if (!record.from_location) record.from_location = now_.here->name;
    if (!record.to_location) record.to_location = now_.here->name;
  }
  list_in_order(record);
  if (!now_.options.full_events) shorten(record);
  solution_.events.push_back(std::move(record));
  if (now_.options.on_event) {
    named_call([] { return std::string("Options::on_event"); },
               [&] {
                 if (now_.options.on_event(solution_.events.back()) == Answer::stop) stop_asked_ = true;
               });
  }
}

void RunLog::write_outputs(double start, double end) {
  while (next_output_ < now_.options.output_times.size()) {
    const double time = now_.options.output_times[next_output_];
    if (time > end) break;
    if (time < start) {
      ++next_output_;
      continue;
    }
    if (time == now_.run.start) {
      state_ = now_.run.state;
    } else if (time == now_.t || time >= now_.step.dense_end) {
      state_ = now_.x;
    } else {
      now_.stepper->evaluate(time, state_);
      now_.here->ode.project(time, now_.weights, state_);
    }
    solution_.outputs.col(static_cast<Index>(next_output_)) = state_;
    ++next_output_;
  }
}

void RunLog::complete_outputs(double t, const Vector& x, Matrix& outputs) const {
  for (std::size_t k = next_output_; k < now_.options.output_times.size(); ++k) {
    const double time = now_.options.output_times[k];
    if (time > t) break;
    if (time < now_.t) continue;
    state_ = time == now_.run.start ? now_.run.state : x;
    if (time != now_.run.start && time < t) {
      now_.stepper->evaluate(time, state_);
      now_.here->ode.project(time, now_.weights, state_);
    }
    outputs.col(static_cast<Index>(k)) = state_;
  }
}

void RunLog::begin_record(double t, const Vector& x) {
  record_start_ = t;
  solution_.initial = {t, now_.word(), x, now_.here->name};
  solution_.events.clear();
  solution_.warnings.clear();
  solution_.trajectory = empty_trajectory();
}

void RunLog::record_step(double start, double end, Trajectory& trajectory) const {
  const Interpolant shape = now_.stepper->interpolant_shape();
  now_.stepper->copy_coefficients(trajectory.add_step(start, end, shape.center, shape.scale, shape.terms));
}

void RunLog::append_step(double start, double end) {
  if (now_.options.recording == Recording::dense && end > record_start_)
    record_step(std::max(start, record_start_), end, solution_.trajectory);
  if (now_.options.on_step) {
    const Mode mode = now_.word();
    const StepView view{start, end, mode, now_.here->name, [this](double t, VectorRef x) {
                          now_.stepper->evaluate(t, x);
                          now_.here->ode.project(t, now_.weights, x);
                        }};
    named_call([] { return std::string("Options::on_step"); },
               [&] {
                 if (now_.options.on_step(view) == Answer::stop) stop_asked_ = true;
               });
  }
}

}  // namespace slideway
