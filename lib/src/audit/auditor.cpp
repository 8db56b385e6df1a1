#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "audit/contact_audit.hpp"
#include "audit/event_audit.hpp"
#include "audit/function_field.hpp"
#include "audit/held_audit.hpp"
#include "audit/motion_audit.hpp"
#include "audit/step_choice.hpp"
#include "audit/step_nodes.hpp"
#include "slideway/audit/audit.hpp"
#include "slideway/core/errors.hpp"

namespace slideway {

using auditing::ContactAudit;
using auditing::EventAudit;
using auditing::fraction_of;
using auditing::FunctionField;
using auditing::hash_of;
using auditing::HeldAudit;
using auditing::kNodes;
using auditing::MotionAudit;
using auditing::PointErrors;
using auditing::WrittenField;

namespace {

// A shorter step, in units of ε·t, has no derivative: its nodes are rounded to few different times.
constexpr double kLeastStep = 1e4;

}  // namespace

AuditLevel audit_level_from(const std::string& word) {
  const std::vector<std::string> words = audit_level_words();
  const auto place = std::find(words.begin(), words.end(), word);
  if (place == words.end())
    refuse(
        {.what = "there is no such audit", .where = "audit", .expected = "off, quick or full", .got = word});
  return static_cast<AuditLevel>(place - words.begin());
}

std::vector<std::string> audit_level_words() { return {"off", "quick", "full"}; }

const char* to_string(AuditVerdict verdict) {
  switch (verdict) {
    case AuditVerdict::passed: return "passed";
    case AuditVerdict::failed: return "failed";
    default: return "not_made";
  }
}

std::string audit_line(const AuditResult& result) {
  if (result.verdict == AuditVerdict::not_made)
    return result.reason.empty() ? "not made" : "not made: " + result.reason;
  std::string line = result.verdict == AuditVerdict::passed ? "passed" : "FAILED";
  if (result.undecided * 10 > result.points)
    line += fmt::format(" at {} of {} points", result.points - result.undecided, result.points);
  if (result.verdict == AuditVerdict::passed && !result.worst_state.empty())
    line += fmt::format(" (largest defect {:.2g} of what is allowed, of {} at t = {:.6g})", result.worst,
                        result.worst_state, result.worst_t);
  return line;
}

class Auditor::Listener {
 public:
  Listener(std::shared_ptr<const WrittenModel> written, const ModelInstance& instance, const Options& options,
           AuditLevel level)
      : written_(std::move(written)),
        instance_(instance),
        level_(level),
        choice_(level, instance.system.states()) {
    if (level == AuditLevel::off || !written_) return;
    const bool is_file = written_->description != nullptr;
    if (!is_file && !FunctionField::suits(instance.problem())) {
      reason_ = "contacts of functions are not compared, those of model files are";
      return;
    }
    const Index n = instance.system.states();
    errors_ = {options.rtol, options.atol.expand(n, options.rtol), n - instance.system.discrete()};
    const std::vector<std::string>& names = instance.system.state_names();
    if (is_file) {
      auto field = std::make_unique<WrittenField>(*written_);
      contacts_ = std::make_unique<ContactAudit>(*field, errors_, findings_);
      events_ = std::make_unique<EventAudit>(*written_, *field, errors_, names, findings_);
      held_ = std::make_unique<HeldAudit>(*field, errors_, names, findings_);
      field_ = std::move(field);
    } else {
      field_ = std::make_unique<FunctionField>(instance.problem());
    }
    motion_ = std::make_unique<MotionAudit>(*field_, errors_, options.sliding_rule, names, contacts_.get(),
                                            findings_);
  }

  bool is_on() const { return field_ != nullptr; }

  void step(const StepView& step) {
    begin(step.start);
    last_location_ = step.location;
    if (held_) held_->add_step();
    seen_to_ = std::max(seen_to_, step.start);
    const double h = step.end - step.start;
    const double scale = std::max(std::abs(step.start), std::abs(step.end));
    if (!choice_.takes_step(h)) return;
    if (!(h > kLeastStep * std::numeric_limits<double>::epsilon() * scale) || !(h > 0)) return;
    failures_before_ = findings_.failures();
    looked_to_ = step.end;
    const std::uint64_t visits = field_->visits();
    look_at(step, h);
    end_state_.resize(instance_.system.states());
    step.evaluate(step.end, end_state_);
    awaits_event_ = true;
    choice_.add_step();
    choice_.add_visits(field_->visits() - visits);
  }

  void event(const EventRecord& record) {
    begin(record.t);
    // Up to the limit of an accumulation the trajectory keeps the state of its last turn.
    if (record.kind == EventKind::zeno && record.t <= looked_to_) findings_.take_back(failures_before_);
    const bool is_judged = choice_.takes_record();
    const std::uint64_t visits = field_->visits();
    judge_arrival(record);
    if (held_) held_->record(record);
    if (events_) events_->record(record.from_location.value_or(last_location_), record, is_judged);
    if (is_judged && contacts_ && (record.kind == EventKind::impact || record.kind == EventKind::contact))
      contacts_->judge_impact(record.from_location.value_or(last_location_), record);
    choice_.add_visits(field_->visits() - visits);
  }

  AuditResult result() {
    if (!is_on()) return {.reason = reason_};
    if (events_) events_->finish(seen_to_);
    return findings_.result();
  }

 private:
  void begin(double t) {
    if (std::exchange(has_begun_, true)) return;
    seen_to_ = t;
    // A run that goes on from elsewhere has other values than those of the file.
    const bool begins = t == instance_.start && instance_.state.size() == instance_.system.states();
    if (events_) events_->begin(t, begins ? instance_.state : Vector());
    if (begins && held_) held_->begin(instance_.state);
  }

  // judge_arrival() compares the state in which the first event after a step begins with the state in which the step ends.
  void judge_arrival(const EventRecord& record) {
    // A run puts the state onto the guard's zero. It moves a state by 1000 tolerances at most where guards are not affine (kFarFromErrors
    // of precision.hpp, which an audit does not read).
    constexpr double kMostMoved = 1000;
    const bool is_first = std::exchange(awaits_event_, false) && record.t == looked_to_ &&
                          record.round <= 1 && record.kind != EventKind::zeno &&
                          record.before.size() == end_state_.size();
    if (!is_first) return;
    const Vector tol = errors_.tolerances(record.before.cwiseAbs().cwiseMin(end_state_.cwiseAbs()));
    for (Index j = 0; j < errors_.discrete_from; ++j) {
      if (!(std::abs(record.before[j] - end_state_[j]) > kMostMoved * tol[j])) continue;
      const std::string& state = instance_.system.state_names()[static_cast<std::size_t>(j)];
      findings_.fail("arrival " + state, state, record.t,
                     fmt::format("{} comes to {:.10g} at t = {:.6g}, but the event there begins with {:.10g}",
                                 state, end_state_[j], record.t, record.before[j]));
    }
  }

  void look_at(const StepView& step, double h) {
    // A hash moves the nodes, so that nobody can tune to them.
    const double low = step.start + 0.1 * h * fraction_of(2 * choice_.steps());
    const double high = step.end - 0.1 * h * fraction_of(2 * choice_.steps() + 1);
    states_.resize(instance_.system.states(), kNodes);
    double times[kNodes];
    for (int k = 0; k < kNodes; ++k) {
      times[k] = 0.5 * (low + high) + 0.5 * (high - low) * nodes_.places[k];
      step.evaluate(times[k], states_.col(k));
    }
    if (!states_.allFinite()) return;
    if (held_) held_->look(times[0], states_);
    sizes_ = states_.cwiseAbs().rowwise().maxCoeff();
    rates_.noalias() =
        states_ * Eigen::Map<const Eigen::Matrix<double, kNodes, kNodes>>(&nodes_.slopes[0][0]);
    rates_ *= 2 / (high - low);
    if (held_) held_->fill(states_);
    const auditing::MotionStep motion{step.location, h, times, states_, rates_, sizes_};
    const std::uint64_t chance = hash_of(7 * choice_.steps());
    const int first = static_cast<int>(chance % 4);
    const int second = 4 + static_cast<int>((chance >> 8U) % 4);
    for (int k = 0; k < kNodes; ++k) {
      if (!(k == first || k == second || (choice_.is_long() && level_ == AuditLevel::full))) continue;
      x_ = states_.col(k);
      PointErrors errors(errors_, x_, 2 * static_cast<std::uint64_t>(findings_.points()));
      motion_->look(motion, k, errors);
      if (contacts_) contacts_->look(times[k], x_, errors);
      if (events_) events_->look(step.location, times[k], x_, errors);
    }
  }

  std::shared_ptr<const WrittenModel> written_;
  const ModelInstance& instance_;
  std::string reason_ = {};  // why no audit is made
  AuditLevel level_;
  auditing::ErrorsWithin errors_ = {};
  auditing::Findings findings_ = {};
  std::unique_ptr<auditing::AuditedField> field_ = nullptr;
  std::unique_ptr<ContactAudit> contacts_ = nullptr;
  std::unique_ptr<MotionAudit> motion_ = nullptr;
  std::unique_ptr<EventAudit> events_ = nullptr;
  std::unique_ptr<HeldAudit> held_ = nullptr;

  auditing::StepNodes nodes_ = {};
  Matrix states_ = {};
  Matrix rates_ = {};
  Vector x_, sizes_;
  Vector end_state_ = {};  // of the step that was looked at last
  bool awaits_event_ = false;
  auditing::StepChoice choice_;
  bool has_begun_ = false;
  double looked_to_ = -std::numeric_limits<double>::infinity();
  auditing::Findings::Failures failures_before_ = {};  // the step that was looked at last
  double seen_to_ = 0;
  std::string last_location_ = {};
};

Auditor::Auditor(std::shared_ptr<const WrittenModel> written, const ModelInstance& instance,
                 const Options& options, AuditLevel level)
    : listener_(std::make_unique<Listener>(std::move(written), instance, options, level)) {}
Auditor::~Auditor() = default;
Auditor::Auditor(Auditor&&) noexcept = default;

Options Auditor::listening(Options options) {
  if (!listener_->is_on()) return options;
  Listener* const listener = listener_.get();
  options.on_step = [listener, next = options.on_step](const StepView& step) {
    listener->step(step);
    return next ? next(step) : Answer::go_on;
  };
  options.on_event = [listener, next = options.on_event](const EventRecord& record) {
    listener->event(record);
    return next ? next(record) : Answer::go_on;
  };
  return options;
}

AuditResult Auditor::result() { return listener_->result(); }

AuditResult audit(std::shared_ptr<const WrittenModel> written, const ModelInstance& instance,
                  const Solution& solution, const Options& options, AuditLevel level) {
  Auditor auditor(std::move(written), instance, options, level);
  const Options listening = auditor.listening(options);
  if (!listening.on_step) return auditor.result();
  const Trajectory& trajectory = solution.trajectory;
  auto record = solution.events.begin();
  for (std::size_t k = 0; k < trajectory.segments().size(); ++k) {
    const Segment& segment = trajectory.segments()[k];
    for (; record != solution.events.end() && record->t <= segment.start; ++record)
      listening.on_event(*record);
    const std::vector<double> times = trajectory.step_times(k);
    for (std::size_t i = 0; i + 1 < times.size(); ++i) {
      for (; record != solution.events.end() && record->t <= times[i]; ++record) listening.on_event(*record);
      listening.on_step({times[i], times[i + 1], segment.mode, segment.location,
                         [&](double t, VectorRef x) { trajectory.evaluate(k, t, x); }});
    }
  }
  for (; record != solution.events.end(); ++record) listening.on_event(*record);
  return auditor.result();
}

}  // namespace slideway
