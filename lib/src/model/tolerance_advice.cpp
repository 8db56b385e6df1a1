#include "slideway/model/tolerance_advice.hpp"

#include <cmath>

#include "core/number_text.hpp"

namespace slideway {

namespace {

std::string sentence(const std::string& whose, double distance, double tolerance) {
  return "the guard of " + whose + " is zero at a distance of " + number_text(distance) +
         " from the origin, and the absolute tolerances of its states allow errors of " +
         number_text(tolerance) + ": errors decide when it is zero; give an atol of " +
         number_text(0.01 * distance) +
         " or less for these states, or choose units in which the distance is about one";
}

bool is_below(double distance, double tolerance) {
  return distance < tolerance && distance > kRoundingPart * tolerance;
}

}  // namespace

std::vector<std::string> guards_below_tolerance(const Evaluator& evaluator, ConstVectorRef x,
                                                ConstVectorRef atol) {
  std::vector<std::string> result;
  const System& system = evaluator.system();
  const Index moving = system.states() - system.discrete();
  for (Index i = 0; evaluator.guards_are_affine() && i < system.surfaces(); ++i) {
    if (evaluator.affine_dt()[i] != 0) continue;
    double offset = evaluator.affine_origin()[i], tolerance = 0;
    for (Eigen::SparseMatrix<double, Eigen::RowMajor>::InnerIterator entry(evaluator.affine_dx(), i); entry;
         ++entry) {
      const Index j = entry.col();
      if (j < moving) {
        tolerance += std::abs(entry.value()) * atol[j];
      } else {
        offset += entry.value() * x[j];
      }
    }
    if (is_below(std::abs(offset), tolerance)) {
      const std::string& name = system.surface_names()[static_cast<std::size_t>(i)];
      result.push_back(sentence("surface '" + name + "'", std::abs(offset), tolerance));
    }
  }
  // Discrete states alone have values at the origin.
  Vector origin = x;
  origin.head(moving).setZero();
  std::vector<double> slopes;
  for (const Event& event : system.events()) {
    const std::optional<GuardShape> shape = event.when.shape(system.states());
    if (!shape || !shape->affine || event.when.slope_in_time(0, origin, shape->states) != 0) continue;
    event.when.slopes(0, origin, shape->states, slopes);
    double tolerance = 0;
    for (std::size_t k = 0; k < shape->states.size(); ++k) {
      if (shape->states[k] < moving) tolerance += std::abs(slopes[k]) * atol[shape->states[k]];
    }
    const double distance = std::abs(event.when.value(0, origin));
    if (is_below(distance, tolerance))
      result.push_back(sentence(event.name.empty() ? "an event without a name" : "event '" + event.name + "'",
                                distance, tolerance));
  }
  return result;
}

std::optional<std::string> states_below_tolerance(const std::vector<std::string>& names,
                                                  ConstVectorRef largest, ConstVectorRef start,
                                                  ConstVectorRef atol, double rtol) {
  if (largest.size() == 0 || !(largest.array() < atol.array()).all()) return std::nullopt;
  Index state = 0;
  const double part = largest.cwiseQuotient(atol).maxCoeff(&state);
  // States that start at zero and stay within rounding of zero are meant to.
  if (!(part > (start.isZero(0) ? kRoundingPart : 0))) return std::nullopt;
  return "no state comes to its absolute tolerance: '" + names[static_cast<std::size_t>(state)] +
         "' reaches " + number_text(largest[state]) + ", and its tolerance is " + number_text(atol[state]) +
         ": nothing controls the errors of this run; give an atol of " + number_text(rtol * largest[state]) +
         ", or choose other units";
}

}  // namespace slideway
