#include "lib/fmi/stepped_fmu.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace slideway::fmi {
namespace {

bool is_number(const Variable& variable) {
  return variable.type != Type::text && variable.type != Type::binary;
}

}  // namespace

std::vector<const Variable*> stepped_variables(const Description& about) {
  std::vector<const Variable*> found;
  const auto is_seen = [&](const Variable& one) {
    const auto is_it = [&](const State& state) { return state.variable.name == one.name; };
    return one.role == Role::output || std::any_of(about.states.begin(), about.states.end(), is_it);
  };
  for (const bool is_continuous : {true, false})
    for (const Variable& one : about.variables)
      if (is_number(one) && one.is_continuous == is_continuous && is_seen(one)) found.push_back(&one);
  return found;
}

SteppedFmu::SteppedFmu(std::shared_ptr<const Fmu> fmu, const StartValues& values,
                       std::shared_ptr<const Inputs> inputs, double start, double step)
    : fmu_(std::move(fmu)), inputs_(std::move(inputs)), instance_(make_instance(fmu_)) {
  const Description& about = fmu_->description();
  communication_.push_back({.name = "communication point", .period = step, .offset = start + step});
  // An FMU that wants steps of one size gets its inputs at the ends of these.
  if (!inputs_->empty() && !about.has_fixed_steps) {
    std::vector<double> knots = inputs_->knots();
    std::erase_if(knots, [&](double t) { return t <= start; });
    if (!knots.empty()) communication_.push_back({.name = "inputs", .at = knots});
  }
  for (TimeEvent& event : communication_)
    event.reset = [this](double t, ConstVectorRef before, VectorRef after) { communicate(t, before, after); };
  for (const Variable& one : about.variables)
    if (is_number(one)) all_.push_back(&one);
  for (const Variable* const state : stepped_variables(about)) {
    const auto found = std::find(all_.begin(), all_.end(), state);
    places_.push_back(static_cast<std::size_t>(found - all_.begin()));
    if (state->is_continuous) ++continuous_;
  }
  StartValues all_values = values;
  for (const Inputs::Column& column : inputs_->columns())
    all_values.emplace_back(column.variable, inputs_->value(column, start, inputs_->piece_from(start)));
  instance_->start(start, about.tolerance, all_values);
  const bool terminates = about.has_event_mode && settle();
  pieces_.push_back({.begin = start, .end = start, .at_begin = instance_->values(all_)});
  pieces_.back().terminates = terminates;
  make_piece();
  initial_ = state_at(0, pieces_.front());
}

bool SteppedFmu::settle() {
  constexpr int most_updates = 1000;
  bool terminates = false, needs_another = true;
  for (int k = 0; needs_another && !terminates; ++k) {
    if (k == most_updates)
      throw std::runtime_error(
          fmt::format("{}: the update of discrete states still asks for another one after {} updates at one "
                      "event: a cascade of the model does not end",
                      fmu_->file(), most_updates));
    const Update update = instance_->update();
    terminates = update.terminates;
    needs_another = update.needs_another;
  }
  instance_->enter_step_mode();
  return terminates;
}

double SteppedFmu::next_communication(double t) const {
  double next = std::numeric_limits<double>::infinity();
  for (const TimeEvent& event : communication_) {
    std::int64_t k = event.first_from(t);
    while (event.time(k) <= t + time_rounding(t)) ++k;
    next = std::min(next, event.time(k));
  }
  return next;
}

void SteppedFmu::set_inputs(double t) {
  for (const Inputs::Column& column : inputs_->columns())
    instance_->set(*column.variable, inputs_->value(column, t, inputs_->piece_from(t)));
}

// Lets the FMU make the step of the last piece, whose begin is there, and makes the begin of the next one.
void SteppedFmu::make_piece() {
  Piece& piece = pieces_.back();
  piece.end = std::numeric_limits<double>::infinity();
  piece.at_end = piece.at_begin;
  if (piece.terminates) return;
  try {
    const double target = next_communication(piece.begin);
    const StepAnswer answer = instance_->step(piece.begin, target - piece.begin);
    if (!(answer.t >= piece.begin && answer.t <= target + time_rounding(target)))
      throw std::runtime_error(fmt::format("{}: a step from {:.10g} to {:.10g} came to {:.10g}", fmu_->file(),
                                           piece.begin, target, answer.t));
    const bool is_whole = std::abs(answer.t - target) <= time_rounding(target);
    piece.end = is_whole ? target : answer.t;
    piece.at_end = instance_->values(all_);
    if (!piece.at_end.allFinite()) {
      const auto is_wrong = [](double value) { return !std::isfinite(value); };
      const auto place = std::find_if(piece.at_end.begin(), piece.at_end.end(), is_wrong);
      throw std::runtime_error(fmt::format("{}: '{}' is no number at t = {:.10g}", fmu_->file(),
                                           all_[static_cast<std::size_t>(place - piece.at_end.begin())]->name,
                                           piece.end));
    }
    piece.has_event = answer.has_event || !is_whole;
    Piece next{.begin = piece.end, .terminates = answer.terminates};
    const bool jumps = inputs_->piece_from(piece.end) != inputs_->piece_from(piece.begin);
    const bool is_event =
        (answer.has_event || jumps) && !answer.terminates && fmu_->description().has_event_mode;
    if (is_event) instance_->enter_event_mode();
    set_inputs(piece.end);
    if (is_event) next.terminates = settle();
    // Between two steps nothing changes that is not set.
    next.at_begin = is_event || !inputs_->empty() ? instance_->values(all_) : piece.at_end;
    pieces_.push_back(std::move(next));
  } catch (const std::exception& error) {
    piece.failure = error.what();
    piece.end = std::numeric_limits<double>::infinity();
    piece.at_end = piece.at_begin;
    piece.has_event = false;
  }
}

const SteppedFmu::Piece& SteppedFmu::piece_of(ConstVectorRef x) {
  const double number = std::round(x[x.size() - 1]);
  if (!(number >= 0 && number < static_cast<double>(pieces_.size())))
    throw std::domain_error(fmt::format("{}: there is no step {} of the FMU: the state 'stage' is its own",
                                        fmu_->file(), x[x.size() - 1]));
  const auto at = static_cast<std::size_t>(number);
  if (at + 1 == pieces_.size() && pieces_[at].failure.empty() && !std::isinf(pieces_[at].end)) make_piece();
  return pieces_[at];
}

double SteppedFmu::value_at(const Piece& piece, std::size_t place, double t) const {
  const auto k = static_cast<Index>(place);
  const double begin = piece.at_begin[k], end = piece.at_end[k];
  if (!all_[place]->is_continuous || !(piece.end > piece.begin) || std::isinf(piece.end)) return begin;
  return begin + (t - piece.begin) / (piece.end - piece.begin) * (end - begin);
}

void SteppedFmu::field(double t, ConstVectorRef x, VectorRef dx) {
  const Piece& piece = piece_of(x);
  // The end of a run may be where the FMU goes no further.
  if (!piece.failure.empty() && t > piece.begin) throw std::runtime_error(piece.failure);
  dx.setZero();
  if (!(piece.end > piece.begin) || std::isinf(piece.end)) return;
  for (Index i = 0; i < continuous_; ++i) {
    const auto place = static_cast<Index>(places_[static_cast<std::size_t>(i)]);
    dx[i] = (piece.at_end[place] - piece.at_begin[place]) / (piece.end - piece.begin);
  }
}

double SteppedFmu::event_guard(double t, ConstVectorRef x) {
  const Piece& piece = piece_of(x);
  return piece.has_event ? t - piece.end : -1;
}

double SteppedFmu::end_guard(double /*t*/, ConstVectorRef x) { return piece_of(x).terminates ? 1 : -1; }

Vector SteppedFmu::state_at(std::size_t number, const Piece& piece) const {
  Vector x(static_cast<Index>(places_.size()) + 1);
  for (std::size_t k = 0; k < places_.size(); ++k)
    x[static_cast<Index>(k)] = piece.at_begin[static_cast<Index>(places_[k])];
  x[x.size() - 1] = static_cast<double>(number);
  return x;
}

void SteppedFmu::pass_event(double t, ConstVectorRef before, VectorRef after) {
  const Piece& piece = piece_of(before);
  if (!piece.failure.empty() || std::isinf(piece.end)) return;
  // Several events of one instant are steps without a length.
  constexpr int most_at_once = 1000;
  for (int k = 0; true; ++k) {
    const auto next = static_cast<std::size_t>(std::round(after[after.size() - 1])) + 1;
    after = state_at(next, pieces_[next]);
    const Piece& following = piece_of(after);
    if (!following.has_event || following.end > following.begin) return;
    if (k == most_at_once)
      throw std::runtime_error(fmt::format("{}: the FMU has had {} events at t = {:.10g}, and does not go on",
                                           fmu_->file(), most_at_once, t));
  }
}

void SteppedFmu::communicate(double t, ConstVectorRef before, VectorRef after) {
  if (piece_of(before).end <= t + time_rounding(t)) pass_event(t, before, after);
}

void SteppedFmu::values(double t, ConstVectorRef x, const std::vector<const Variable*>& wanted,
                        VectorRef values) {
  const Piece& piece = piece_of(x);
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    const auto found = std::find(all_.begin(), all_.end(), wanted[k]);
    values[static_cast<Index>(k)] = value_at(piece, static_cast<std::size_t>(found - all_.begin()), t);
  }
}

}  // namespace slideway::fmi
