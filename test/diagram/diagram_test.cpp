// Diagrams of planes of two parameters whose regions and curves have closed forms.
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include "slideway/diagram/diagram.hpp"
#include "slideway/io/model_file.hpp"
#include "test/temporary_folder.hpp"

using namespace slideway;
using slideway::test::TemporaryFolder;

namespace {

constexpr double kTurn = 6.283185307179586;

Model impact_oscillator() {
  return parse_model(R"TOML(
name = "impact"
[parameters]
d = 0.2
w = 2.6
[states]
x = -0.21
v = 0.0
[time]
end = 40.0
[derivatives]
x = "v"
v = "-0.1*v - x + cos(w*t)"
[[contacts]]
name = "stop"
gap = "d - x"
acts_on = { v = "-1" }
restitution = "0.8"
)TOML",
                     "impact.toml");
}

double drive_period(const ModelInstance& instance) {
  for (const auto& [name, value] : instance.parameters)
    if (name == "w") return kTurn / value;
  return 0;
}

DiagramDesign gap_and_frequency(Index across, Index up) {
  return {.across = {.name = "d", .low = 0.08, .high = 0.28, .cells = across},
          .up = {.name = "w", .low = 2.4, .high = 2.8, .cells = up}};
}

// The amplitude of the response without impacts.
double amplitude(double w) { return 1 / std::hypot(1 - w * w, 0.1 * w); }

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// x' = a + b x − x³ has two stable points inside of the cusp 27 a² = 4 b³.
Model cusp() {
  return parse_model(R"TOML(
name = "cusp"
[parameters]
a = 0.0
b = 1.0
[states]
x = 0.5
[time]
end = 30.0
[derivatives]
x = "a + b*x - x^3"
)TOML",
                     "cusp.toml");
}

const DiagramKind& kind_at(const Diagram& diagram, const std::vector<DiagramEnd>& ends, std::size_t cell) {
  REQUIRE(ends[cell].kind >= 0);
  return diagram.kinds[static_cast<std::size_t>(ends[cell].kind)];
}

}  // namespace

TEST_CASE("the border of the region without impacts is the curve of grazing, which has a closed form") {
  const DiagramDesign design = gap_and_frequency(12, 6);
  const Diagram diagram = find_diagram(
      impact_oscillator(), design, {.step = drive_period, .most_rounds = 1, .most_followed = 24, .jobs = 2});
  CHECK(diagram.complete);
  CHECK_FALSE(diagram.autonomous);
  CHECK(diagram.done == 144);
  for (Index j = 0; j < 6; ++j) {
    for (Index i = 0; i < 12; ++i) {
      const auto cell = static_cast<std::size_t>(j * 12 + i);
      CAPTURE(i);
      CAPTURE(j);
      // A solution without impacts exists, and is stable, where the stop is beyond its amplitude, and nowhere else.
      const bool is_free = design.across.middle(i) > amplitude(design.up.middle(j));
      bool is_seen = false;
      for (const auto* const ends : {&diagram.forward, &diagram.backward}) {
        const DiagramKind& kind = kind_at(diagram, *ends, cell);
        is_seen =
            is_seen || (kind.kind == AttractorKind::orbit && kind.rounds == 1 && kind.signature.empty());
      }
      CHECK(is_seen == is_free);
    }
  }
  Index grazing = 0;
  for (const DiagramCurve& curve : diagram.curves) {
    if (curve.kind != "GR" || curve.rounds != 1 || !(curve.before.empty() || curve.after.empty())) continue;
    ++grazing;
    CHECK(curve.points.size() >= 10);
    for (const DiagramCurvePoint& point : curve.points)
      CHECK(std::abs(point.first - amplitude(point.second)) <= 1e-8);
  }
  CHECK(grazing == 1);
}

TEST_CASE("a driven block slips without rest below the curve of crossing-sliding that Den Hartog found") {
  const Model model = parse_model(R"TOML(
name = "dry"
[parameters]
mu = 0.4
w = 0.6
[states]
x = 2.0
v = 0.0
[time]
end = 100.0
[surfaces]
stick = "v"
[derivatives]
x = "v"
v = "-x - mu*sgn(stick) + cos(w*t)"
)TOML",
                                  "dry.toml");
  const DiagramDesign design{.across = {.name = "w", .low = 0.55, .high = 0.75, .cells = 6},
                             .up = {.name = "mu", .low = 0.3, .high = 0.8, .cells = 5}};
  const Diagram diagram = find_diagram(model, design, {.step = drive_period, .most_followed = 6, .jobs = 2});
  CHECK(diagram.complete);
  CHECK(diagram.explained == diagram.borders);
  // The block turns round with μ = X − cos φ: X and φ are those of the motion of half a period, which is linear.
  const auto limit = [](double w) {
    return w * w / ((1 - w * w) * std::hypot(1.0, w * std::tan(0.25 * kTurn / w)));
  };
  for (Index j = 0; j < 5; ++j)
    for (Index i = 0; i < 6; ++i) {
      CAPTURE(i);
      CAPTURE(j);
      const DiagramKind& kind = kind_at(diagram, diagram.forward, static_cast<std::size_t>(j * 6 + i));
      const bool slips = design.up.middle(j) < limit(design.across.middle(i));
      CHECK(kind.rounds == 1);
      CHECK((kind.signature == "crossing(stick) crossing(stick)") == slips);
    }
  REQUIRE(diagram.curves.size() == 1);
  CHECK(diagram.curves[0].kind == "CS");
  CHECK(diagram.curves[0].points.size() >= 20);
  for (const DiagramCurvePoint& point : diagram.curves[0].points)
    CHECK(std::abs(point.second - limit(point.first)) <= 1e-8);
}

TEST_CASE("inside of a cusp both directions come to different points, and its curves are folds") {
  const DiagramDesign design{.across = {.name = "a", .low = -0.6, .high = 0.6, .cells = 24},
                             .up = {.name = "b", .low = -0.5, .high = 1.5, .cells = 20}};
  const Diagram diagram = find_diagram(cusp(), design, {.jobs = 2});
  CHECK(diagram.complete);
  CHECK(diagram.autonomous);
  REQUIRE(diagram.kinds.size() == 1);
  CHECK(diagram.kinds[0].name == "point");
  const auto fold = [](double b) { return b > 0 ? std::sqrt(4 * b * b * b / 27) : 0.0; };
  for (Index j = 0; j < 20; ++j)
    for (Index i = 0; i < 24; ++i) {
      CAPTURE(i);
      CAPTURE(j);
      const bool is_inside = std::abs(design.across.middle(i)) < fold(design.up.middle(j));
      CHECK((diagram.coexisting[static_cast<std::size_t>(j * 24 + i)] != 0) == is_inside);
    }
  REQUIRE_FALSE(diagram.curves.empty());
  bool has_cusp = false;
  for (const DiagramCurve& curve : diagram.curves) {
    CHECK(curve.kind == "SN");
    for (const DiagramCurvePoint& point : curve.points)
      CHECK(std::abs(std::abs(point.first) - fold(point.second)) <= 1e-8);
    for (const DiagramSpecialPoint& special : curve.special)
      if (special.name == "CP") has_cusp = std::abs(special.first) + std::abs(special.second) <= 1e-6;
  }
  CHECK(has_cusp);
  CHECK(diagram.explained == diagram.borders);
}

TEST_CASE("a state that decays fast does not hide that others have not come to rest") {
  // x rests at a + b on the side x > 0, at a − b on the other one, or on the surface, where y is long at rest.
  for (const double rate : {1.0, 5.0, 40.0}) {
    CAPTURE(rate);
    const Model model =
        parse_model("name = \"relay\"\n[parameters]\na = 0.1\nb = 0.5\nr = " + std::to_string(rate) +
                        "\n[states]\nx = 0.3\ny = 0.1\n[time]\nend = 10.0\n[surfaces]\nside = \"x\"\n"
                        "[derivatives]\nx = \"a - x - b*sgn(side)\"\ny = \"-r*y\"\n",
                    "relay.toml");
    const DiagramDesign design{.across = {.name = "a", .low = -1, .high = 1, .cells = 10},
                               .up = {.name = "b", .low = 0.05, .high = 1, .cells = 9}};
    const Diagram diagram = find_diagram(model, design, {.find_curves = false, .jobs = 2});
    for (Index j = 0; j < 9; ++j)
      for (Index i = 0; i < 10; ++i) {
        CAPTURE(i);
        CAPTURE(j);
        const double a = design.across.middle(i), b = design.up.middle(j);
        const double rest = std::abs(a) < b ? 0 : a - std::copysign(b, a);
        const auto cell = static_cast<std::size_t>(j * 10 + i);
        CHECK(diagram.coexisting[cell] == 0);
        for (const auto* ends : {&diagram.forward, &diagram.backward}) {
          CHECK(kind_at(diagram, *ends, cell).slides == (std::abs(a) < b));
          CHECK((*ends)[cell].attractor.stable);
          CHECK(std::abs((*ends)[cell].attractor.points.front()[0] - rest) <= 1e-3);
        }
      }
  }
}

TEST_CASE("a diagram that was interrupted and resumed is that of one process") {
  const TemporaryFolder folder;
  const DiagramDesign design = gap_and_frequency(6, 4);
  const std::string whole = (folder.path() / "whole.csv").string(),
                    parts = (folder.path() / "parts.csv").string();
  const DiagramOptions options{.step = drive_period, .find_curves = false, .jobs = 2, .table = whole};
  CHECK(find_diagram(impact_oscillator(), design, options).complete);
  {
    // The last row of cells was not whole, and its last line was cut off.
    const std::string text = text_of(whole);
    std::ofstream(parts, std::ios::binary) << text.substr(0, text.size() - 100);
  }
  DiagramOptions again = options;
  again.table = parts;
  again.resume = true;
  again.jobs = 1;
  const Diagram resumed = find_diagram(impact_oscillator(), design, again);
  CHECK(resumed.complete);
  CHECK(resumed.taken_over == 3 * 12);
  CHECK(text_of(parts) == text_of(whole));
  again.most_steps = 4999;
  CHECK_THROWS_WITH_AS(find_diagram(impact_oscillator(), design, again),
                       doctest::Contains("does not belong to this diagram"), std::invalid_argument);
}

TEST_CASE("a diagram is refused with one message where it makes no sense") {
  const auto refused = [](const DiagramDesign& design, const DiagramOptions& options, const char* part) {
    CHECK_THROWS_WITH_AS(find_diagram(impact_oscillator(), design, options), doctest::Contains(part),
                         std::invalid_argument);
  };
  const DiagramOptions driven{.step = drive_period};
  DiagramDesign design = gap_and_frequency(4, 4);
  refused(design, {}, "the period of the drive");
  refused(design, {.step = [](const ModelInstance&) { return 1.0; }}, "do not repeat themselves");
  design.across.name = "x";
  refused(design, driven, "one of the parameters d, w");
  design = gap_and_frequency(4, 4);
  design.up = design.across;
  refused(design, driven, "'d' twice");
  design = gap_and_frequency(4, 0);
  refused(design, driven, "no cells");
  design = gap_and_frequency(4, 4);
  design.across.high = design.across.low;
  refused(design, driven, "no width");
  refused(gap_and_frequency(4, 4), {.step = drive_period, .resume = true}, "nothing to resume");
}
