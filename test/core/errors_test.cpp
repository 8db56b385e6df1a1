#include "slideway/core/errors.hpp"

#include <doctest/doctest.h>

using namespace slideway;

TEST_CASE("a refusal says where, what, what was expected, what was got and what to do") {
  const Refusal refusal{.what = "the field is missing",
                        .where = "system 'belt'",
                        .expected = "a function",
                        .got = "nothing",
                        .advice = "set .field"};
  CHECK(message(refusal) ==
        "system 'belt': the field is missing (expected a function, got nothing); set .field");
}

TEST_CASE("parts of a refusal that are not given leave no trace") {
  CHECK(message({.what = "too small"}) == "too small");
  CHECK(message({.what = "too small", .where = "here"}) == "here: too small");
  CHECK(message({.what = "too small", .expected = "1"}) == "too small (expected 1)");
  CHECK(message({.what = "too small", .got = "0"}) == "too small (got 0)");
}

TEST_CASE("refusing throws an invalid argument that carries the message") {
  CHECK_THROWS_WITH_AS(refuse({.what = "no", .where = "here"}), "here: no", std::invalid_argument);
}
