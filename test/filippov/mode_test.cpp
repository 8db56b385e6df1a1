#include "slideway/filippov/mode.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

using namespace slideway;

TEST_CASE("a mode reads and writes its word") {
  const Mode mode("+0-");
  CHECK(mode.word() == "+0-");
  CHECK(mode.codimension() == 1);
  CHECK(mode.slides_on(1));
  CHECK(mode == Mode("+0-"));
  CHECK_FALSE(mode == Mode("+--"));
}

TEST_CASE("a mode fills lambda and leaves sliding entries alone") {
  Vector lambda = Vector::Constant(3, 0.25);
  Mode("+0-").fill_lambda(lambda);
  CHECK(lambda == Eigen::Vector3d(1, 0.25, -1));
}

TEST_CASE("a message spells a mode out that can be read, and counts the surfaces of a longer one") {
  CHECK(in_mode_text(Mode("0+-")) == " in mode \"0+-\"");
  CHECK(in_mode_text(Mode(0)).empty());
  Mode large(5000);
  large.set(7, Side::sliding);
  large.set(70, Side::sliding);
  CHECK(in_mode_text(large) == " while 2 of 5000 surfaces slide");
}

TEST_CASE("a mode word with a strange character is refused") {
  CHECK_THROWS_WITH_AS(Mode("+x"), doctest::Contains("'x'"), std::invalid_argument);
}
