// [[automata]] of model files: parts of a model with locations of their own.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "slideway/simulate/simulator.hpp"
#include "test/io/model_text.hpp"

using namespace slideway;
using namespace model_text;

namespace {

Solution run(const std::string& text, double rtol = 1e-9) {
  const ModelInstance model = instance(text);
  return Simulator(model.problem(), {.rtol = rtol})
      .run({.start = model.start, .end = model.end, .state = model.state});
}

// A machine of three locations whose edges set states, one of which leads on at once; written as `head` says.
std::string machine(const std::string& head, const std::string& table, const std::string& initial) {
  const std::string prefix = table.empty() ? "" : table + ".";
  return initial + "[states]\nx = 0\nn = 0\n[time]\nend = 20\n[derivatives]\nx = \"1\"\nn = \"0\"\n" + head +
         "[[" + prefix + "locations]]\nname = \"up\"\n" + "[[" + prefix + "locations]]\nname = \"down\"\n[" +
         prefix + "locations.derivatives]\nx = \"-1 - 0.1*x\"\n" + "[[" + prefix +
         "locations]]\nname = \"rest\"\n[" + prefix + "locations.derivatives]\nx = \"-0.5\"\nn = \"1\"\n" +
         "[[" + prefix +
         "edges]]\nname = \"top\"\nfrom = \"up\"\nto = \"down\"\nwhen = \"x > 2 and n < 3\"\n" + "[[" +
         prefix + "edges]]\nname = \"second\"\nfrom = \"up\"\nto = \"rest\"\nwhen = \"x > 2\"\n" + "[[" +
         prefix +
         "edges]]\nname = \"bottom\"\nfrom = \"down\"\nto = \"up\"\nwhen = \"x\"\ndirection = \"falling\"\n"
         "set = { x = \"x - 0.5\", n = \"n + 1\" }\n" +
         "[[" + prefix + "edges]]\nname = \"wake\"\nfrom = \"rest\"\nto = \"down\"\nwhen = \"x < 1\"\n";
}

const std::string rooms =
    "[parameters]\nN = 3\n[states]\nT = { size = \"N\", value = \"20 + i\" }\n[time]\nend = 1\n"
    "[derivatives]\nT = \"-T[i]\"\n[[automata]]\nname = \"heater\"\nsize = \"N\"\ninitial = \"on\"\n"
    "[[automata.locations]]\nname = \"on\"\n[automata.locations.derivatives]\nT = \"i\"\n"
    "[[automata.locations]]\nname = \"off\"\n"
    "[[automata.edges]]\nfrom = \"on\"\nto = \"off\"\nwhen = \"T[i] > 30\"\n"
    "[[automata.edges]]\nfrom = \"off\"\nto = \"on\"\nwhen = \"T[i] < 10\"\n";

std::string with(std::string text, const std::string& what, const std::string& instead) {
  const std::size_t place = text.find(what);
  REQUIRE(place != std::string::npos);
  return text.replace(place, what.size(), instead);
}

}  // namespace

TEST_CASE("an automaton goes through the locations that the same one of the whole model goes through") {
  const Solution one = run(machine("[[automata]]\nname = \"place\"\ninitial = \"up\"\n", "automata", ""));
  const Solution whole = run(machine("", "", "initial = \"up\"\n"));
  REQUIRE(whole.outcome.reached_end());
  REQUIRE(one.outcome.reached_end());
  std::vector<EventRecord> edges, transitions;
  for (const EventRecord& event : one.events)
    if (event.kind == EventKind::reset) edges.push_back(event);
  for (const EventRecord& event : whole.events)
    if (event.kind == EventKind::transition) transitions.push_back(event);
  // Where both edges out of `up` fire, the log has both, and the second changes nothing.
  std::vector<EventRecord> taken;
  for (const EventRecord& edge : edges)
    if (edge.before != edge.after) taken.push_back(edge);
  REQUIRE(taken.size() == transitions.size());
  REQUIRE(taken.size() >= 8);
  for (std::size_t k = 0; k < taken.size(); ++k) {
    CHECK(taken[k].name == transitions[k].name);
    CHECK(std::abs(taken[k].t - transitions[k].t) <= 1e-7);
  }
  CHECK((one.final.state.head(2) - whole.final.state).lpNorm<Eigen::Infinity>() <= 1e-7);
}

TEST_CASE("each of many automata goes its own way") {
  const ModelInstance model = instance(rooms, {{"heater2", 2}});
  CHECK(model.state == Vector{{21, 22, 23, 1, 2, 1}});
  const Vector dx = field(model.system, 0, model.state, Vector());
  CHECK(dx == Vector{{1, -22, 3, 0, 0, 0}});
  CHECK(model.system.events().size() == 6);
  CHECK(model.system.events()[1].name == "heater2: on -> off");
  CHECK(*model.system.events()[1].touches == std::vector<Index>{4});
}

TEST_CASE("an expression tells where automata begin") {
  const ModelInstance model = instance(with(rooms, "\"on\"", "\"1 + mod(i, 2)\""));
  CHECK(model.state.tail(3) == Vector{{2, 1, 2}});
  CHECK(report(with(rooms, "\"on\"", "\"i + 1\"")).find("does not exist") != std::string::npos);
}

TEST_CASE("an edge beyond its guard at the start is taken at once") {
  const Solution solution = run(with(rooms, "20 + i", "30 + i"));
  REQUIRE(solution.events.size() >= 3);
  for (std::size_t k = 0; k < 3; ++k) CHECK(solution.events[k].t == 0);
}

TEST_CASE("mistakes in automata are told at their places") {
  const auto told = [](const std::string& what, const std::string& instead) {
    return report(with(rooms, what, instead));
  };
  CHECK(told("initial = \"on\"", "initial = \"onn\"").find("did you mean 'on'?") != std::string::npos);
  CHECK(told("to = \"off\"", "to = \"of\"").find("is an unknown location") != std::string::npos);
  CHECK(told("when = \"T[i] > 30\"", "when = \"T[i] - 30\"").find("without a direction") !=
        std::string::npos);
  CHECK(told("[derivatives]\nT = \"-T[i]\"\n", "")
            .find("no derivative in some locations of automaton 'heater'") != std::string::npos);
  CHECK(told("derivatives]\nT = \"i\"", "derivatives]\nT2 = \"1\"")
            .find("all of the automata 'heater' would give") != std::string::npos);
  CHECK(told("when = \"T[i] < 10\"", "when = \"T[i] < 30\"").find("back and forth where one guard is zero") !=
        std::string::npos);
  CHECK(told("name = \"heater\"", "name = \"T\"").find("is given twice") != std::string::npos);
  CHECK(told("to = \"off\"\n", "to = \"off\"\nset = { \"heater[i]\" = \"1\" }\n").find("its own location") !=
        std::string::npos);
  CHECK(told("to = \"off\"\n", "to = \"off\"\ndelay = \"1\"\n").find("unknown key") != std::string::npos);
}
