// A door for large systems of many small parts: a cell written once, and which cells see each other.
//
//     struct Block {                                    // a block on a belt, with cubic springs to its neighbours
//       void guards(Index i, auto t, const auto& x, auto&& h) const { h[0] = x(i, 1) - 0.1; }
//       void field(Index i, auto t, const auto& x, const auto& lambda, auto&& dx) const {
//         auto force = -x(i, 0) - 0.3 * lambda(i, 0);
//         for (Index j : neighbours(i)) force += pull(x(j, 0) - x(i, 0));
//         dx[0] = x(i, 1);
//         dx[1] = force;
//       }
//     };
//     auto system = from_network(Block{}, {.cells = 10000, .states = 2, .surfaces = 1});
//
// x(j, s) is state s of cell j, lambda(j, s) the relay of its surface s; the entries that a cell sets are its own. State s of cell i
// is state i·states + s of the system, and surfaces likewise. Members are called as those of from_functor are (model/from_functor.hpp):
// with double, duals, and once with traces, which find out which states of which cells a cell reads. They must not compare.
// The field, the guards and the derivatives of one cell can be evaluated alone (SystemDefinition::rows). So a large network follows an
// event with the cells around it (Options::local_events).
//
// It must not know time stepping.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "slideway/autodiff/dual.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/detail/model/lowering.hpp"
#include "slideway/detail/model/system_rows.hpp"

namespace slideway {

// The sizes of a network; `states` and `surfaces` are those of a cell.
struct NetworkDimensions {
  Index cells = 0;     // ≥ 1
  Index states = 0;    // ≥ 1
  Index surfaces = 0;  // ≥ 0
  std::string name = {};
};

// Entry s of cell j, in numbers that stand in one row.
template <class Numbers>
struct CellEntries {
  const Numbers& numbers;
  Index per_cell;
  auto operator()(Index cell, Index entry) const { return numbers[cell * per_cell + entry]; }
};

// The cells as one functor.
template <class Cell>
struct NetworkFunctor {
  Cell cell;
  NetworkDimensions size;

  template <class Scalar, class Input, class Parameters, class Output>
  void field(const Scalar& t, const Input& x, const Parameters& lambda, Output& dx) const {
    const CellEntries<Input> states{x, size.states};
    const CellEntries<Parameters> relays{lambda, size.surfaces};
    for (Index i = 0; i < size.cells; ++i) {
      auto* const own = dx.data() + i * size.states;
      cell.field(i, t, states, relays, own);
    }
  }
  template <class Scalar, class Input, class Output>
  void guards(const Scalar& t, const Input& x, Output& h) const {
    const CellEntries<Input> states{x, size.states};
    for (Index i = 0; i < size.cells; ++i) {
      auto* const own = h.data() + i * size.surfaces;
      cell.guards(i, t, states, own);
    }
  }
};

// Numbers that move, put together where they are asked for.
struct MovingNumbers {
  const double* values;
  const double* rates;
  Dual<double> operator[](Index i) const { return {values[i], rates[i]}; }
};
struct TwiceMovingNumbers {
  const double *values, *first, *second, *mixed;
  Dual<Dual<double>> operator[](Index i) const { return {{values[i], first[i]}, {second[i], mixed[i]}}; }
};

// Rows of a network: those of the cells that they belong to are evaluated.
template <class Cell>
class NetworkRows final : public SystemRows {
 public:
  NetworkRows(std::shared_ptr<const NetworkFunctor<Cell>> network, const std::vector<Index>& states,
              const std::vector<Index>& surfaces)
      : network_(std::move(network)),
        field_(rows_of(states, network_->size.states)),
        guards_(rows_of(surfaces, network_->size.surfaces)) {}

  void field(double t, const double* x, const double* lambda, double* dx) const override {
    evaluate_field<double>(t, x, lambda, [&](Index k, const double& value) { dx[k] = value; });
  }
  void field_along(double t, const double* x, const double* lambda, double t_dot, const double* x_dot,
                   const double* lambda_dot, double* dx, double* dx_dot) const override {
    evaluate_field<Dual<double>>(Dual<double>(t, t_dot), MovingNumbers{x, x_dot},
                                 MovingNumbers{lambda, lambda_dot}, [&](Index k, const Dual<double>& value) {
                                   dx[k] = value.value;
                                   dx_dot[k] = value.derivative;
                                 });
  }
  void guards(double t, const double* x, double* h) const override {
    evaluate_guards<double>(t, x, [&](Index k, const double& value) { h[k] = value; });
  }
  void guards_along(double t, const double* x, double t_dot, const double* x_dot, double* h,
                    double* h_dot) const override {
    evaluate_guards<Dual<double>>(Dual<double>(t, t_dot), MovingNumbers{x, x_dot},
                                  [&](Index k, const Dual<double>& value) {
                                    h[k] = value.value;
                                    h_dot[k] = value.derivative;
                                  });
  }
  void guards_mixed(double t, const double* x, double t_first, const double* x_first, double t_second,
                    const double* x_second, const double* x_mixed, double* h_mixed) const override {
    using Number = Dual<Dual<double>>;
    evaluate_guards<Number>(Number({t, t_first}, {t_second, 0.0}),
                            TwiceMovingNumbers{x, x_first, x_second, x_mixed},
                            [&](Index k, const Number& value) { h_mixed[k] = value.derivative.derivative; });
  }

 private:
  // Entry `entry` of cell `cell` is row `row` of those chosen.
  struct Row {
    Index cell, entry, row;
  };

  static std::vector<Row> rows_of(const std::vector<Index>& chosen, Index per_cell) {
    std::vector<Row> rows;
    rows.reserve(chosen.size());
    for (const Index one : chosen)
      rows.push_back({one / per_cell, one % per_cell, static_cast<Index>(rows.size())});
    return rows;
  }

  // Rows of one cell follow one another.
  template <class Number, class Evaluate, class Store>
  static void for_cells(const std::vector<Row>& rows, Index per_cell, const Evaluate& evaluate,
                        const Store& store) {
    ScratchFrame frame;
    Number* const values = frame.take<Number>(per_cell);
    Index cell = -1;
    for (const Row& row : rows) {
      if (row.cell != cell) evaluate(cell = row.cell, values);
      store(row.row, values[row.entry]);
    }
  }
  template <class Number, class Time, class States, class Relays, class Store>
  void evaluate_field(const Time& t, const States& x, const Relays& lambda, const Store& store) const {
    const NetworkDimensions& size = network_->size;
    const CellEntries<States> states{x, size.states};
    const CellEntries<Relays> relays{lambda, size.surfaces};
    for_cells<Number>(
        field_, size.states,
        [&](Index cell, Number* values) { network_->cell.field(cell, t, states, relays, values); }, store);
  }
  template <class Number, class Time, class States, class Store>
  void evaluate_guards(const Time& t, const States& x, const Store& store) const {
    const NetworkDimensions& size = network_->size;
    const CellEntries<States> states{x, size.states};
    for_cells<Number>(
        guards_, size.surfaces,
        [&](Index cell, Number* values) { network_->cell.guards(cell, t, states, values); }, store);
  }

  std::shared_ptr<const NetworkFunctor<Cell>> network_;
  std::vector<Row> field_, guards_;
};

// Throws std::invalid_argument for sizes that make no sense, and for a cell that compares or branches on what it reads, so that which
// cells see each other cannot be told.
template <class Cell>
System from_network(Cell cell, const NetworkDimensions& size) {
  if (size.cells < 1 || size.states < 1 || size.surfaces < 0) {
    refuse({.what = "the size of the network makes no sense",
            .where = "from_network",
            .expected = "at least one cell with at least one state, and no negative number of surfaces",
            .got = std::to_string(size.cells) + " cells of " + std::to_string(size.states) + " states and " +
                   std::to_string(size.surfaces) + " surfaces"});
  }
  const auto network =
      std::make_shared<const NetworkFunctor<Cell>>(NetworkFunctor<Cell>{std::move(cell), size});
  SystemDefinition definition = lower(*network, Dimensions{.states = size.cells * size.states,
                                                           .surfaces = size.cells * size.surfaces,
                                                           .name = size.name});
  trace_field(*network, definition);
  const bool is_told = definition.field_dx_pattern && (size.surfaces == 0 || definition.guards_dx_pattern);
  if (!is_told) {
    refuse({.what = "which cells see each other cannot be told",
            .where = "from_network",
            .expected = "a cell that does not compare or branch on t, states or relays",
            .got = "one that does, or throws",
            .advice = "write what jumps with lambda, or use from_functor"});
  }
  definition.rows = [network](const std::vector<Index>& states, const std::vector<Index>& surfaces) {
    return std::make_shared<const NetworkRows<Cell>>(network, states, surfaces);
  };
  return System(std::move(definition));
}

}  // namespace slideway
