// Derivatives of a solution by initial values and parameters, through every event: S(t) = ∂x(t)/∂p, n × q.
//
//     between events   S' = J S + ∂f/∂p,                      J the Jacobian of the field that is followed
//     at an event      dt*/dp = −(∂g/∂x S + ∂g/∂p)/ġ,         S⁺ = R_x S⁻ + R_p + (R_x f⁻ + R_t − f⁺) dt*/dp
//
// with g whatever was zero there (the guard of a surface or an event, a gap, a force, a component at an exit) and R the jump, the
// identity where nothing jumps. The run itself is the same as without derivatives: same events, same steps.
//
// Parameters are states p' = 0 of an extended problem, so that its exact derivatives are those by parameters too.
// It must not know file formats, nor how a run is made.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "slideway/core/types.hpp"
#include "slideway/model/automaton.hpp"
#include "slideway/model/model.hpp"

namespace slideway {

// The quantities to differentiate by, q of them.
struct SensitivityRequest {
  std::vector<std::string> names = {};
  // (n + k) × q: the derivatives of the initial state, and of the k parameters, by each of them.
  Matrix initial = {};
  // The problem with k parameters as states behind the n it has, whose derivatives are 0; null where k = 0.
  std::shared_ptr<const Automaton> extended = {};
  Vector parameters = {};  // k values
  // The quantities to be seen beside the states, of the extended states; those of the problem itself where k = 0. May be empty.
  std::function<Observables(const std::vector<std::string>&)> observe = {};

  bool empty() const { return names.empty(); }
};

// by_initial_values() asks for derivatives by the initial values of states. It throws std::invalid_argument for a
// name that no state has.
SensitivityRequest by_initial_values(const System& system, const std::vector<std::string>& states);
// sensitivities_by() asks for derivatives by parameters and initial values of a model as it was instantiated with
// these settings. It throws std::invalid_argument for a name that is neither, and for a parameter that the
// equations cannot be differentiated by.
SensitivityRequest sensitivities_by(const Model& model, const Settings& settings,
                                    const ModelInstance& instance, const std::vector<std::string>& names);

// A problem written in C++ with its parameters as states: `make` gives the problem for their values, and derivatives by them are
// differences of sixth order. It must give the same states, surfaces and events for all values near `parameters`.
ExtendedProblem extend_by_differences(const std::function<ModelInstance(const Vector&)>& make,
                                      const Vector& parameters);

// Derivatives at one event of the log.
struct EventSensitivity {
  Vector time = {};    // dt*/dp, q entries; NaN where there is none
  Matrix before = {};  // S⁻ and S⁺, n × q
  Matrix after = {};
  Matrix saltation =
      {};  // ∂x⁺/∂x⁻ of all events of this instant, n × n; with Options::full_events, else empty
  bool exists = true;       // whether the derivative goes on through the event
  std::string reason = {};  // why it does not
  // The derivatives towards smaller and larger values, where it does not exist and these do; a column of NaN where one of them does not.
  Vector time_below = {}, time_above = {};
  Matrix after_below = {}, after_above = {};
};

// Sensitivities are those of a whole run. The derivative on the side of the run goes on after an event through
// which it does not exist.
class Sensitivities {
 public:
  Sensitivities(std::vector<std::string> names, Index states) : names_(std::move(names)), states_(states) {}

  const std::vector<std::string>& names() const { return names_; }
  Index states() const { return states_; }
  // S at t; at an event what follows it, and what comes before. Throws std::invalid_argument outside of what is kept: the whole run with
  // Recording::dense, else its end.
  Matrix operator()(double t) const;
  Matrix before(double t) const;
  // One per event of Solution::events.
  const std::vector<EventSensitivity>& events() const { return events_; }
  // start() tells of a start through which the derivative does not exist, since the field jumps or an event fires there: `before` are the
  // derivatives of the state as it was given, and those on both sides are what the solution begins with. Nothing elsewhere.
  const std::optional<EventSensitivity>& start() const { return start_; }
  // outputs() are those at Options::output_times, n × q each; NaN where the run does not come to them.
  const std::vector<Matrix>& outputs() const { return outputs_; }
  // final() is the derivative at the end of the run, wherever that is.
  const Matrix& final() const { return final_; }
  // The derivative exists up to here: the time of the first event through which it does not, infinity without one.
  double exists_until() const { return exists_until_; }
  // Why it does not go on, "" where it does.
  const std::string& reason() const { return reason_; }

  // ---- for the maker
  // S on [start, end], a step of size h from start: S = Σₖ Cₖ ((t − start)/h)ᵏ, the columns of all Cₖ one after the other.
  void add_piece(double start, double end, double h, const Matrix& coefficients);
  void begin_with(EventSensitivity start) { start_ = std::move(start); }
  void add_event(EventSensitivity event) { events_.push_back(std::move(event)); }
  void add_output(Matrix value) { outputs_.push_back(std::move(value)); }
  void end_with(Matrix value) { final_ = std::move(value); }
  void end_existence(double t, std::string reason);
  // Forgets S but at the events, the outputs and the end.
  void forget_pieces();
  // value() uses piece k alone.
  Matrix value(std::size_t piece, double t) const;
  std::size_t pieces() const { return pieces_.size(); }

 private:
  struct Piece {
    double start = 0;
    double end = 0;
    double h = 1;
    std::size_t offset = 0;
    Index terms = 0;
  };
  const Piece& piece_at(double t, bool from_left) const;
  Matrix at(const Piece& piece, double t) const;

  std::vector<std::string> names_;
  Index states_ = 0;
  std::vector<Piece> pieces_;
  std::vector<double> coefficients_;
  std::vector<EventSensitivity> events_;
  std::optional<EventSensitivity> start_;
  std::vector<Matrix> outputs_;
  Matrix final_;
  double exists_until_ = std::numeric_limits<double>::infinity();
  std::string reason_;
};

}  // namespace slideway
