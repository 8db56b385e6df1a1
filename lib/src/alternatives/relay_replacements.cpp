// Systems whose relays are replaced by smooth or bare functions of the guards, and what stands in the way of that.

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "slideway/core/errors.hpp"
#include "slideway/detail/core/scratch.hpp"
#include "slideway/detail/model/evaluator.hpp"
#include "slideway/simulate/alternatives.hpp"

namespace slideway {

namespace {

using Map = Eigen::Map<Vector>;

// The definition of a system without its surfaces.
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

// SmoothedCorners is the smoothed field where a region's field has no value on the other side of its surface, as
// √h has none for h < 0. Each corner of the λ-box is evaluated at the nearest point of the surfaces on whose other
// side x is.
class SmoothedCorners {
 public:
  SmoothedCorners(const System& system, Smoothing smoothing) : system_(system), smoothing_(smoothing) {}

  // field() returns false where there are too many corners.
  bool field(double t, ConstVectorRef x, VectorRef dx) {
    Evaluator evaluator(system_);
    const Index surfaces = system_.surfaces();
    Vector h(surfaces), lambda(surfaces);
    evaluator.guards(t, x, h);
    std::vector<Index> open;
    for (Index i = 0; i < surfaces; ++i) {
      lambda[i] = smoothing_.value(h[i]);
      if (std::abs(lambda[i]) < 1) open.push_back(i);
    }
    if (open.size() > kMostOpen) return false;
    Matrix gradients(surfaces, x.size());
    evaluator.guards_dx(t, x, gradients);
    Vector value(x.size());
    dx.setZero();
    for (std::size_t corner = 0; corner < std::size_t{1} << open.size(); ++corner) {
      Vector signs = lambda;
      Vector nearest = x;
      double weight = 1;
      for (std::size_t k = 0; k < open.size(); ++k) {
        const Index i = open[k];
        signs[i] = (corner >> k & 1) != 0 ? 1 : -1;
        weight *= (1 + signs[i] * lambda[i]) / 2;
        const double size = gradients.row(i).squaredNorm();
        if (signs[i] * h[i] < 0 && size > 0)
          nearest -= kJustBeyond * h[i] / size * gradients.row(i).transpose();
      }
      system_.field(t, x, signs, value);
      if (!value.allFinite()) system_.field(t, nearest, signs, value);
      dx += weight * value;
    }
    return true;
  }

  // derivative() differentiates along a direction in which the guards change at these rates, by differences that
  // see the slope of the smoothed relays.
  bool derivative(double t, ConstVectorRef x, double t_dot, ConstVectorRef x_dot, double fastest,
                  VectorRef dx_dot) {
    const double step = kPartOfWidth * (fastest > 0 ? smoothing_.epsilon / fastest : smoothing_.epsilon);
    Vector after(x.size()), before(x.size());
    const Vector ahead = x + step * x_dot, behind = x - step * x_dot;
    if (!field(t + step * t_dot, ahead, after) || !field(t - step * t_dot, behind, before)) return false;
    dx_dot = (after - before) / (2 * step);
    return true;
  }

 private:
  static constexpr std::size_t kMostOpen = 8;
  static constexpr double kPartOfWidth = 1e-3;
  // Rounding must not leave the nearest point on the other side.
  static constexpr double kJustBeyond = 1 + 1e-12;
  System system_;
  Smoothing smoothing_;
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
    if (!dx.allFinite()) SmoothedCorners(system, smoothing).field(t, x, dx);
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
      const double fastest = lambda_dot.lpNorm<Eigen::Infinity>();
      for (Index i = 0; i < surfaces; ++i) {
        lambda[i] = smoothing.value(lambda[i]);
        lambda_dot[i] *= smoothing.slope(lambda[i]);
      }
      system.definition().field_along(t, x, lambda, t_dot, x_dot, lambda_dot, dx, dx_dot);
      if (dx.allFinite() && dx_dot.allFinite()) return;
      SmoothedCorners corners(system, smoothing);
      if (corners.field(t, x, dx)) corners.derivative(t, x, t_dot, x_dot, fastest, dx_dot);
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
      evaluator.guards_dx(t, x, guards_dx);
      const Vector fastest = guards_dx.cwiseAbs().colwise().maxCoeff();
      evaluator.field_dx(t, x, lambda, dx);
      evaluator.field_dlambda(t, x, lambda, field_dlambda);
      for (Index i = 0; i < surfaces; ++i) guards_dx.row(i) *= smoothing.slope(lambda[i]);
      dx += field_dlambda * guards_dx;
      if (dx.allFinite()) return;
      SmoothedCorners corners(system, smoothing);
      for (Index j = 0; j < x.size(); ++j)
        corners.derivative(t, x, 0, Vector::Unit(x.size(), j), fastest[j], dx.col(j));
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
  if (!automaton.system().time_events().empty()) return "it does not know time events";
  if (!automaton.system().contacts().empty()) return "it does not know contacts";
  return "";
}

}  // namespace slideway
