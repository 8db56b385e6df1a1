#include "lib/python/src/analyses.hpp"

#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include "apps/curve_options.hpp"
#include "apps/equilibria_documents.hpp"
#include "apps/fit_documents.hpp"
#include "apps/lyapunov_documents.hpp"
#include "apps/manifold_documents.hpp"
#include "apps/measurements_file.hpp"
#include "apps/orbit_documents.hpp"
#include "apps/orbit_guess.hpp"
#include "apps/simulation.hpp"
#include "apps/stoppable.hpp"
#include "apps/varied_parameter.hpp"
#include "lib/python/src/answers.hpp"
#include "lib/python/src/run.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/fit/fit.hpp"
#include "slideway/manifolds/connections.hpp"
#include "slideway/manifolds/equilibrium_manifolds.hpp"
#include "slideway/manifolds/orbit_manifolds.hpp"
#include "slideway/orbit/equilibria.hpp"
#include "slideway/orbit/equilibrium_branches.hpp"
#include "slideway/orbit/equilibrium_curves.hpp"
#include "slideway/orbit/lyapunov.hpp"
#include "slideway/orbit/orbit_branch.hpp"
#include "slideway/orbit/orbit_curves.hpp"
#include "slideway/orbit/periodic_orbit.hpp"
#include "slideway/simulate/poincare_section.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway::python {

namespace py = pybind11;

const Model& model_of(const Problem& problem, const std::string& what) {
  if (problem.calls_python || !problem.model) {
    refuse({.what = "this needs a model",
            .where = what,
            .expected = "a model file, a model of the catalogue or traced functions",
            .got = "Python functions that are called"});
  }
  return *problem.model;
}

namespace {

using Box = std::vector<std::tuple<std::string, double, double>>;

// The parameter that a branch is followed in: its name, first and last value, and the number of values.
using Varied = std::tuple<std::string, double, double, Index>;

SweepAxis axis_of(const Varied& varied) {
  SweepAxis axis{.name = std::get<0>(varied)};
  axis.first = std::get<1>(varied);
  axis.last = std::get<2>(varied);
  axis.count = std::get<3>(varied);
  return axis;
}

std::vector<SweepAxis> axes_of(const std::vector<Varied>& varied) {
  std::vector<SweepAxis> axes;
  for (const Varied& one : varied) axes.push_back(axis_of(one));
  return axes;
}

Options run_options(const py::dict& given, const Model& model, double usual_rtol) {
  Options options = options_from(given, model.defaults);
  if (!given.contains("rtol") && !(model.defaults.rtol > 0)) options.rtol = usual_rtol;
  return options;
}

SectionDirection direction_from(const std::string& word) {
  if (word == "rising") return SectionDirection::rising;
  if (word == "falling") return SectionDirection::falling;
  if (word == "any") return SectionDirection::any;
  refuse({.what = "unknown direction of a section",
          .where = "direction",
          .expected = "'rising', 'falling' or 'any'",
          .got = "'" + word + "'"});
}

Run whole_run(const ModelInstance& instance) {
  return {.start = instance.start, .end = instance.end, .state = instance.state};
}

EquilibriumOptions search_options(const Options& run, const Box& box, Index starts, const System& system) {
  EquilibriumOptions options{.run = run, .starts = starts};
  if (box.empty()) return options;
  options.lower = options.upper = Vector::Constant(system.states(), std::numeric_limits<double>::quiet_NaN());
  for (const auto& [name, low, high] : box) {
    const Index i = system.state_index(name);
    options.lower[i] = low;
    options.upper[i] = high;
  }
  return options;
}

// ---- equilibria ---------------------------------------------------------------------------------------------

std::string equilibria(const std::shared_ptr<Problem>& problem, double end, const py::dict& given,
                       const Box& box, Index starts, const std::vector<Varied>& varied,
                       const std::string& bifurcation, const std::shared_ptr<Cancellation>& cancellation) {
  const Model& model = model_of(*problem, "equilibria");
  ModelInstance instance = problem->instance;
  instance.end = end;
  const EquilibriumOptions options =
      search_options(options_from(given, model.defaults), box, starts, instance.system);
  const py::gil_scoped_release unlocked;
  if (varied.empty()) {
    const ModelInstance stoppable = apps::stoppable(instance, stop_question(cancellation));
    const Equilibria found = find_equilibria(stoppable.problem(), whole_run(instance), options);
    return text_of(apps::write_equilibria_json, apps::ShownEquilibria{model.name, instance, found});
  }
  const std::vector<SweepAxis> axes = axes_of(varied);
  const SweepAxis& axis = axes.front();
  const Model stoppable = apps::stoppable(model, stop_question(cancellation));
  if (axes.size() > 1) {
    const EquilibriumCurveOptions asked =
        apps::equilibrium_curve_options(axes, instance, bifurcation, options);
    const ModelInstance first = apps::instance_at(model, problem->settings, axes, axes[0].first, asked.begin);
    const std::vector<EquilibriumCurve> curves = follow_equilibrium_curves(
        [&](double a, double b) {
          return apps::instance_at(stoppable, problem->settings, axes, a, b).problem();
        },
        whole_run(instance), asked);
    return text_of(apps::write_equilibrium_curves_json, apps::ShownEquilibriumCurves{.model = model.name,
                                                                                     .first = axes[0].name,
                                                                                     .second = axes[1].name,
                                                                                     .begin = asked.begin,
                                                                                     .instance = first,
                                                                                     .options = asked,
                                                                                     .curves = curves});
  }
  const std::vector<EquilibriumBranch> branches = follow_equilibria(
      [&](double value) { return apps::instance_at(stoppable, problem->settings, axis, value).problem(); },
      whole_run(instance),
      {.equilibria = options,
       .first = axis.first,
       .last = axis.last,
       .points = axis.count,
       .most_points = apps::most_points_of(axis)});
  return text_of(apps::write_equilibrium_branches_json,
                 apps::ShownEquilibriumBranches{model.name, axis.name, instance, branches});
}

// ---- manifolds ----------------------------------------------------------------------------------------------

ManifoldOptions manifold_options(const py::dict& request, const Options& run) {
  const std::string only = entry<std::string>(request, "only").value_or("");
  ManifoldOptions options{.run = run,
                          .stable = only != "unstable",
                          .unstable = only != "stable",
                          .length = entry<double>(request, "length").value_or(0),
                          .most_time = entry<double>(request, "time").value_or(0)};
  if (const auto fan = entry<Index>(request, "fan")) options.fan = *fan;
  return options;
}

std::string manifolds_of_orbit(const Model& model, const ModelInstance& instance, const py::dict& request,
                               const ManifoldOptions& asked,
                               const std::shared_ptr<Cancellation>& cancellation) {
  apps::OrbitQuestion question{.returns = entry<Index>(request, "returns").value_or(0),
                               .transient = entry<double>(request, "transient").value_or(0)};
  if (const auto section = entry<std::string>(request, "section")) {
    question.section = PoincareSection{
        .name = *section,
        .direction = direction_from(entry<std::string>(request, "direction").value_or("rising"))};
    check_section(*question.section, instance.problem(), "section");
  }
  if (const auto period = entry<std::string>(request, "period"))
    question.period = apps::length_of_time("period", "period", *period, instance);
  OrbitManifoldOptions options{
      .run = asked.run, .stable = asked.stable, .unstable = asked.unstable, .length = asked.length};
  if (const auto runs = entry<Index>(request, "max_runs")) options.most_runs = *runs;
  const py::gil_scoped_release unlocked;
  const ModelInstance stoppable = apps::stoppable(instance, stop_question(cancellation));
  const std::optional<OrbitGuess> guess = apps::orbit_guess(question, stoppable, asked.run);
  const Automaton problem = stoppable.problem();
  const PeriodicOrbit orbit = find_periodic_orbit(problem, *guess, {.run = asked.run});
  if (!orbit.converged) throw std::invalid_argument(orbit.message);
  const OrbitManifolds found = follow_orbit_manifolds(problem, orbit, options);
  return text_of(apps::write_orbit_manifolds_json,
                 apps::ShownOrbitManifolds{model.name, instance, orbit, found});
}

// `request` holds what is given of the arguments of Model.manifolds; a section or a period asks for those of an orbit.
std::string manifolds(const std::shared_ptr<Problem>& problem, double end, const py::dict& given,
                      const py::dict& request, const std::shared_ptr<Cancellation>& cancellation) {
  const Model& model = model_of(*problem, "manifolds");
  ModelInstance instance = problem->instance;
  instance.end = end;
  const Options run = run_options(given, model, 1e-10);
  const ManifoldOptions options = manifold_options(request, run);
  if (entry<std::string>(request, "section") || entry<std::string>(request, "period"))
    return manifolds_of_orbit(model, instance, request, options, cancellation);
  const EquilibriumOptions search =
      search_options(run, entry<Box>(request, "box").value_or(Box{}),
                     entry<Index>(request, "starts").value_or(0), instance.system);
  const auto connect = entry<std::pair<std::string, double>>(request, "connect");
  if (!connect) {
    const py::gil_scoped_release unlocked;
    const ModelInstance stoppable = apps::stoppable(instance, stop_question(cancellation));
    const std::vector<EquilibriumManifolds> saddles =
        find_manifolds(stoppable.problem(), whole_run(instance), search, options);
    return text_of(apps::write_manifolds_json, apps::ShownManifolds{model.name, instance, saddles});
  }
  const SweepAxis axis = axis_of(py::cast<std::vector<Varied>>(request["varied"]).front());
  const ConnectionOptions asked{.equilibria = search,
                                .manifolds = options,
                                .first = axis.first,
                                .last = axis.last,
                                .points = axis.count,
                                .state = instance.system.state_index(connect->first),
                                .value = connect->second};
  const py::gil_scoped_release unlocked;
  const Model stoppable = apps::stoppable(model, stop_question(cancellation));
  const Connections found = find_connections(
      [&](double value) { return apps::instance_at(stoppable, problem->settings, axis, value).problem(); },
      whole_run(instance), asked);
  return text_of(apps::write_connections_json, apps::ShownConnections{.model = model.name,
                                                                      .parameter = axis.name,
                                                                      .instance = instance,
                                                                      .options = asked,
                                                                      .connections = found});
}

// ---- periodic orbits ----------------------------------------------------------------------------------------

OrbitGuess guess_of(const apps::OrbitQuestion& question, const ModelInstance& instance,
                    const Options& options) {
  if (std::optional<OrbitGuess> guess = apps::orbit_guess(question, instance, options)) return *guess;
  refuse({.what = "nothing says when the orbit comes back",
          .where = "orbit",
          .expected =
              "section=\"name\", or period=number where the equations depend on time; time events need "
              "neither",
          .got = "neither"});
}

// The document, and one round as a run; no run where the orbit was not found.
py::tuple orbit(const std::shared_ptr<Problem>& problem, const py::dict& given,
                const std::optional<std::string>& section, const std::string& direction,
                const std::optional<double>& period, Index returns, double transient, Index shots,
                int max_iterations, const std::vector<Varied>& varied, const std::string& bifurcation,
                const std::optional<py::function>& period_of,
                const std::shared_ptr<Cancellation>& cancellation) {
  const Model& model = model_of(*problem, "orbit");
  OrbitOptions options{.run = run_options(given, model, 1e-10), .shots = shots};
  if (max_iterations > 0) options.max_iterations = max_iterations;
  apps::OrbitQuestion question{.period = period, .returns = returns, .transient = transient};
  if (section) {
    question.section = PoincareSection{.name = *section, .direction = direction_from(direction)};
    check_section(*question.section, problem->instance.problem(), "section");
  }
  const ModelInstance& instance = problem->instance;
  const ModelInstance stoppable = apps::stoppable(instance, stop_question(cancellation));
  if (varied.size() > 1) {
    const std::vector<SweepAxis> axes = axes_of(varied);
    const Model stoppable_model = apps::stoppable(model, stop_question(cancellation));
    const auto at = [&](double a, double b) {
      return apps::instance_at(stoppable_model, problem->settings, axes, a, b);
    };
    OrbitPlaneFamily family{.problem = [&](double a, double b) { return at(a, b).problem(); }};
    if (period) {
      family.period = [&](double a, double b) {
        if (!period_of) return *period;
        const py::gil_scoped_acquire lock;
        return py::cast<double>((*period_of)(a, b));
      };
    }
    const OrbitCurveOptions asked = apps::orbit_curve_options(axes, instance, bifurcation, options);
    if (period_of) question.period = py::cast<double>((*period_of)(axes[0].first, asked.begin));
    std::string document;
    {
      const py::gil_scoped_release unlocked;
      const ModelInstance first = at(axes[0].first, asked.begin);
      const OrbitCurves found = follow_orbit_curves(family, guess_of(question, first, options.run), asked);
      document = text_of(apps::write_orbit_curves_json, apps::ShownOrbitCurves{.model = model.name,
                                                                               .first = axes[0].name,
                                                                               .second = axes[1].name,
                                                                               .begin = asked.begin,
                                                                               .instance = first,
                                                                               .found = found});
    }
    return py::make_tuple(document, py::none());
  }
  if (!varied.empty()) {
    const SweepAxis axis = axis_of(varied.front());
    const Model stoppable_model = apps::stoppable(model, stop_question(cancellation));
    OrbitFamily family{.problem = [&](double value) {
      return apps::instance_at(stoppable_model, problem->settings, axis, value).problem();
    }};
    if (period) {
      family.period = [&](double value) {
        if (!period_of) return *period;
        const py::gil_scoped_acquire lock;
        return py::cast<double>((*period_of)(value));
      };
    }
    std::string document;
    {
      const py::gil_scoped_release unlocked;
      const OrbitBranch branch = follow_periodic_orbit(family, guess_of(question, stoppable, options.run),
                                                       {.orbit = options,
                                                        .first = axis.first,
                                                        .last = axis.last,
                                                        .points = axis.count,
                                                        .most_points = apps::most_points_of(axis)});
      document = text_of(apps::write_branch_json,
                         apps::ShownBranch{model.name, axis.name, instance, branch, options.run.rtol});
    }
    return py::make_tuple(document, py::none());
  }
  auto made = std::make_shared<MadeRun>();
  std::string document;
  bool converged = false;
  {
    const py::gil_scoped_release unlocked;
    PeriodicOrbit found =
        find_periodic_orbit(stoppable.problem(), guess_of(question, stoppable, options.run), options);
    found.solution.sensitivities.reset();
    document = text_of(apps::write_orbit_json, apps::ShownOrbit{.model = model.name,
                                                                .instance = instance,
                                                                .orbit = found,
                                                                .section = question.section,
                                                                .rtol = options.run.rtol});
    converged = found.converged;
    made->problem = problem;
    made->options = options.run;
    made->end = found.start + found.period;
    made->where = {.start = found.start, .end = made->end, .state = found.state, .location = found.location};
    made->solution = std::move(found.solution);
  }
  return py::make_tuple(document, converged ? py::cast(made) : py::none());
}

// ---- Lyapunov exponents -------------------------------------------------------------------------------------

std::string lyapunov(const std::shared_ptr<Problem>& problem, double end, const py::dict& given,
                     double transient, double block, const std::shared_ptr<Cancellation>& cancellation) {
  const Model& model = model_of(*problem, "lyapunov");
  ModelInstance instance = problem->instance;
  instance.end = end;
  const LyapunovOptions options{
      .run = run_options(given, model, 1e-8), .block = block, .transient = transient};
  const py::gil_scoped_release unlocked;
  const ModelInstance stoppable = apps::stoppable(instance, stop_question(cancellation));
  const LyapunovExponents found = lyapunov_exponents(stoppable.problem(), whole_run(instance), options);
  return text_of(apps::write_lyapunov_json, apps::ShownExponents{model.name, instance, found, options});
}

// ---- fits ---------------------------------------------------------------------------------------------------

// The document and the residuals, names × times.
py::tuple fit(const std::shared_ptr<Problem>& problem, const std::vector<std::string>& parameters,
              const std::vector<std::string>& names, const std::vector<double>& times, const Matrix& values,
              const Vector& deviations, const py::dict& given, int max_runs, double tolerance,
              const std::shared_ptr<Cancellation>& cancellation) {
  const Model& model = model_of(*problem, "fit");
  FitOptions options{.run = run_options(given, model, 1e-8)};
  if (max_runs > 0) options.max_runs = max_runs;
  if (tolerance > 0) options.tolerance = tolerance;
  const Measurements measurements{.names = names, .times = times, .values = values, .deviations = deviations};
  std::string document;
  Fit found;
  {
    const py::gil_scoped_release unlocked;
    const Model stoppable = apps::stoppable(model, stop_question(cancellation));
    found = slideway::fit(stoppable, problem->settings, parameters, measurements, options);
    document = text_of(apps::write_fit_json, apps::ShownFit{model.name, measurements, names, found});
  }
  return py::make_tuple(document, array_of(std::move(found.residuals)));
}

py::tuple measurements(const std::string& path) {
  Measurements read = apps::read_measurements(path);
  return py::make_tuple(read.names, read.times, array_of(std::move(read.values)));
}

// ---- sections -----------------------------------------------------------------------------------------------

// Times and states of the arrivals at a section: (k,), n × k.
py::tuple section(const MadeRun& made, const std::string& name, const std::string& direction) {
  const PoincareSection wanted{.name = name, .direction = direction_from(direction)};
  const ModelInstance& instance = made.problem->instance;
  check_section(wanted, instance.problem(), "section");
  const std::vector<SectionPoint> found = section_points(wanted, instance.system, made.solution);
  const auto count = static_cast<Index>(found.size());
  Vector t(count);
  Matrix x(instance.system.states(), count);
  for (Index k = 0; k < count; ++k) {
    const SectionPoint& point = found[static_cast<std::size_t>(k)];
    t[k] = point.t;
    x.col(k) = point.state;
  }
  return py::make_tuple(array_of(std::move(t)), array_of(std::move(x)));
}

}  // namespace

void bind_analyses(py::module_& module) {
  module.def("equilibria", &equilibria, py::arg("problem"), py::arg("end"), py::arg("options"),
             py::arg("box") = Box{}, py::arg("starts") = 0, py::arg("varied") = std::vector<Varied>{},
             py::arg("bifurcation") = "", py::arg("cancellation") = py::none());
  module.def("orbit", &orbit, py::arg("problem"), py::arg("options"), py::arg("section") = py::none(),
             py::arg("direction") = "rising", py::arg("period") = py::none(), py::arg("returns") = 0,
             py::arg("transient") = 0.0, py::arg("shots") = 0, py::arg("max_iterations") = 0,
             py::arg("varied") = std::vector<Varied>{}, py::arg("bifurcation") = "",
             py::arg("period_of") = py::none(), py::arg("cancellation") = py::none());
  module.def("manifolds", &manifolds, py::arg("problem"), py::arg("end"), py::arg("options"),
             py::arg("request"), py::arg("cancellation") = py::none());
  module.def("lyapunov", &lyapunov, py::arg("problem"), py::arg("end"), py::arg("options"),
             py::arg("transient"), py::arg("block"), py::arg("cancellation") = py::none());
  module.def("fit", &fit, py::arg("problem"), py::arg("parameters"), py::arg("names"), py::arg("times"),
             py::arg("values"), py::arg("deviations"), py::arg("options"), py::arg("max_runs") = 0,
             py::arg("tolerance") = 0.0, py::arg("cancellation") = py::none());
  module.def("measurements", &measurements);
  module.def("section_points", &section);
}

}  // namespace slideway::python
