// The audit of runs as the command shows it: the option, the summary, documents, the table of a sweep, the exit status.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "test/cli/program.hpp"
#include "test/cli/table.hpp"

using slideway::test::contains;
using slideway::test::Finished;
using slideway::test::in_words;
using slideway::test::Table;
using slideway::test::Workplace;
using Json = nlohmann::json;

namespace {

constexpr const char* sampled = R"toml(
[parameters]
k = 0.8
[states]
x = 1.0
v = 0.0
[discrete]
u = 0.0
[time]
end = 5.0
[derivatives]
x = "v"
v = "u - x - 0.2*sgn(v)"
[[every]]
name = "control"
period = 0.5
set = { u = "-k*x" }
)toml";

}  // namespace

TEST_CASE("a run of a model file says that it passes its audit") {
  const Workplace place;
  place.write("m.toml", sampled);
  const Finished shown = place.slideway({"run", "m.toml"});
  CHECK(shown.status == 0);
  CHECK(contains(in_words(shown.out), "\naudit passed (largest defect "));
  const Finished off = place.slideway({"run", "m.toml", "--audit", "off"});
  CHECK(off.status == 0);
  CHECK(!contains(in_words(off.out), "\naudit "));
  const Finished wrong = place.slideway({"run", "m.toml", "--audit", "all"});
  CHECK(wrong.status == 2);
  CHECK(contains(wrong.err, "one of off, quick, full"));
}

TEST_CASE("the document of a run has its audit, and the full one has more points") {
  const Workplace place;
  place.write("m.toml", sampled);
  const auto audit_of = [&](const std::string& level) {
    const Finished finished = place.slideway({"run", "m.toml", "--audit", level, "--json", "-"});
    CHECK(finished.status == 0);
    return Json::parse(finished.out);
  };
  const Json quick = audit_of("quick")["audit"];
  const Json full = audit_of("full")["audit"];
  CHECK(quick["verdict"] == "passed");
  CHECK(full["verdict"] == "passed");
  CHECK(full["failures"].empty());
  CHECK(full["worst"]["defect"].get<double>() < 1);
  CHECK(quick["points"].get<int>() >= 2);
  CHECK(full["points"].get<int>() > quick["points"].get<int>());
  CHECK(!audit_of("off").contains("audit"));
  // The catalogue is no file.
  const Json built_in = Json::parse(place.slideway({"run", "evaporator", "--json", "-"}).out);
  CHECK(!built_in.contains("audit"));
}

TEST_CASE("the audit does not change a run, and goes on from a checkpoint") {
  const Workplace place;
  place.write("m.toml", sampled);
  const auto csv = [&](const std::string& level) {
    return place.slideway({"run", "m.toml", "--audit", level, "--csv", "-"}).out;
  };
  CHECK(csv("full") == csv("off"));
  const Finished whole =
      place.slideway({"run", "m.toml", "--checkpoint", "m.ck", "--every", "5steps", "--audit", "full"});
  CHECK(whole.status == 0);
  CHECK(contains(in_words(whole.out), "\naudit passed"));
  const Finished rest = place.slideway({"run", "--from", "m.ck"});
  CHECK(rest.status == 0);
  CHECK(contains(in_words(rest.out), "\naudit passed"));
}

TEST_CASE("a sweep of a model file has a column of audits") {
  const Workplace place;
  place.write("m.toml", sampled);
  const Table table(place.slideway({"sweep", "m.toml", "--vary", "k=0.1:0.9:3"}).out);
  REQUIRE(table.has("audit"));
  for (std::size_t row = 0; row < 3; ++row) CHECK(table.cell(row, "audit") == "passed");
  const Table off(place.slideway({"sweep", "m.toml", "--vary", "k=0.1:0.9:3", "--audit", "off"}).out);
  CHECK(!off.has("audit"));
  const Table built_in(place.slideway({"sweep", "dry-friction", "--vary", "mu=0.1:0.7:2"}).out);
  CHECK(!built_in.has("audit"));
}
