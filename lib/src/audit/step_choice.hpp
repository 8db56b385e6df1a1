// Which steps and records an audit looks at. The quick one does a small part of the work of the run itself, both by estimates, so that
// what it looks at does not depend on the clock.
#pragma once

#include <cstdint>

#include "audit/errors_within.hpp"
#include "slideway/audit/audit.hpp"
#include "slideway/core/types.hpp"

namespace slideway::auditing {

class StepChoice {
 public:
  StepChoice(AuditLevel level, Index states) : looks_at_all_(level == AuditLevel::full), states_(states) {}

  // The step that comes next is looked at. A hash takes half of those that the work allows; the first one after an event, and
  // one that is longer than those before, are taken in any case.
  bool takes_step(double length) {
    ++steps_;
    allowed_ += kStep + kStepState * static_cast<double>(states_);
    is_long_ = length > kLonger * longest_;
    if (is_long_) longest_ = length;
    const bool is_first = follows_event_;
    follows_event_ = false;
    if (looks_at_all_) return true;
    return work_ <= allowed_ && (is_first || is_long_ || hash_of(steps_) % 2 == 0);
  }
  // A record is judged.
  bool takes_record() {
    follows_event_ = true;
    allowed_ += kEvent;
    return looks_at_all_ || work_ <= allowed_;
  }
  bool is_long() const { return is_long_; }
  std::uint64_t steps() const { return steps_; }

  void add_step() { work_ += kLook + kLookState * static_cast<double>(states_); }
  void add_visits(std::uint64_t visits) { work_ += kVisit * static_cast<double>(visits); }

 private:
  // A step this many times as long as the longest before is looked at.
  static constexpr double kLonger = 1.5;
  // The numbers are instructions. A step of dopri5 with its scan, and an event, are 10,000 and more; a twentieth of these, and some for
  // the start of the run, are allowed. Counted over the gallery the quick audit then is 2 to 4 % of a run.
  static constexpr double kRun = 60'000;
  static constexpr double kStep = 300;
  static constexpr double kStepState = 5;
  static constexpr double kEvent = 300;
  // A look evaluates eight states of the step; a visit is a node of the tree, with what is done with its value.
  static constexpr double kLook = 8'000;
  static constexpr double kLookState = 300;
  static constexpr double kVisit = 100;

  bool looks_at_all_;
  Index states_;
  std::uint64_t steps_ = 0;
  double longest_ = 0;
  bool is_long_ = false;
  bool follows_event_ = false;
  double work_ = 0;
  double allowed_ = kRun;
};

}  // namespace slideway::auditing
