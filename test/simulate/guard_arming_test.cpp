#include "simulate/guard_arming.hpp"

#include <doctest/doctest.h>

using namespace slideway;

TEST_CASE("a surface is away for as long as it has not been met") {
  GuardArming arming;
  arming.resize(2, 1);
  arming.meet({1}, 3);
  CHECK(arming.away(0, 4) == 3);
  CHECK(arming.away(1, 4) == 1);
  // A third that is new is met where it comes.
  arming.resize(3, 5);
  CHECK(arming.away(1, 6) == 3);
  CHECK(arming.away(2, 6) == 1);
  CHECK(arming.allowance == Vector::Zero(3));
}

TEST_CASE("what is being left stays in mind when something else is met, once, until it is dropped") {
  GuardArming arming;
  arming.resize(3, 0);
  arming.meet({0, 2}, 1);
  arming.keep_earlier();
  arming.keep_earlier();
  arming.meet({1}, 2);
  CHECK(arming.earlier == std::vector<Index>{0, 2});
  arming.drop(2);
  CHECK(arming.earlier == std::vector<Index>{0});
  arming.drop(1);
  CHECK(arming.surfaces.empty());
}

TEST_CASE("how a surface was left is known for each, also for one that is new") {
  GuardArming arming;
  arming.resize(1, 0);
  arming.set_along(0, true);
  arming.resize(2, 1);
  CHECK(arming.along(0));
  CHECK(!arming.along(1));
  arming.set_along(0, false);
  CHECK(!arming.along(0));
}

TEST_CASE("vain returns are those to the same surfaces in a row") {
  GuardArming arming;
  arming.resize(2, 0);
  for (int k = 0; k < 3; ++k) {
    arming.meet({0}, k);
    arming.note_return(false, 1);
    CHECK(arming.vain_returns() == k + 1);
  }
  arming.meet({0, 1}, 3);
  arming.note_return(false, 1);
  CHECK(arming.vain_returns() == 1);
  arming.note_return(true, 1);
  CHECK(arming.vain_returns() == 0);
}

TEST_CASE("contacts that open and others that still touch are each listed once") {
  GuardArming arming;
  arming.contacts = {7};
  arming.let_go({3, 1}, {1, 2});
  CHECK(arming.contacts == std::vector<Index>{3, 1, 2});
  arming.let_go({}, {});
  CHECK(arming.contacts.empty());
}
