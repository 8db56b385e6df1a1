// Delayed actions in systems whose events are followed where they are.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "slideway/io/model_file.hpp"
#include "test/local/local_runs.hpp"

using namespace slideway;
using namespace test;

namespace {

// Integrators that relays turn back a delay τᵢ after they have passed zero, coupled to their neighbours or not.
ModelInstance integrators(const std::string& coupling) {
  return parse_model(
             "name = \"integrators\"\n[parameters]\nN = 30\n[states]\nx = { size = \"N\", value = \"0.5 + "
             "0.4*sin(2.7*i)\" "
             "}\n[discrete]\nu = { size = \"N\", value = \"-1\" }\n[time]\nend = 9\n[derivatives]\n"
             "x = { value = \"u[i]" +
                 coupling +
                 "\", ends = \"periodic\" }\n"
                 "[[resets]]\nname = \"up\"\nsize = \"N\"\nwhen = \"x[i]\"\ndirection = \"falling\"\n"
                 "delay = \"0.5 + 0.3*sin(5*i)\"\nset = { \"u[i]\" = \"1\" }\n"
                 "[[resets]]\nname = \"down\"\nsize = \"N\"\nwhen = \"x[i]\"\ndirection = \"rising\"\n"
                 "delay = \"0.5 + 0.3*sin(5*i)\"\nvalues = \"execution\"\nset = { \"u[i]\" = \"-abs(u[i])\" "
                 "}\n",
             "test.toml")
      .instantiate({});
}

using TimesByKind = std::map<std::pair<std::string, EventKind>, std::vector<double>>;

TimesByKind times_by_kind(const Solution& solution, TimesByKind times = {}) {
  for (const EventRecord& event : solution.events)
    times[{event.name.value_or(""), event.kind}].push_back(event.t);
  return times;
}

void check_same(const TimesByKind& mine, const TimesByKind& theirs, double most) {
  REQUIRE(mine.size() == theirs.size());
  for (const auto& [name, times] : theirs) {
    CAPTURE(name.first);
    const auto found = mine.find(name);
    REQUIRE(found != mine.end());
    REQUIRE(found->second.size() == times.size());
    for (std::size_t k = 0; k < times.size(); ++k) CHECK(std::abs(found->second[k] - times[k]) <= most);
  }
}

}  // namespace

TEST_CASE("delayed actions are followed locally at the times of their closed form") {
  const ModelInstance model = integrators("");
  TimesByKind exact;
  for (int i = 1; i <= 30; ++i) {
    const double delay = 0.5 + 0.3 * std::sin(5.0 * i);
    double t = 0.5 + 0.4 * std::sin(2.7 * i);
    for (bool falls = true; t <= 9; falls = !falls, t += 2 * delay) {
      const std::string name = (falls ? "up" : "down") + std::to_string(i);
      exact[{name, EventKind::record}].push_back(t);
      if (t + delay <= 9) exact[{name, EventKind::reset}].push_back(t + delay);
    }
  }
  for (const double rtol : {1e-4, 1e-8}) {
    const Solution solution = run_model(model, rtol, LocalEvents::on, Recording::nothing);
    CHECK(solution.outcome.reached_end());
    CHECK(solution.warnings.empty());
    check_same(times_by_kind(solution), exact, 1e-9);
  }
}

TEST_CASE("delayed actions of coupled integrators are those of the run that stops all states") {
  const ModelInstance model = integrators(" + 0.1*(x[i-1] - 2*x[i] + x[i+1])");
  for (const double rtol : {1e-5, 1e-8}) {
    const Solution local = run_model(model, rtol, LocalEvents::on, Recording::nothing);
    const Solution global = run_model(model, rtol, LocalEvents::off, Recording::nothing);
    CHECK(local.warnings.empty());
    CHECK(local.events.size() > 200);
    check_same(times_by_kind(local), times_by_kind(global), 100 * rtol);
    CHECK((local.final.state - global.final.state).lpNorm<Eigen::Infinity>() <= 100 * rtol);
    CHECK(local.pending.size() == global.pending.size());
  }
}

TEST_CASE("actions that are on their way where a run ends are followed locally by the next one") {
  const ModelInstance model = integrators(" + 0.1*(x[i-1] - 2*x[i] + x[i+1])");
  const Solution whole = run_model(model, 1e-9, LocalEvents::off, Recording::nothing);
  const Solution first = run_model(model, 1e-9, LocalEvents::on,
                                   {.start = 0, .end = 4.3, .state = model.state}, Recording::nothing);
  REQUIRE(first.pending.size() > 5);
  const Solution second = run_model(model, 1e-9, LocalEvents::on,
                                    {.start = 4.3,
                                     .end = model.end,
                                     .state = first.final.state,
                                     .mode = first.final.mode,
                                     .pending = first.pending},
                                    Recording::nothing);
  CHECK(second.warnings.empty());
  check_same(times_by_kind(second, times_by_kind(first)), times_by_kind(whole), 1e-6);
}
