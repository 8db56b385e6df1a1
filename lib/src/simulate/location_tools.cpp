#include "simulate/location_tools.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "simulate/continuous_stepper.hpp"
#include "simulate/method_stepper.hpp"
#include "simulate/precision.hpp"
#include "slideway/core/errors.hpp"

namespace slideway {

namespace {

template <class Make>
std::unique_ptr<Stepper> stepper_made(ModeOde& ode, const System& system, const StepperOptions& options,
                                      const Make& make) {
  const Index discrete = system.discrete();
  if (discrete == 0 || discrete == system.states()) return make(ode, options);
  return make_continuous_stepper(ode, discrete, options, make);
}

std::unique_ptr<Stepper> stepper_of(ModeOde& ode, const System& system, Method method,
                                    const StepperOptions& options) {
  return stepper_made(ode, system, options, [method](SmoothOde& one, const StepperOptions& its_options) {
    return make_stepper(one, method, its_options);
  });
}

}  // namespace

StayingZero::StayingZero(std::shared_ptr<const SecondOrder> what)
    : of(std::move(what)),
      structure(*of->kept),
      evaluator(*of->kept),
      geometry(evaluator, structure),
      all(static_cast<std::size_t>(of->kept->surfaces())) {
  std::iota(all.begin(), all.end(), Index{0});
}

// A derivative cₗ of the guard is taken to zero in the time in which λ, by the derivatives between them, makes up for it.
double StayingZero::excursion(double t, ConstVectorRef x, Index surface, double speed, double rate) {
  Vector values(of->kept->surfaces());
  evaluator.guards(t, x, values);
  double sum = 0;
  for (const SecondOrder::Chain& chain : of->chains) {
    if (chain.surface != surface) continue;
    for (Index l = 1; l <= chain.count; ++l) {
      const double derivative = std::abs(l < chain.count ? values[chain.first + l] : speed);
      const auto orders = static_cast<double>(chain.count - l + 1);
      const double time = std::pow(derivative / std::abs(rate), 1 / orders);
      sum += derivative * std::pow(time, static_cast<double>(l));
    }
  }
  return sum;
}

LocationTools::LocationTools(System plain_system, std::shared_ptr<const RelayStructure> structure_of_plain,
                             const Options& options, EventWatch watched, std::string location_name,
                             const ContactModes& contact_modes)
    : LocationAlgebra(std::move(plain_system), std::move(structure_of_plain), contact_modes),
      name(std::move(location_name)),
      watch(std::move(watched)),
      guards(system.surfaces(), contacts ? contacts->contacts() : 0, watch,
             contacts ? 2 * static_cast<Index>(contacts->cones().size()) : 0),
      ode(evaluator, *structure, in_force, &watch, &guards),
      resolver(evaluator, *structure, options),
      scan(ode.guards(), options.max_step),
      method(options.method),
      sliding_rule(options.sliding_rule) {
  ode.field().set_rule(options.sliding_rule);
  stepping.rtol = options.rtol;
  stepping.atol = options.atol.expand(system.states(), options.rtol);
  stepping.max_step = std::isfinite(options.max_step) ? options.max_step : 0;
  stepping.linear_solver = options.linear_solver;
  evaluator.set_typical_sizes(stepping.atol / options.rtol);
  ode.field().set_typical_sizes(stepping.atol / options.rtol);
  if (contacts) contacts->set_typical_sizes(stepping.atol / options.rtol);
  can_project = keeps_constraints(options.method);
  if (options.preconditioner) {
    ode.set_preconditioner(options.preconditioner(), name);
    if (!ode.has_preconditioner()) {
      refuse({.what = "there is no preconditioner",
              .where = "Options::preconditioner",
              .expected = "a function that makes one",
              .got = "nothing from it"});
    }
  }
  stepper = stepper_of(ode, system, options.method, stepping);
  if (const std::shared_ptr<const SecondOrder>& kept = system.definition().staying) {
    staying = std::make_unique<StayingZero>(kept);
    ode.keep_on(staying->geometry, staying->all);
  }
  if (evaluator.guards_are_affine() || system.surfaces() == 0) {
    affine_scan.emplace(evaluator, ode.guards());
    const Vector zero = Vector::Zero(system.states());
    for (Index e = 0; e < watch.size(); ++e) {
      if (const auto guard = watch.affine(e, zero)) affine_scan->add(ode.event_slot(e), *guard);
    }
  }
  // λ is not what makes w vanish under the rule `moments`, for two surfaces.
  if (affine_scan && options.sliding_rule == SlidingRule::moments) affine_scan->leave_exits();
}

void LocationTools::set_duration(double duration) {
  if (!(duration > 0) || !std::isfinite(duration)) return;
  // One unit of time, unless the run is so short or so long that it is another one that counts.
  const double time = std::clamp(1.0, kShortestTime * duration, kLongestTime * duration);
  evaluator.set_typical_sizes(stepping.atol / stepping.rtol, time);
  if (contacts) contacts->set_typical_sizes(stepping.atol / stepping.rtol, time);
  resolver.set_typical_time(time);
}

ModeOde& LocationTools::asked_in(const Regime& regime) {
  if (!asked) {
    asked = std::make_unique<ModeOde>(evaluator, *structure, in_force, &watch, &guards);
    asked->field().set_rule(sliding_rule);
    asked->field().set_typical_sizes(stepping.atol / stepping.rtol);
  }
  asked->begin(regime);
  return *asked;
}

Stepper& LocationTools::one_step() {
  if (!short_stepper) short_stepper = stepper_of(ode, system, Method::dopri5, stepping);
  return *short_stepper;
}

Stepper& LocationTools::careful_step() {
  if (!careful_stepper) {
    careful_stepper =
        stepper_made(ode, system, stepping, [](SmoothOde& one, const StepperOptions& its_options) {
          return make_one_step_stepper(one, OneStepMethod::heun, its_options);
        });
  }
  return *careful_stepper;
}

std::unique_ptr<Stepper> LocationTools::stepper_by(Method other) {
  return stepper_of(ode, system, other, stepping);
}

Stepper& LocationTools::fine_step() {
  if (!fine_stepper) {
    StepperOptions fine = stepping;
    fine.rtol = std::min(stepping.rtol, std::max(kFinePart * stepping.rtol, kFinestTolerance));
    // A motion of second order is far below the tolerances long before it ends.
    fine.atol *= kFinestTolerance;
    fine_stepper = stepper_of(ode, system, Method::dopri5, fine);
  }
  return *fine_stepper;
}

double LocationTools::reintegration_part() const {
  return std::max(kReintegrationPart, kFinestReintegration / stepping.rtol);
}

Stepper* LocationTools::reintegration_step() {
  const double part = reintegration_part();
  if (part > kLargestReintegrationPart) return nullptr;
  if (!reintegration_stepper) {
    StepperOptions fine = stepping;
    fine.rtol *= part;
    fine.atol *= part;
    reintegration_stepper = stepper_of(ode, system, method, fine);
  }
  return reintegration_stepper.get();
}

}  // namespace slideway
