// The states between the steps of a trajectory are where the steps are: on what slides and on the contacts that are closed.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "test/simulate/model_text.hpp"

using namespace slideway;
using test::Finished;
using test::for_all_methods;

namespace {

// x slides at 0 between A and B from t = 1 on.
const std::string joined =
    "initial = \"A\"\n[states]\nx = -1.0\nq = 10.0\np = 0.5\n[time]\nend = 4.0\n[derivatives]\nq = \"p\"\n"
    "p = \"0\"\n[[locations]]\nname = \"A\"\n[locations.derivatives]\nx = \"1\"\n[[locations]]\nname = "
    "\"B\"\n"
    "[locations.derivatives]\nx = \"-1\"\n[[edges]]\nfrom = \"A\"\nto = \"B\"\nwhen = \"x\"\n"
    "direction = \"rising\"\n[[edges]]\nfrom = \"B\"\nto = \"A\"\nwhen = \"x\"\ndirection = \"falling\"\n";

}  // namespace

TEST_CASE("a trajectory between two locations leaves an open contact alone") {
  for_all_methods(
      joined + "[[contacts]]\nname = \"floor\"\ngap = \"q\"\nacts_on = { p = \"1\" }\nrestitution = 0.5\n",
      {1e-6}, [](const Finished& finished, double) {
        const Trajectory& way = finished.solution.trajectory;
        CHECK(way.location(3) == "A|B");
        CHECK((way(3) - Vector{{0.0, 11.5, 0.5}}).norm() <= 1e-12);
      });
}

TEST_CASE("a trajectory keeps to a contact as it moves in the location at hand") {
  // In B the gap grows by v + 1, so that at rest v = −1.
  const std::string text =
      "initial = \"A\"\n[states]\nx = 0.0\nv = 0.0\n[time]\nend = 4.0\n[derivatives]\nv = \"-9.8\"\n"
      "[[locations]]\nname = \"A\"\n[locations.derivatives]\nx = \"v\"\n[[locations]]\nname = \"B\"\n"
      "[locations.derivatives]\nx = \"v + 1\"\n[[edges]]\nfrom = \"A\"\nto = \"B\"\nwhen = \"t - 1\"\n"
      "direction = \"rising\"\n[[contacts]]\nname = \"floor\"\ngap = \"x\"\nacts_on = { v = \"1\" }\n"
      "restitution = 0.0\n";
  for_all_methods(text, {1e-6}, [](const Finished& finished, double) {
    const Trajectory& way = finished.solution.trajectory;
    CHECK(way(0.5).norm() <= 1e-12);
    CHECK((way(3) - Vector{{0.0, -1.0}}).norm() <= 1e-12);
  });
}

TEST_CASE("a trajectory between two locations is on their guard, however loose the tolerances are") {
  // x·x = 1, round which it goes with t; inwards in A, outwards in B.
  const std::string text =
      "initial = \"A\"\n[states]\nx = 1.2\ny = 0.0\n[time]\nend = 10.0\n[definitions]\nr = "
      "\"sqrt(x^2+y^2)\"\n"
      "[[locations]]\nname = \"A\"\n[locations.derivatives]\nx = \"-y - x/r\"\ny = \"x - "
      "y/r\"\n[[locations]]\n"
      "name = \"B\"\n[locations.derivatives]\nx = \"-y + x/r\"\ny = \"x + y/r\"\n[[edges]]\nfrom = \"A\"\n"
      "to = \"B\"\nwhen = \"x^2 + y^2 - 1\"\ndirection = \"falling\"\n[[edges]]\nfrom = \"B\"\nto = \"A\"\n"
      "when = \"x^2 + y^2 - 1\"\ndirection = \"rising\"\n";
  for_all_methods(text, {1e-3, 1e-8}, [](const Finished& finished, double) {
    const Trajectory& way = finished.solution.trajectory;
    for (double t = 0.3; t < 10; t += 0.17) {
      CAPTURE(t);
      CHECK(std::abs(way(t).squaredNorm() - 1) <= 2e-15);
    }
  });
}

TEST_CASE("a trajectory keeps to a contact whose gap moves with a relay that slides") {
  // On s = 0 the relay is 0.6 cos t, and the gap rests where v = −0.3 cos t.
  const std::string text =
      "[states]\nx = 0.0\nv = 0.0\ns = 1.0\n[time]\nend = 4.0\n[derivatives]\nx = \"v + 0.5*sgn(s)\"\n"
      "v = \"-9.8\"\ns = \"-sgn(s) + 0.6*cos(t)\"\n[[contacts]]\nname = \"floor\"\ngap = \"x\"\n"
      "acts_on = { v = \"1\" }\nrestitution = 0.0\n";
  const Finished finished = test::run(text, Method::dopri5, 1e-4);
  REQUIRE(finished.solution.outcome.succeeded());
  for (const double t : {2.1, 2.5, 3.0, 3.7}) {
    CAPTURE(t);
    CHECK(std::abs(finished.solution.trajectory(t)(1) + 0.3 * std::cos(t)) <= 1e-12);
  }
}
