#include "slideway/io/csv.hpp"

#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "test/io/sample_run.hpp"

using namespace slideway;

namespace {

std::vector<std::string> written(const Solution& solution, const CsvOptions& options = {}) {
  const ModelInstance instance = test::block_instance();
  std::ostringstream out;
  write_csv({.model = "block", .instance = instance, .solution = solution}, out, options);
  std::vector<std::string> lines;
  std::istringstream in(out.str());
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("a trajectory has a row per step, one per event and two where the state jumps") {
  CHECK(written(test::block_solution()) == Lines{
                                               "t,x,v,mode,location",
                                               "0,1,-0.3333333333333333,-,",
                                               "0.5,0.8333333333333334,-0.3333333333333333,-,",
                                               "1,0.6666666666666666,0,0,",
                                               "2,0.6666666666666666,0,0,",
                                               "2,0,1,+,",
                                               "4,2,1,+,",
                                           });
}

TEST_CASE("equally spaced output keeps the events") {
  const Lines lines = written(test::block_solution(), {.points = 4, .start = 0, .end = 4});
  REQUIRE(lines.size() == 8);
  CHECK(lines[1] == "0,1,-0.3333333333333333,-,");
  CHECK(lines[2] == "1,0.6666666666666666,0,0,");
  CHECK(lines[3].substr(0, 7) == "1.33333");
  CHECK(lines[4] == "2,0.6666666666666666,0,0,");
  CHECK(lines[5] == "2,0,1,+,");
  CHECK(lines[6].substr(0, 7) == "2.66666");
  CHECK(lines[7] == "4,2,1,+,");
}

TEST_CASE("equally spaced output of a run that stopped early ends where the run did") {
  const Lines lines = written(test::block_solution(), {.points = 3, .start = 0, .end = 10});
  REQUIRE(lines.size() == 6);
  CHECK(lines[1].substr(0, 2) == "0,");
  CHECK(lines.back() == "4,2,1,+,");
}

TEST_CASE("a mode in which the run stops is the last one known") {
  Solution solution = test::block_solution();
  Trajectory trajectory(2, {});
  Matrix coefficients(2, 1);
  coefficients << 1, 0;
  trajectory.begin_segment(0, Mode("0"));
  trajectory.add_step(0, 1, 0, 1, coefficients);
  solution.trajectory = trajectory;
  solution.events.resize(1);
  solution.events[0].kind = EventKind::two_fold;
  solution.events[0].from = Mode("0");
  solution.events[0].to.reset();
  const Lines lines = written(solution);
  REQUIRE(lines.size() == 3);
  CHECK(lines[2] == "1,0.6666666666666666,0,0,");
}

TEST_CASE("a name with a comma or a quote is quoted") {
  SystemDefinition definition;
  definition.states = 2;
  definition.state_names = {"x,y", "a \"b\""};
  definition.field = [](double, ConstVectorRef, ConstVectorRef, VectorRef dx) { dx.setZero(); };
  const ModelInstance instance{
      .system = System(definition), .parameters = {}, .start = 0, .end = 0, .state = Vector::Zero(2)};
  Solution solution;
  solution.trajectory = Trajectory(2, {});
  solution.trajectory.begin_segment(0, Mode());
  solution.trajectory.add_point(0, Vector::Zero(2));
  std::ostringstream out;
  write_csv({.model = "names", .instance = instance, .solution = solution}, out);
  CHECK(out.str() == "t,\"x,y\",\"a \"\"b\"\"\",mode,location\n0,0,0,,\n");
}
