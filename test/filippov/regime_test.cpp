// Regime as a value: what it compares, and that its relays keep in step with the sides.
#include <doctest/doctest.h>

#include "filippov/regime.hpp"

using namespace slideway;

namespace {

Regime of_word(const std::string& word) {
  Regime regime;
  regime.resize(static_cast<Index>(word.size()));
  regime.take(Mode(word));
  return regime;
}

Vector numbers(std::initializer_list<double> values) {
  return Eigen::Map<const Vector>(values.begin(), static_cast<Index>(values.size()));
}

}  // namespace

TEST_CASE("the relays of a regime are those of its sides, whatever changes them") {
  Regime regime;
  regime.resize(3);
  CHECK(regime.mode() == Mode("+++"));
  CHECK(regime.lambda() == numbers({1, 1, 1}));
  regime.set(1, Side::minus);
  CHECK(regime.lambda() == numbers({1, -1, 1}));
  regime.slide(2, 0.25);
  CHECK(regime.mode() == Mode("+-0"));
  CHECK(regime.lambda() == numbers({1, -1, 0.25}));
  // A guess changes only the relays of surfaces that slide.
  regime.guess(numbers({0.5, 0.5, 0.5}));
  CHECK(regime.lambda() == numbers({1, -1, 0.5}));
  // The relay of a surface that begins to slide keeps the value of the side that the surface comes from.
  regime.take(Mode("00-"));
  CHECK(regime.lambda() == numbers({1, -1, -1}));
  regime.take(Mode("0+0"), numbers({-0.5, 7, 0.5}));
  CHECK(regime.lambda() == numbers({-0.5, 1, 0.5}));
  // resize() drops the last surface, and then adds a surface on the side +.
  regime.resize(2);
  CHECK(regime.mode() == Mode("0+"));
  CHECK(regime.lambda() == numbers({-0.5, 1}));
  regime.resize(3);
  CHECK(regime.mode() == Mode("0++"));
  CHECK(regime.lambda() == numbers({-0.5, 1, 1}));
}

TEST_CASE("regimes are equal where everything that says which equations hold is") {
  const Regime one = of_word("+0-");
  Regime other = one;
  CHECK(other == one);
  CHECK_FALSE(of_word("+0") == one);
  SUBCASE("the sides") { other.set(0, Side::minus); }
  SUBCASE("the relays of what slides") { other.slide(1, 0.5); }
  SUBCASE("the place") { other.place.location = 1; }
  SUBCASE("sliding of second order") { other.place.second_order = {1}; }
  SUBCASE("the contacts") { other.contacts.closed = {0}; }
  SUBCASE("their friction") { other.contacts.frictions.resize(1); }
  SUBCASE("whether the surface repels") { other.repelling = true; }
  SUBCASE("since when") { other.since = 1; }
  CHECK_FALSE(other == one);
}

TEST_CASE("contacts in another mode are a copy, and the mode they are a copy of stays") {
  ContactModes modes;
  modes.frictions.resize(3);
  modes.friction(1).sticks = true;
  modes.closed = {1};
  const ContactModes more = modes.with({2, 0, 1});
  CHECK(more.closed == std::vector<Index>{0, 1, 2});
  CHECK(more.sticks(1));
  CHECK_FALSE(more.sticks(0));
  CHECK(modes.closed == std::vector<Index>{1});
  CHECK_FALSE(modes.is_closed(0));
  CHECK(more.with({1}) == modes);
  // Where no friction is in a plane nothing sticks.
  CHECK_FALSE(ContactModes().with({0}).sticks(0));
}
