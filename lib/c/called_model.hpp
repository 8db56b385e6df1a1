// A model made of the caller's functions: its field, guards, events, times, contacts, locations and edges.
//
// It must not know runs, except for the flag by which a function asks the run that calls it to end.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lib/c/options.hpp"
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

  // From the first location on, what is set for field and guards is set for those of the last location.
  void add_location(const std::string& name, sw_field_function field, sw_function guards);
  void add_edge(Edge edge) { edges_.push_back(std::move(edge)); }
  void set_derivatives(sw_field_along_function field, sw_along_function guards);
  void set_jacobian(sw_matrix_function jacobian);
  void set_pattern(const std::string& derivative, const std::int64_t* starts, const std::int64_t* columns);
  void set_discrete(Index count);
  void declare(const std::string& property);
  void add_event(Event event) { definition_.events.push_back(std::move(event)); }
  void add_time_event(TimeEvent event) { definition_.time_events.push_back(std::move(event)); }
  void add_contact(Contact contact) { definition_.contacts.push_back(std::move(contact)); }
  void set_break_away(sw_function above, sw_function below);
  // Takes what the words say about the last event, times or edge of this name.
  void set_event_options(const std::string& name, OptionText options);
  // Throws std::invalid_argument, with the known names, where there is no such contact.
  Contact& contact(const std::string& name);

  Guard guard(sw_function function, const char* what) const;
  // One guard for all edges with this function: two that undo each other are one surface.
  Guard guard_of_edges(sw_function function);
  // Value k of the `count` values that a function sets.
  Guard guard_of(sw_function function, Index k, Index count, const char* what) const;
  ResetFunction reset(sw_jump_function function, const char* what) const;
  ForceFunction force(sw_function function, const char* what) const;
  // Force k of the `count` forces, n numbers each, that a function sets one after the other.
  ForceFunction force_of(sw_function function, Index k, Index count, const char* what) const;
  CoefficientFunction coefficient(sw_function function, const char* what) const;
  Index states() const { return definition_.states; }
  Index surfaces() const { return definition_.surfaces; }

  // Throws where the field or the guards make no sense at the start, or the field is not linear in each sign.
  Model model() const;

 private:
  // The definition that field and guards are set for now.
  SystemDefinition& current() { return locations_.empty() ? definition_ : locations_.back().second; }
  std::vector<Index> states_named(const std::string& names) const;
  void set_delay(Delay& delay, OptionText& options) const;
  // Events, times and contacts of every location are those of definition_.
  System system_of(const SystemDefinition& functions) const;

  SystemDefinition definition_;
  std::vector<std::pair<std::string, SystemDefinition>> locations_;
  std::vector<Edge> edges_;
  std::vector<std::pair<sw_function, Guard>> edge_guards_;
  void* user_;
};

}  // namespace slideway::door
