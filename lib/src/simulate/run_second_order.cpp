// RunEngine along a surface that the solution comes to with no speed across it, and where that speed does not depend on the side:
// a body at rest on its base, the sliding variable of a super-twisting controller.
//
//     h = 0,  w = ∂h/∂t + ∂h/∂x·f = 0,      λ from dw/dt = 0
//
// w takes the place of the guard in a system of its own (SystemDefinition::second_order), along which the solution slides as along
// any surface; h is kept at zero by projection, and the surface is left where λ comes to its bounds.

#include <cmath>

#include "simulate/run_engine.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {

LocationTools* RunEngine::second_order_tools(Index surface) {
  const auto [place, is_new] = second_orders_.try_emplace({location_, surface});
  if (is_new) {
    const Location& here = automaton_.locations()[location_];
    // How contacts push depends on both.
    const std::shared_ptr<const System> system =
        here.system.contacts().empty() ? here.system.second_order(surface) : nullptr;
    if (system) {
      EventWatch watch(here.system);
      watch.add_edges(automaton_, location_, {});
      place->second = std::make_unique<LocationTools>(
          *system, std::make_shared<const RelayStructure>(*system), options_, std::move(watch), here.name);
      place->second->set_duration(run_.end - run_.start);
      place->second->ode.keep_on(here_->geometry, {surface});
    }
  }
  return place->second.get();
}

bool RunEngine::begin_second_order(Index surface) {
  if (in_pair() || in_second_order()) return false;
  LocationTools* const tools = second_order_tools(surface);
  if (!tools) return false;
  // What is left of the speed the relay takes away, in a time in which little else changes: along its own effect. Nobody sees how
  // far from the surface that speed would carry.
  mode_.fill_lambda(lambda_);
  Vector values(mode_.size()), rates(mode_.size()), minus(x_.size()), plus(x_.size());
  tools->evaluator.guards(t_, x_, values);
  tools->evaluator.neighbour_fields(t_, x_, lambda_, surface, minus, plus);
  const double speed = values[surface];
  const Vector effect = plus - minus;
  tools->evaluator.guard_directional(t_, x_, 0, effect, rates);
  const double time = -speed / rates[surface];
  if (!(std::abs(speed * time) <= here_->geometry.tolerance(t_, x_, surface, weights_))) return false;
  Vector x = x_ + time * effect;
  for (int turn = 0; turn < 3; ++turn) {
    here_->geometry.project(t_, {surface}, weights_, x);
    tools->geometry.project(t_, {surface}, weights_, x);
  }
  Meeting meeting{.at_start = true};
  for (Index i = 0; i < mode_.size(); ++i)
    if (i == surface || mode_.slides_on(i)) meeting.met.push_back({.surface = i});
  const Resolution resolution = tools->resolver.resolve(t_, x, mode_, lambda_, meeting, weights_);
  if (!resolution.decided || !resolution.mode.slides_on(surface) || resolution.repelling) return false;
  tools->watch = here_->watch;
  here_ = tools;
  affine_ = nullptr;
  second_order_ = surface;
  x_ = x;
  size_guard_vectors();
  adopt(resolution);
  forget_crossings();
  jumped_ = false;
  return true;
}

bool RunEngine::stays_in_second_order(const Resolution& resolution, const Meeting& meeting) {
  const bool is_open = !resolution.decided || resolution.event.kind == EventKind::two_fold;
  return is_open && meeting.met.size() == 1 && begin_second_order(meeting.met.front().surface);
}

void RunEngine::leave_second_order() {
  const Index surface = second_order_;
  const EventWatch watch = here_->watch;
  enter(location_);
  here_->watch = watch;
  here_->geometry.project(t_, {surface}, weights_, x_);
}

}  // namespace slideway
