#include "models/block_pile.hpp"

#include <fmt/format.h>

#include "models/values.hpp"
#include "slideway/model/from_functor.hpp"

namespace slideway::models {

namespace {

constexpr Index kHighestPile = 1000;

std::vector<std::string> pile_states(Index blocks) {
  std::vector<std::string> names;
  for (Index i = 1; i <= blocks; ++i) names.push_back(fmt::format("y{}", i));
  for (Index i = 1; i <= blocks; ++i) names.push_back(fmt::format("v{}", i));
  return names;
}

// Between block i and what is below it.
Contact contact_below(Index i, Index blocks, double h, double m, double e) {
  Contact contact;
  contact.name = i == 0 ? "floor" : fmt::format("{}-{}", i, i + 1);
  if (i == 0) {
    contact.gap = Guard([](auto /*t*/, const auto& x) { return x[0]; });
  } else {
    contact.gap = Guard([i, h](auto /*t*/, const auto& x) { return x[i] - x[i - 1] - h; });
  }
  contact.acts_on = [i, blocks, m](double, ConstVectorRef, VectorRef b) {
    b[blocks + i] = 1 / m;
    if (i > 0) b[blocks + i - 1] = -1 / m;
  };
  contact.restitution = [e](double) { return e; };
  return contact;
}

}  // namespace

Model block_pile() {
  Model model;
  model.name = "block-pile";
  model.summary = "N blocks are dropped on each other, bounce and pile up";
  model.source = "B. Brogliato, Nonsmooth Mechanics, 3rd ed., Springer, 2016, on multiple impacts";
  model.equations = {
      "y_i' = v_i",
      "v_i' = -g + (contact_i - contact_{i+1})/m,  i = 1...N,  contact_{N+1} = 0",
      "contact_1, floor: y_1 >= 0, restitution e",
      "contact_i: y_i - y_{i-1} - h >= 0, restitution e",
      "y_i(0) = (i - 1)*h + i*gap,  v_i(0) = 0",
  };
  model.parameters = {
      {"N", 3, "number of blocks"},
      {"g", 9.81, "acceleration of fall"},
      {"h", 0.1, "height of a block"},
      {"m", 1, "mass of a block"},
      {"gap", 0.2, "height of each block above the one below, at the start"},
      {"e", 0.3, "restitution"},
  };
  model.state_names = pile_states(3);

  model.instantiate = [description = model](const Settings& settings) {
    const Index blocks = Values::count(description, settings, "N", 1, kHighestPile);
    const Values values(description, pile_states(blocks), settings);
    values.require_positive("m", "a block's acceleration is force/m");
    values.require_not_negative("gap", "the blocks would overlap");
    values.require_from_zero_to_one("e", "an impact does not add energy");
    std::vector<Contact> contacts;
    Vector initial = Vector::Zero(2 * blocks);
    for (Index i = 0; i < blocks; ++i) {
      contacts.push_back(contact_below(i, blocks, values["h"], values["m"], values["e"]));
      initial[i] = static_cast<double>(i) * values["h"] + static_cast<double>(i + 1) * values["gap"];
    }
    const BlockPile functor{.blocks = blocks, .g = values["g"]};
    return ModelInstance{.system = from_functor(functor, {.states = 2 * blocks,
                                                          .name = description.name,
                                                          .state_names = pile_states(blocks)})
                                       .with_contacts(std::move(contacts)),
                         .parameters = values.parameters(),
                         .start = 0,
                         .end = 5,
                         .state = values.state(initial)};
  };
  return model;
}

}  // namespace slideway::models
