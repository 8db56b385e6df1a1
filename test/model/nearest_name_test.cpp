#include <doctest/doctest.h>

#include "slideway/model/model.hpp"

using namespace slideway;

TEST_CASE("a misspelt name finds the one it was meant to be") {
  const std::vector<std::string> models{"evaporator", "dry-friction", "belt", "relay"};
  CHECK(nearest_name("evaporater", models) == "evaporator");
  CHECK(nearest_name("dryfriction", models) == "dry-friction");
  CHECK(nearest_name("blet", models) == "belt");
  CHECK(nearest_name("Relay", models) == "relay");
  CHECK(nearest_name("relay", models) == "relay");
}

TEST_CASE("a name near to none finds none") {
  CHECK(nearest_name("pendulum", {"evaporator", "belt"}).empty());
  CHECK(nearest_name("v", {"x", "y"}).empty());
  CHECK(nearest_name("", {"x", "y"}).empty());
  CHECK(nearest_name("x", {}).empty());
}

TEST_CASE("short names may differ by one letter or one swap") {
  CHECK(nearest_name("mu2", {"mu", "w"}) == "mu");
  CHECK(nearest_name("um", {"mu", "w"}) == "mu");
  CHECK(nearest_name("R_d", {"R_b", "I"}) == "R_b");
}

TEST_CASE("of several near names the nearest wins, the first of equals") {
  CHECK(nearest_name("R_pip", {"R_pipes", "R_pipe"}) == "R_pipe");
  CHECK(nearest_name("x3", {"x1", "x2"}) == "x1");
}
