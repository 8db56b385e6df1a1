// Recognises that events accumulate geometrically, as on a spiral into an intersection or in the bounces of a ball: the
// time that is left, the state there and the events that take part.
//
// With S₀ the time of the last turn of p events and S₁ that of the turn before, r = S₀/S₁ < 1, what is left is
//     R = S₀ r/(1 − r),     x∞ = x₀ + (x₀ − x₁) ρ/(1 − ρ)
// with x₀, x₁, x₂ the states at the ends of the last turns and ρ = (x₀ − x₁)/(x₁ − x₂) for each component, or r
// where that is not the ratio of a limit. With δ what the times cannot be told by, and r' the ratio of the turn before,
//     |R − exact| ≤ S₀|r − r'|/(1 − r)² + 4δr/(1 − r)² + δ.
// It must not know what the events are, nor what follows.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "slideway/core/types.hpp"

namespace slideway {

struct Accumulation {
  double remaining = 0;    // time from the last event to the limit
  double error = 0;        // of the limit, from how far the ratio is from steady and the times from exact
  double ratio = 0;        // of the times of successive turns, in (0, 1)
  std::size_t period = 0;  // how many events a turn has
  std::vector<Index> ids = {};  // of the events that take part, sorted
  Vector state = {};            // the limit
  bool at_resolution = false;   // is_hidden_by() the accuracy of its times

  // Whether after one more turn times of this accuracy would no longer tell if the ratio is steady.
  bool is_hidden_by(double accuracy) const;
  // Its times are known to no more than this.
  void blur(double accuracy);
};

class AccumulationWatch {
 public:
  // The lengths of turns to look for, ascending, the least number of different events in one, and whether scale() is asked for.
  AccumulationWatch(std::vector<std::size_t> periods, std::size_t least_ids, bool keeps_scale)
      : periods_(std::move(periods)), least_ids_(least_ids), keeps_scale_(keeps_scale) {}

  // Notes an event at t, known to `accuracy`; x is the state after it. Allocates until as many events have been noted as are
  // held.
  void note(double t, Index id, const Vector& x, double accuracy = 0);
  void clear();
  // Whether the last event has come before, not longer ago than the longest turn.
  bool may_repeat() const { return may_repeat_; }
  // The accumulation the last events point to; nothing while they do not shrink steadily.
  std::optional<Accumulation> limit() const;
  // The same from two turns, where the second was so much shorter that there may be no time for a third.
  std::optional<Accumulation> limit_of_two_turns() const;
  // Whether the last turn, or half of one, took less than this part of the one before: the events may accumulate.
  bool shrinks(double part) const;

  // The state after the event so many before the last; of a turn that limit() found or the two before it.
  const Vector& state(std::size_t back) const { return notes_[held_ - 1 - back].x; }

  // When the sequence began, and the largest |xⱼ| in it; it has an event.
  double began() const { return began_; }
  Vector scale() const;

  // For checkpoints: what outlives an instant.
  template <class Visit>
  void visit_fields(Visit& visit) {
    notes_.resize(std::min(notes_.size(), held_));
    visit("notes", notes_);
    visit("held", held_);
    visit("alike", alike_);
    visit("may_repeat", may_repeat_);
    visit("began", began_);
    visit("has_dropped", has_dropped_);
    visit("scale_of_dropped", scale_of_dropped_);
  }

 private:
  struct Note {
    template <class Visit>
    void visit_fields(Visit& visit) {
      visit("t", t);
      visit("id", id);
      visit("x", x);
      visit("accuracy", accuracy);
    }
    double t = 0;
    Index id = 0;
    Vector x = {};
    double accuracy = 0;  // of t
  };
  // Whether the events of the last turn are those of the turn before, so many times.
  bool repeats(std::size_t period, std::size_t times) const;
  std::optional<Accumulation> accumulation(std::size_t period, double ratio, double change) const;

  std::vector<std::size_t> periods_;
  std::size_t least_ids_;
  bool keeps_scale_;
  std::vector<Note> notes_;  // the first held_ are in use; the others keep their memory
  std::size_t held_ = 0;
  std::size_t alike_ = 0;    // how many of the last events are of one kind
  bool may_repeat_ = false;  // the last event has come before, not longer ago than the longest turn
  double began_ = 0;
  bool has_dropped_ = false;  // since it began
  Vector scale_of_dropped_;   // the largest |xⱼ| of the events no longer held
};

}  // namespace slideway
