// check_derivatives: what a definition gives, against central differences of the functions it is the derivative of.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "core/number_text.hpp"
#include "model/check_text.hpp"
#include "model/finite_difference.hpp"
#include "slideway/detail/model/evaluator.hpp"
#include "slideway/model/check.hpp"

namespace slideway {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

// Step sizes of the central differences, in units of the usual one, coarse to fine.
constexpr std::array<double, 6> step_factors = {1e2, 1.0, 1e-2, 1e-4, 1e-6, 1e-8};
// Rounding of a difference beside its size, for it to stand alone.
constexpr double fine_enough = 1e-5;
using References = std::array<Matrix, step_factors.size()>;

// The function of a matrix of derivatives, with what is needed to judge and to name an entry.
struct Subject {
  std::string function;                // as the definition calls it
  std::string numerator, denominator;  // "f" and "x" in ∂f/∂x, for the message
  const std::vector<std::string>* row_names = nullptr;
  std::vector<std::string> column_names = {};
  Vector values;     // of the function differentiated
  Vector arguments;  // that it is differentiated by
  // The size of the terms summed in each value, where its derivatives by these arguments need not tell it.
  Vector terms = Vector();
  // The usual step of differences along a direction; 0: differences by the arguments one at a time.
  double step = 0;
  // has_steps tells whether the differences take each of the step sizes; those of relays know only the usual
  // one.
  bool has_steps = true;
};

class Comparison {
 public:
  explicit Comparison(double tolerance) : tolerance_(tolerance) {}

  void add(const Subject& subject, const Matrix& used, const References& references) {
    ++matrices_;
    const Matrix noise = rounding(subject, used);
    for (Index i = 0; i < used.rows(); ++i) {
      for (Index j = 0; j < used.cols(); ++j) {
        const Reference best = best_reference(subject, references, i, j, noise(i, j));
        if (std::isinf(used(i, j)) && grows_without_end(subject, used(i, j), references, i, j, noise(i, j))) {
          if (infinite_.empty()) infinite_ = entry_name(subject, i, j);
          continue;
        }
        double error = relative_error(used, i, j, best);
        // A change within less than the coarser steps is seen by the finer ones only, and they agree with no other.
        for (std::size_t k = 0; error > 0 && k < references.size(); ++k) {
          const Reference finer{references[k](i, j), noise(i, j) / step_factor(subject, k) / 3};
          const double size = std::max(std::abs(used(i, j)), std::abs(finer.value));
          if (std::isfinite(finer.value) && 3 * finer.uncertainty < fine_enough * size)
            error = std::min(error, relative_error(used, i, j, finer));
        }
        if (!(error > worst_.relative_error) && any_entry_) continue;
        any_entry_ = true;
        worst_.relative_error = error;
        worst_.function = subject.function;
        worst_.row = i;
        worst_.column = j;
        worst_.used = used(i, j);
        worst_.finite_difference = best.value;
        entry_ = entry_name(subject, i, j);
      }
    }
  }

  DerivativeCheck result() const {
    DerivativeCheck check = worst_;
    check.passed = !(check.relative_error > tolerance_);
    if (matrices_ == 0) {
      check.message = "no derivatives are given: finite differences are used";
    } else if (check.passed) {
      check.message = "all derivatives agree with central differences (largest relative error " +
                      number_text(check.relative_error) + ")";
    } else {
      check.message = check.function + " is wrong: " + entry_ + " is " + number_text(check.used) +
                      ", but its central difference is " + number_text(check.finite_difference) +
                      " (relative error " + number_text(check.relative_error) + ")";
    }
    if (!infinite_.empty()) {
      check.infinite =
          infinite_ +
          " is infinite where the model was tried, as the slope of a root is at zero: methods that take "
          "derivatives, bdf and rodas, may take many steps there, or fail; dopri5, dop853 and adams take "
          "none";
    }
    return check;
  }

 private:
  struct Reference {
    double value = std::numeric_limits<double>::quiet_NaN();
    double uncertainty = std::numeric_limits<double>::infinity();
  };

  static std::string entry_name(const Subject& subject, Index i, Index j) {
    return "∂" + subject.numerator + "[" + name_at(*subject.row_names, i) + "]/∂" + subject.denominator +
           (subject.column_names.empty() ? "" : "[" + name_at(subject.column_names, j) + "]");
  }

  // Differences of x^p at zero grow like the power p − 1 of the step, those of a function with a slope come to that. Steps are a tenth of
  // the ones before at least, so that `growth` is reached up to p = 0.8.
  static bool grows_without_end(const Subject& subject, double used, const References& references, Index i,
                                Index j, double noise) {
    constexpr double growth = 1.5, seen = 0.1;
    double before = 0;
    bool grows = false;
    for (std::size_t k = 0; k < references.size(); ++k) {
      const double value = std::copysign(1.0, used) * references[k](i, j);
      if (!(noise / step_factor(subject, k) < seen * std::abs(value))) continue;
      if (!(value > before)) return false;
      grows = before > 0 && value > growth * before;
      before = value;
    }
    return grows;
  }

  static double step_factor(const Subject& subject, std::size_t k) {
    return subject.has_steps ? step_factors[k] : 1;
  }

  // The rounding error of a central difference with the usual step, from the size of the terms summed in the
  // function, which its value may hide.
  static Matrix rounding(const Subject& subject, const Matrix& used) {
    constexpr double safety = 32;
    Matrix noise(used.rows(), used.cols());
    for (Index i = 0; i < used.rows(); ++i) {
      double terms = std::abs(subject.values[i]);
      if (subject.terms.size() > 0) terms += subject.terms[i];
      for (Index j = 0; j < used.cols(); ++j) {
        const double term = std::abs(used(i, j) * subject.arguments[j]);
        if (std::isfinite(term)) terms += term;
      }
      for (Index j = 0; j < used.cols(); ++j) {
        const double step = subject.step > 0 ? subject.step
                                             : cube_root_of_epsilon() *
                                                   std::sqrt(std::max(1.0, std::abs(subject.arguments[j])));
        noise(i, j) = safety * epsilon * terms / step;
      }
    }
    return noise;
  }

  // A difference is as uncertain as its rounding and its distance from the next finer one together.
  static Reference best_reference(const Subject& subject, const References& references, Index i, Index j,
                                  double noise) {
    Reference best;
    for (std::size_t k = 0; k < references.size(); ++k) {
      const std::size_t neighbour = k + 1 < references.size() ? k + 1 : k - 1;
      const double value = references[k](i, j);
      const double uncertainty =
          noise / step_factor(subject, k) + std::abs(value - references[neighbour](i, j));
      if (uncertainty < best.uncertainty) best = {value, uncertainty};
    }
    return best;
  }

  static double relative_error(const Matrix& used, Index i, Index j, const Reference& reference) {
    if (!std::isfinite(reference.value)) return 0;  // nothing to compare with
    if (!std::isfinite(used(i, j))) return std::numeric_limits<double>::infinity();
    // An entry may be small beside its row only if it is small enough to be lost in it.
    constexpr double smallest_share = 1e-3;
    const double row_size =
        used.row(i)
            .unaryExpr([](double entry) { return std::isfinite(entry) ? std::abs(entry) : 0.0; })
            .maxCoeff();
    const double size =
        std::max({std::abs(used(i, j)), std::abs(reference.value), smallest_share * row_size});
    const double excess = std::abs(used(i, j) - reference.value) - 3 * reference.uncertainty;
    return excess > 0 ? excess / size : 0;
  }

  double tolerance_;
  DerivativeCheck worst_;
  std::string entry_, infinite_;
  bool any_entry_ = false;
  int matrices_ = 0;
};

// A definition with values only; what is to be checked is added to copies of it.
SystemDefinition values_only(const SystemDefinition& full) {
  SystemDefinition bare;
  bare.name = full.name;
  bare.states = full.states;
  bare.surfaces = full.surfaces;
  bare.state_names = full.state_names;
  bare.surface_names = full.surface_names;
  bare.sides_at_zero = full.sides_at_zero;
  bare.field = full.field;
  bare.guards = full.guards;
  return bare;
}

// Evaluates a matrix with each of the step sizes.
template <class Evaluate>
References central_differences(const SystemDefinition& definition, Index rows, Index columns,
                               Evaluate&& evaluate) {
  References references;
  Evaluator evaluator{System(definition)};
  for (std::size_t k = 0; k < references.size(); ++k) {
    const double factor = step_factors[k];
    evaluator.set_typical_sizes(Vector::Constant(definition.states, factor), factor);
    references[k] = Matrix::Zero(rows, columns);
    evaluate(evaluator, references[k]);
  }
  return references;
}

// The derivatives of one system at one point.
class DerivativeChecker {
 public:
  DerivativeChecker(const System& system, double t, ConstVectorRef x, ConstVectorRef lambda, double tolerance)
      : system_(system),
        full_(system.definition()),
        bare_(values_only(full_)),
        t_(t),
        x_(x),
        lambda_(lambda),
        f_(x.size()),
        h_(system.surfaces()),
        w_(system.surfaces()),
        comparison_(tolerance) {
    Evaluator evaluator(system);
    evaluator.field(t_, x_, lambda_, f_);
    evaluator.guards(t_, x_, h_);
    if (system.surfaces() > 0) evaluator.guard_rates(t_, x_, f_, w_);
  }

  DerivativeCheck run() {
    check_field();
    const bool has_slopes = slopes_are_finite();
    if (system_.surfaces() > 0) {
      check_guards();
      if (has_slopes) check_normal_components();
    }
    if (has_slopes) check_field_mixed();
    for (const Contact& contact : full_.contacts) check_contact(contact);
    return comparison_.result();
  }

 private:
  template <class Evaluate>
  Matrix evaluated(const Subject& subject, const SystemDefinition& definition, Evaluate&& evaluate) const {
    Evaluator evaluator{System(definition)};
    Matrix derivative = Matrix::Zero(subject.values.size(), subject.arguments.size());
    evaluate(evaluator, derivative);
    return derivative;
  }

  template <class Evaluate>
  void compare(const Subject& subject, const SystemDefinition& used, const SystemDefinition& reference,
               Evaluate&& evaluate) {
    const Matrix derivative = evaluated(subject, used, evaluate);
    comparison_.add(subject, derivative,
                    central_differences(reference, derivative.rows(), derivative.cols(), evaluate));
  }

  // An entry that a pattern leaves out is used as 0.
  template <class Evaluate>
  void compare_pattern(const Subject& subject, const std::optional<Pattern>& pattern, Evaluate&& evaluate) {
    if (!pattern) return;
    // Columns that a wrong pattern would mix stay apart.
    SystemDefinition apart = full_;
    apart.field_dx_pattern.reset();
    Matrix derivative = evaluated(subject, apart, evaluate);
    for (Index j = 0; j < derivative.cols(); ++j) {
      for (Index i = 0; i < derivative.rows(); ++i) {
        if (!pattern->has(i, j)) derivative(i, j) = 0;
      }
    }
    comparison_.add(subject, derivative,
                    central_differences(bare_, derivative.rows(), derivative.cols(), evaluate));
  }

  Subject field_subject(const std::string& function) const {
    return {function, "f", "x", &system_.state_names(), system_.state_names(), f_, x_, terms_};
  }
  Subject guards_subject(const std::string& function) const {
    const Vector terms =
        largest_beside(h_.size(), [&](const Vector& x, Vector& h) { system_.guards(t_, x, h); });
    return {function, "h", "x", &system_.surface_names(), system_.state_names(), h_, x_, terms};
  }
  // largest_beside() returns the largest of each value at the points of the usual differences. An argument that is no more than rounding
  // beside its step is lost there, and so is a slope that it makes: 2x of x² at x = 1e-40.
  template <class Function>
  Vector largest_beside(Index rows, const Function& function) const {
    Vector largest = Vector::Zero(rows), moved = x_, values(rows);
    for (Index j = 0; j < x_.size(); ++j) {
      for (const double sign : {1.0, -1.0}) {
        moved[j] = x_[j] + sign * value_step(x_[j], 1);
        function(moved, values);
        for (Index i = 0; i < rows; ++i)
          if (std::isfinite(values[i])) largest[i] = std::max(largest[i], std::abs(values[i]));
      }
      moved[j] = x_[j];
    }
    return largest;
  }

  // Terms may cancel in a value and in its derivative by a relay or by the time, but not in all of those by the states.
  Vector terms_of_field() const {
    Evaluator evaluator{System(bare_)};
    Matrix derivative = Matrix::Zero(x_.size(), x_.size());
    evaluator.field_dx(t_, x_, lambda_, derivative);
    const Matrix terms = derivative * x_.asDiagonal();
    const Vector sums =
        terms.unaryExpr([](double term) { return std::isfinite(term) ? std::abs(term) : 0.0; })
            .rowwise()
            .sum();
    return sums + largest_beside(x_.size(),
                                 [&](const Vector& x, Vector& dx) { evaluator.field(t_, x, lambda_, dx); });
  }
  Subject by_lambda(Subject subject) const {
    subject.denominator = "lambda";
    subject.column_names = system_.surface_names();
    subject.arguments = lambda_;
    subject.has_steps = false;
    return subject;
  }
  Subject by_time(Subject subject) const {
    subject.denominator = "t";
    return along(std::move(subject), Vector::Zero(x_.size()));
  }
  // One column: the derivative where t moves at the rate 1 and x at `x_dot`.
  Subject along(Subject subject, ConstVectorRef x_dot) const {
    subject.column_names.clear();
    subject.arguments = Vector::Constant(1, t_);
    subject.step = Evaluator(System(bare_)).direction_step(t_, x_, 1, x_dot);
    return subject;
  }

  // Where a slope is infinite, as that of a root at zero, there are no second derivatives.
  bool slopes_are_finite() const {
    Evaluator evaluator(system_);
    Matrix field_dx = Matrix::Zero(x_.size(), x_.size()), guards_dx = Matrix::Zero(h_.size(), x_.size());
    evaluator.field_dx(t_, x_, lambda_, field_dx);
    if (h_.size() > 0) evaluator.guards_dx(t_, x_, guards_dx);
    return field_dx.allFinite() && guards_dx.allFinite();
  }

  void check_field() {
    terms_ = terms_of_field();
    const auto field_dx = [&](Evaluator& e, Matrix& m) { e.field_dx(t_, x_, lambda_, m); };
    const auto field_dlambda = [&](Evaluator& e, Matrix& m) { e.field_dlambda(t_, x_, lambda_, m); };
    const auto field_dt = [&](Evaluator& e, Matrix& m) {
      Vector dx(x_.size());
      e.field_along(t_, x_, lambda_, 1.0, Vector::Zero(x_.size()), dx, m.col(0));
    };
    SystemDefinition used = bare_;
    if (full_.field_dx) {
      used.field_dx = full_.field_dx;
      compare(field_subject("field_dx"), used, bare_, field_dx);
    }
    if (full_.field_dlambda && lambda_.size() > 0) {
      used.field_dlambda = full_.field_dlambda;
      compare(by_lambda(field_subject("field_dlambda")), used, bare_, field_dlambda);
    }
    if (full_.field_along) {
      used = bare_;
      used.field_along = full_.field_along;
      compare(field_subject("field_along"), used, bare_, field_dx);
      if (lambda_.size() > 0) compare(by_lambda(field_subject("field_along")), used, bare_, field_dlambda);
      compare(by_time(field_subject("field_along")), used, bare_, field_dt);
    }
    if (full_.field_affine) {
      // The derivatives elsewhere, against those at the point.
      const auto x_of = [&](Evaluator& e) -> Vector {
        return e.system().definition().field_affine ? 1.1 * x_ + Vector::Constant(x_.size(), 0.1) : x_;
      };
      const auto t_of = [&](Evaluator& e) { return e.system().definition().field_affine ? t_ + 0.37 : t_; };
      compare(field_subject("field_affine"), full_, bare_,
              [&](Evaluator& e, Matrix& m) { e.field_dx(t_of(e), x_of(e), lambda_, m); });
      compare(by_time(field_subject("field_affine")), full_, bare_, [&](Evaluator& e, Matrix& m) {
        Vector dx(x_.size());
        e.field_along(t_of(e), x_of(e), lambda_, 1.0, Vector::Zero(x_.size()), dx, m.col(0));
      });
    }
    compare_pattern(field_subject("field_dx_pattern"), full_.field_dx_pattern, field_dx);
    if (lambda_.size() > 0) {
      compare_pattern(by_lambda(field_subject("field_dlambda_pattern")), full_.field_dlambda_pattern,
                      field_dlambda);
      if (full_.relays_additive) {
        used = full_;  // the derivatives learnt once and elsewhere, against those at the point
        compare(by_lambda(field_subject("relays_additive")), used, bare_, [&](Evaluator& e, Matrix& m) {
          const auto* const learnt =
              e.relay_columns(t_ + 0.37, 1.1 * x_ + Vector::Constant(x_.size(), 0.1), -lambda_);
          if (learnt)
            m = Matrix(*learnt);
          else
            field_dlambda(e, m);
        });
      }
    }
  }

  void check_guards() {
    const auto guards_dx = [&](Evaluator& e, Matrix& m) { e.guards_dx(t_, x_, m); };
    const auto guards_dt = [&](Evaluator& e, Matrix& m) { e.guards_dt(t_, x_, m.col(0)); };
    SystemDefinition used = bare_;
    if (full_.guards_dx) {
      used.guards_dx = full_.guards_dx;
      compare(guards_subject("guards_dx"), used, bare_, guards_dx);
    }
    if (full_.guards_dt) {
      used.guards_dt = full_.guards_dt;
      compare(by_time(guards_subject("guards_dt")), used, bare_, guards_dt);
    }
    if (full_.guards_along) {
      used = bare_;
      used.guards_along = full_.guards_along;
      compare(guards_subject("guards_along"), used, bare_, guards_dx);
      compare(by_time(guards_subject("guards_along")), used, bare_, guards_dt);
    }
    if (full_.guards_affine) {
      used = full_;  // the derivatives learnt once, against those at the point
      compare(guards_subject("guards_affine"), used, bare_, guards_dx);
      compare(by_time(guards_subject("guards_affine")), used, bare_, guards_dt);
    }
    compare_pattern(guards_subject("guards_dx_pattern"), full_.guards_dx_pattern, guards_dx);
  }

  // Terms that cancel in f, at rest say, are rounded in w at every point of a difference, and so are the states.
  Vector terms_of_rates(const SystemDefinition& definition) const {
    Evaluator evaluator{System(definition)};
    Matrix slopes = Matrix::Zero(w_.size(), x_.size()), rates_dx = slopes;
    evaluator.guards_dx(t_, x_, slopes);
    evaluator.normal_dx(t_, x_, lambda_, rates_dx);
    const Vector terms = slopes.cwiseAbs() * (f_.cwiseAbs() + terms_) + rates_dx.cwiseAbs() * x_.cwiseAbs();
    Vector dx(x_.size());
    return terms.unaryExpr([](double term) { return std::isfinite(term) ? term : 0.0; }) +
           largest_beside(w_.size(), [&](const Vector& x, Vector& rates) {
             evaluator.field(t_, x, lambda_, dx);
             evaluator.guard_rates(t_, x, dx, rates);
           });
  }

  // Second derivatives are compared with differences of w, which first derivatives checked above may supply.
  void check_normal_components() {
    SystemDefinition reference = bare_;
    reference.guards_along = full_.guards_along;
    reference.guards_dx = full_.guards_dx;
    reference.guards_dt = full_.guards_dt;
    const auto normal_dx = [&](Evaluator& e, Matrix& m) { e.normal_dx(t_, x_, lambda_, m); };
    Subject subject{"normal_dx", "w", "x", &system_.surface_names(), system_.state_names(), w_, x_};
    if (full_.normal_dx || full_.guards_mixed) subject.terms = terms_of_rates(reference);
    if (full_.normal_dx) {
      SystemDefinition used = reference;
      used.normal_dx = full_.normal_dx;
      compare(subject, used, reference, normal_dx);
    }
    if (full_.guards_mixed) {
      SystemDefinition used = reference;
      used.guards_mixed = full_.guards_mixed;
      used.field_along = full_.field_along;
      subject.function = "guards_mixed";
      compare(subject, used, reference, normal_dx);
      const auto curvature = [&](Evaluator& e, Matrix& m) {
        e.guard_curvatures(t_, x_, lambda_, f_, m.col(0));
      };
      subject.denominator = "t along the field";
      compare(along(std::move(subject), f_), used, reference, curvature);
    }
  }

  // The derivatives of ∂f/∂x·f along the states, f held as the direction.
  void check_field_mixed() {
    if (!full_.field_mixed || !full_.field_along) return;
    SystemDefinition used = bare_, reference = bare_;
    used.field_along = reference.field_along = full_.field_along;
    used.field_mixed = full_.field_mixed;
    Vector value(x_.size()), acceleration(x_.size());
    Evaluator(System(reference)).field_along(t_, x_, lambda_, 1, f_, value, acceleration);
    Evaluator beside{System(reference)};
    const Vector terms = largest_beside(x_.size(), [&](const Vector& x, Vector& result) {
      beside.field_along(t_, x, lambda_, 1, f_, value, result);
    });
    const Subject subject{"field_mixed",         "f'",         "x", &system_.state_names(),
                          system_.state_names(), acceleration, x_,  terms};
    const Vector no_relays = Vector::Zero(lambda_.size()), none = Vector::Zero(x_.size());
    compare(subject, used, reference, [&](Evaluator& e, Matrix& m) {
      for (Index j = 0; j < x_.size(); ++j) {
        const Vector unit = Vector::Unit(x_.size(), j);
        if (const auto& mixed = e.system().definition().field_mixed) {
          mixed(t_, x_, lambda_, 1, f_, 0, unit, no_relays, none, m.col(j));
          continue;
        }
        const auto evaluate = [&](double s, VectorRef result) {
          const Vector moved = x_ + s * unit;
          e.field_along(t_, moved, lambda_, 1, f_, value, result);
        };
        difference(evaluate, e.direction_step(t_, x_, 0, unit), DifferenceSide::both, m.col(j));
      }
    });
  }

  // The values of a function of the states against its derivative along them, which the definition without contacts lacks.
  template <class Function, class Along>
  void check_along(const std::string& name, const std::string& numerator,
                   const std::vector<std::string>& row_names, const Function& function, const Along& along) {
    Vector values(static_cast<Index>(row_names.size()));
    function(x_, values);
    const Subject subject{name, numerator, "x", &row_names, system_.state_names(), values, x_};
    compare(subject, full_, bare_, [&](Evaluator& e, Matrix& m) {
      for (Index j = 0; j < x_.size(); ++j) {
        const Vector unit = Vector::Unit(x_.size(), j);
        if (!e.system().contacts().empty()) {
          along(unit, m.col(j));
          continue;
        }
        const auto evaluate = [&](double s, VectorRef result) {
          const Vector moved = x_ + s * unit;
          function(moved, result);
        };
        difference(evaluate, e.direction_step(t_, x_, 0, unit), DifferenceSide::both, m.col(j));
      }
    });
  }

  void check_force(const std::string& name, const ForceFunction& force, const ForceAlongFunction& along) {
    if (!along) return;
    check_along(
        name, "b", system_.state_names(),
        [&](ConstVectorRef x, VectorRef result) {
          result.setZero();
          force(t_, x, result);
        },
        [&](ConstVectorRef unit, VectorRef result) {
          result.setZero();
          along(t_, x_, 0, unit, result);
        });
  }

  void check_coefficient(const std::string& name, const CoefficientFunction& coefficient,
                         const CoefficientAlongFunction& along) {
    if (!along) return;
    const std::vector<std::string> row{"coefficient"};
    check_along(
        name, "mu", row, [&](ConstVectorRef x, VectorRef result) { result[0] = coefficient(t_, x); },
        [&](ConstVectorRef unit, VectorRef result) { result[0] = along(t_, x_, 0, unit); });
  }

  void check_contact(const Contact& contact) {
    const std::string of = " of contact '" + contact.name + "'";
    check_force("acts_on_along" + of, contact.acts_on, contact.acts_on_along);
    if (contact.friction) {
      check_force("friction.acts_on_along" + of, contact.friction->acts_on, contact.friction->acts_on_along);
      check_coefficient("friction.coefficient_along" + of, contact.friction->coefficient,
                        contact.friction->coefficient_along);
    }
    if (!contact.cone) return;
    for (std::size_t k = 0; k < 2; ++k)
      check_force("cone.acts_on_along[" + std::to_string(k) + "]" + of, contact.cone->acts_on[k],
                  contact.cone->acts_on_along[k]);
    check_coefficient("cone.coefficient_along" + of, contact.cone->coefficient,
                      contact.cone->coefficient_along);
  }

  const System& system_;
  const SystemDefinition& full_;
  SystemDefinition bare_;
  double t_;
  Vector x_, lambda_, f_, h_, w_;
  Vector terms_;
  Comparison comparison_;
};

}  // namespace

DerivativeCheck check_derivatives(const System& system, double t, ConstVectorRef x, ConstVectorRef lambda,
                                  double tolerance) {
  require_size(system, x.size(), system.states(), "x", "check_derivatives");
  require_size(system, lambda.size(), system.surfaces(), "lambda", "check_derivatives");
  return DerivativeChecker(system, t, x, lambda, tolerance).run();
}

}  // namespace slideway
