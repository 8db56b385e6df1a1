#include "slideway/filippov/mode.hpp"

#include <doctest/doctest.h>

#include <random>
#include <stdexcept>
#include <vector>

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

TEST_CASE("a mode of many surfaces lists those that slide, from scratch or from the mode before") {
  std::mt19937 random(7);
  const auto any_of = [&](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
  for (const Index surfaces : {1, 31, 32, 33, 200}) {
    Mode before(surfaces);
    for (Index i = 0; i < surfaces; ++i) before.set(i, static_cast<Side>(any_of(2) - 1));
    std::vector<Index> updated;
    before.list_sliding(updated);
    for (int turn = 0; turn < 20; ++turn) {
      Mode mode = before;
      std::vector<Index> changed;
      for (Index i = 0; i < surfaces; ++i) {
        if (any_of(9) == 0) mode.set(i, static_cast<Side>(any_of(2) - 1));
        if (mode[i] != before[i]) changed.push_back(i);
      }
      std::vector<Index> expected;
      for (Index i = 0; i < surfaces; ++i) {
        if (mode.slides_on(i)) expected.push_back(i);
      }
      std::vector<Index> listed, visited;
      mode.list_sliding(listed);
      mode.update_sliding(before, updated);
      mode.for_differences(before, [&](Index i) { visited.push_back(i); });
      CHECK(listed == expected);
      CHECK(updated == expected);
      CHECK(visited == changed);
      Vector lambda = Vector::Constant(surfaces, 0.25);
      mode.fill_lambda(lambda);
      for (Index i = 0; i < surfaces; ++i)
        CHECK(lambda[i] ==
              (mode.slides_on(i) ? 0.25 : static_cast<double>(static_cast<signed char>(mode[i]))));
      before = mode;
    }
  }
  std::vector<Index> of_fewer = {0};
  Mode("+00").update_sliding(Mode("0"), of_fewer);
  CHECK(of_fewer == std::vector<Index>{1, 2});
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
