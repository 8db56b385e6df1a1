// The ledger of a finished run, gone through once more: for every segment of its trajectory the field that was followed, and for every
// boundary between two the instant of events. Segments may be taken up in any order, two neighbours at a time.
//
// It must not know what is differentiated.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "sensitivity/corrected_state.hpp"
#include "sensitivity/saltation.hpp"
#include "sensitivity/segment_field.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway {

class LedgerReplay {
 public:
  // `problem` is the extended one, with `parameters` as its last states; all references must outlive this.
  LedgerReplay(const Automaton& problem, const std::vector<std::shared_ptr<const RelayStructure>>& structures,
               const Options& options, const Run& run, const Solution& solution, const Vector& parameters);

  Index states() const { return states_; }  // of the problem that was not extended
  Index size() const { return x_.size(); }
  const Solution& solution() const { return solution_; }
  const std::vector<Segment>& segments() const { return solution_.trajectory.segments(); }
  const Options& options() const { return extended_options_; }
  // The sizes of the states at which their relative tolerance ends.
  Vector sizes() const { return (extended_options_.atol.values() / extended_options_.rtol).head(states_); }
  Vector extended(ConstVectorRef state) const;
  Vector state_at(std::size_t segment, double t) const;  // extended
  // The same without the errors of fast components (corrected_state.hpp), in a segment that has been taken up, for derivatives of the field.
  // The result is good up to the next call.
  const Vector& corrected_state(std::size_t segment, double t) { return corrected_[segment % 2](t); }
  // The same where J alone is taken.
  const Vector& state_for_jacobian(std::size_t segment, double t) {
    return corrected_[segment % 2].for_jacobian(t);
  }

  // The events at the boundary before a segment, or after the last one, as a range of the log.
  struct Events {
    std::size_t first = 0, end = 0;
  };
  const Events& events_before(std::size_t segment) const { return boundaries_[segment]; }

  void take(std::size_t segment);
  SegmentField& field_of(std::size_t segment) { return fields_[segment % 2]; }
  // middle() serves modes between events that coincide.
  SegmentField& middle() { return fields_[2]; }
  // instant() is at the boundary before a segment, both of whose neighbours have been taken up. It returns
  // nothing where nothing changes there.
  std::optional<Saltation::Instant> instant(std::size_t segment);
  // instant_within() is at an event within a segment, which changes nothing.
  Saltation::Instant instant_within(std::size_t segment, std::size_t event);

 private:
  // goes_on() tells whether a segment continues the one before it without an event.
  bool goes_on(std::size_t segment) const;
  // The relays after the last event before a segment, where it tells them.
  Vector relays_at(std::size_t event, Index surfaces) const;

  const Run& run_;
  const Solution& solution_;
  Index states_;
  Index surfaces_;
  Options extended_options_;
  SegmentField fields_[3];       // of segments, in turns, and of modes between events that coincide
  CorrectedState corrected_[2];  // of segments, in turns
  Vector x_;
  std::vector<Events> boundaries_;
};

}  // namespace slideway
