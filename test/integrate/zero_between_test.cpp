#include "integrate/zero_between.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>

using namespace slideway;

namespace {

struct Found {
  double t;
  int values;
};

Found find(const std::function<double(double)>& function, double left, double right) {
  int values = 0;
  const auto counted = [&](double t) {
    ++values;
    return function(t);
  };
  const double t = zero_between(counted, {left, function(left)}, {right, function(right)});
  return {t, values};
}

}  // namespace

TEST_CASE("a smooth zero is found to the last digits with a few values") {
  const Found straight = find([](double t) { return 3 - 2 * t; }, 1, 2);
  CHECK(straight.t == 1.5);
  CHECK(straight.values <= 2);
  const Found bent = find([](double t) { return std::cos(t); }, 1, 2);
  CHECK(std::abs(bent.t - 0.5 * std::acos(-1.0)) <= 4e-16);
  CHECK(bent.values <= 6);
  const Found late = find([](double t) { return std::exp(-t + 1000) - 0.3; }, 1000, 1004);
  CHECK(std::abs(late.t - (1000 - std::log(0.3))) <= 4e-13);
  CHECK(late.values <= 9);
}

TEST_CASE("a pole is found as what it is, a change of sign") {
  for (const double start : {1.0, 1.3699}) {
    const Found pole = find([](double t) { return 1 / (1.37 - t); }, start, 2);
    CHECK(std::abs(pole.t - 1.37) <= 5e-16);
    CHECK(pole.values <= 60);
  }
}

TEST_CASE("a zero that is hard to find is found nevertheless") {
  const Found flat = find([](double t) { return -std::pow(t - 1.3, 3); }, 1, 2);
  CHECK(std::abs(flat.t - 1.3) < 1e-5);
  const Found jump = find([](double t) { return t < 1.37 ? 1.0 : -1.0; }, 1, 2);
  CHECK(std::abs(jump.t - 1.37) <= 5e-16);
  const Found steep = find([](double t) { return t < 1.9 ? 1.0 : 1 - 1e12 * (t - 1.9); }, 1, 2);
  CHECK(std::abs(steep.t - (1.9 + 1e-12)) <= 5e-16);
  const Found at_end = find([](double t) { return 2 - 1e-9 - t; }, 1, 2);
  CHECK(std::abs(at_end.t - (2 - 1e-9)) <= 5e-16);
  for (const int values : {steep.values, jump.values}) CHECK(values < 170);
}
