// Systems whose relays are replaced by smooth or bare functions of the guards, and what stands in the way of that.

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "slideway/core/errors.hpp"
#include "slideway/core/scratch.hpp"
#include "slideway/model/evaluator.hpp"
#include "slideway/simulate/alternatives.hpp"

namespace slideway {

namespace {

using Map = Eigen::Map<Vector>;

// What stays of a system when its relays are gone.
SystemDefinition without_surfaces(const System& system) {
  const SystemDefinition& whole = system.definition();
  SystemDefinition made;
  made.name = whole.name;
  made.states = whole.states;
  made.state_names = whole.state_names;
  made.events = whole.events;
  made.contacts = whole.contacts;
  return made;
}

double sign(double value) { return static_cast<double>((value > 0) - (value < 0)); }

// λ = tanh(h/ε) and, along a direction, its derivative.
struct Smoothing {
  double epsilon;
  double value(double guard) const { return std::tanh(guard / epsilon); }
  double slope(double lambda) const { return (1 - lambda * lambda) / epsilon; }
};

Pattern sum(const Pattern& left, const Pattern& right) {
  std::vector<std::vector<Index>> rows(static_cast<std::size_t>(left.rows));
  for (const Pattern* part : {&left, &right}) {
    for (Index i = 0; i < part->rows; ++i) {
      const auto row = static_cast<std::size_t>(i);
      for (Index k = part->start[row]; k < part->start[row + 1]; ++k)
        rows[row].push_back(part->column[static_cast<std::size_t>(k)]);
    }
  }
  return pattern_from_rows(left.columns, std::move(rows));
}

template <class Replace>
Automaton in_every_location(const Automaton& automaton, const Replace& replace) {
  if (!automaton.has_locations()) return Automaton(replace(automaton.system()));
  std::vector<Location> locations;
  for (const Location& location : automaton.locations())
    locations.push_back({location.name, replace(location.system)});
  return Automaton(std::move(locations), automaton.edges(), automaton.locations()[automaton.initial()].name);
}

}  // namespace

System smoothed(const System& system, double epsilon) {
  if (!(epsilon > 0) || !std::isfinite(epsilon)) {
    refuse({.what = "the width of a smoothed relay makes no sense",
            .where = "smoothed, epsilon",
            .expected = "a number above 0",
            .got = fmt::format("{}", epsilon)});
  }
  if (system.surfaces() == 0) return system;
  const Smoothing smoothing{epsilon};
  const Index surfaces = system.surfaces();
  SystemDefinition made = without_surfaces(system);
  made.field = [system, smoothing, surfaces](double t, ConstVectorRef x, ConstVectorRef /*none*/,
                                             VectorRef dx) {
    ScratchFrame frame;
    Map lambda(frame.take<double>(surfaces), surfaces);
    system.guards(t, x, lambda);
    for (double& entry : lambda) entry = smoothing.value(entry);
    system.field(t, x, lambda, dx);
  };
  const SystemDefinition& whole = system.definition();
  if (whole.field_along && whole.guards_along) {
    made.field_along = [system, smoothing, surfaces](
                           double t, ConstVectorRef x, ConstVectorRef /*none*/, double t_dot,
                           ConstVectorRef x_dot, ConstVectorRef /*none*/, VectorRef dx, VectorRef dx_dot) {
      ScratchFrame frame;
      Map lambda(frame.take<double>(surfaces), surfaces);
      Map lambda_dot(frame.take<double>(surfaces), surfaces);
      system.definition().guards_along(t, x, t_dot, x_dot, lambda, lambda_dot);
      for (Index i = 0; i < surfaces; ++i) {
        lambda[i] = smoothing.value(lambda[i]);
        lambda_dot[i] *= smoothing.slope(lambda[i]);
      }
      system.definition().field_along(t, x, lambda, t_dot, x_dot, lambda_dot, dx, dx_dot);
    };
    if (whole.field_dx_pattern && whole.field_dlambda_pattern && whole.guards_dx_pattern) {
      made.field_dx_pattern =
          sum(*whole.field_dx_pattern, product(*whole.field_dlambda_pattern, *whole.guards_dx_pattern));
    }
  } else {
    // A difference across the smoothed relay would see nothing of its slope; one of each factor does.
    made.field_dx = [system, smoothing, surfaces](double t, ConstVectorRef x, ConstVectorRef /*none*/,
                                                  MatrixRef dx) {
      Evaluator evaluator(system);
      Vector lambda(surfaces);
      Matrix field_dlambda = Matrix::Zero(x.size(), surfaces);
      Matrix guards_dx = Matrix::Zero(surfaces, x.size());
      system.guards(t, x, lambda);
      for (double& entry : lambda) entry = smoothing.value(entry);
      evaluator.field_dx(t, x, lambda, dx);
      evaluator.field_dlambda(t, x, lambda, field_dlambda);
      evaluator.guards_dx(t, x, guards_dx);
      for (Index i = 0; i < surfaces; ++i) guards_dx.row(i) *= smoothing.slope(lambda[i]);
      dx += field_dlambda * guards_dx;
    };
  }
  return System(std::move(made));
}

System with_bare_signs(const System& system) {
  if (system.surfaces() == 0) return system;
  const Index surfaces = system.surfaces();
  SystemDefinition made = without_surfaces(system);
  const auto signs = [system](double t, ConstVectorRef x, Map lambda) {
    system.guards(t, x, lambda);
    for (double& entry : lambda) entry = sign(entry);
  };
  made.field = [system, signs, surfaces](double t, ConstVectorRef x, ConstVectorRef /*none*/, VectorRef dx) {
    ScratchFrame frame;
    Map lambda(frame.take<double>(surfaces), surfaces);
    signs(t, x, lambda);
    system.field(t, x, lambda, dx);
  };
  const SystemDefinition& whole = system.definition();
  if (whole.field_along) {
    made.field_along = [system, signs, surfaces](double t, ConstVectorRef x, ConstVectorRef /*none*/,
                                                 double t_dot, ConstVectorRef x_dot, ConstVectorRef /*none*/,
                                                 VectorRef dx, VectorRef dx_dot) {
      ScratchFrame frame;
      Map lambda(frame.take<double>(surfaces), surfaces);
      const Map at_rest(frame.take<double>(surfaces), surfaces);
      signs(t, x, lambda);
      system.definition().field_along(t, x, lambda, t_dot, x_dot, at_rest, dx, dx_dot);
    };
    made.field_dx_pattern = whole.field_dx_pattern;
  }
  return System(std::move(made));
}

Automaton smoothed(const Automaton& automaton, double epsilon) {
  return in_every_location(automaton, [&](const System& system) { return smoothed(system, epsilon); });
}

Automaton with_bare_signs(const Automaton& automaton) {
  return in_every_location(automaton, [](const System& system) { return with_bare_signs(system); });
}

std::string obstacle_to_replaced_relays(const Automaton& automaton) {
  for (const Location& location : automaton.locations()) {
    if (location.system.breaks_away()) return "it does not know friction that holds beyond its sliding level";
  }
  return "";
}

std::string obstacle_to_relays_alone(const Automaton& automaton) {
  const std::string held = obstacle_to_replaced_relays(automaton);
  if (!held.empty()) return held;
  if (automaton.has_locations()) return "it does not know locations and their edges";
  for (const Event& event : automaton.system().events()) {
    if (event.action == Action::reset) return "it does not know resets";
  }
  if (!automaton.system().contacts().empty()) return "it does not know contacts";
  return "";
}

}  // namespace slideway
