#include "validation/suite.hpp"

#include <sstream>
#include <stdexcept>

#include <doctest/doctest.h>

#include "validation/case.hpp"

using namespace slideway;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the suite passes at the default tolerance and says so") {
  std::ostringstream out;
  CHECK(run_validation({}, out) == 0);
  CHECK(contains(out.str(), "0 failed"));
  CHECK_FALSE(contains(out.str(), "FAIL"));
}

TEST_CASE("a name selects one case, the beginning of a name a group") {
  std::ostringstream one;
  CHECK(run_validation({.names = {"a02"}, .methods = {Method::bdf}}, one) == 0);
  CHECK(contains(one.str(), "A02  "));
  CHECK(contains(one.str(), "expected + 0 +"));
  CHECK(contains(one.str(), "got      + 0 +"));
  CHECK(contains(one.str(), "1 passed, 0 failed"));
  std::ostringstream group;
  CHECK(run_validation({.names = {"B01"}, .methods = {Method::bdf}}, group) == 0);
  CHECK(contains(group.str(), "3 passed, 0 failed"));
}

TEST_CASE("an unknown name is refused with the nearest one") {
  std::ostringstream out;
  try {
    run_validation({.names = {"A99"}}, out);
    FAIL("not refused");
  } catch (const std::invalid_argument& refusal) {
    CHECK(contains(refusal.what(), "A99"));
    CHECK(contains(refusal.what(), "did you mean 'A0"));
  }
  CHECK_THROWS_AS(run_validation({.names = {""}}, out), std::invalid_argument);
}

TEST_CASE("a tolerance that is none is refused") {
  std::ostringstream out;
  CHECK_THROWS_AS(run_validation({.rtol = 0}, out), std::invalid_argument);
  CHECK_THROWS_AS(run_validation({.rtol = 1}, out), std::invalid_argument);
  CHECK_THROWS_AS(run_validation({.rtol = -1e-6}, out), std::invalid_argument);
}

TEST_CASE("a case that means nothing at a tolerance is skipped, not passed") {
  std::ostringstream out;
  CHECK(run_validation({.names = {"A09"}, .rtol = 1e-6}, out) == 0);
  CHECK(contains(out.str(), "skipped"));
  CHECK(contains(out.str(), "0 passed, 0 failed"));
}
