// Basins of attraction whose boundaries, attractors and parts are known.
#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include "slideway/basins/basins.hpp"
#include "slideway/io/model_file.hpp"
#include "slideway/simulate/simulator.hpp"
#include "test/temporary_folder.hpp"

using namespace slideway;
using slideway::test::TemporaryFolder;

namespace {

Model model_of(const std::string& derivatives, const std::string& rest = "",
               const std::string& states = "x = 0.1\ny = 0.1\n") {
  return parse_model(
      "name = \"test\"\n[states]\n" + states + "[time]\nend = 20.0\n[derivatives]\n" + derivatives + rest,
      "test.toml");
}

// x' = x − x³, y' = −y: the basins of (±1, 0) meet on x = 0.
Model two_wells() { return model_of("x = \"x - x^3\"\ny = \"-y\"\n"); }

BasinDesign square(double half, Index cells, double shift = 0) {
  return {.across = {.name = "x", .low = -half + shift, .high = half + shift, .cells = cells},
          .up = {.name = "y", .low = -half, .high = half, .cells = cells}};
}

const BasinEnd& end_at(const Basins& basins, Index i, Index j) {
  const int colour = basins.plane.colours[static_cast<std::size_t>(j * basins.plane.across + i)];
  REQUIRE(colour >= 0);
  return basins.ends[static_cast<std::size_t>(colour)];
}

const BasinAttractor* attractor_at(const Basins& basins, Index i, Index j) {
  const BasinEnd& end = end_at(basins, i, j);
  return end.attractor ? &basins.attractors[static_cast<std::size_t>(*end.attractor)] : nullptr;
}

const BasinEnd* end_named(const Basins& basins, const std::string& name) {
  for (const BasinEnd& end : basins.ends)
    if (end.name == name) return &end;
  return nullptr;
}

// The parts told by cells and by samples agree within four standard errors.
void check_parts(const Basins& basins) {
  for (const BasinEnd& end : basins.ends) {
    CAPTURE(end.name);
    CHECK(std::abs(end.fraction - end.sampled) <= 4 * end.error + 0.01);
  }
}

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("two wells have half of the plane each, and a straight boundary of dimension one") {
  const Basins basins = find_basins(two_wells(), square(2, 64), {.samples = 400, .jobs = 2});
  CHECK(basins.complete);
  CHECK(basins.autonomous);
  REQUIRE(basins.attractors.size() == 2);
  for (const BasinAttractor& attractor : basins.attractors) {
    CHECK(attractor.kind == AttractorKind::point);
    CHECK(attractor.stable);
    CHECK(std::abs(std::abs(attractor.points.front()[0]) - 1) < 1e-3);
    CHECK(std::abs(attractor.points.front()[1]) < 1e-3);
  }
  for (Index j = 0; j < 64; ++j) {
    for (Index i = 0; i < 64; ++i) {
      const BasinAttractor* const attractor = attractor_at(basins, i, j);
      REQUIRE(attractor != nullptr);
      CHECK((attractor->points.front()[0] > 0) == (i >= 32));
    }
  }
  CHECK(basins.ends[0].fraction == 0.5);
  CHECK(basins.dimension.exponent == doctest::Approx(1).epsilon(0.02));
  CHECK(basins.uncertainty.exponent == doctest::Approx(1).epsilon(1e-9));
  check_parts(basins);
  CHECK(basins.compared == 400);
}

TEST_CASE("starts exactly on a boundary come to the saddle, which is told as not stable") {
  const Basins basins = find_basins(two_wells(), square(2, 33), {.samples = 0});
  for (Index j = 0; j < 33; ++j) {
    const BasinAttractor* const attractor = attractor_at(basins, 16, j);
    REQUIRE(attractor != nullptr);
    CHECK(!attractor->stable);
    CHECK(attractor->kind == AttractorKind::point);
    CHECK(std::abs(attractor->points.front()[0]) < 1e-9);
  }
  CHECK(attractor_at(basins, 15, 3)->points.front()[0] < 0);
  CHECK(attractor_at(basins, 17, 3)->points.front()[0] > 0);
}

TEST_CASE("a repelling surface is the boundary, and starts on it end as ambiguous") {
  // x − y goes to ±1 and y to 0: the basins of (±1, 0) meet on x = y.
  const Model model = model_of("x = \"-x + sgn(x - y)\"\ny = \"-y\"\n");
  const Basins basins = find_basins(model, square(2, 64), {.samples = 200});
  for (Index j = 0; j < 64; ++j) {
    for (Index i = 0; i < 64; ++i) {
      if (i == j) {
        CHECK(end_at(basins, i, j).name == "ambiguous");
      } else {
        const BasinAttractor* const attractor = attractor_at(basins, i, j);
        REQUIRE(attractor != nullptr);
        CHECK(attractor->points.front()[0] == doctest::Approx(i > j ? 1 : -1).epsilon(1e-3));
      }
    }
  }
  REQUIRE(end_named(basins, "ambiguous") != nullptr);
  CHECK(end_named(basins, "ambiguous")->cells == 64);
  CHECK(!end_named(basins, "ambiguous")->message.empty());
  CHECK(basins.dimension.exponent == doctest::Approx(1).epsilon(0.05));
}

TEST_CASE("sliding attractors of a relay are points with their mode") {
  const Model model = model_of("x = \"-sgn(x)\"\ny = \"y - y^3\"\n");
  const Basins basins = find_basins(model, square(1.5, 32), {.samples = 100});
  REQUIRE(basins.attractors.size() == 2);
  for (const BasinAttractor& attractor : basins.attractors) {
    CHECK(attractor.kind == AttractorKind::point);
    CHECK(attractor.mode == "0");
    CHECK(attractor.points.front()[0] == 0);
    CHECK(std::abs(attractor.points.front()[1]) == doctest::Approx(1).epsilon(1e-3));
  }
  for (Index i = 0; i < 32; ++i) CHECK(attractor_at(basins, i, 20)->points.front()[1] > 0);
}

TEST_CASE("the points where a block may stick are one set") {
  const Model model = model_of("x = \"y\"\ny = \"-x - 0.5*sgn(y)\"\n");
  const Basins basins = find_basins(model, square(3, 40), {.samples = 200});
  REQUIRE(basins.attractors.size() == 1);
  const BasinAttractor& stuck = basins.attractors.front();
  CHECK(stuck.kind == AttractorKind::set);
  CHECK(stuck.mode == "0");
  CHECK(basins.ends.front().fraction == 1);
  double low = 0, high = 0;
  for (const Vector& point : stuck.points) {
    CHECK(std::abs(point[1]) < 1e-9);
    low = std::min(low, point[0]);
    high = std::max(high, point[0]);
  }
  CHECK(low >= -0.5 - 1e-6);
  CHECK(high <= 0.5 + 1e-6);
  CHECK(high - low > 0.8);
}

TEST_CASE("a closed orbit is found with its period, beside the point inside of an unstable one") {
  // r' = r(r² − 1/4)(1 − r²), θ' = 2: the basin of the origin is the disc r < 1/2, that of the orbit r = 1 the rest.
  const std::string radial = "((x^2 + y^2) - 0.25)*(1 - (x^2 + y^2))";
  const Model model = model_of("x = \"x*" + radial + " - 2*y\"\ny = \"y*" + radial + " + 2*x\"\n");
  const Basins basins = find_basins(model, square(1.5, 60), {.samples = 1000});
  REQUIRE(basins.attractors.size() == 2);
  for (Index j = 0; j < 60; ++j) {
    for (Index i = 0; i < 60; ++i) {
      const double x = -1.5 + 0.05 * (static_cast<double>(i) + 0.5),
                   y = -1.5 + 0.05 * (static_cast<double>(j) + 0.5);
      const BasinAttractor* const attractor = attractor_at(basins, i, j);
      REQUIRE(attractor != nullptr);
      CHECK((attractor->kind == AttractorKind::point) == (x * x + y * y < 0.25));
    }
  }
  for (const BasinAttractor& attractor : basins.attractors) {
    if (attractor.kind == AttractorKind::point) continue;
    CHECK(attractor.kind == AttractorKind::orbit);
    CHECK(attractor.matched);
    CHECK(attractor.period == doctest::Approx(3.141592653589793).epsilon(1e-7));
    // exp(−T·d(r')/dr) at r = 1: d/dr = −2(1 − 1/4).
    CHECK(attractor.multiplier == doctest::Approx(std::exp(-1.5 * 3.141592653589793)).epsilon(1e-4));
  }
  const double disc = 3.141592653589793 * 0.25 / 9;
  for (const BasinEnd& end : basins.ends) {
    const bool is_point =
        basins.attractors[static_cast<std::size_t>(*end.attractor)].kind == AttractorKind::point;
    CHECK(std::abs(end.sampled - (is_point ? disc : 1 - disc)) <= 4 * end.error);
  }
}

TEST_CASE(
    "orbits of a driven oscillator with two wells are matched, and each cell ends as brute force does") {
  const Model model = model_of("x = \"y\"\ny = \"-0.25*y + x - x^3 + 0.1*cos(t)\"\n");
  const double period = 6.283185307179586;
  const Basins basins =
      find_basins(model, square(1.6, 24), {.run = {.rtol = 1e-8}, .step = period, .samples = 100});
  CHECK(!basins.autonomous);
  REQUIRE(basins.attractors.size() >= 2);
  for (const BasinAttractor& attractor : basins.attractors) {
    CAPTURE(attractor.message);
    CHECK(attractor.matched);
    CHECK(attractor.stable);
    CHECK(attractor.multiplier < 1);
    CHECK(attractor.period == doctest::Approx(static_cast<double>(attractor.rounds) * period));
  }
  const ModelInstance instance = model.instantiate({});
  const Simulator simulator(instance.problem(), {.rtol = 1e-8, .recording = Recording::nothing});
  for (Index j = 0; j < 24; ++j) {
    for (Index i = 0; i < 24; ++i) {
      const BasinAttractor* const attractor = attractor_at(basins, i, j);
      REQUIRE(attractor != nullptr);
      const double h = 3.2 / 24;
      const Solution solution =
          simulator.run({.start = 0,
                         .end = 200 * period,
                         .state = Eigen::Vector2d{-1.6 + h * (static_cast<double>(i) + 0.5),
                                                  -1.6 + h * (static_cast<double>(j) + 0.5)}});
      double least = 1;
      for (const Vector& point : attractor->points)
        least = std::min(least, (point - solution.final.state).lpNorm<Eigen::Infinity>());
      CHECK(least < 1e-4);
    }
  }
}

TEST_CASE("starts that leave, stop and are refused have ends of their own") {
  const Model leaving = model_of("x = \"x\"\ny = \"-y\"\n");
  const Basins gone = find_basins(leaving, square(1, 8), {.samples = 10});
  CHECK(end_named(gone, "left")->fraction == 1);
  const Model bursting = model_of("x = \"x^3\"\ny = \"-y\"\n");
  CHECK(end_named(find_basins(bursting, square(1, 8), {.samples = 0}), "left")->cells == 64);
  const Model stopped = model_of("x = \"y\"\ny = \"0\"\n",
                                 "[[stops]]\nname = \"right\"\nwhen = \"x - 2\"\n"
                                 "[[stops]]\nname = \"left\"\nwhen = \"x + 2\"\n");
  const Basins stops = find_basins(stopped, square(1, 8), {.samples = 0});
  REQUIRE(end_named(stops, "stop: right") != nullptr);
  CHECK(end_named(stops, "stop: right")->fraction == 0.5);
  CHECK(end_named(stops, "stop: left")->fraction == 0.5);
  const Model wall = model_of(
      "x = \"y\"\ny = \"-x - y\"\n",
      "[[contacts]]\nname = \"wall\"\ngap = \"x + 0.5\"\nacts_on = { y = \"1\" }\nrestitution = 0.5\n");
  const Basins walled = find_basins(wall, square(1, 8), {.samples = 0});
  REQUIRE(end_named(walled, "refused") != nullptr);
  CHECK(end_named(walled, "refused")->cells == 16);
  CHECK(!end_named(walled, "refused")->message.empty());
}

TEST_CASE("a plane of one cell, and of one row, is followed too") {
  const Basins one = find_basins(two_wells(), square(2, 1, 0.5), {.samples = 0});
  REQUIRE(one.plane.colours.size() == 1);
  CHECK(one.ends[0].fraction == 1);
  CHECK(std::isnan(one.dimension.exponent));
  BasinDesign row = square(2, 16);
  row.up.cells = 1;
  const Basins line = find_basins(two_wells(), row, {.samples = 0});
  CHECK(line.ends[0].cells == 8);
  CHECK(line.complete);
}

TEST_CASE("a third state is followed from its start value, and cells are those of all states") {
  const Model model =
      model_of("x = \"x - x^3 + z\"\ny = \"-y\"\nz = \"-z\"\n", "", "x = 0.1\ny = 0.1\nz = 0.0\n");
  const Basins basins = find_basins(model, square(2, 24), {.samples = 100});
  REQUIRE(basins.attractors.size() == 2);
  for (Index i = 0; i < 24; ++i) CHECK((attractor_at(basins, i, 5)->points.front()[0] > 0) == (i >= 12));
}

TEST_CASE("an attractor with orbits that repel within it is chaotic, by its exponent") {
  const Model chua = read_model_file(std::string(SLIDEWAY_SOURCE_DIR) + "/models/gallery/chua.toml");
  const Basins basins = find_basins(chua,
                                    {.across = {.name = "x", .low = -3, .high = 3, .cells = 12},
                                     .up = {.name = "y", .low = -1, .high = 1, .cells = 12}},
                                    {.samples = 0});
  REQUIRE(basins.attractors.size() == 1);
  CHECK(basins.attractors.front().kind == AttractorKind::chaotic);
  CHECK(!basins.attractors.front().matched);
  CHECK(basins.attractors.front().exponent > 4 * basins.attractors.front().exponent_error);
  REQUIRE(end_named(basins, "left") != nullptr);
  CHECK(end_named(basins, "left")->cells > 20);
}

TEST_CASE("an angle is the same after its period") {
  // θ' = ω, ω' = −0.5ω − sin θ: all starts come to rest at a multiple of 2π.
  const Model model = model_of("x = \"y\"\ny = \"-0.5*y - sin(x)\"\n");
  const double turn = 6.283185307179586;
  BasinDesign design{.across = {.name = "x", .low = -turn / 2, .high = turn / 2, .cells = 32},
                     .up = {.name = "y", .low = -6, .high = 6, .cells = 32}};
  const Basins one = find_basins(model, design, {.samples = 100, .wrap = {{"x", turn}}});
  CHECK(one.attractors.size() == 1);
  const Basins several = find_basins(model, design, {.samples = 100});
  CHECK(several.attractors.size() == 5);
  for (const BasinAttractor& attractor : several.attractors)
    CHECK(std::abs(std::remainder(attractor.points.front()[0], turn)) < 1e-2);
}

TEST_CASE("the ends do not depend on the number of threads") {
  const Model model = model_of("x = \"y\"\ny = \"-0.25*y + x - x^3 + 0.3*cos(t)\"\n");
  const auto made = [&](Index jobs) {
    return find_basins(model, square(1.6, 40), {.step = 6.283185307179586, .samples = 100, .jobs = jobs});
  };
  const Basins one = made(1), three = made(3);
  CHECK(one.plane.colours == three.plane.colours);
  CHECK(one.steps == three.steps);
  REQUIRE(one.attractors.size() == three.attractors.size());
}

TEST_CASE("shortcuts through coloured regions change no cell of smooth basins") {
  const Model model = model_of("x = \"y\"\ny = \"-0.2*y + x - x^3\"\n");
  const Basins quick = find_basins(model, square(2, 64), {.samples = 0});
  const Basins thorough = find_basins(model, square(2, 64), {.thorough = true, .samples = 0});
  CHECK(quick.plane.colours == thorough.plane.colours);
  Index quick_steps = 0, thorough_steps = 0;
  for (std::size_t k = 0; k < quick.steps.size(); ++k) {
    quick_steps += quick.steps[k];
    thorough_steps += thorough.steps[k];
  }
  CHECK(2 * quick_steps < thorough_steps);
}

TEST_CASE(
    "equations that depend on time are seen to, also where the diagonal of the plane is a surface that "
    "repels") {
  const Model model = model_of("x = \"-x + sgn(x - y)\"\ny = \"cos(t) - y\"\n");
  CHECK_THROWS_WITH_AS(find_basins(model, square(2, 16)), doctest::Contains("the equations depend on time"),
                       std::invalid_argument);
}

TEST_CASE("interrupted basins go on from their table to the same ends") {
  const TemporaryFolder folder;
  const std::string whole = folder / "whole.csv", parts = folder / "parts.csv";
  BasinOptions options{.samples = 60, .jobs = 2, .table = whole};
  const Basins basins = find_basins(two_wells(), square(2, 40), options);
  CHECK(basins.complete);
  std::istringstream lines(text_of(whole));
  std::ofstream cut(parts, std::ios::binary);
  std::string line;
  for (int k = 0; std::getline(lines, line); ++k)
    if (k % 3 != 1) cut << line << '\n';
  cut << "17,ce";  // a row that was cut off
  cut.close();
  options.table = parts;
  options.resume = true;
  const Basins resumed = find_basins(two_wells(), square(2, 40), options);
  CHECK(resumed.complete);
  CHECK(resumed.taken_over > 900);
  CHECK(resumed.plane.colours == basins.plane.colours);
  CHECK(text_of(parts) == text_of(whole));

  std::atomic<bool> cancel = true;
  options.cancel = &cancel;
  const Basins none = find_basins(two_wells(), square(2, 40), options);
  CHECK(!none.complete);

  options.cancel = nullptr;
  CHECK_THROWS_WITH_AS(find_basins(two_wells(), square(2, 41), options),
                       doctest::Contains("does not belong to these basins"), std::invalid_argument);
}

TEST_CASE("what makes no sense is refused with one message") {
  const auto refused = [](const Model& model, const BasinDesign& design, const BasinOptions& options,
                          const char* part) {
    CHECK_THROWS_WITH_AS(find_basins(model, design, options), doctest::Contains(part), std::invalid_argument);
  };
  BasinDesign design = square(1, 8);
  design.up.name = "x";
  refused(two_wells(), design, {}, "the plane needs two states");
  design.up.name = "Y";
  refused(two_wells(), design, {}, "one of the states x, y");
  design = square(1, 8);
  design.up.high = design.up.low;
  refused(two_wells(), design, {}, "the plane has no width");
  refused(two_wells(), square(1, 0), {}, "the plane has no cells");
  refused(two_wells(), square(1, 20000), {}, "too many cells");
  refused(two_wells(), square(1, 8), {.step = -1.0}, "BasinOptions::step");
  refused(two_wells(), square(1, 8), {.most_steps = 0}, "BasinOptions::most_steps");
  refused(two_wells(), square(1, 8), {.samples = -1}, "BasinOptions::samples");
  refused(two_wells(), square(1, 8), {.resume = true}, "nothing to resume");
  refused(two_wells(), square(1, 8), {.wrap = {{"x", 0.0}}}, "the period of an angle");
  const Model driven = model_of("x = \"y\"\ny = \"-x - y + cos(2*t)\"\n");
  refused(driven, square(1, 8), {}, "the equations depend on time");
  refused(driven, square(1, 8), {.step = 3.0}, "do not repeat themselves");
}
