// The field that a solution followed over one segment of its trajectory, as an ode of the extended problem: it is made again from the
// names in the segment, so that nothing of a run need be kept but its ledger.
//
// It must not know what is differentiated, nor events.
#pragma once

#include <memory>
#include <vector>

#include "simulate/run_tools.hpp"
#include "slideway/simulate/trajectory.hpp"

namespace slideway {

class SegmentField {
 public:
  // The references must outlive this. `options` are those of the extended problem.
  SegmentField(const Automaton& automaton,
               const std::vector<std::shared_ptr<const RelayStructure>>& structures, const Options& options,
               double duration, Index states_of_problem);
  SegmentField(const SegmentField&) = delete;
  SegmentField& operator=(const SegmentField&) = delete;
  // The states of the problem that was not extended come first.
  Index states_of_problem() const { return states_of_problem_; }

  // Takes up the mode of a segment, where x is the extended state at t in it. `lambda` is a first guess, or empty.
  void take(const Segment& segment, double t, ConstVectorRef x, ConstVectorRef lambda);

  const std::vector<TimeEvent>& time_events() const { return automaton_.system().time_events(); }
  const Automaton& automaton() const { return automaton_; }
  LocationTools& tools() { return *tools_; }
  // tools_of() returns the tools of the location of this name, or null where there is none.
  LocationTools* tools_of(const std::string& location);
  const LocationTools& tools() const { return *tools_; }
  ModeOde& ode() { return tools_->ode; }
  const Mode& mode() const { return mode_; }  // of the surfaces
  Index surfaces() const { return tools_->system.surfaces(); }
  // The contacts that are closed.
  const std::vector<Index>& closed() const { return contact_modes_.closed; }
  const ContactModes& contact_modes() const { return contact_modes_; }
  // Surfaces along which it slides in second order.
  const std::vector<Index>& second_order() const { return second_order_; }
  // The gradients of what is zero beside the guards where it slides in second order, in rows; none otherwise.
  Matrix kept_normals(double t, ConstVectorRef x);
  // lambda() is λ of the surfaces that slide, at this point, and ±1 of the others.
  Vector lambda(double t, ConstVectorRef x);

  void velocity(double t, ConstVectorRef x, VectorRef dx) { tools_->ode.velocity(t, x, dx); }
  // J, exact where the system tells its derivatives.
  void jacobian(double t, ConstVectorRef x, Matrix& jacobian);
  // sparse_pattern() is the pattern of J where it is sparse and told exactly, and null elsewhere.
  const Pattern* sparse_pattern();
  // pattern_of_many_states() is the same, but null where the states are so few that a full matrix is the faster one.
  const Pattern* pattern_of_many_states();
  void split_jacobian(double t, ConstVectorRef x, SplitJacobian& jacobian);
  const Vector& typical_sizes() const { return sizes_; }
  // weights() serve projections, which move the states alone: parameters are heavy without bounds.
  Vector weights() const;

 private:
  void find_second_order(std::size_t location, double t, ConstVectorRef x, ConstVectorRef lambda);

  const Automaton& automaton_;
  Index states_of_problem_;
  ContactModes contact_modes_;  // the tools refer to it
  RunTools made_;
  LocationTools* tools_ = nullptr;
  LocationTools* plain_ = nullptr;  // of the location, while it slides in second order
  Vector sizes_;
  Mode mode_;
  std::vector<Index> second_order_;
  Vector lambda_, buffer_, column_, direction_, moved_, dx_;
};

}  // namespace slideway
