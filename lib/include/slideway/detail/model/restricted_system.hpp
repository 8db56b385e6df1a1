// A part of a large system as a System of its own: some of its states, with the others as known functions of time.
//
//     x_S' = f_S(t, x_S, x_K(t), λ),     λᵢ = sgn hᵢ(t, x_S, x_K(t)) for the surfaces kept, constant for the frozen ones
//
// S are the states kept, K those known, of which every row reads but a few. It costs no more than its rows.
// It must not know time stepping, modes or sliding.
#pragma once

#include <memory>
#include <vector>

#include "slideway/detail/model/system_rows.hpp"
#include "slideway/model/system.hpp"

namespace slideway {

// States as polynomials in time, as dense output tells them: xⱼ(t) = Σₖ C(j, k)·((t − center)/scale)ᵏ.
struct KnownStates {
  std::vector<Index> states = {};  // increasing
  double center = 0;
  double scale = 1;
  Matrix coefficients = {};  // one row per state
};

struct Restriction {
  std::vector<Index> states = {};    // kept, increasing; not empty
  std::vector<Index> surfaces = {};  // kept, increasing
  std::vector<Index> contacts = {};  // kept, increasing; each acts on a state that is kept
  std::vector<Index> events = {};    // kept, increasing
  KnownStates known = {};            // all others that rows, guards and events kept read (states_read)
  // Surfaces that are not kept and act on states that are: λ of each is this.
  std::vector<Index> frozen = {};
  std::vector<double> frozen_lambda = {};
  // The pattern of ∂f/∂x is told, which implicit methods alone have a use for.
  bool tells_pattern = true;
};

// Arguments of the whole system, which a part fills in where it reads them. One thread uses it at a time.
struct WholeArguments {
  explicit WholeArguments(const System& system);
  Vector x, x_first, x_second, x_mixed, lambda, lambda_dot;
  Vector force;  // zeros between uses
};

// The states outside `states` that the rows of these states, the guards of these surfaces and events and the gaps of these contacts read.
// Increasing.
// The system tells its patterns, and the shapes of its event guards and what their resets touch.
std::vector<Index> states_read(const System& system, const std::vector<Index>& states,
                               const std::vector<Index>& surfaces, const std::vector<Index>& contacts,
                               const std::vector<Index>& events);

// `rows` chooses rows of `system`, whose contacts have no friction and tell what they act on, and whose time events the part does not have.
// The result belongs to the thread of `whole`. A reset
// must set states that are kept alone; what it sets beyond them is lost, and so is what a contact does to others.
System restricted_system(const System& system, const ChooseRows& rows, Restriction restriction,
                         std::shared_ptr<WholeArguments> whole);

}  // namespace slideway
