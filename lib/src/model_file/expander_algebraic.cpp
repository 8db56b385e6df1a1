// Expander: algebraic variables, solved in closed form or followed by a state from a root to the next.
#include "model_file/expander.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "expression/expression_derivatives.hpp"
#include "expression/expression_tape.hpp"
#include "expression/tape_inputs.hpp"
#include "model_file/open_sign.hpp"

namespace slideway::reader {

std::optional<std::uint32_t> Expander::follower_of(std::uint32_t definition, std::uint32_t element) const {
  const std::optional<std::uint32_t> state = model_.definitions[definition].start;
  if (!state) return std::nullopt;
  return extents_.first_state[*state] + element - 1;
}

void Expander::solve_algebraic() {
  std::uint32_t count = 0;
  for (std::uint32_t k = 0; k < model_.definitions.size(); ++k) {
    extents_.first_unknown.push_back(count);
    if (model_.definitions[k].algebraic) count += extents_.definitions[k];
  }
  if (count == 0) return;
  std::vector<NodeId> solved = solved_algebraic(Jumps::surfaces);
  if (!mistakes_.empty()) return;
  const auto jumps = [&](NodeId node) { return expanded_.graph.has_lambda(node); };
  // Only values count in a reset.
  const bool has_sides = std::any_of(solved.begin(), solved.end(), jumps);
  std::vector<NodeId> values = !has_sides                  ? solved
                               : builder_.has_open_signs() ? builder_.by_guards(solved)
                                                           : solved_algebraic(Jumps::values);
  if (!mistakes_.empty()) return;
  for_algebraic([&](std::uint32_t k, std::uint32_t element, std::uint32_t number) {
    const Quantity& definition = model_.definitions[k];
    expanded_.algebraic.push_back({definition.name + (definition.is_vector() ? std::to_string(element) : ""),
                                   solved[number], follower_of(k, element)});
  });
  builder_.close_algebraic(std::move(solved), std::move(values));
}

std::vector<NodeId> Expander::solved_algebraic(Jumps jumps) {
  builder_.prepare_definitions();
  builder_.open_algebraic();
  std::vector<AlgebraicVariable> variables;
  std::vector<std::uint32_t> owners;  // definitions
  for_algebraic([&](std::uint32_t k, std::uint32_t element, std::uint32_t) {
    const Quantity& definition = model_.definitions[k];
    AlgebraicVariable variable;
    build_formula(definition.value, jumps, definition.is_vector() ? element : 0, variable.expression);
    if (const auto state = follower_of(k, element)) {
      variable.start = expanded_.graph.state(*state);
      variable.value = expanded_.initial[static_cast<Index>(*state)];
    }
    variables.push_back(variable);
    owners.push_back(k);
  });
  if (!mistakes_.empty()) return {};
  AlgebraicSystem system(expanded_.graph, std::move(variables), expanded_.start, known_states(),
                         builder_.open_guards());
  const std::optional<std::vector<NodeId>> solved = system.solve();
  if (solved) {
    std::vector<NodeId> decided;
    succeeds(
        [&] { decided = builder_.decide_open_signs(*solved, system.surfaces_in_slopes(kFirstOpenSign)); });
    return decided;
  }
  tell_unsolved(system, model_.definitions[owners[system.place()]]);
  return {};
}

KnownStates Expander::known_states() const {
  KnownStates known;
  known.values = expanded_.initial;
  known.from = static_cast<std::uint32_t>(expanded_.state_names.size() - expanded_.free_parameters);
  return known;
}

void Expander::tell_unsolved(const AlgebraicSystem& system, const Quantity& variable) {
  const std::string name = in_quotes(variable.name);
  if (system.failure() == AlgebraicSystem::Failure::several) {
    mistakes_.push_back({variable.position, variable.name.size(),
                         "the equation of the algebraic variable " + name + " may have several solutions",
                         "an equation that is seen to have one solution only, or a guess",
                         "a slope that is not seen to have one sign for all values of " + variable.name +
                             ", or a pole, as of tan(" + variable.name + ") and 1/" + variable.name,
                         "write " + variable.name +
                             R"( = { value = "…", guess = 0 }: the solution that is found from )"
                             "the guess at the start is followed"});
    return;
  }
  mistakes_.push_back(
      {variable.position, variable.name.size(),
       "the equation of the algebraic variable " + name + " does not determine it at the start",
       "equations whose derivatives by the algebraic variables are not singular (index 1)",
       "no variable left that it depends on, or slopes of 0",
       "where a constraint has only states in it, put its derivative in its place; another "
       "guess may do where a slope is 0 by accident"});
}

void Expander::follow_algebraic() {
  const auto follows = [](const ExpandedAlgebraic& one) { return one.follower.has_value(); };
  const auto& all = expanded_.algebraic;
  if (!mistakes_.empty() || std::none_of(all.begin(), all.end(), follows)) return;
  std::vector<NodeId> values;
  for (const ExpandedAlgebraic& one : all) values.push_back(one.value);
  const auto by_state = gradients(expanded_.graph, values, Variables::states);
  const auto by_time = gradients(expanded_.graph, values, Variables::time);
  for (ExpandedMotion& motion : expanded_.motions)
    for (std::size_t k = 0; k < all.size(); ++k)
      if (all[k].follower)
        motion.derivatives[*all[k].follower] =
            rate_along(expanded_.graph, (*by_time)[k], (*by_state)[k], motion.derivatives);
}

void Expander::set_followers() {
  for (const ExpandedAlgebraic& one : expanded_.algebraic) {
    if (!one.follower) continue;
    const NodeId on_its_sides =
        expanded_.graph.has_lambda(one.value) ? builder_.by_guards({one.value}).front() : one.value;
    expanded_.followers.push_back({*one.follower, expanded_.graph.with_any_search(on_its_sides), Position{}});
  }
}

void Expander::begin_followers() {
  std::vector<NodeId> values;
  std::vector<std::uint32_t> states;
  for (const ExpandedAlgebraic& one : expanded_.algebraic) {
    if (!one.follower) continue;
    values.push_back(expanded_.graph.with_any_search(one.value));
    states.push_back(*one.follower);
  }
  if (values.empty() || !mistakes_.empty()) return;
  Vector x = Vector::Zero(static_cast<Index>(expanded_.state_names.size()));
  x.head(expanded_.initial.size()) = expanded_.initial;
  Vector relays(static_cast<Index>(expanded_.surfaces.size()));
  for (std::size_t k = 0; k < expanded_.surfaces.size(); ++k) {
    const double guard = Tape(expanded_.graph, {expanded_.graph.with_any_search(expanded_.surfaces[k].guard)})
                             .value<double>(point(expanded_.start, x));
    relays[static_cast<Index>(k)] = guard < 0 ? -1 : 1;
  }
  std::vector<double> found(values.size());
  Tape(expanded_.graph, values, expanded_.lambda_index)
      .evaluate<double>(point(expanded_.start, x, relays),
                        [&](std::size_t k, double value) { found[k] = value; });
  for (std::size_t k = 0; k < states.size(); ++k) {
    expanded_.initial[static_cast<Index>(states[k])] = found[k];
    if (std::isfinite(found[k])) continue;
    const std::string& name = expanded_.state_names[states[k]];
    mistakes_.push_back({{},
                         1,
                         "no solution of an algebraic equation at the start",
                         "a guess from which Newton's steps find one",
                         in_quotes(name),
                         "give another guess, near to the solution"});
  }
}

}  // namespace slideway::reader
