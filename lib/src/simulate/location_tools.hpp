// Everything a run needs to follow the solution in one location: the system with its contact forces, the evaluator, the
// algebra at a point, the smooth ODE of a mode, the integrator and the scan. Made when the location is first entered.
//
// It must not know how a run goes on from one location to another.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "integrate/guard_scan.hpp"
#include "integrate/stepper.hpp"
#include "simulate/affine_scan.hpp"
#include "simulate/event_resolver.hpp"
#include "simulate/event_watch.hpp"
#include "simulate/guard_table.hpp"
#include "simulate/location_algebra.hpp"
#include "simulate/mode_ode.hpp"
#include "slideway/simulate/options.hpp"

namespace slideway {

// The functions that are zero beside the guards where the solution slides in second or higher order (SystemDefinition::staying).
struct StayingZero {
  explicit StayingZero(std::shared_ptr<const SecondOrder> what);
  // excursion() tells how far from surface i the solution comes on its way to it, where λ changes the last
  // derivative, `speed`, of its guard at `rate`.
  double excursion(double t, ConstVectorRef x, Index surface, double speed, double rate);

  std::shared_ptr<const SecondOrder> of;
  RelayStructure structure;
  Evaluator evaluator;
  SurfaceGeometry geometry;
  std::vector<Index> all;  // the guards of `of->kept`
};

struct LocationTools : LocationAlgebra {
  // `structure` is that of `plain_system`; `watch` holds its events and the edges that leave the location. `contact_modes` must outlive
  // this (LocationAlgebra).
  LocationTools(System plain_system, std::shared_ptr<const RelayStructure> structure, const Options& options,
                EventWatch watch, std::string name, const ContactModes& contact_modes);

  // set_duration() tells how long the run takes tells the time in which the equations change, where nothing else
  // does.
  void set_duration(double duration);
  // An ode of its own for questions at an instant, begun in a regime that need not be followed; `ode` stays as it is. Valid until the next
  // call.
  ModeOde& asked_in(const Regime& regime);
  // A one-step method, for flights too short for a multistep one; made when first asked for.
  Stepper& one_step();
  // Another integrator of the mode, by this method.
  std::unique_ptr<Stepper> stepper_by(Method other);
  // An integrator whose stages stay in the domain of the field, for a step from its border; made when first asked for.
  Stepper& careful_step();
  // The same as stepper_by() with errors far below the tolerances, for motions that these hide.
  Stepper& fine_step();
  // The method of the run with errors far below its tolerances; null where these are as small as they can be.
  Stepper* reintegration_step();
  // Its errors, as a part of the tolerances.
  double reintegration_part() const;
  // s·g of an event's guard, positive while nothing has happened.
  double event_value(double t, ConstVectorRef x, Index e) const {
    return guards.side(e) * watch[e].when.value(t, x);
  }
  // Surfaces that come and go with another one; none in first order.
  std::span<const SecondOrder::Bound> bound() const {
    if (!staying) return {};
    return staying->of->bound;
  }

  std::string name;  // of the location; "" where there are none
  EventWatch watch;
  GuardTable guards;
  ModeOde ode;  // of the stretch that is followed, or was last
  std::unique_ptr<ModeOde> asked;
  EventResolver resolver;
  std::unique_ptr<StayingZero> staying;  // null in first order, and where hᵢ is all there is
  std::unique_ptr<Stepper> stepper;
  bool can_project = false;  // the integrator keeps the solution on its constraints by itself
  std::unique_ptr<Stepper> short_stepper, careful_stepper, fine_stepper, reintegration_stepper;
  GuardScan scan;
  std::optional<AffineScan> affine_scan;  // where the guards of the surfaces are affine
  StepperOptions stepping;
  Method method;
  SlidingRule sliding_rule;
};

}  // namespace slideway
