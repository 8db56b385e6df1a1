#include "slideway/simulate/observed_sensitivity.hpp"

#include <utility>

#include "sensitivity/differences.hpp"

namespace slideway {

ObservedSensitivity::ObservedSensitivity(const Automaton& extended, Observables observables, SlidingRule rule,
                                         SensitivityRequest request)
    : observation_(extended, std::move(observables), rule), request_(std::move(request)) {}

Matrix ObservedSensitivity::at(double t, ConstVectorRef x, const Mode& mode, const std::string& location,
                               const Matrix& s) {
  const Index parameters = request_.parameters.size();
  Vector point(x.size() + parameters), direction(point.size()), moved(point.size());
  point << x, request_.parameters;
  const Vector sizes = Vector::Constant(point.size(), 0.01);
  const auto names = static_cast<Index>(observation_.names().size());
  Matrix result(names, s.cols());
  Vector column(names);
  for (Index c = 0; c < s.cols(); ++c) {
    direction << s.col(c), request_.initial.col(c).tail(parameters);
    refined_difference(
        difference_step(t, point, 0, direction, sizes, 1),
        [&](double step, Vector& out) {
          moved = point + step * direction;
          out = observation_.at(t, moved, mode, location);
        },
        buffer_, column);
    result.col(c) = column;
  }
  return result;
}

}  // namespace slideway
