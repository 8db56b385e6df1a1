#include "validation/random/parametrised.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace slideway::validation::random {
namespace {

class Numbers {
 public:
  void note(double value) {
    if (value == 0 || std::abs(value) == 1) return;
    if (std::find(values_.begin(), values_.end(), value) == values_.end()) values_.push_back(value);
  }

  void keep(Draw& draw, std::size_t most) {
    while (values_.size() > most)
      values_.erase(values_.begin() + draw.integer(0, static_cast<int>(values_.size()) - 1));
  }

  // -1 where it has not been kept.
  int place(double value) const {
    const auto found = std::find(values_.begin(), values_.end(), value);
    return found == values_.end() ? -1 : static_cast<int>(found - values_.begin());
  }

  const std::vector<double>& values() const { return values_; }

 private:
  std::vector<double> values_ = {};
};

}  // namespace

RandomModel parametrised(const RandomModel& model, Draw& draw, int most) {
  Numbers numbers;
  with_formulas(model, [&](const Formula& node) {
    if (node.operation() == Operation::constant) numbers.note(node.value());
    return node;
  });
  for (const ContactEntry& contact : model.contacts) numbers.note(contact.restitution);
  for (const SurfaceEntry& surface : model.surfaces) numbers.note(surface.break_away);
  numbers.keep(draw, static_cast<std::size_t>(most));
  RandomModel result = with_formulas(model, [&](const Formula& node) {
    if (node.operation() != Operation::constant) return node;
    const int place = numbers.place(node.value());
    return place < 0 ? node : Formula(Operation::parameter, place, {node});
  });
  for (const double value : numbers.values())
    result.parameters.emplace_back(fmt::format("p{}", result.parameters.size() + 1), value);
  for (ContactEntry& contact : result.contacts)
    contact.restitution_parameter = numbers.place(contact.restitution);
  for (SurfaceEntry& surface : result.surfaces)
    surface.break_away_parameter = numbers.place(surface.break_away);
  return result;
}

}  // namespace slideway::validation::random
