// Characteristics in tables of model files, f(u) and f(u, v): values between and beyond knots, and runs over their kinks and jumps.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "slideway/model/input.hpp"
#include "test/simulate/model_text.hpp"
#include "test/temporary_folder.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

const std::vector<double> kKnots = {0, 0.5, 1.1, 1.7, 2.5, 4};
const std::vector<double> kValues = {0, 1.2, 1.2, -0.4, 0.3, 2};
const std::string kLists = "x = [0, 0.5, 1.1, 1.7, 2.5, 4], values = [0, 1.2, 1.2, -0.4, 0.3, 2]";

// The same over the time, whose values a test of its own compares with SciPy's.
double between_knots(Interpolation interpolation, double u) {
  const Input signal({.name = "f",
                      .times = kKnots,
                      .values = kValues,
                      .interpolation = interpolation,
                      .extrapolation = Extrapolation::hold});
  return signal(u);
}

// The integral of what is smooth between `breaks`, by Gauss's rule of five points on small pieces.
double integral(const std::function<double(double)>& f, double end, std::vector<double> breaks) {
  constexpr double kPoints[] = {0, 0.5384693101056831, 0.9061798459386640};
  constexpr double kWeights[] = {0.5688888888888889, 0.4786286704993665, 0.2369268850561891};
  breaks.push_back(0);
  breaks.push_back(end);
  std::erase_if(breaks, [&](double b) { return !(b >= 0 && b <= end); });
  std::sort(breaks.begin(), breaks.end());
  double sum = 0;
  for (std::size_t k = 0; k + 1 < breaks.size(); ++k) {
    constexpr int kPieces = 20;
    const double half = 0.5 * (breaks[k + 1] - breaks[k]) / kPieces;
    for (int piece = 0; piece < kPieces; ++piece) {
      const double middle = breaks[k] + (2 * piece + 1) * half;
      for (int point = 0; point < 3; ++point) {
        const double part = half * kWeights[point];
        sum += part * f(middle + kPoints[point] * half);
        if (point > 0) sum += part * f(middle - kPoints[point] * half);
      }
    }
  }
  return sum;
}

// n(t) = 10·(1 − exp(−0.1·t)) goes over all knots and beyond them; a is the integral of `value`.
std::string driven(const std::string& tables, const std::string& value) {
  return "[states]\nn = 0.0\nw = -1.4\na = 0.0\n[time]\nend = 6\n[tables]\n" + tables +
         "[derivatives]\nn = \"1 - 0.1*n\"\nw = \"0.9\"\na = \"" + value + "\"\n";
}

double n_at(double t) { return 10 * (1 - std::exp(-0.1 * t)); }

std::vector<double> times_of(const std::vector<double>& knots) {
  std::vector<double> times;
  for (const double knot : knots) times.push_back(-10 * std::log(1 - knot / 10));
  return times;
}

std::string table(const std::string& name, const std::string& interpolation,
                  const std::string& extrapolation) {
  return name + " = { " + kLists + ", interpolation = \"" + interpolation + "\", extrapolation = \"" +
         extrapolation + "\" }\n";
}

}  // namespace

TEST_CASE("a table of one variable is what its interpolation says, between its knots and beyond them") {
  const std::vector<std::pair<std::string, Interpolation>> all = {{"hold", Interpolation::hold},
                                                                  {"linear", Interpolation::linear},
                                                                  {"pchip", Interpolation::pchip},
                                                                  {"cubic", Interpolation::cubic}};
  for (const auto& [name, interpolation] : all) {
    CAPTURE(name);
    const Interpolation kind = interpolation;
    const double expected =
        integral([&](double t) { return between_knots(kind, n_at(t)); }, 6, times_of(kKnots));
    for_all_methods(driven(table("f", name, "hold"), "f(n)"), [&](const Finished& finished, double rtol) {
      CHECK(std::abs(finished.end(2) - expected) < 300 * rtol);
    });
  }
}

TEST_CASE("a table goes straight on beyond its knots where it says so") {
  const auto value = [](double u) {
    return u > 4 ? 2 + (u - 4) * 1.7 / 1.5 : between_knots(Interpolation::linear, u);
  };
  const double expected = integral([&](double t) { return value(n_at(t)); }, 6, times_of(kKnots));
  for_all_methods(driven(table("f", "linear", "linear"), "f(n)"), [&](const Finished& finished, double rtol) {
    CHECK(std::abs(finished.end(2) - expected) < 300 * rtol);
  });
}

TEST_CASE("tables stand in products, quotients and functions") {
  const auto cubic = [](double u) { return between_knots(Interpolation::cubic, u); };
  const auto line = [](double u) { return between_knots(Interpolation::linear, u); };
  const auto held = [](double u) { return between_knots(Interpolation::hold, u); };
  const double expected = integral(
      [&](double t) {
        const double n = n_at(t);
        return cubic(n) * line(n) + 1 / (2 + cubic(n)) + std::exp(held(n)) * line(n);
      },
      6, times_of(kKnots));
  const std::string tables =
      table("c", "cubic", "hold") + table("l", "linear", "hold") + table("h", "hold", "hold");
  for_all_methods(driven(tables, "c(n)*l(n) + 1/(2 + c(n)) + exp(h(n))*l(n)"), {1e-4, 1e-7, 1e-10},
                  [&](const Finished& finished, double rtol) {
                    CHECK(std::abs(finished.end(2) - expected) < 1e3 * rtol);
                  });
}

TEST_CASE("a table of two variables is bilinear in its rectangles") {
  const std::vector<double> x = {0, 1, 2.5}, y = {-1, 0.5, 2};
  const double z[3][3] = {{1, 2, 0}, {3, -1, 0.5}, {0, 1, 4}};
  const auto value = [&](double u, double v) {
    u = std::clamp(u, 0.0, 2.5);
    v = std::clamp(v, -1.0, 2.0);
    const std::size_t i = u < 1 ? 0 : 1, j = v < 0.5 ? 0 : 1;
    const double s = (u - x[i]) / (x[i + 1] - x[i]), r = (v - y[j]) / (y[j + 1] - y[j]);
    return (1 - s) * ((1 - r) * z[i][j] + r * z[i][j + 1]) +
           s * ((1 - r) * z[i + 1][j] + r * z[i + 1][j + 1]);
  };
  std::vector<double> breaks = times_of(x);
  for (const double knot : y) breaks.push_back((knot + 1.4) / 0.9);
  const auto of_time = [&](double t) { return value(n_at(t), -1.4 + 0.9 * t); };
  const double expected = integral(of_time, 6, breaks);
  const double squared = integral([&](double t) { return of_time(t) * of_time(t); }, 6, breaks);
  const std::string tables =
      "f = { x = [0, 1, 2.5], y = [-1, 0.5, 2], values = [[1, 2, 0], [3, -1, 0.5], [0, 1, 4]], "
      "extrapolation = \"hold\" }\n";
  for_all_methods(driven(tables, "f(n, w)"), [&](const Finished& finished, double rtol) {
    CHECK(std::abs(finished.end(2) - expected) < 300 * rtol);
  });
  for_all_methods(driven(tables, "f(n, w)^2"), {1e-6, 1e-9}, [&](const Finished& finished, double rtol) {
    CHECK(std::abs(finished.end(2) - squared) < 1e3 * rtol);
  });
}

TEST_CASE("knots are events, but for those at which a table goes straight on") {
  const Finished finished = run(
      driven("f = { x = [-1, 1, 2, 3, 5], values = [0, 2, 4, 5, 7], extrapolation = \"hold\" }\n", "f(n)"));
  REQUIRE(finished.solution.events.size() == 2);
  CHECK(finished.solution.events[0].t == doctest::Approx(times_of({1})[0]).epsilon(1e-7));
  CHECK(finished.solution.events[1].t == doctest::Approx(times_of({2})[0]).epsilon(1e-7));
  CHECK(finished.instance.system.surface_names() ==
        std::vector<std::string>{"n + 1", "n - 1", "n - 2", "n - 5"});
}

TEST_CASE("a knot that the argument of a table only reaches is not passed") {
  // log(1 + e²) reaches the knot 0 at e = 0, where its rate is zero.
  const std::string head = "[states]\ne = 0.5\n[time]\nend = 2.5\n";
  const std::string table =
      "[tables]\nf = { x = [-1, 0, 1.5], values = [0.3, -0.5, -0.2], extrapolation = \"hold\" }\n";
  const std::vector<double> tolerances = {1e-6, 1e-8, 1e-10, 1e-12};
  const double expected =
      run(head + "[derivatives]\ne = \"-0.5 + 0.2*log(1 + e*e)\"\n", Method::dop853, 1e-13).end(0);
  for_all_methods(head + table + "[derivatives]\ne = \"f(log(1 + e*e))\"\n", tolerances,
                  [&](const Finished& finished, double rtol) {
                    CHECK(std::abs(finished.end(0) - expected) < 300 * rtol);
                  });
}

TEST_CASE("a solution slides along the jump of a table that holds its values") {
  const std::string text =
      "[states]\nx = 0.0\n[time]\nend = 3\n[tables]\nf = { x = [-1, 1, 2], values = [1, -0.5, 0], "
      "interpolation = \"hold\", extrapolation = \"hold\" }\n[derivatives]\nx = \"f(x)\"\n";
  for_all_methods(text, {1e-6, 1e-9}, [](const Finished& finished, double) {
    REQUIRE(finished.solution.events.size() == 1);
    CHECK(finished.solution.events[0].kind == EventKind::sliding_entry);
    CHECK(finished.solution.events[0].t == doctest::Approx(1).epsilon(1e-12));
    CHECK(finished.end(0) == doctest::Approx(1).epsilon(1e-13));
  });
}

TEST_CASE("a run ends where a table has no value any more, and only where that is in force") {
  const std::string with =
      "[states]\nx = 0.0\n[time]\nend = 3\n[tables]\nf = { x = [0, 1, 2], values = "
      "[1, 2, 2.5] }\n[derivatives]\nx = ";
  for (const Method method : {Method::dopri5, Method::bdf, Method::rodas}) {
    const Finished finished = run(with + "\"1 + 0*t*f(x) + f(x)/f(x)\"\n", method);
    CHECK(finished.solution.outcome.status == Status::user_function_failed);
    CHECK(finished.solution.outcome.t == doctest::Approx(1).epsilon(1e-6));
    CHECK(finished.solution.outcome.message.find("table 'f' has no knots above 2") != std::string::npos);
  }
  const Finished guarded = run(with + "\"if(x < 1.5, f(x)/f(x), 1)\"\n");
  REQUIRE(guarded.solution.outcome.succeeded());
  CHECK(guarded.end(0) == doctest::Approx(3).epsilon(1e-7));
  // One that comes to rest at its last knot without leaving it.
  const Finished rests = run(with + "\"f(x)*(2 - x)\"\n");
  REQUIRE(rests.solution.outcome.succeeded());
  CHECK(rests.end(0) < 2);
}

TEST_CASE("tables may stand in guards, in what is set, in conditions and in what is observed") {
  const std::string text = R"toml(
    [states]
    x = 0.0
    [discrete]
    u = 0.0
    n = 0
    [time]
    end = 3.5
    [tables]
    f = { x = [0, 1, 2, 4], values = [0, 3, 1, 2], interpolation = "linear" }
    g = { x = [0, 1, 2, 4], values = [5, 6, 7, 8], interpolation = "hold", extrapolation = "hold" }
    [derivatives]
    x = "1"
    [[resets]]
    when = "f(x) - 1.5"
    set = { u = "g(x) + f(t)", n = "n + 1" }
    [[records]]
    name = "both"
    when = "f(x) > 2 and g(x) > 5.5"
    [options]
    observe = ["y = f(x)"]
  )toml";
  const std::size_t at = text.find("when = \"f(x) > 2 and");
  std::string smooth = text;
  smooth.replace(at, std::string("when = \"f(x) > 2 and g(x) > 5.5\"").size(),
                 "when = \"f(x) > 2 and x > 0.9\"");
  const Finished finished = run(smooth, Method::automatic, 1e-9);
  REQUIRE(finished.solution.outcome.succeeded());
  // 3·x = 1.5, 3 − 2·(x − 1) = 1.5 and 1 + (x − 2)/2 = 1.5.
  std::vector<double> resets, records;
  for (const EventRecord& event : finished.solution.events) {
    if (event.kind == EventKind::reset) resets.push_back(event.t);
    if (event.kind == EventKind::record) records.push_back(event.t);
  }
  REQUIRE(resets.size() == 3);
  CHECK(resets[0] == doctest::Approx(0.5).epsilon(1e-12));
  CHECK(resets[1] == doctest::Approx(1.75).epsilon(1e-12));
  CHECK(resets[2] == doctest::Approx(3).epsilon(1e-12));
  REQUIRE(records.size() == 1);
  CHECK(records[0] == doctest::Approx(0.9).epsilon(1e-12));
  CHECK(finished.observed("y = f(x)", 2.5) == doctest::Approx(1.25).epsilon(1e-12));
  // g steps over 5.5 at x = 1, where f is above 2.
  const Finished stepped = run(text, Method::automatic, 1e-9);
  REQUIRE(stepped.solution.outcome.succeeded());
  std::vector<double> both;
  for (const EventRecord& event : stepped.solution.events)
    if (event.kind == EventKind::record) both.push_back(event.t);
  REQUIRE(both.size() == 1);
  CHECK(both[0] == doctest::Approx(1).epsilon(1e-12));
}

TEST_CASE("a table comes from a file beside the model, and its mistakes are told with row and column") {
  const TemporaryFolder folder;
  std::ofstream(folder / "motor.csv") << "n,torque,bad\n0,1,1\n1,2,x\n3,2.5,1\n";
  const auto read = [&](const std::string& column) {
    return parse_model(
        "[states]\nx = 0.0\n[time]\nend = 1\n[tables]\nf = { file = \"motor.csv\", column = \"" + column +
            "\", argument = \"n\" }\n[derivatives]\nx = \"f(2)\"\n",
        folder / "model.toml");
  };
  const ModelInstance instance = read("torque").instantiate({});
  Vector dx(1);
  instance.system.field(0, instance.state, Vector(0), dx);
  CHECK(dx[0] == 2.25);
  CHECK_THROWS_WITH(read("bad"), doctest::Contains("row 3, column 'bad' (table 'f')"));
}
