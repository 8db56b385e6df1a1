#include "validation/language/smaller.hpp"

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "validation/random/processor_time.hpp"

namespace slideway::validation::language {
namespace {

// Names that any term of the model holds, a table's among them.
std::set<std::string> used_names(const LanguageModel& model) {
  std::set<std::string> used;
  LanguageModel copy = model;
  change_terms(copy, [&](Term& term) {
    visit(term, [&](const Term& node) {
      if (node.kind() != TermKind::number) used.insert(base_of(node.head()));
    });
  });
  return used;
}

LanguageModel without_unused(LanguageModel model) {
  const std::set<std::string> used = used_names(model);
  const auto drop = [&](auto& lines) {
    std::erase_if(lines, [&](const auto& line) { return used.count(line.name) == 0; });
  };
  drop(model.parameters);
  drop(model.inputs);
  drop(model.tables);
  drop(model.definitions);
  drop(model.algebraic);
  drop(model.surfaces);
  drop(model.friction);
  drop(model.hysteresis);
  return model;
}

template <class Lines>
void drop_at(Lines& lines, std::size_t k) {
  lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(k));
}

void drop_lines_of(LanguageModel& model, const std::string& state) {
  const auto is_it = [&](const auto& line) { return base_of(line.name) == state; };
  std::erase_if(model.derivatives, is_it);
  std::erase_if(model.mass, is_it);
  for (MassRow& row : model.mass) std::erase_if(row.entries, is_it);
  for (Place& place : model.locations) std::erase_if(place.derivatives, is_it);
  for (Event& event : model.events) std::erase_if(event.set, is_it);
  for (Clock& clock : model.clocks) std::erase_if(clock.set, is_it);
}

// The model without the state: a number stands in its place.
LanguageModel without_state(const LanguageModel& model, std::size_t k) {
  const std::string state = model.states[k].name;
  constexpr double in_its_place = 0.3;
  LanguageModel next = with_terms(model, [&](const Term& node) {
    return node.kind() == TermKind::name && base_of(node.head()) == state ? Term(in_its_place) : node;
  });
  drop_at(next.states, k);
  drop_lines_of(next, state);
  return next;
}

class Search {
 public:
  Search(const LanguageModel& model, const std::function<bool(const LanguageModel&)>& fails,
         const random::MinimiserLimits& limits)
      : best_(model), fails_(fails), limits_(limits), begin_(random::thread_seconds()) {}

  LanguageModel smallest() {
    while (!is_over()) {
      const std::size_t before = size_of(best_);
      try_dropping();
      try_parts();
      try_sooner();
      if (size_of(best_) >= before) break;
    }
    return best_;
  }

 private:
  bool is_over() const {
    return questions_ >= limits_.questions || random::thread_seconds() - begin_ > limits_.seconds;
  }

  bool accept(LanguageModel candidate) {
    if (is_over()) return false;
    ++questions_;
    candidate = without_unused(std::move(candidate));
    if (!fails_(candidate)) return false;
    best_ = std::move(candidate);
    return true;
  }

  // Drops entries of a list from its end.
  template <class Lines>
  void try_each(Lines LanguageModel::*lines) {
    for (std::size_t k = (best_.*lines).size(); k-- > 0;) {
      if (k >= (best_.*lines).size()) continue;
      LanguageModel candidate = best_;
      drop_at(candidate.*lines, k);
      accept(std::move(candidate));
    }
  }

  void try_dropping() {
    accept(best_);
    for (std::size_t k = best_.states.size(); k-- > 0;) {
      if (k < best_.states.size()) accept(without_state(best_, k));
    }
    try_each(&LanguageModel::events);
    try_each(&LanguageModel::clocks);
    try_each(&LanguageModel::contacts);
    try_each(&LanguageModel::automata);
    try_each(&LanguageModel::mass);
  }

  // Each call replaced by one of its arguments, or by a number.
  void try_parts() {
    for (std::size_t place = 0; !is_over(); ++place) {
      const std::optional<Term> node = node_at(place);
      if (!node) return;
      if (node->kind() != TermKind::call) continue;
      for (const Term& part : node->arguments()) {
        if (accept(with_node(place, part))) break;
      }
      if (node_at(place) && size_of(*node_at(place)) < size_of(*node)) continue;
      accept(with_node(place, 0.0)) || accept(with_node(place, 1.0));
    }
  }

  void try_sooner() {
    LanguageModel candidate = best_;
    constexpr double shorter = 0.6;
    candidate.end = candidate.start + shorter * (candidate.end - candidate.start);
    accept(std::move(candidate));
  }

  // The nodes of all terms, each before its arguments.
  std::optional<Term> node_at(std::size_t place) const {
    std::optional<Term> found;
    std::size_t count = 0;
    LanguageModel copy = best_;
    change_terms(copy, [&](Term& term) {
      visit(term, [&](const Term& node) {
        if (count++ == place) found = node;
      });
    });
    return found;
  }

  LanguageModel with_node(std::size_t place, const Term& other) const {
    LanguageModel next = best_;
    std::size_t count = 0;
    const std::function<Term(const Term&)> replaced = [&](const Term& node) -> Term {
      if (count++ == place) {
        count += size_of(node) - 1;
        return other;
      }
      if (node.kind() != TermKind::call) return node;
      Terms arguments;
      for (const Term& argument : node.arguments()) arguments.push_back(replaced(argument));
      return call(node.head(), std::move(arguments));
    };
    change_terms(next, [&](Term& term) { term = replaced(term); });
    return next;
  }

  LanguageModel best_;
  const std::function<bool(const LanguageModel&)>& fails_;
  const random::MinimiserLimits& limits_;
  double begin_;
  int questions_ = 0;
};

}  // namespace

LanguageModel smaller(const LanguageModel& model, const std::function<bool(const LanguageModel&)>& fails,
                      const random::MinimiserLimits& limits) {
  return Search(model, fails, limits).smallest();
}

}  // namespace slideway::validation::language
