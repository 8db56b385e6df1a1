#include "simulate/leaving.hpp"

#include <doctest/doctest.h>

using namespace slideway;

TEST_CASE("a surface is away for as long as it has not been met") {
  Leaving leaving;
  leaving.resize(2, 1);
  leaving.meet({1}, 3);
  CHECK(leaving.away(0, 4) == 3);
  CHECK(leaving.away(1, 4) == 1);
  // A third that is new is met where it comes.
  leaving.resize(3, 5);
  CHECK(leaving.away(1, 6) == 3);
  CHECK(leaving.away(2, 6) == 1);
  CHECK(leaving.allowance == Vector::Zero(3));
}

TEST_CASE("what is being left stays in mind when something else is met, once, until it is dropped") {
  Leaving leaving;
  leaving.resize(3, 0);
  leaving.meet({0, 2}, 1);
  leaving.keep_earlier();
  leaving.keep_earlier();
  leaving.meet({1}, 2);
  CHECK(leaving.earlier == std::vector<Index>{0, 2});
  leaving.drop(2);
  CHECK(leaving.earlier == std::vector<Index>{0});
  leaving.drop(1);
  CHECK(leaving.surfaces.empty());
}

TEST_CASE("how a surface was left is known for each, also for one that is new") {
  Leaving leaving;
  leaving.resize(1, 0);
  leaving.set_along(0, true);
  leaving.resize(2, 1);
  CHECK(leaving.along(0));
  CHECK(!leaving.along(1));
  leaving.set_along(0, false);
  CHECK(!leaving.along(0));
}

TEST_CASE("vain returns are those to the same surfaces in a row") {
  Leaving leaving;
  leaving.resize(2, 0);
  for (int k = 0; k < 3; ++k) {
    leaving.meet({0}, k);
    leaving.note_return(false, 1);
    CHECK(leaving.vain_returns() == k + 1);
  }
  leaving.meet({0, 1}, 3);
  leaving.note_return(false, 1);
  CHECK(leaving.vain_returns() == 1);
  leaving.note_return(true, 1);
  CHECK(leaving.vain_returns() == 0);
}

TEST_CASE("contacts that open and others that still touch are each listed once") {
  Leaving leaving;
  leaving.contacts = {7};
  leaving.let_go({3, 1}, {1, 2});
  CHECK(leaving.contacts == std::vector<Index>{3, 1, 2});
  leaving.let_go({}, {});
  CHECK(leaving.contacts.empty());
}
