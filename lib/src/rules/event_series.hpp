// Events of one sort, in the order in which they happened: the last ones, and what is known of all since the series began.
//
// It must not know what the events are, nor what they point to (accumulation.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "slideway/core/types.hpp"
#include "slideway/model/guard.hpp"

namespace slideway {

// The members of the jumps of one instant: contacts in impacts, guards that fire, and states that resets change.
struct JumpPart {
  std::vector<Index> contacts = {};
  std::vector<Index> states = {};
  std::vector<Guard> guards = {};

  template <class Visit>
  void visit_fields(Visit& visit) {
    visit("contacts", contacts);
    visit("states", states);
    visit("guards", guards);
  }
};

struct PastEvent {
  double t = 0;
  Index id = 0;                 // the same for events that are alike
  double accuracy = 0;          // of t
  bool only_crossings = false;  // it and all before it in the series are crossings of one surface each
  Vector x = {};                // the state after it; empty in a series that keeps none
  JumpPart part = {};           // of jumps that have happened before
};

class EventSeries {
 public:
  // Holds at least half as many of the last events, and no more than this.
  explicit EventSeries(std::size_t most) : most_(most) {}

  // Allocates until as many events have been noted as are held.
  PastEvent& note(double t, Index id, double accuracy = 0);
  PastEvent& note(double t, Index id, const Vector& x, double accuracy);
  void clear() { held_ = 0; }

  // The events that are held, the last one at the end.
  std::span<const PastEvent> events() const { return {events_.data(), held_}; }
  // The event so many before the last.
  const PastEvent& before_last(std::size_t back) const { return events_[held_ - 1 - back]; }
  bool empty() const { return held_ == 0; }
  // count() tells how many there have been since it began.
  std::int64_t count() const { return empty() ? 0 : count_; }
  // When it began, by how much errors of the run may have moved that, and the largest |xⱼ| since then; there is an event.
  double began() const { return began_; }
  double error_of_first() const { return error_of_first_; }
  void set_error_of_first(double error) { error_of_first_ = error; }
  const Vector& scale() const { return scale_; }

  // visit_fields() names the fields that outlive an instant, for checkpoints.
  template <class Visit>
  void visit_fields(Visit& visit) {
    events_.resize(held_);
    visit_column(visit, "t", &PastEvent::t);
    held_ = events_.size();
    visit_column(visit, "id", &PastEvent::id);
    visit_column(visit, "accuracy", &PastEvent::accuracy);
    std::vector<char> flags;
    for (const PastEvent& event : events_) flags.push_back(event.only_crossings ? 1 : 0);
    visit("only_crossings", flags);
    for (std::size_t k = 0; k < held_; ++k) events_[k].only_crossings = flags.at(k) != 0;
    // A series that keeps no states has no jumps.
    bool keeps_states = held_ > 0 && events_.front().x.size() > 0;
    visit("keeps_states", keeps_states);
    if (keeps_states) {
      visit_column(visit, "x", &PastEvent::x);
      visit_column(visit, "part", &PastEvent::part);
    }
    visit("count", count_);
    visit("began", began_);
    visit("error_of_first", error_of_first_);
    visit("scale", scale_);
  }

 private:
  template <class Visit, class Type>
  void visit_column(Visit& visit, const char* name, Type PastEvent::*column) {
    std::vector<Type> values;
    for (const PastEvent& event : events_) values.push_back(event.*column);
    visit(name, values);
    events_.resize(values.size());
    for (std::size_t k = 0; k < values.size(); ++k) events_[k].*column = values[k];
  }

  std::size_t most_;
  std::vector<PastEvent> events_;  // the first held_ are in use; the others keep their memory
  std::size_t held_ = 0;
  std::int64_t count_ = 0;
  double began_ = 0;
  double error_of_first_ = 0;
  Vector scale_;
};

}  // namespace slideway
