#include "slideway/fit/fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include <unsupported/Eigen/NonLinearOptimization>

#include "core/factorise.hpp"
#include "core/number_text.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/simulate/observation.hpp"
#include "slideway/simulate/observed_sensitivity.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway {

namespace {

// A run that fails sets each residual to this many times the largest one so far. The solver then takes its step back and tries a shorter
// one.
constexpr double kWithoutSolution = 1e3;
constexpr double kUndetermined = 1e-9;  // of the largest pivot, below which the measurements do not tell
constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

// The residuals and their derivatives at the parameters that were asked for last.
class Residuals {
 public:
  Residuals(const Model& model, const Settings& settings, const std::vector<std::string>& parameters,
            const Measurements& measurements, const FitOptions& options)
      : model_(model),
        settings_(settings),
        parameters_(parameters),
        measurements_(measurements),
        options_(options) {
    for (Index k = 0; k < measurements.values.cols(); ++k)
      for (Index i = 0; i < measurements.values.rows(); ++i)
        if (!std::isnan(measurements.values(i, k))) places_.emplace_back(i, k);
  }

  int inputs() const { return static_cast<int>(parameters_.size()); }
  int values() const { return static_cast<int>(places_.size()); }
  int runs() const { return runs_; }
  const std::string& failure() const { return failure_; }
  double exists_until() const { return exists_until_; }

  // evaluate() returns false where there is no solution up to the last measurement.
  bool evaluate(const Vector& p) {
    if (known_ && asked_.size() == p.size() && asked_ == p) return has_value_;
    asked_ = p;
    known_ = true;
    has_value_ = false;
    ++runs_;
    try {
      has_value_ = follow(p);
    } catch (const std::invalid_argument& error) {
      failure_ = error.what();
    }
    return has_value_;
  }
  const Vector& value() const { return value_; }
  const Matrix& jacobian() const { return jacobian_; }

  Matrix residuals() const {
    Matrix result = Matrix::Constant(measurements_.values.rows(), measurements_.values.cols(), kNotMeasured);
    for (std::size_t r = 0; r < places_.size(); ++r)
      result(places_[r].first, places_[r].second) =
          value_[static_cast<Index>(r)] * deviation(places_[r].first);
    return result;
  }

 private:
  double deviation(Index name) const {
    return measurements_.deviations.size() > 0 ? measurements_.deviations[name] : 1;
  }

  bool follow(const Vector& p) {
    Settings settings = settings_;
    for (std::size_t k = 0; k < parameters_.size(); ++k)
      settings.emplace_back(parameters_[k], p[static_cast<Index>(k)]);
    const ModelInstance instance = model_.instantiate(settings);
    Options run = options_.run;
    run.recording = Recording::dense;
    run.on_step = {};
    run.on_event = {};
    run.output_times = measurements_.times;
    run.sensitivities = sensitivities_by(model_, settings, instance, parameters_);
    const double end = measurements_.times.back();
    const Solution solution = Simulator(instance.problem(), run)
                                  .run({.start = instance.start, .end = end, .state = instance.state});
    if (!(solution.outcome.t >= end)) {
      failure_ = "the solution ends at t = " + number_text(solution.outcome.t) + " as " +
                 to_string(solution.outcome.status) +
                 (solution.outcome.message.empty() ? "" : ": " + solution.outcome.message);
      return false;
    }
    exists_until_ = solution.sensitivities->exists_until();
    compare(instance, run.sensitivities, solution);
    if (value_.allFinite() && jacobian_.allFinite()) return true;
    failure_ = solution.sensitivities->reason().empty() ? "what is measured has no value there"
                                                        : solution.sensitivities->reason();
    return false;
  }

  void compare(const ModelInstance& instance, const SensitivityRequest& request, const Solution& solution) {
    // States by their numbers, −1 for what is observed.
    std::vector<Index> states;
    std::vector<std::string> observed;
    const std::vector<std::string>& known = instance.system.state_names();
    for (const std::string& name : measurements_.names) {
      const auto place = std::find(known.begin(), known.end(), name);
      states.push_back(place == known.end() ? -1 : place - known.begin());
      if (place == known.end()) observed.push_back(name);
    }
    std::optional<Observation> observation;
    std::optional<ObservedSensitivity> observed_sensitivity;
    if (!observed.empty()) {
      observation.emplace(instance.problem(), instance.observables(observed), options_.run.sliding_rule);
      observed_sensitivity.emplace(
          request.extended ? *request.extended : instance.problem(),
          request.observe ? request.observe(observed) : instance.observables(observed),
          options_.run.sliding_rule, request);
    }
    value_.resize(values());
    jacobian_.resize(values(), inputs());
    Index last = -1;
    Vector seen;
    Matrix seen_by;
    for (std::size_t r = 0; r < places_.size(); ++r) {
      const auto [name, k] = places_[r];
      const auto row = static_cast<Index>(r);
      const double t = measurements_.times[static_cast<std::size_t>(k)];
      const Vector& x = solution.outputs.col(k);
      const Matrix& s = solution.sensitivities->outputs()[static_cast<std::size_t>(k)];
      if (observation && k != last) {
        const Mode& mode = solution.trajectory.mode(t);
        const std::string& location = solution.trajectory.location(t);
        seen = observation->at(t, x, mode, location);
        seen_by = observed_sensitivity->at(t, x, mode, location, s);
        last = k;
      }
      const Index state = states[static_cast<std::size_t>(name)];
      const auto place = std::count(states.begin(), states.begin() + name, -1);
      const double y = state >= 0 ? x[state] : seen[place];
      value_[row] = (y - measurements_.values(name, k)) / deviation(name);
      if (state >= 0) {
        jacobian_.row(row) = s.row(state) / deviation(name);
      } else {
        jacobian_.row(row) = seen_by.row(place) / deviation(name);
      }
    }
  }

  const Model& model_;
  const Settings& settings_;
  const std::vector<std::string>& parameters_;
  const Measurements& measurements_;
  const FitOptions& options_;
  std::vector<std::pair<Index, Index>> places_ = {};  // of the measurements: name and time
  Vector asked_ = {}, value_ = {};
  Matrix jacobian_ = {};
  bool known_ = false, has_value_ = false;
  double exists_until_ = std::numeric_limits<double>::infinity();
  std::string failure_ = {};
  int runs_ = 0;
};

// ResidualFunctor has the form that Eigen's method asks for.
struct ResidualFunctor {
  Residuals* residuals;
  mutable double largest = 0;  // residual so far

  int inputs() const { return residuals->inputs(); }
  int values() const { return residuals->values(); }
  int operator()(const Vector& p, Vector& value) const {
    if (residuals->evaluate(p)) {
      value = residuals->value();
      largest = std::max(largest, value.lpNorm<Eigen::Infinity>());
    } else {
      value.setConstant(kWithoutSolution * std::max(largest, 1e-300));
    }
    return 0;
  }
  int df(const Vector& p, Matrix& jacobian) const {
    if (!residuals->evaluate(p)) return -1;
    jacobian = residuals->jacobian();
    return 0;
  }
};

void check_measurements(const std::vector<std::string>& parameters, const Measurements& measurements,
                        const FitOptions& options, double start) {
  const char* const where = "fit";
  const auto names = static_cast<Index>(measurements.names.size());
  const auto times = static_cast<Index>(measurements.times.size());
  if (names == 0 || times == 0 || measurements.values.rows() != names ||
      measurements.values.cols() != times) {
    refuse({.what = "the measurements do not fit their names and times",
            .where = where,
            .expected = "a value for each of " + std::to_string(names) + " names and " +
                        std::to_string(times) + " times",
            .got = std::to_string(measurements.values.rows()) + " x " +
                   std::to_string(measurements.values.cols())});
  }
  for (std::size_t k = 0; k < measurements.times.size(); ++k) {
    const double t = measurements.times[k];
    if (std::isfinite(t) && t >= start && (k == 0 || t > measurements.times[k - 1])) continue;
    refuse({.what = "the times of the measurements make no sense",
            .where = where,
            .expected = "increasing ones from " + number_text(start) + " on",
            .got = number_text(t)});
  }
  const Index count = (measurements.values.array() == measurements.values.array()).count();
  if (parameters.empty() || count < static_cast<Index>(parameters.size())) {
    refuse({.what = "too few measurements for the parameters",
            .where = where,
            .expected = "one parameter or more, and as many measurements",
            .got = std::to_string(parameters.size()) + " parameters and " + std::to_string(count) +
                   " measurements"});
  }
  const Vector& deviations = measurements.deviations;
  if (deviations.size() > 0 && (deviations.size() != names || !((deviations.array() > 0).all()))) {
    refuse({.what = "the deviations of the measurements make no sense",
            .where = where,
            .expected = std::to_string(names) + " numbers above 0",
            .got = std::to_string(deviations.size()) + " numbers"});
  }
  if (options.max_runs < 1 || !(options.tolerance > 0)) {
    refuse({.what = "the options make no sense",
            .where = where,
            .expected = "max_runs of 1 or more and a tolerance above 0",
            .got = std::to_string(options.max_runs) + " and " + number_text(options.tolerance)});
  }
}

// first_values() returns where the parameters begin.
Vector first_values(const ModelInstance& instance, const std::vector<std::string>& parameters) {
  Vector values(static_cast<Index>(parameters.size()));
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const auto place = static_cast<Index>(k);
    bool is_parameter = false;
    for (const auto& [name, value] : instance.parameters) {
      if (name != parameters[k]) continue;
      values[place] = value;
      is_parameter = true;
    }
    if (!is_parameter) values[place] = instance.state[instance.system.state_index(parameters[k])];
  }
  return values;
}

void judge_errors(const Residuals& residuals, bool deviations_are_known, Fit& result) {
  const Matrix& jacobian = residuals.jacobian();
  const Index q = jacobian.cols(), freedom = jacobian.rows() - q;
  result.deviation = freedom > 0 ? std::sqrt(result.sum_of_squares / static_cast<double>(freedom)) : 0;
  result.covariance = Matrix::Constant(q, q, kNotMeasured);
  result.errors = Vector::Constant(q, kNotMeasured);
  // Parameters have units of their own.
  const Vector sizes = jacobian.colwise().norm();
  const Vector inverse = sizes.unaryExpr([](double size) { return size > 0 ? 1 / size : 1.0; });
  Eigen::ColPivHouseholderQR<Matrix> qr;
  qr.setThreshold(kUndetermined);
  qr.compute(jacobian * inverse.asDiagonal());
  if (qr.rank() < q) {
    result.message = "the measurements do not tell all of the parameters apart";
    return;
  }
  const Matrix r = qr.matrixR().topLeftCorner(q, q).triangularView<Eigen::Upper>();
  const Matrix half = inverse.asDiagonal() * Matrix(qr.colsPermutation()) *
                      r.triangularView<Eigen::Upper>().solve(Matrix::Identity(q, q));
  const double factor = deviations_are_known ? 1 : result.deviation * result.deviation;
  if (!deviations_are_known && freedom <= 0) return;
  result.covariance = factor * half * half.transpose();
  result.errors = result.covariance.diagonal().cwiseSqrt();
}

}  // namespace

Fit fit(const Model& model, const Settings& settings, const std::vector<std::string>& parameters,
        const Measurements& measurements, const FitOptions& options) {
  const ModelInstance instance = model.instantiate(settings);
  check_measurements(parameters, measurements, options, instance.start);
  sensitivities_by(model, settings, instance, parameters);
  for (const std::string& name : measurements.names) {
    const std::vector<std::string>& states = instance.system.state_names();
    if (std::find(states.begin(), states.end(), name) == states.end()) instance.observables({name});
  }
  Fit result;
  result.names = parameters;
  Vector p = first_values(instance, parameters);
  Residuals residuals(model, settings, parameters, measurements, options);
  result.measurements = residuals.values();
  if (!residuals.evaluate(p)) {
    result.values = p;
    result.message = "there is no solution where the parameters begin: " + residuals.failure();
    return result;
  }
  ResidualFunctor functor{&residuals};
  Eigen::LevenbergMarquardt<ResidualFunctor> method(functor);
  method.parameters.ftol = method.parameters.xtol = options.tolerance;
  method.parameters.maxfev = options.max_runs;
  const auto status = method.minimize(p);
  using Eigen::LevenbergMarquardtSpace::Status;
  result.converged = status == Status::RelativeReductionTooSmall || status == Status::RelativeErrorTooSmall ||
                     status == Status::RelativeErrorAndReductionTooSmall ||
                     status == Status::CosinusTooSmall || status == Status::FtolTooSmall ||
                     status == Status::XtolTooSmall || status == Status::GtolTooSmall;
  result.values = p;
  if (!residuals.evaluate(p)) {
    result.converged = false;
    result.message = "there is no solution at the last parameters: " + residuals.failure();
    return result;
  }
  result.runs = residuals.runs();
  result.residuals = residuals.residuals();
  result.sum_of_squares = residuals.value().squaredNorm();
  judge_errors(residuals, measurements.deviations.size() > 0, result);
  if (!result.converged)
    result.message = "no minimum was found in " + std::to_string(result.runs) +
                     " runs; begin nearer to it, or allow more runs" + (result.message.empty() ? "" : "; ") +
                     result.message;
  if (residuals.exists_until() < measurements.times.back() && result.message.empty())
    result.message = "the derivative does not exist beyond t = " + number_text(residuals.exists_until()) +
                     ", and errors may be wrong";
  return result;
}

}  // namespace slideway
