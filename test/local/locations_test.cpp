// Systems with locations whose events are followed where they are: an edge is an event of all states.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "slideway/io/model_file.hpp"
#include "test/local/local_runs.hpp"

using namespace slideway;
using namespace test;

namespace {

// Rooms with a thermostat each, which lose more in the location `night`; `edges` lead between the two.
ModelInstance rooms(const std::string& edges, const std::string& at_night = "0.14") {
  const auto loss = [](const std::string& by) {
    return "T = { value = \"(2 + 0.3*sin(2.3*i))*h[i] - (" + by +
           " + 0.02*sin(i))*(T[i] - 10) + 0.02*(T[i-1] - 2*T[i] + T[i+1])\", ends = \"periodic\" }\n";
  };
  return parse_model(
             "initial = \"day\"\n[parameters]\nN = 40\n[states]\nT = { size = \"N\", value = \"20 + "
             "0.9*sin(1.7*i)\" }\n[discrete]\nh = { size = \"N\", value = \"1\" }\n[time]\nend = 12\n"
             "[derivatives]\n" +
                 loss("0.1") +
                 "[[resets]]\nname = \"hot\"\nsize = \"N\"\nwhen = \"T[i] > 21\"\nset = { \"h[i]\" = \"0\" "
                 "}\n"
                 "[[resets]]\nname = \"cold\"\nsize = \"N\"\nwhen = \"T[i] < 19\"\nset = { \"h[i]\" = \"1\" "
                 "}\n"
                 "[[locations]]\nname = \"day\"\n[[locations]]\nname = \"night\"\n[locations.derivatives]\n" +
                 loss(at_night) + edges,
             "test.toml")
      .instantiate({});
}

std::string edge(const std::string& from, const std::string& to, const std::string& more) {
  return "[[edges]]\nname = \"to " + to + "\"\nfrom = \"" + from + "\"\nto = \"" + to + "\"\n" + more;
}

void check_same(const ModelInstance& model, double rtol, double most, std::size_t least_transitions) {
  CAPTURE(rtol);
  const Solution local = run_model(model, rtol, LocalEvents::on);
  const Solution global = run_model(model, rtol, LocalEvents::off);
  CHECK(local.warnings == global.warnings);
  CHECK(local.outcome.reached_end());
  REQUIRE(local.events.size() == global.events.size());
  std::size_t transitions = 0;
  for (std::size_t k = 0; k < local.events.size(); ++k) {
    const EventRecord &mine = local.events[k], &theirs = global.events[k];
    CHECK(mine.name == theirs.name);
    CHECK(mine.kind == theirs.kind);
    CHECK(mine.from_location == theirs.from_location);
    CHECK(mine.to_location == theirs.to_location);
    CHECK(std::abs(mine.t - theirs.t) <= most);
    if (mine.kind == EventKind::transition) ++transitions;
  }
  CHECK(transitions >= least_transitions);
  CHECK(local.final.location == global.final.location);
  CHECK((local.final.state - global.final.state).lpNorm<Eigen::Infinity>() <= most);
  for (const double t : {0.3, 2.7, 6.1, 11.9}) {
    CHECK(local.trajectory.location(t) == global.trajectory.location(t));
    CHECK((local.trajectory(t) - global.trajectory(t)).lpNorm<Eigen::Infinity>() <= most);
  }
}

}  // namespace

TEST_CASE("a system whose location a mean decides is followed locally in each of its locations") {
  const ModelInstance model = rooms(edge("day", "night", "when = \"sum(T)/N > 19.97\"\n") +
                                    edge("night", "day", "when = \"sum(T)/N < 19.9\"\n"));
  check_same(model, 1e-9, 1e-5, 2);
}

TEST_CASE("delayed edges of a system that is followed locally act at their times") {
  const ModelInstance model = rooms(edge("day", "night", "when = \"t - 1\"\ndelay = \"1.7\"\n") +
                                    edge("night", "day", "when = \"sum(T)/N < 19.8\"\ndelay = \"0.4\"\n"));
  check_same(model, 1e-9, 1e-5, 2);
}

TEST_CASE("a system that slides between two locations has the events of a run that stops all states") {
  const ModelInstance model =
      rooms(edge("day", "night", "when = \"sum(T) - 19.9*N\"\ndirection = \"rising\"\n") +
                edge("night", "day", "when = \"sum(T) - 19.9*N\"\ndirection = \"falling\"\n"),
            "0.5");
  check_same(model, 1e-9, 1e-5, 0);
  const Solution solution = run_model(model, 1e-9, LocalEvents::on);
  CHECK(solution.events.size() > 30);
  CHECK(std::any_of(solution.events.begin(), solution.events.end(), [](const EventRecord& event) {
    return event.to_location == "day|night" && event.kind == EventKind::reset;
  }));
}
