// A model made of the caller's functions: its field, guards, events, times and contacts.
//
// It must not know runs, except for the flag by which a function asks the run that calls it to end.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "slideway.h"
#include "slideway/model/model.hpp"
#include "slideway/model/system.hpp"

namespace slideway::door {

// CallbackStop is set where a callback asks to end the run that this thread follows. A thread follows one run at a time, and those that a
// callback follows in between are apart.
class CallbackStop {
 public:
  CallbackStop();
  ~CallbackStop();
  CallbackStop(const CallbackStop&) = delete;
  CallbackStop& operator=(const CallbackStop&) = delete;

  bool is_asked() const { return asked_; }
  // Takes what a callback returned; throws std::domain_error where it has no value. `what` names it for the message.
  static void take(int code, const char* what);

 private:
  bool asked_ = false;
  CallbackStop* outer_ = nullptr;
};

// The parts of the model as they are given, of which model() makes one.
class CalledModel {
 public:
  CalledModel(Index states, Index surfaces, const char* names, sw_field_function field, sw_function guards,
              void* user);

  void set_derivatives(sw_field_along_function field, sw_along_function guards);
  void set_pattern(const std::string& derivative, const std::int64_t* starts, const std::int64_t* columns);
  void set_discrete(Index count);
  void declare(const std::string& property);
  void add_event(Event event) { definition_.events.push_back(std::move(event)); }
  void add_time_event(TimeEvent event) { definition_.time_events.push_back(std::move(event)); }
  void add_contact(Contact contact) { definition_.contacts.push_back(std::move(contact)); }

  Guard guard(sw_function function, const char* what) const;
  ResetFunction reset(sw_jump_function function, const char* what) const;
  ForceFunction force(sw_function function, const char* what) const;
  Index surfaces() const { return definition_.surfaces; }

  // Throws where the field or the guards make no sense at the start, or the field is not linear in each sign.
  Model model() const;

 private:
  SystemDefinition definition_;
  void* user_;
};

}  // namespace slideway::door
