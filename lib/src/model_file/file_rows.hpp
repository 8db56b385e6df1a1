// The rows of a model file's system, so that a few are evaluated at their own cost: those of its loops, or else a tape for every
// derivative and for every guard.
//
// It must not know which rows are wanted, nor what for.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "expression/expression_tape.hpp"
#include "expression/loop_rows.hpp"
#include "expression/tape_inputs.hpp"
#include "slideway/detail/model/system_rows.hpp"

namespace slideway::reader {

// The rows of some outputs: of loops, or tapes of one output each.
struct RowSource {
  std::vector<Tape> tapes = {};
  std::shared_ptr<const LoopRows> loops = {};
};

struct RowSources {
  RowSource field = {};   // by state
  RowSource guards = {};  // by surface
};

class FileRows final : public SystemRows {
 public:
  FileRows(const std::shared_ptr<const RowSources>& sources, const std::vector<Index>& states,
           const std::vector<Index>& surfaces)
      : sources_(sources), field_(sources->field, states), guards_(sources->guards, surfaces) {}

  void field(double t, const double* x, const double* lambda, double* dx) const override {
    evaluate<double>(field_, Point{t, x, lambda}, [&](std::size_t k, double value) { dx[k] = value; });
  }
  void field_along(double t, const double* x, const double* lambda, double t_dot, const double* x_dot,
                   const double* lambda_dot, double* dx, double* dx_dot) const override {
    evaluate<Dual<double>>(field_, MovingPoint{{t, x, lambda}, {t_dot, x_dot, lambda_dot}},
                           [&](std::size_t k, const Dual<double>& value) {
                             dx[k] = value.value;
                             dx_dot[k] = value.derivative;
                           });
  }
  void guards(double t, const double* x, double* h) const override {
    evaluate<double>(guards_, Point{t, x, nullptr}, [&](std::size_t k, double value) { h[k] = value; });
  }
  void guards_along(double t, const double* x, double t_dot, const double* x_dot, double* h,
                    double* h_dot) const override {
    evaluate<Dual<double>>(guards_, MovingPoint{{t, x, nullptr}, {t_dot, x_dot, nullptr}},
                           [&](std::size_t k, const Dual<double>& value) {
                             h[k] = value.value;
                             h_dot[k] = value.derivative;
                           });
  }
  void guards_mixed(double t, const double* x, double t_first, const double* x_first, double t_second,
                    const double* x_second, const double* x_mixed, double* h_mixed) const override {
    evaluate<Dual<Dual<double>>>(
        guards_,
        TwiceMovingPoint{{{t, x, nullptr}, {t_first, x_first, nullptr}},
                         {{t_second, x_second, nullptr}, {0, x_mixed, nullptr}}},
        [&](std::size_t k, const Dual<Dual<double>>& value) { h_mixed[k] = value.derivative.derivative; });
  }

 private:
  // The rows of one source that are wanted.
  struct Some {
    Some(const RowSource& of, const std::vector<Index>& wanted)
        : source(of), rows(wanted), loops(of.loops ? of.loops->some(wanted) : nullptr) {}

    const RowSource& source;
    std::vector<Index> rows;
    std::shared_ptr<const Loops> loops;
  };

  template <class Scalar, class Inputs, class Store>
  static void evaluate(const Some& some, const Inputs& inputs, const Store& store) {
    if (some.loops) return some.loops->evaluate<Scalar>(inputs, store);
    for (std::size_t k = 0; k < some.rows.size(); ++k)
      store(k, some.source.tapes[static_cast<std::size_t>(some.rows[k])].template value<Scalar>(inputs));
  }

  std::shared_ptr<const RowSources> sources_;
  Some field_, guards_;
};

}  // namespace slideway::reader
