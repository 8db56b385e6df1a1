// The problems of the benchmarks, and who solves them: slideway with several methods, programs written by hand with explicit
// modes (CVODE, and dopri5 where there are many events), tanh in place of the sign, and the bare sign.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "models/belt.hpp"
#include "models/dry_friction.hpp"
#include "models/evaporator.hpp"
#include "models/friction_chain.hpp"
#include "models/heat_rod.hpp"
#include "slideway/model/from_functor.hpp"
#include "slideway/model/from_signs.hpp"
#include "slideway/simulate/alternatives.hpp"
#include "slideway/simulate/simulator.hpp"
#include "validation/benchmarks/hand_written_belt.hpp"
#include "validation/benchmarks/hand_written_dopri5.hpp"
#include "validation/benchmarks/hand_written_evaporator.hpp"
#include "validation/benchmarks/hand_written_oscillator.hpp"
#include "validation/benchmarks/large_cvode.hpp"
#include "validation/benchmarks/large_dopri5.hpp"
#include "validation/benchmarks/measurement.hpp"
#include "validation/closed_form_oscillator.hpp"

namespace slideway::benchmarks {

using Prepare = std::function<std::function<Report()>()>;

struct Contender {
  std::string name;
  std::string method;
  std::function<Prepare(double rtol)> at;
};

struct Smoothing {
  std::string method;
  std::function<Prepare(double rtol, double epsilon)> at;
};

struct BenchmarkCase {
  std::string name;   // "chain"
  Index size;         // of chains and rods, else 0
  std::string title;  // "friction chain, N = 100, t = 50"
  bool event_dense;
  std::vector<Contender> contenders;               // slideway first
  std::function<std::vector<double>()> reference;  // the state at the end; empty if there is none
  // tanh(h/ε) in place of the sign, with methods of slideway's, which has nothing to do then but call CVODE.
  std::vector<Smoothing> smoothed;
  Prepare bare_signs;
};

inline Report report_of(const LargeResult& result) {
  return {.final = result.final,
          .events = result.events,
          .steps = result.steps,
          .integrator_evaluations = result.field_evaluations,
          .field_evaluations = result.field_evaluations,
          .reached_end = true};
}

inline Report report_of(const HandWrittenResult& result) {
  return {.final = result.final,
          .events = static_cast<std::int64_t>(result.times.size()),
          .steps = result.steps,
          .integrator_evaluations = result.field_evaluations,
          .field_evaluations = result.field_evaluations,
          .reached_end = true};
}

inline Report report_of(const Solution& solution) {
  const Vector& state = solution.final.state;
  return {.final = std::vector<double>(state.begin(), state.end()),
          .events = solution.statistics.events,
          .steps = solution.statistics.steps,
          .integrator_evaluations = solution.statistics.integrator_evaluations,
          .field_evaluations = solution.statistics.field_evaluations,
          .reached_end = solution.outcome.reached_end()};
}

// The description that a problem is made from, in the process that solves it.
struct Made {
  System system;
  Vector state;
};
using Make = std::function<Made()>;

inline Prepare slideway_run(const Make& make, double end, Method method, LinearSolver solver, double rtol,
                            const std::function<System(const System&)>& change = {}) {
  return [=]() -> std::function<Report()> {
    const Made made = make();
    Options options;
    options.rtol = rtol;
    options.atol = Tolerance(rtol / 100);
    options.method = method;
    options.linear_solver = solver;
    options.recording = Recording::nothing;
    const auto simulator =
        std::make_shared<const Simulator>(change ? change(made.system) : made.system, options);
    return [=] { return report_of(simulator->run({.start = 0, .end = end, .state = made.state})); };
  };
}

inline Contender slideway_with(const Make& make, double end, Method method,
                               LinearSolver solver = LinearSolver::automatic) {
  const std::string name =
      to_string(method) +
      (solver == LinearSolver::automatic ? std::string() : std::string("+") + to_string(solver));
  return {"slideway", name, [=](double rtol) { return slideway_run(make, end, method, solver, rtol); }};
}

inline std::vector<Smoothing> smoothed_with(const Make& make, double end,
                                            const std::vector<Method>& methods) {
  std::vector<Smoothing> result;
  for (const Method method : methods) {
    result.push_back({std::string("tanh ") + to_string(method), [=](double rtol, double epsilon) {
                        return slideway_run(
                            make, end, method, LinearSolver::automatic, rtol,
                            [epsilon](const System& system) { return smoothed(system, epsilon); });
                      }});
  }
  return result;
}

inline Prepare bare_signs_with(const Make& make, double end, Method method) {
  return slideway_run(make, end, method, LinearSolver::automatic, 1e-6,
                      [](const System& system) { return with_bare_signs(system); });
}

// ---- two states

template <class Problem>
Contender small_by_hand(const Problem& problem, const std::vector<double>& start, double end, Method method) {
  return {"by hand",
          method == Method::dopri5 ? "dopri5"
          : method == Method::bdf  ? "cvode bdf"
                                   : "cvode adams",
          [=](double rtol) -> Prepare {
            return [=]() -> std::function<Report()> {
              return [=] {
                if (method == Method::dopri5)
                  return report_of(HandWrittenDopri5(problem, rtol, rtol / 100).run(start, end));
                return report_of(
                    HandWrittenProgram(problem, method == Method::bdf, rtol, rtol / 100).run(start, end));
              };
            };
          }};
}

inline BenchmarkCase evaporator_case() {
  const Make make = [] {
    return Made{from_functor(models::Evaporator{}, {.states = 2, .surfaces = 1}), Vector::Zero(2)};
  };
  const double end = 60;
  const HandWrittenEvaporator by_hand;
  return {.name = "evaporator",
          .size = 0,
          .title = "evaporator",
          .event_dense = false,
          .contenders = {slideway_with(make, end, Method::automatic), slideway_with(make, end, Method::bdf),
                         slideway_with(make, end, Method::adams),
                         small_by_hand(by_hand, {0, 0}, end, Method::bdf),
                         small_by_hand(by_hand, {0, 0}, end, Method::adams)},
          .reference =
              [] {
                return std::vector<double>{std::sqrt(0.1 * 0.15 / 2), 0.1};
              },
          .smoothed = smoothed_with(make, end, {Method::bdf}),
          .bare_signs = bare_signs_with(make, end, Method::bdf)};
}

inline BenchmarkCase oscillator_case(int periods) {
  const double end = periods * 2 * std::numbers::pi / models::DryFriction{}.w;
  const Make make = [] {
    return Made{from_functor(models::DryFriction{}, {.states = 2, .surfaces = 1}), Eigen::Vector2d(2, 0)};
  };
  const HandWrittenOscillator by_hand;
  return {.name = "oscillator",
          .size = 0,
          .title = fmt::format("driven friction, {} periods", periods),
          .event_dense = true,
          .contenders = {slideway_with(make, end, Method::dopri5),
                         slideway_with(make, end, Method::automatic), slideway_with(make, end, Method::adams),
                         small_by_hand(by_hand, {2, 0}, end, Method::adams),
                         small_by_hand(by_hand, {2, 0}, end, Method::dopri5)},
          .reference =
              [end] {
                const validation::OscillatorMotion exact =
                    validation::ClosedFormOscillator({.end = end}).solve();
                return std::vector<double>{static_cast<double>(exact.position),
                                           static_cast<double>(exact.velocity)};
              },
          .smoothed = smoothed_with(make, end, {Method::bdf}),
          .bare_signs = bare_signs_with(make, end, Method::bdf)};
}

inline BenchmarkCase belt_case(int cycles) {
  const HandWrittenBelt by_hand;
  const std::vector<double> start = {0, by_hand.belt};
  // A cycle begins each time the block begins to stick; a few show how long it takes.
  const std::vector<double> first = HandWrittenDopri5(by_hand, 1e-13, 1e-15).run(start, 100).times;
  const double end = first[1] + (cycles - 0.5) * (first[5] - first[3]);
  const Make make = [start] {
    return Made{from_signs(models::Belt{}, {.states = 2, .surfaces = 1}),
                Eigen::Vector2d(start[0], start[1])};
  };
  return {.name = "belt",
          .size = 0,
          .title = fmt::format("Stribeck belt, {} cycles", cycles),
          .event_dense = true,
          .contenders = {slideway_with(make, end, Method::dopri5),
                         slideway_with(make, end, Method::automatic), slideway_with(make, end, Method::adams),
                         small_by_hand(by_hand, start, end, Method::adams),
                         small_by_hand(by_hand, start, end, Method::dopri5)},
          .reference = [=] { return HandWrittenDopri5(by_hand, 1e-13, 1e-15).run(start, end).final; },
          .smoothed = smoothed_with(make, end, {Method::bdf}),
          .bare_signs = bare_signs_with(make, end, Method::bdf)};
}

// ---- many states

template <template <class> class Program, class Problem>
Contender large_by_hand(const std::string& method, std::size_t size, double end) {
  return {"by hand", method, [=](double rtol) -> Prepare {
            return [=]() -> std::function<Report()> {
              return [=] { return report_of(Program<Problem>(Problem(size), rtol, rtol / 100).run(end)); };
            };
          }};
}

inline Make catalogue_model(Model (*model)(), const std::string& size_name, Index size) {
  return [=] {
    const ModelInstance made = model().instantiate({{size_name, static_cast<double>(size)}});
    return Made{made.system, made.state};
  };
}

inline BenchmarkCase chain_case(Index blocks, double end) {
  const Make make = catalogue_model(models::friction_chain, "N", blocks);
  const auto size = static_cast<std::size_t>(blocks);
  return {
      .name = "chain",
      .size = blocks,
      .title = fmt::format("friction chain, N = {}, t = {}", blocks, end),
      .event_dense = true,
      .contenders = {slideway_with(make, end, Method::dopri5), slideway_with(make, end, Method::automatic),
                     large_by_hand<LargeCvode, HandWrittenChain>("cvode adams", size, end),
                     large_by_hand<LargeDopri5, HandWrittenChain>("dopri5", size, end)},
      .reference = [=] { return LargeDopri5(HandWrittenChain(size), 1e-12, 1e-14).run(end).final; },
      .smoothed = smoothed_with(make, end, {Method::adams, Method::bdf}),
      .bare_signs = bare_signs_with(make, end, Method::adams)};
}

inline BenchmarkCase rod_case(Index cells, double end) {
  const Make make = catalogue_model(models::heat_rod, "n", cells);
  const auto size = static_cast<std::size_t>(cells);
  return {.name = "rod",
          .size = cells,
          .title = fmt::format("heat rod, n = {}, t = {}", cells, end),
          .event_dense = false,
          .contenders = {slideway_with(make, end, Method::bdf), slideway_with(make, end, Method::automatic),
                         slideway_with(make, end, Method::bdf, LinearSolver::klu),
                         large_by_hand<LargeCvode, HandWrittenRod>("cvode bdf+klu", size, end)},
          .reference = [=] { return LargeCvode(HandWrittenRod(size), 1e-10, 1e-12).run(end).final; },
          .smoothed = smoothed_with(make, end, {Method::bdf}),
          .bare_signs = bare_signs_with(make, end, Method::bdf)};
}

}  // namespace slideway::benchmarks
