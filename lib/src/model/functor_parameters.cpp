#include "slideway/model/functor_parameters.hpp"

#include <cmath>
#include <stdexcept>

namespace slideway {

namespace {

// Differences of fourth order with a thousandth of a parameter are exact to about 1e-12 where initial values vary as it does.
constexpr double kInitialStep = 1e-3;

}  // namespace

Matrix initial_by_parameters(const std::function<ModelInstance(const Settings&)>& instantiate,
                             const Settings& settings, const std::vector<std::string>& names,
                             const Vector& values, const Vector& initial) {
  Matrix result(initial.size(), values.size());
  for (Index k = 0; k < values.size(); ++k) {
    const double h = kInitialStep * (values[k] == 0 ? 1 : std::abs(values[k]));
    const auto at = [&](double steps) {
      if (steps == 0) return initial;
      Settings changed = settings;
      changed.emplace_back(names[static_cast<std::size_t>(k)], values[k] + steps * h);
      Vector state = instantiate(changed).state;
      if (state.size() != initial.size()) throw std::invalid_argument("the number of states depends on it");
      return state;
    };
    // Beyond a bound of the parameter there are no values.
    const auto from_side = [&](double side) -> Vector {
      return side * (-25 * at(0) + 48 * at(side) - 36 * at(2 * side) + 16 * at(3 * side) - 3 * at(4 * side)) /
             (12 * h);
    };
    try {
      result.col(k) = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h);
    } catch (const std::invalid_argument&) {
      try {
        result.col(k) = from_side(-1);
      } catch (const std::invalid_argument&) {
        result.col(k) = from_side(1);
      }
    }
  }
  return result;
}

}  // namespace slideway
