// A language model followed by slideway through its own reader, and what can be compared with the same model in other words: how it
// ended, when each named event happened, the states in between, and what the audit says.
//
// It must not know variants, nor what is allowed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "slideway/audit/audit.hpp"
#include "slideway/simulate/outcome.hpp"
#include "validation/language/language_model.hpp"
#include "validation/random/follow.hpp"

namespace slideway::validation::language {

struct Facts {
  bool was_refused = false;  // by the reader, or by the simulator before the run
  bool timed_out = false;
  Status status = Status::reached_end;
  std::string message = {};
  double end = 0;  // where the run ended
  // The times of resets, transitions, samples, records and stops by their names. Contacts' events are in the states alone: of
  // impacts that accumulate the number depends on the tolerances.
  std::map<std::string, std::vector<double>> events = {};
  std::vector<double> times = {};       // of the samples, without the end
  std::vector<std::string> names = {};  // of the states that are compared
  std::vector<std::vector<double>> samples =
      {};                            // their values at the times that were asked for, and at the end
  std::vector<double> largest = {};  // |x| of them over the recorded steps
  std::string audit = {};            // what it found wrong; empty: nothing
};

struct Following {
  random::Setting setting = {};
  std::vector<double> samples = {};  // times; empty: the middles of the longest stretches without events
  double split = 0;                  // 0: one run; else the part of the run where a second one goes on
  double seconds = 10;               // of processor time, before it is broken off
  AuditLevel audit = AuditLevel::quick;
};

// The compared states are those of `names`, in this order; empty: all of [states] and [discrete].
Facts follow(const LanguageModel& model, const Following& how, const std::vector<std::string>& names);

}  // namespace slideway::validation::language
