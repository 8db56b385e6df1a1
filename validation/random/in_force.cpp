#include "validation/random/in_force.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace slideway::validation::random {
namespace {

class InForce {
 public:
  InForce(const RandomModel& model, const std::string& word)
      : model_(model), word_(word), found_(model.surfaces.size(), 0) {
    for (const Formula& derivative : model.derivatives) look_at(derivative);
  }
  bool has(std::size_t surface) const { return found_[surface] != 0; }

 private:
  void look_at(const Formula& formula) {
    const Formulas& arguments = formula.arguments();
    switch (formula.operation()) {
      case Operation::sign:
      case Operation::absolute: meet(formula.index()); break;
      case Operation::choose:
      case Operation::largest:
      case Operation::smallest: meet(formula.index()); return look_at_branches(formula);
      default: break;
    }
    for (const Formula& argument : arguments) look_at(argument);
  }

  void look_at_branches(const Formula& formula) {
    const char side = word_[static_cast<std::size_t>(formula.index())];
    // The smaller of two is the second one where their difference is positive.
    const bool is_turned = formula.operation() == Operation::smallest;
    const std::size_t above = is_turned ? 1 : 0;
    if (side != '-') look_at(formula.arguments()[above]);
    if (side != '+') look_at(formula.arguments()[1 - above]);
  }

  // The guard of a surface that is in force is, too.
  void meet(int surface) {
    const auto place = static_cast<std::size_t>(surface);
    if (found_[place] != 0) return;
    found_[place] = 1;
    look_at(model_.surfaces[place].guard);
  }

  const RandomModel& model_;
  const std::string& word_;
  std::vector<char> found_;
};

}  // namespace

bool is_out_of_force(const RandomModel& model, const std::string& before, const std::string& after) {
  const std::size_t surfaces = model.surfaces.size();
  if (!model.locations.empty() || before.size() != after.size() || before.size() < surfaces) return false;
  const InForce first(model, before), second(model, after);
  for (std::size_t place = 0; place < before.size(); ++place) {
    if (before[place] == after[place]) continue;
    if (place >= surfaces || first.has(place) || second.has(place)) return false;
  }
  return true;
}

}  // namespace slideway::validation::random
