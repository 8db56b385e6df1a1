// Findings collects what the parts of an audit find: how many points were compared, the largest defect that passed, and failures.
// Failures of one kind at one state, event or contact are kept as a single failure with its first and its last time.
#pragma once

#include <algorithm>
#include <map>
#include <string>

#include "slideway/audit/audit.hpp"
#include "slideway/simulate/event_log.hpp"

namespace slideway::auditing {

// sets_states() tells that an event of this kind is an action that sets states.
inline bool sets_states(EventKind kind) {
  return kind == EventKind::reset || kind == EventKind::sample || kind == EventKind::transition;
}

class Findings {
 public:
  using Failures = std::map<std::string, AuditFailure>;
  const Failures& failures() const { return failures_; }
  void take_back(const Failures& before) { failures_ = before; }

  void add_point() { ++points_; }
  void add_undecided() { ++undecided_; }
  long long points() const { return points_; }

  void add_defect(double ratio, const std::string& state, double t) {
    if (!(ratio > worst_)) return;
    worst_ = ratio;
    worst_state_ = state;
    worst_t_ = t;
  }

  // Later failures of one key make the first one last longer. `of` is a state, an event or a contact.
  void fail(const std::string& key, const std::string& of, double t, const std::string& text) {
    const auto found = failures_.find(key);
    if (found != failures_.end()) {
      found->second.to = std::max(found->second.to, t);
    } else if (failures_.size() < kMostFailures) {
      failures_[key] = {t, t, of, text};
    }
  }

  AuditResult result() const {
    AuditResult found;
    found.points = points_;
    found.undecided = undecided_;
    found.worst = worst_;
    found.worst_state = worst_state_;
    found.worst_t = worst_t_;
    for (const auto& [key, failure] : failures_) found.failures.push_back(failure);
    std::stable_sort(found.failures.begin(), found.failures.end(),
                     [](const AuditFailure& a, const AuditFailure& b) { return a.from < b.from; });
    found.verdict = found.failures.empty() ? AuditVerdict::passed : AuditVerdict::failed;
    return found;
  }

 private:
  // More failures tell a user no more; each is a line of the summary.
  static constexpr std::size_t kMostFailures = 12;

  long long points_ = 0;
  long long undecided_ = 0;
  double worst_ = 0;
  double worst_t_ = 0;
  std::string worst_state_ = {};
  Failures failures_ = {};
};

}  // namespace slideway::auditing
