// HeldAudit compares two kinds of states with the model file. A discrete state keeps its bits between the events that set it. A state
// whose derivative is a number, as a clock, moves by this number times the time that has passed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "audit/errors_within.hpp"
#include "audit/findings.hpp"
#include "audit/written_field.hpp"
#include "slideway/simulate/event_log.hpp"

namespace slideway::auditing {

class HeldAudit {
 public:
  HeldAudit(WrittenField& field, const ErrorsWithin& errors, const std::vector<std::string>& state_names,
            Findings& findings);

  void begin(const Vector& x);
  void record(const EventRecord& record);
  // A step of the run, which is looked at or not.
  void add_step() { ++steps_; }
  // The states at several times of a step, the first of them `t`.
  void look(double t, const Matrix& states);
  // Puts the values that are held in their places.
  void fill(Matrix& states) const;

 private:
  // A state of a constant rate, where it was seen last.
  struct Steady {
    Index state = 0;
    double rate = 0;
    bool is_known = false;
    double t = 0;
    double value = 0;
    std::int64_t step = 0;
  };
  void look_at_steady(double t, const Vector& x);

  WrittenField& field_;
  const ErrorsWithin& errors_;
  const std::vector<std::string>& state_names_;
  Findings& findings_;
  Vector held_ = {};
  bool is_known_ = false;
  std::int64_t steps_ = 0;
  std::vector<Steady> steady_ = {};
};

}  // namespace slideway::auditing
