#include "slideway/core/version.hpp"

#include <doctest/doctest.h>

#include <string>

TEST_CASE("the linked library tells the version of its headers") {
  const std::string expected = std::to_string(SLIDEWAY_VERSION_MAJOR) + "." +
                               std::to_string(SLIDEWAY_VERSION_MINOR) + "." +
                               std::to_string(SLIDEWAY_VERSION_PATCH);
  CHECK(std::string(slideway::version()) == expected);
}
