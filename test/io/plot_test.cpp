#include "slideway/io/plot.hpp"

#include <cstdlib>
#include <string>

#include <doctest/doctest.h>

#include "test/gnuplot_here.hpp"
#include "test/io/sample_run.hpp"

using namespace slideway;

namespace {

// The size of the text is what doctest would print on a failure; a picture is large.
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string script_of(const Solution& solution, const std::string& model = "block") {
  const ModelInstance instance = test::block_instance();
  return plot_script({.model = model, .instance = instance, .solution = solution}, PictureFormat::svg);
}

}  // namespace

TEST_CASE("the ending of the name decides the format of the picture") {
  CHECK(picture_format("a.svg") == PictureFormat::svg);
  CHECK(picture_format("dir.png/a.pdf") == PictureFormat::pdf);
  CHECK(picture_format("a.b.png") == PictureFormat::png);
  CHECK(picture_format("-") == PictureFormat::svg);
  CHECK_THROWS_WITH_AS(picture_format("a.gif"), doctest::Contains(".svg, .png, .pdf, .tex or .gp"),
                       std::invalid_argument);
  CHECK_THROWS_AS(picture_format("svg"), std::invalid_argument);
}

TEST_CASE("a picture shows states, sliding intervals, events and the surface") {
  const std::string script = script_of(test::block_solution());
  CHECK(has(script, "$bands << EOD\n1 2\nEOD\n"));
  CHECK(has(script, "label 'sliding'"));
  CHECK(has(script, "label 'sliding starts'"));
  CHECK(has(script, "label 'jump, contact or switch'"));
  CHECK(has(script, "label 'stick = 0'"));
  CHECK_FALSE(has(script, "label 'crossing'"));
  CHECK(has(script, "set ylabel 'v'"));
}

TEST_CASE("names cannot break out of the script") {
  const std::string script = script_of(test::block_solution(), "a'; system('id')\n!ls `id` \"");
  CHECK(has(script, "'a''; system(''id'') !ls `id` \"'"));
}

TEST_CASE("a long name gives way to the legend") {
  const std::string script = script_of(test::block_solution(), std::string(500, 'n'));
  CHECK_FALSE(has(script, std::string(100, 'n')));
  CHECK(has(script, "nnn…'"));
}

TEST_CASE("a picture of a large system shows its first states") {
  SystemDefinition definition;
  definition.states = 300;
  definition.surfaces = 200;
  definition.field = [](double, ConstVectorRef, ConstVectorRef, VectorRef dx) { dx.setZero(); };
  definition.guards = [](double, ConstVectorRef, VectorRef h) { h.setOnes(); };
  const ModelInstance instance{
      .system = System(definition), .parameters = {}, .start = 0, .end = 1, .state = Vector::Zero(300)};
  Solution solution;
  solution.trajectory = Trajectory(300, {});
  solution.trajectory.begin_segment(0, Mode(200));
  solution.trajectory.add_step(0, 1, 0, 1, Matrix::Random(300, 2));
  solution.initial = {0, Mode(200), Vector::Zero(300)};
  solution.final = {1, Mode(200), Vector::Zero(300)};
  const std::string script =
      plot_script({.model = "large", .instance = instance, .solution = solution}, PictureFormat::svg);
  CHECK(has(script, "large (the first 6 of 300 states)"));
  CHECK(has(script, "set ylabel 'x6'"));
  CHECK_FALSE(has(script, "set ylabel 'x7'"));
  CHECK(script.size() < 200000);
}

TEST_CASE("gnuplot draws the picture without a complaint") {
  if (!test::gnuplot_is_here()) return;
  const ModelInstance instance = test::block_instance();
  const Solution solution = test::block_solution();
  const RunReport report{.model = "it's a `block`", .instance = instance, .solution = solution};
  const std::string svg = render(plot_script(report, PictureFormat::svg));
  CHECK(svg.substr(0, 5) == "<?xml");
  CHECK(has(svg, "</svg>"));
  CHECK(has(svg, "it's a `block`"));
  CHECK(render(plot_script(report, PictureFormat::png)).substr(1, 3) == "PNG");
  CHECK(render(plot_script(report, PictureFormat::pdf)).substr(0, 4) == "%PDF");
}

TEST_CASE("a run that ends where it begins can be drawn") {
  if (!test::gnuplot_is_here()) return;
  Solution solution = test::block_solution();
  solution.events.clear();
  solution.trajectory = Trajectory(2, {});
  solution.trajectory.begin_segment(0, Mode("+"));
  solution.trajectory.add_point(0, Vector::Zero(2));
  solution.initial = solution.final = {0, Mode("+"), Vector::Zero(2)};
  CHECK(has(render(script_of(solution)), "</svg>"));
}

TEST_CASE("what gnuplot complains about is passed on") {
  if (!test::gnuplot_is_here()) return;
  CHECK_THROWS_WITH_AS(render("set terminal svg\nplot nonsense(x)\n"), doctest::Contains("nonsense"),
                       std::runtime_error);
}

TEST_CASE("without gnuplot the message says how to get it") {
  const char* old = std::getenv("PATH");
  const std::string path = old != nullptr ? old : "";
  setenv("PATH", "/nonexistent", 1);
  CHECK_THROWS_WITH_AS(render("set terminal svg\n"), doctest::Contains("gnuplot-nox"), GnuplotMissing);
  setenv("PATH", path.c_str(), 1);
}
