// SteppedFmu reads an FMU of Co-Simulation as a system whose motion is known step by step: the FMU has always made the step that holds now.
//
// Piece k is the k-th step that the FMU has made, from one communication point, or event, to the next one. A continuous value is straight on
// it, and any other keeps what it was at its begin. The number of the piece is a discrete state of the system, so that all functions are
// functions of (t, x) alone, and a run that begins anew finds the same pieces.
//
// It must not know integrators.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/fmi/fmu.hpp"
#include "lib/fmi/inputs.hpp"
#include "lib/fmi/instance.hpp"
#include "slideway/model/time_event.hpp"

namespace slideway::fmi {

// The variables that are states of such a system: the outputs and the states of the FMU, the continuous ones first.
std::vector<const Variable*> stepped_variables(const Description& about);

class SteppedFmu {
 public:
  // `step` is the distance of communication points. Throws std::runtime_error where the FMU does not start.
  SteppedFmu(std::shared_ptr<const Fmu> fmu, const StartValues& values, std::shared_ptr<const Inputs> inputs,
             double start, double step);

  // The number of states that are continuous; they are the first ones. The number of the piece is the last state.
  Index continuous() const { return continuous_; }
  const Vector& initial() const { return initial_; }
  // The communication points after the start, and the knots of the inputs.
  const std::vector<TimeEvent>& communication() const { return communication_; }

  void field(double t, ConstVectorRef x, VectorRef dx);
  // The guards of an event that the FMU tells of, and of its end, rise through zero.
  double event_guard(double t, ConstVectorRef x);
  double end_guard(double t, ConstVectorRef x);
  // The state behind an event, or behind a communication point, which may be that of an event, too.
  void pass_event(double t, ConstVectorRef before, VectorRef after);
  void communicate(double t, ConstVectorRef before, VectorRef after);
  // The values of all variables that are numbers.
  void values(double t, ConstVectorRef x, const std::vector<const Variable*>& wanted, VectorRef values);

 private:
  struct Piece {
    double begin = 0, end = 0;
    Vector at_begin = {}, at_end = {};  // of all variables that are numbers
    bool has_event = false;             // at its end
    bool terminates = false;
    std::string failure = {};  // why the FMU has made no step from its begin
  };

  const Piece& piece_of(ConstVectorRef x);
  void make_piece();
  // From the event mode into the step mode.
  bool settle();
  double next_communication(double t) const;
  void set_inputs(double t);
  Vector state_at(std::size_t number, const Piece& piece) const;
  double value_at(const Piece& piece, std::size_t place, double t) const;

  std::shared_ptr<const Fmu> fmu_;
  std::shared_ptr<const Inputs> inputs_;
  std::vector<TimeEvent> communication_;
  std::vector<const Variable*> all_;  // the variables that are numbers
  std::vector<std::size_t> places_;   // of the states in `all_`
  Index continuous_ = 0;
  Vector initial_;
  std::unique_ptr<Instance> instance_;
  std::deque<Piece> pieces_;  // which keep their places
};

}  // namespace slideway::fmi
