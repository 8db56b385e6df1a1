#include "slideway/simulate/final_gradients.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <stdexcept>

#include "sensitivity/without_derivatives.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/simulate/adjoint.hpp"
#include "slideway/simulate/observation.hpp"
#include "slideway/simulate/observed_sensitivity.hpp"

namespace slideway {

namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

using Names = std::span<const std::string>;

// Halving finds k names without derivatives among q by about 2 k log₂ q questions, each of which makes the model once. One of `names` has
// none.
void split_by_derivatives(const std::function<bool(Names)>& have_derivatives, Names names,
                          std::vector<std::string>& kept, std::vector<std::string>& left_out) {
  if (names.size() <= 1) {
    left_out.insert(left_out.end(), names.begin(), names.end());
    return;
  }
  const std::size_t half = names.size() / 2;
  for (const Names part : {names.first(half), names.subspan(half)}) {
    if (have_derivatives(part)) {
      kept.insert(kept.end(), part.begin(), part.end());
    } else {
      split_by_derivatives(have_derivatives, part, kept, left_out);
    }
  }
}

}  // namespace

FinalGradientQuestion::FinalGradientQuestion(const Model& model, const Settings& settings,
                                             const ModelInstance& instance,
                                             const std::vector<std::string>& quantities)
    : instance_(instance) {
  refuse_without_derivatives(instance.problem());
  const std::vector<std::string>& states = instance.system.state_names();
  for (const std::string& name : quantities) (contains(states, name) ? states_ : observed_).push_back(name);
  if (!observed_.empty()) (void)instance.observables(observed_);
  std::vector<std::string> parameters;
  for (const auto& [name, value] : instance.parameters)
    if (!contains(states, name) && !contains(parameters, name)) parameters.push_back(name);
  const auto with_states = [&](std::vector<std::string> names) {
    names.insert(names.end(), states.begin(), states.end());
    return names;
  };
  const auto have_derivatives = [&](Names names) {
    try {
      request_ = sensitivities_by(model, settings, instance, with_states({names.begin(), names.end()}));
      return true;
    } catch (const std::invalid_argument&) {
      return false;
    }
  };
  if (have_derivatives(parameters)) return;
  std::vector<std::string> kept;
  split_by_derivatives(have_derivatives, parameters, kept, left_out_);
  request_ = sensitivities_by(model, settings, instance, with_states(std::move(kept)));
}

FinalGradients FinalGradientQuestion::answer(const Options& options, const Run& run,
                                             const Solution& solution) const {
  const Snapshot& end = solution.final;
  const Index n = end.state.size();
  FinalGradients result;
  result.quantities = states_;
  result.by = request_.names;
  result.left_out = left_out_;
  // Rows of ∂y/∂x and of ∂y/∂p.
  Matrix by_state = Matrix::Zero(static_cast<Index>(states_.size()), n);
  for (std::size_t k = 0; k < states_.size(); ++k)
    by_state(static_cast<Index>(k), instance_.system.state_index(states_[k])) = 1;
  const auto columns = static_cast<Index>(request_.names.size());
  Matrix directly = Matrix::Zero(by_state.rows(), columns);
  if (!observed_.empty()) {
    if (!request_.observe) {
      refuse({.what = "what is observed has no derivatives in this model",
              .where = "FinalGradientQuestion",
              .expected = "names of states",
              .got = "'" + observed_.front() + "'"});
    }
    const Automaton problem = request_.extended ? *request_.extended : instance_.problem();
    const std::vector<std::string> names =
        Observation(instance_.problem(), instance_.observables(observed_), options.sliding_rule).names();
    result.quantities.insert(result.quantities.end(), names.begin(), names.end());
    SensitivityRequest of_states = request_;
    of_states.initial = Matrix::Identity(n + request_.parameters.size(), n);
    ObservedSensitivity through(problem, request_.observe(observed_), options.sliding_rule, of_states);
    ObservedSensitivity itself(problem, request_.observe(observed_), options.sliding_rule, request_);
    const Matrix of_observed = through.at(end.t, end.state, end.mode, end.location, Matrix::Identity(n, n));
    const Matrix beside = itself.at(end.t, end.state, end.mode, end.location, Matrix::Zero(n, columns));
    by_state.conservativeResize(by_state.rows() + of_observed.rows(), Eigen::NoChange);
    by_state.bottomRows(of_observed.rows()) = of_observed;
    directly.conservativeResize(directly.rows() + beside.rows(), Eigen::NoChange);
    directly.bottomRows(beside.rows()) = beside;
  }
  std::vector<AdjointOutput> outputs;
  for (Index k = 0; k < by_state.rows(); ++k)
    outputs.push_back({.times = {end.t}, .weights = by_state.row(k).transpose()});
  const AdjointGradients found =
      adjoint_gradients(instance_.problem(), options, run, solution, request_, outputs);
  result.gradients = found.gradients + directly;
  result.exists_until = found.exists_until;
  result.reason = found.reason;
  return result;
}

}  // namespace slideway
