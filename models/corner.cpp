#include "models/corner.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "models/values.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/model/from_functor.hpp"

namespace slideway::models {

namespace {

struct Preset {
  int word;      // the code word w4w3w2w1, its digits read as a decimal number
  Corner field;  // ++, -+, --, +-
  double y;      // where the solution starts, on x = 0
};

// Where the paper's rule and Filippov's continuation can agree, they do. Never for 1010, whose only continuation stays at
// the corner, and 1110, whose only one slides along x < 0; 1011 and 1111 have several continuations whatever the fields.
constexpr std::array<Preset, 16> kPresets = {{
    {0, {-1, -1, 1, -1, 1, 1, -1, 1}, -1},
    {1, {-1, 1, 1, 1, 1, 1, -1, 1}, -1},
    {10, {2, -1, 2, -1, 1, 1, -1, 1}, -1},
    {11, {2, 1, 1, 1, 1, 1, -1, 1}, -1},
    {100, {-1, -1, 1, -1, 1, -1, -1, -1}, 1},
    {101, {-1, 1, 1, 1, 1, 1, -3, -2}, -1},
    {110, {-1, -1, 1, -1, 1, -1, 2, -1}, 1},
    {111, {2, 1, 1, 1, 3, -2, -1, 1}, -1},
    {1000, {-1, -1, -2, -1, 1, 2, -1, -1}, -1},
    {1001, {-1, 1, -2, 1, 1, 1, -1, 1}, -1},
    {1010, {2, -2, -3, -3, 1, 1, -1, 1}, -1},
    {1011, {2, 1, -3, 1, 1, 1, -1, 1}, -1},
    {1100, {-1, -1, 1, -1, -2, -1, -1, -1}, 1},
    {1101, {-1, 1, -2, 1, 1, 1, -3, -2}, -1},
    {1110, {3, -1, -3, -1, 1, 2, -2, -3}, -1},
    {1111, {3, 1, -2, 1, 1, 2, -2, -3}, -1},
}};

constexpr int kDefaultWord = 10;

struct Component {
  const char* name;
  double Corner::*value;
  const char* description;
};

constexpr std::array<Component, 8> kComponents = {{
    {"x_pp", &Corner::x_pp, "x' where x > 0, y > 0"},
    {"y_pp", &Corner::y_pp, "y' where x > 0, y > 0"},
    {"x_mp", &Corner::x_mp, "x' where x < 0, y > 0"},
    {"y_mp", &Corner::y_mp, "y' where x < 0, y > 0"},
    {"x_mm", &Corner::x_mm, "x' where x < 0, y < 0"},
    {"y_mm", &Corner::y_mm, "y' where x < 0, y < 0"},
    {"x_pm", &Corner::x_pm, "x' where x > 0, y < 0"},
    {"y_pm", &Corner::y_pm, "y' where x > 0, y < 0"},
}};

const Preset* find_preset(double word) {
  const auto found = std::find_if(kPresets.begin(), kPresets.end(),
                                  [&](const Preset& preset) { return word == preset.word; });
  return found == kPresets.end() ? nullptr : &*found;
}

const Preset& preset_of(const Model& model, const Settings& settings) {
  double word = kDefaultWord;
  for (const auto& [name, value] : settings) {
    if (name == "word") word = value;
  }
  if (const Preset* preset = find_preset(word)) return *preset;
  refuse({.what = "parameter word is refused: it is no code word",
          .where = model.name,
          .expected = "four digits 0 or 1, from 0000 to 1111",
          .got = fmt::format("{}", word)});
}

}  // namespace

Model corner() {
  Model model;
  model.name = "corner";
  model.summary =
      "two surfaces cross, a constant field in each quadrant: sixteen presets, one for each code word";
  model.source =
      "code words: V. V. Korobitsyn, Yu. V. Frolova, the numerical solution of systems of ODEs with "
      "discontinuous right-hand sides, 2011; fields: own";
  model.equations = {
      "x' = if(S1 > 0, if(S2 > 0, x_pp, x_pm), if(S2 > 0, x_mp, x_mm))",
      "y' = if(S1 > 0, if(S2 > 0, y_pp, y_pm), if(S2 > 0, y_mp, y_mm))",
      "surface S1: x",
      "surface S2: y",
  };
  model.parameters = {
      {"word", kDefaultWord, "code word w4w3w2w1 (0010 is 10): sets every field that is not set itself"}};
  for (const Component& component : kComponents) {
    model.parameters.push_back(
        {component.name, find_preset(kDefaultWord)->field.*component.value, component.description});
  }
  model.state_names = {"x", "y"};

  model.instantiate = [description = model](const Settings& settings) {
    const Preset& preset = preset_of(description, settings);
    Settings all;
    for (const Component& component : kComponents)
      all.emplace_back(component.name, preset.field.*component.value);
    all.insert(all.end(), settings.begin(), settings.end());
    const Values values(description, all);
    Corner functor;
    for (const Component& component : kComponents) functor.*component.value = values[component.name];
    return ModelInstance{.system = from_functor(functor, {.states = 2,
                                                          .surfaces = 2,
                                                          .name = description.name,
                                                          .state_names = description.state_names,
                                                          .surface_names = {"S1", "S2"}}),
                         .parameters = values.parameters(),
                         .start = 0,
                         .end = 9,
                         .state = values.state(Eigen::Vector2d(0, preset.y))};
  };
  return model;
}

}  // namespace slideway::models
