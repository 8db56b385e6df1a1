// The parts of a model file beyond derivatives, ready for a solver that runs it: events, edges, contacts.
#include "model_file/lowering.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "model_file/model_file_description.hpp"
#include "test/io/tape_values.hpp"

using namespace slideway;
using namespace slideway::reader;
using slideway::test::value_at;

namespace {

ExpandedModel expanded(const std::string& text, const Settings& settings = {}) {
  Mistakes mistakes;
  ModelDescription description = describe_model(SourceText("test.toml", text), mistakes);
  resolve_names(description, mistakes);
  REQUIRE(mistakes.empty());
  ExpandedModel model = expand(description, settings, Check::everything, {}, mistakes);
  REQUIRE(mistakes.empty());
  return model;
}

const char* const ball = R"toml(
initial = "flight"
[parameters]
e = 0.5
[states]
x = 10.0
v = { size = 2, value = "i" }
[time]
end = 10.0
[definitions]
sign = "sgn(v1)"
[derivatives]
x = "v1"
v = "if(x > 0, i, -i)"
[[locations]]
name = "flight"
[[locations]]
name = "rest"
[locations.derivatives]
x = 0
[[edges]]
name = "impact"
from = "flight"
to = "rest"
when = "x - t"
direction = "falling"
set = { v2 = "-e*v2 + sign", x = "if(v1 < 0, min(v1, -3), abs(v2)) + step(v1)" }
zeno = "rest"
[[edges]]
from = "rest"
to = "flight"
when = "v[2]"
set = { v = "v[i]*sgn(v[i])" }
[[stops]]
name = "far"
when = "x - 100"
direction = "rising"
)toml";

}  // namespace

TEST_CASE("edges know their locations and guards and what they set") {
  const ExpandedModel model = expanded(ball, {{"e", 0.25}});
  REQUIRE(model.edges.size() == 2);
  const ExpandedEvent& impact = model.edges[0];
  CHECK(impact.name == "impact");
  CHECK(impact.from == 0);
  CHECK(impact.to == 1);
  CHECK(impact.zeno == 1);
  CHECK(impact.direction == Direction::falling);
  CHECK(value_at(model.graph, impact.guard, {.t = 3, .x = {10, 0, 0}}) == 7);
  REQUIRE(impact.set.size() == 2);
  CHECK(impact.set[0].state == 2);
  CHECK(impact.set[1].state == 0);
  CHECK(model.edges[1].direction == Direction::any);
  CHECK(model.edges[1].set.size() == 2);
  CHECK(model.edges[1].set[1].state == 2);
  REQUIRE(model.stops.size() == 1);
  CHECK(model.stops[0].direction == Direction::rising);
  CHECK(model.motions.size() == 2);
  CHECK(model.motions[1].location == "rest");
  CHECK(model.graph.is_constant(model.motions[1].derivatives[0], 0));
  CHECK(model.initial_location == 0);
}

TEST_CASE("in a reset the jumps are values and zero counts as zero") {
  const ExpandedModel model = expanded(ball);
  const NodeId v2 = model.edges[0].set[0].value;
  const NodeId x = model.edges[0].set[1].value;
  CHECK_FALSE(model.graph.has_lambda(v2));
  CHECK(value_at(model.graph, v2, {.t = 0, .x = {0, -2, 6}}) == -3 - 1);
  CHECK(value_at(model.graph, v2, {.t = 0, .x = {0, 0, 6}}) == -3);
  CHECK(value_at(model.graph, v2, {.t = 0, .x = {0, 2, 6}}) == -3 + 1);
  CHECK(value_at(model.graph, x, {.t = 0, .x = {0, -2, 6}}) == -3);
  CHECK(value_at(model.graph, x, {.t = 0, .x = {0, -4, 6}}) == -4);
  CHECK(value_at(model.graph, x, {.t = 0, .x = {0, 0, -6}}) == 6);
  CHECK(value_at(model.graph, x, {.t = 0, .x = {0, 2, -6}}) == 7);
  // The definition still is a surface where it stands in no reset; x > 0 is the only one that is used.
  REQUIRE(model.surfaces.size() == 1);
  CHECK(model.surfaces[0].name == "x");
}

TEST_CASE("a contact knows its gap and force and restitution") {
  const ExpandedModel model = expanded(R"toml(
[parameters]
m = 2
[states]
x = 1
v = 0
[time]
end = 1
[derivatives]
x = "v"
v = -9.8
[[contacts]]
name = "floor"
gap = "x - sin(t)"
acts_on = { v = "1/m", x = 0 }
restitution = "if(impact > 1, 0.8 - 0.1*impact, 0)"
)toml");
  REQUIRE(model.contacts.size() == 1);
  const ExpandedContact& floor = model.contacts[0];
  CHECK(floor.name == "floor");
  CHECK(value_at(model.graph, floor.gap, {.t = 0.5, .x = {2, 0}}) == 2 - std::sin(0.5));
  CHECK(floor.acts_on[0].state == 1);
  CHECK(value_at(model.graph, floor.acts_on[0].value, {.t = 0, .x = {0, 0}}) == 0.5);
  CHECK(value_at(model.graph, floor.restitution, {.t = 0, .x = {0, 0}, .speed = 2}) == doctest::Approx(0.6));
  CHECK(value_at(model.graph, floor.restitution, {.t = 0, .x = {0, 0}, .speed = 1}) == 0);
}

TEST_CASE("what stands in a branch that is never in force makes no surface") {
  const ExpandedModel model = expanded(R"toml(
[parameters]
on = 0
[states]
x = 1
[time]
end = 1
[definitions]
friction = "sgn(x - 1)"
[derivatives]
x = "if(on > 0, friction/on, abs(x))"
)toml");
  REQUIRE(model.surfaces.size() == 1);
  CHECK(model.surfaces[0].name == "x");
}
