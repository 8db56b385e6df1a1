// The end of a run is no event by itself.
#include <doctest/doctest.h>

#include <string>

#include "test/simulate/model_text.hpp"

using namespace slideway;
using test::Finished;
using test::for_all_methods;

TEST_CASE("a component that is small beside a poor tolerance does not vanish because the run ends") {
  // The surface is slid on with w- = 0.008 and w+ = −0.002; w- would vanish 80 units of time later.
  const std::string slides =
      "[states]\nx = 0\nz = 100.004\n[time]\nend = 10\n[derivatives]\nx = \"z - 100 - 0.005*sgn(x)\"\n"
      "z = \"-1000*(z - 100.003 - 1e-4*(10 - t))\"\n";
  for (const Method method : {Method::bdf, Method::rodas}) {
    CAPTURE(std::string(to_string(method)));
    for (const double rtol : {1e-4, 1e-6}) {
      CAPTURE(rtol);
      const Finished finished = test::run(slides, method, rtol);
      CHECK(finished.solution.outcome.reached_end());
      CHECK(finished.solution.events.empty());
      CHECK(finished.solution.final.mode.word() == "0");
    }
  }
  // An event and a contact that would come as late.
  for_all_methods(
      "[states]\nz = 100\n[time]\nend = 10\n[derivatives]\nz = \"-1e-4\"\n[[stops]]\nwhen = \"z - 99.995\"\n"
      "direction = \"falling\"\n",
      {1e-4}, [](const Finished& finished, double) { CHECK(finished.solution.outcome.reached_end()); });
  for_all_methods(
      "[states]\nz = 100\nv = -1e-4\n[time]\nend = 10\n[derivatives]\nz = \"v\"\nv = \"0\"\n"
      "[[contacts]]\nname = \"floor\"\ngap = \"z - 99.995\"\nacts_on = { v = \"1\" }\nrestitution = 0.5\n",
      {1e-4}, [](const Finished& finished, double) { CHECK(finished.solution.events.empty()); });
}

TEST_CASE("an event that errors put just after the end of the run belongs to it") {
  // A fall by 1 under g = 2 takes one unit of time.
  for_all_methods(
      "[states]\nz = 101\nv = 0\n[time]\nend = 1\n[derivatives]\nz = \"v\"\nv = \"-2\"\n"
      "[[contacts]]\nname = \"floor\"\ngap = \"z - 100\"\nacts_on = { v = \"1\" }\nrestitution = 0.5\n",
      [](const Finished& finished, double) { CHECK(finished.count(EventKind::impact) == 1); });
}
