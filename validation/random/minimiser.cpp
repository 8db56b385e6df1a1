#include "validation/random/minimiser.hpp"

#include <cmath>
#include <optional>

#include "validation/random/draw.hpp"
#include "validation/random/processor_time.hpp"

namespace slideway::validation::random {
namespace {

using Attempt = std::optional<RandomModel>;

// The nodes of all formulas in the order in which they are rewritten; node `place` replaced by what `change` makes of it.
template <class Change>
Attempt with_node(const RandomModel& model, std::size_t place, const Change& change) {
  std::size_t count = 0;
  bool changed = false;
  RandomModel next = with_formulas(model, [&](const Formula& node) -> Formula {
    if (count++ != place) return node;
    const std::optional<Formula> other = change(node);
    if (!other) return node;
    changed = true;
    return *other;
  });
  if (!changed) return std::nullopt;
  return next;
}

bool uses_surface(const RandomModel& model, int surface) {
  bool found = false;
  with_formulas(model, [&](const Formula& node) {
    switch (node.operation()) {
      case Operation::sign:
      case Operation::choose:
      case Operation::absolute:
      case Operation::largest:
      case Operation::smallest: found = found || node.index() == surface; break;
      default: break;
    }
    return node;
  });
  return found;
}

bool uses_state(const RandomModel& model, int state) {
  bool found = false;
  RandomModel others = model;
  others.derivatives[static_cast<std::size_t>(state)] = 0.0;
  with_formulas(others, [&](const Formula& node) {
    found = found || (node.operation() == Operation::state && node.index() == state);
    return node;
  });
  for (const ContactEntry& contact : model.contacts) {
    for (const auto& entry : contact.acts_on) found = found || entry.first == state;
  }
  for (const ResetEntry& reset : model.resets) {
    for (const auto& entry : reset.set) found = found || entry.first == state;
  }
  for (const LocationEntry& location : model.locations) {
    for (const auto& entry : location.derivatives) found = found || entry.first == state;
  }
  return found;
}

RandomModel without_surface(const RandomModel& model, int surface) {
  RandomModel next = with_formulas(model, [&](const Formula& node) -> Formula {
    switch (node.operation()) {
      case Operation::sign:
      case Operation::choose:
      case Operation::absolute:
      case Operation::largest:
      case Operation::smallest:
        return node.index() < surface ? node : Formula(node.operation(), node.index() - 1, node.arguments());
      default: return node;
    }
  });
  next.surfaces.erase(next.surfaces.begin() + surface);
  return next;
}

RandomModel without_state(const RandomModel& model, int state) {
  RandomModel next = model;
  next.states.erase(next.states.begin() + state);
  next.derivatives.erase(next.derivatives.begin() + state);
  next = with_formulas(next, [&](const Formula& node) {
    return node.operation() == Operation::state && node.index() > state ? state_variable(node.index() - 1)
                                                                        : node;
  });
  const auto moved = [&](int& index) { index -= index > state ? 1 : 0; };
  for (ContactEntry& contact : next.contacts) {
    for (auto& entry : contact.acts_on) moved(entry.first);
  }
  for (ResetEntry& reset : next.resets) {
    for (auto& entry : reset.set) moved(entry.first);
  }
  for (LocationEntry& location : next.locations) {
    for (auto& entry : location.derivatives) moved(entry.first);
  }
  return next;
}

class Minimiser {
 public:
  Minimiser(RandomModel model, const std::function<bool(const RandomModel&)>& fails,
            const MinimiserLimits& limits)
      : model_(std::move(model)),
        shortest_(shortest_part * (model_.end - model_.start)),
        fails_(fails),
        left_(limits.questions),
        stop_(thread_seconds() + limits.seconds) {}

  RandomModel run() {
    for (bool better = true; better && may_ask();) {
      better = drop_parts();
      better = simplify_nodes() || better;
      better = round_numbers() || better;
    }
    return model_;
  }

 private:
  // The rate of a gap follows what its gap and the derivatives of its states have become.
  bool take(Attempt attempt) {
    if (!attempt || !may_ask()) return false;
    for (ContactEntry& contact : attempt->contacts) {
      const std::optional<Formula> rate = rate_of(contact.gap, attempt->derivatives);
      if (!rate) return false;
      contact.rate = *rate;
    }
    --left_;
    if (!fails_(*attempt)) return false;
    model_ = *attempt;
    return true;
  }

  template <class Part>
  bool drop_each(std::vector<Part> RandomModel::*parts) {
    bool better = false;
    for (std::size_t k = (model_.*parts).size(); k-- > 0;) {
      RandomModel next = model_;
      (next.*parts).erase((next.*parts).begin() + static_cast<std::ptrdiff_t>(k));
      better = take(next) || better;
    }
    return better;
  }

  bool drop_parts() {
    bool better = drop_each(&RandomModel::contacts);
    better = drop_each(&RandomModel::resets) || better;
    for (int i = static_cast<int>(model_.surfaces.size()); i-- > 0;) {
      if (!uses_surface(model_, i)) better = take(without_surface(model_, i)) || better;
    }
    for (int j = static_cast<int>(model_.states.size()); j-- > 0 && model_.states.size() > 1;) {
      if (!uses_state(model_, j)) better = take(without_state(model_, j)) || better;
    }
    // A shorter run.
    for (const double part : {0.5, 0.75, 0.9}) {
      RandomModel next = model_;
      next.end = rounded(model_.start + part * (model_.end - model_.start), 3);
      if (next.end < model_.end && next.end - next.start >= shortest_) better = take(next) || better;
    }
    return better;
  }

  bool simplify_nodes() {
    bool better = false;
    for (std::size_t place = size_of(model_); place-- > 0 && may_ask();) {
      const auto simpler = [&](auto change) { return take(with_node(model_, place, change)); };
      better = simpler([](const Formula& node) -> std::optional<Formula> {
                 const bool is_leaf =
                     node.operation() == Operation::constant || node.operation() == Operation::time;
                 if (is_leaf) return std::nullopt;
                 return Formula(0.0);
               }) ||
               better;
      for (const std::size_t argument : {std::size_t{0}, std::size_t{1}}) {
        better = simpler([&](const Formula& node) -> std::optional<Formula> {
                   if (node.arguments().size() <= argument) return std::nullopt;
                   return node.arguments()[argument];
                 }) ||
                 better;
      }
    }
    return better;
  }

  bool round_numbers() {
    bool better = false;
    for (StateEntry& state : model_.states) {
      for (const int digits : {0, 1, 2}) {
        const double old = state.initial;
        const double simple = digits == 0 ? 0 : rounded(old, digits);
        if (simple == old) break;
        RandomModel next = model_;
        next.states[static_cast<std::size_t>(&state - model_.states.data())].initial = simple;
        if (take(next)) {
          better = true;
          break;
        }
      }
    }
    for (std::size_t place = size_of(model_); place-- > 0 && may_ask();) {
      for (const int digits : {1, 2}) {
        const bool took = take(with_node(model_, place, [&](const Formula& node) -> std::optional<Formula> {
          if (node.operation() != Operation::constant) return std::nullopt;
          const double simple = rounded(node.value(), digits);
          if (simple == node.value()) return std::nullopt;
          return Formula(simple);
        }));
        better = took || better;
        if (took) break;
      }
    }
    return better;
  }

  bool may_ask() const { return left_ > 0 && thread_seconds() < stop_; }

  // A run that is far shorter shows what rounding does rather than what failed.
  static constexpr double shortest_part = 0.01;

  RandomModel model_;
  double shortest_;
  const std::function<bool(const RandomModel&)>& fails_;
  int left_;     // questions
  double stop_;  // by thread_seconds()
};

}  // namespace

RandomModel minimised(const RandomModel& model, const std::function<bool(const RandomModel&)>& fails,
                      const MinimiserLimits& limits) {
  // The equation that is solved in its place would have to change with it.
  if (model.solved != nullptr) return model;
  return Minimiser(model, fails, limits).run();
}

}  // namespace slideway::validation::random
