// The rows of a model file's system: a tape for every derivative and for every guard, so that a few are evaluated at their own cost.
//
// It must not know which rows are wanted, nor what for.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "expression/expression_tape.hpp"
#include "expression/tape_inputs.hpp"
#include "slideway/model/system_rows.hpp"

namespace slideway::reader {

// One tape by state, one by surface; each has one output.
struct RowTapes {
  std::vector<Tape> field = {};
  std::vector<Tape> guards = {};
};

class FileRows final : public SystemRows {
 public:
  FileRows(std::shared_ptr<const RowTapes> tapes, std::vector<Index> states, std::vector<Index> surfaces)
      : tapes_(std::move(tapes)), states_(std::move(states)), surfaces_(std::move(surfaces)) {}

  void field(double t, const double* x, const double* lambda, double* dx) const override {
    evaluate<double>(tapes_->field, states_, Point{t, x, lambda}, [&](double value) { *dx++ = value; });
  }
  void field_along(double t, const double* x, const double* lambda, double t_dot, const double* x_dot,
                   const double* lambda_dot, double* dx, double* dx_dot) const override {
    evaluate<Dual<double>>(tapes_->field, states_, MovingPoint{{t, x, lambda}, {t_dot, x_dot, lambda_dot}},
                           [&](const Dual<double>& value) {
                             *dx++ = value.value;
                             *dx_dot++ = value.derivative;
                           });
  }
  void guards(double t, const double* x, double* h) const override {
    evaluate<double>(tapes_->guards, surfaces_, Point{t, x, nullptr}, [&](double value) { *h++ = value; });
  }
  void guards_along(double t, const double* x, double t_dot, const double* x_dot, double* h,
                    double* h_dot) const override {
    evaluate<Dual<double>>(tapes_->guards, surfaces_, MovingPoint{{t, x, nullptr}, {t_dot, x_dot, nullptr}},
                           [&](const Dual<double>& value) {
                             *h++ = value.value;
                             *h_dot++ = value.derivative;
                           });
  }
  void guards_mixed(double t, const double* x, double t_first, const double* x_first, double t_second,
                    const double* x_second, const double* x_mixed, double* h_mixed) const override {
    evaluate<Dual<Dual<double>>>(
        tapes_->guards, surfaces_,
        TwiceMovingPoint{{{t, x, nullptr}, {t_first, x_first, nullptr}},
                         {{t_second, x_second, nullptr}, {0, x_mixed, nullptr}}},
        [&](const Dual<Dual<double>>& value) { *h_mixed++ = value.derivative.derivative; });
  }

 private:
  template <class Scalar, class Inputs, class Store>
  static void evaluate(const std::vector<Tape>& tapes, const std::vector<Index>& rows, const Inputs& inputs,
                       const Store& store) {
    for (const Index row : rows) store(tapes[static_cast<std::size_t>(row)].template value<Scalar>(inputs));
  }

  std::shared_ptr<const RowTapes> tapes_;
  std::vector<Index> states_, surfaces_;
};

}  // namespace slideway::reader
