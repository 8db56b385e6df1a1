#include "slideway/model/system.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

#include "slideway/model/from_functor.hpp"
#include "test/model/example_systems.hpp"

using namespace slideway;

namespace {

SystemDefinition two_states_one_surface() {
  SystemDefinition definition;
  definition.name = "demo";
  definition.states = 2;
  definition.surfaces = 1;
  definition.field = [](double, ConstVectorRef, ConstVectorRef, VectorRef dx) { dx.setZero(); };
  definition.guards = [](double, ConstVectorRef x, VectorRef h) { h[0] = x[0]; };
  return definition;
}

std::string refusal_of(const SystemDefinition& definition) {
  try {
    System system(definition);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("states and surfaces without names are numbered") {
  const System system(two_states_one_surface());
  CHECK(system.state_names() == std::vector<std::string>{"x1", "x2"});
  CHECK(system.surface_names() == std::vector<std::string>{"h1"});
}

TEST_CASE("a system without states is refused") {
  auto definition = two_states_one_surface();
  definition.states = 0;
  CHECK(refusal_of(definition) ==
        "system 'demo': a system needs at least one state (expected states >= 1, got 0)");
  definition.states = -3;
  CHECK_FALSE(refusal_of(definition).empty());
}

TEST_CASE("a negative number of surfaces is refused") {
  auto definition = two_states_one_surface();
  definition.surfaces = -1;
  CHECK(refusal_of(definition).find("expected surfaces >= 0, got -1") != std::string::npos);
}

TEST_CASE("a missing field or missing guards are refused") {
  auto definition = two_states_one_surface();
  definition.field = nullptr;
  CHECK(refusal_of(definition).find("the field is missing") != std::string::npos);
  definition = two_states_one_surface();
  definition.guards = nullptr;
  CHECK(refusal_of(definition).find("guards(t, x, h) that sets 1 value") != std::string::npos);
  definition.surfaces = 0;
  CHECK(refusal_of(definition).empty());
}

TEST_CASE("names that do not fit in number are refused") {
  auto definition = two_states_one_surface();
  definition.state_names = {"x", "v", "a"};
  CHECK(refusal_of(definition) ==
        "system 'demo': the number of state names does not fit (expected 2 names or none, got 3)");
  definition = two_states_one_surface();
  definition.surface_names = {"a", "b"};
  CHECK(refusal_of(definition).find("surface names") != std::string::npos);
}

TEST_CASE("empty and repeated names are refused") {
  auto definition = two_states_one_surface();
  definition.state_names = {"x", ""};
  CHECK(refusal_of(definition).find("state 2 has an empty name") != std::string::npos);
  definition.state_names = {"x", "x"};
  CHECK(refusal_of(definition).find("got 'x' for states 1 and 2") != std::string::npos);
}

TEST_CASE("a pattern that does not fit the sizes is refused") {
  auto definition = two_states_one_surface();
  definition.guards_dx_pattern = full_pattern(1, 2);
  CHECK(refusal_of(definition).empty());
  definition.guards_dx_pattern = full_pattern(2, 1);
  CHECK(refusal_of(definition) ==
        "system 'demo': the size of guards_dx_pattern does not fit (expected 1 x 2, got 2 x 1)");
  definition = two_states_one_surface();
  definition.field_dx_pattern = Pattern{.rows = 2, .columns = 2};
  CHECK(refusal_of(definition).find("1 row starts") != std::string::npos);
}

TEST_CASE("a pattern whose rows or columns are out of order is refused") {
  const auto told = [](std::vector<Index> start, std::vector<Index> column) {
    auto definition = two_states_one_surface();
    definition.field_dx_pattern =
        Pattern{.rows = 2, .columns = 2, .start = std::move(start), .column = std::move(column)};
    return refusal_of(definition);
  };
  CHECK(told({0, 1, 3}, {0, 0, 1}).empty());
  CHECK(told({0, 0, 0}, {}).empty());
  CHECK(
      told({0, 1'000'000, 1}, {0}) ==
      "system 'demo': the rows of field_dx_pattern do not begin where its entries are (expected "
      "Pattern::start "
      "from 0 to 1, the number of entries, never decreasing, got 0, 1000000, 1); pattern_from_rows() makes a "
      "pattern from lists of columns");
  CHECK(told({0, 1, 2}, {0}).find("got 0, 1, 2)") != std::string::npos);
  CHECK(told({1, 1, 2}, {0, 1}).find("got 1, 1, 2)") != std::string::npos);
  CHECK(told({0, 1, 3}, {0, 1, 0})
            .find("the columns of row 1 of field_dx_pattern are out of order (expected "
                  "every column once, in increasing order, got 1 before 0)") != std::string::npos);
  CHECK(told({0, 2, 2}, {1, 1}).find("got 1 before 1") != std::string::npos);
}

TEST_CASE("states and surfaces are found by name") {
  auto definition = two_states_one_surface();
  definition.state_names = {"position", "velocity"};
  definition.surface_names = {"stick"};
  const System system(definition);
  CHECK(system.state_index("velocity") == 1);
  CHECK(system.surface_index("stick") == 0);
}

TEST_CASE("an unknown name is answered with the known ones and the nearest") {
  auto definition = two_states_one_surface();
  definition.state_names = {"position", "velocity"};
  const System system(definition);
  CHECK_THROWS_WITH_AS(
      system.state_index("velocty"),
      "system 'demo': there is no state of that name (expected one of position, velocity, got "
      "'velocty'); did you mean 'velocity'?",
      std::invalid_argument);
  CHECK_THROWS_AS(system.surface_index("stick"), std::invalid_argument);
}

TEST_CASE("copies of a system share one definition") {
  const System system(two_states_one_surface());
  const System copy = system;
  CHECK(&copy.definition() == &system.definition());
}
