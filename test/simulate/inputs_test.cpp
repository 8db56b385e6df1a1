// Measured signals: their interpolation, and what a run makes of them.
#include <cmath>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "slideway/model/from_functor.hpp"
#include "slideway/model/input.hpp"
#include "test/simulate/model_text.hpp"
#include "test/temporary_folder.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

const std::vector<double> kTimes = {0, 0.5, 1.2, 2, 3.5, 4};
const std::vector<double> kValues = {0, 1, 1.5, 1.2, -0.4, 0};

Input signal(Interpolation interpolation, Extrapolation extrapolation = Extrapolation::error) {
  return Input({.name = "u",
                .times = kTimes,
                .values = kValues,
                .interpolation = interpolation,
                .extrapolation = extrapolation});
}

// Simpson's rule is exact for a cubic between knots; just inside, since held values jump at knots.
double integral_of(const Input& input, double from, double to) {
  const double inside = 1e-9 * (to - from);
  return (to - from) / 6 * (input(from + inside) + 4 * input(0.5 * (from + to)) + input(to - inside));
}

double integral_of(const Input& input) {
  double sum = 0;
  for (std::size_t k = 0; k + 1 < kTimes.size(); ++k) sum += integral_of(input, kTimes[k], kTimes[k + 1]);
  return sum;
}

std::string model(const std::string& input, double end, const std::string& derivative = "u") {
  return "[states]\nx = 0.0\n[inputs]\nu = { " + input + " }\n[time]\nend = " + std::to_string(end) +
         "\n[derivatives]\nx = \"" + derivative + "\"\n";
}

const std::string kLists = "times = [0, 0.5, 1.2, 2, 3.5, 4], values = [0, 1, 1.5, 1.2, -0.4, 0]";

// A file beside a model, for as long as this lives.
class Folder {
 public:
  explicit Folder(const std::string& csv) { std::ofstream(place_ / "data.csv") << csv; }

  Model read(const std::string& text) const { return parse_model(text, place_ / "model.toml"); }
  std::string mistake(const std::string& text) const {
    try {
      read(text);
    } catch (const ModelFileError& error) {
      return error.what();
    }
    return "";
  }

 private:
  TemporaryFolder place_;
};

}  // namespace

TEST_CASE("a signal goes through its knots, and is as smooth there as its kind is") {
  for (const Interpolation kind :
       {Interpolation::hold, Interpolation::linear, Interpolation::pchip, Interpolation::cubic}) {
    const Input input = signal(kind);
    for (std::size_t k = 0; k < kTimes.size(); ++k) CHECK(input(kTimes[k]) == doctest::Approx(kValues[k]));
  }
  const double h = 1e-4;
  const auto second = [h](const Input& input, double t) {
    return (input(t + h) - 2 * input(t) + input(t - h)) / (h * h);
  };
  const Input cubic = signal(Interpolation::cubic), pchip = signal(Interpolation::pchip);
  for (std::size_t k = 1; k + 1 < kTimes.size(); ++k) {
    const double t = kTimes[k];
    // The slope and, of the spline, the curvature from both sides.
    for (const Input* const input : {&cubic, &pchip}) {
      const double left = (3 * (*input)(t)-4 * (*input)(t - h) + (*input)(t - 2 * h)) / (2 * h);
      const double right = (-3 * (*input)(t) + 4 * (*input)(t + h) - (*input)(t + 2 * h)) / (2 * h);
      CHECK(left == doctest::Approx(right).epsilon(1e-5));
    }
    CHECK(second(cubic, t - 1.01 * h) == doctest::Approx(second(cubic, t + 1.01 * h)).epsilon(1e-2));
  }
  CHECK(std::abs(second(cubic, 1.01 * h)) < 0.01);
  CHECK(std::abs(second(cubic, 4 - 1.01 * h)) < 0.01);
  // Fritsch and Butland's slope between two rises, 0 at an extremum.
  const double first = (1.5 - 1) / 0.7, before = 1 / 0.5;
  const double expected = 3 * 1.2 / ((2 * 0.7 + 0.5) / before + (0.7 + 2 * 0.5) / first);
  CHECK((pchip(0.5 + h) - pchip(0.5 - h)) / (2 * h) == doctest::Approx(expected).epsilon(1e-4));
  CHECK(std::abs(pchip(1.2 + h) - pchip(1.2 - h)) < 1e-6);
  for (double t = 0; t < 0.5; t += 0.01) CHECK(pchip(t + 0.01) >= pchip(t));
}

TEST_CASE("a run integrates a signal exactly, with steps that end at its knots") {
  const std::pair<const char*, Interpolation> kinds[] = {{"hold", Interpolation::hold},
                                                         {"linear", Interpolation::linear},
                                                         {"pchip", Interpolation::pchip},
                                                         {"cubic", Interpolation::cubic}};
  for (const auto& [word, kind] : kinds) {
    CAPTURE(word);
    const double expected = integral_of(signal(kind));
    for_all_methods(model(kLists + ", interpolation = \"" + word + "\"", 4), {1e-6, 1e-10},
                    [&](const Finished& done, double rtol) {
                      CHECK(std::abs(done.end(0) - expected) < 100 * rtol + 1e-8);
                      std::vector<double> times;
                      for (const EventRecord& event : done.solution.events) times.push_back(event.t);
                      CHECK(times == std::vector<double>{0, 0.5, 1.2, 2, 3.5});
                    });
  }
}

TEST_CASE("beyond its knots a signal has no value, or is held, or repeats") {
  const Input linear = signal(Interpolation::linear);
  CHECK_THROWS_AS(static_cast<void>(linear(4.001)), std::out_of_range);
  CHECK_THROWS_AS(static_cast<void>(linear(-0.001)), std::out_of_range);
  const double once = integral_of(linear);
  const Finished repeated = run(model(kLists + ", extrapolation = \"periodic\"", 40));
  CHECK(repeated.end(0) == doctest::Approx(10 * once).epsilon(1e-8));
  const Finished held = run(model("times = [1, 2], values = [3, 5], extrapolation = \"hold\"", 4));
  CHECK(held.end(0) == doctest::Approx(3 + 4 + 10).epsilon(1e-8));
  // The end that a run is given may be later than that of the file.
  const ModelInstance instance = parse_model(model(kLists, 4), "test.toml").instantiate({});
  const Solution late = Simulator(instance.system).run({.start = 0, .end = 5, .state = instance.state});
  CHECK(late.outcome.status == Status::user_function_failed);
  CHECK(late.outcome.t == doctest::Approx(4));
  CHECK(late.outcome.message.find("Input 'u' has no value") != std::string::npos);
}

TEST_CASE("a signal in a file is the column of its name") {
  const Folder folder("# measured\nt, w ,u\n0,9,1\n1,9,3\n\n2,9,-1e0\n");
  const ModelInstance instance = folder.read(model("file = \"data.csv\", column = \"u\"", 2)).instantiate({});
  const Solution done = Simulator(instance.system).run({.start = 0, .end = 2, .state = instance.state});
  CHECK(done.final.state[0] == doctest::Approx(2 + 1).epsilon(1e-8));
}

TEST_CASE("what is wrong with a file is told with its row and column") {
  const std::string text = model("file = \"data.csv\", column = \"u\"", 2);
  const auto told = [&](const std::string& csv, const std::string& what, const std::string& otherwise = "") {
    const std::string message = Folder(csv).mistake(otherwise.empty() ? text : otherwise);
    CAPTURE(message);
    CHECK(message.find(what) != std::string::npos);
    CHECK(message.find('^') != std::string::npos);
  };
  told("t,u\n0,1\n1,x\n", "data.csv', row 3, column 'u'");
  told("t,u\n0,1\n1\n", "a row that is too short in");
  told("t,u\n0,1\n0,2\n", "a number that is not above the one before in");
  told("t,v\n0,1\n", "no column 'u' in");
  told("", "is empty");
  told("t,u\n0,1\n1,2\n", "does not last for the whole run");
  told("t,u\n0,1\n", "cannot be read", model("file = \"other.csv\", column = \"u\"", 2));
  told("t,u\n0,1\n", "lacks a key", model("file = \"data.csv\"", 2));
  told("t,u\n0,1\n", "unknown 'interpolation'", model(kLists + ", interpolation = \"qubic\"", 2));
  told("t,u\n0,1\n", "as many values as times", model("times = [0, 1], values = [1]", 2));
}

TEST_CASE("a functor reads a signal from its discrete states") {
  const Input input = signal(Interpolation::cubic);
  const System system = from_functor(
      [](auto t, const auto& x, const auto&, auto&& dx) { dx[0] = Input::value(t, x, 1) - 0.0 * x[0]; },
      {.states = 1 + Input::states, .surfaces = 0, .discrete = Input::states});
  Vector start = Vector::Zero(1 + Input::states);
  input.set_states(0, 1, start);
  const Solution done = Simulator(system.with_time_events(input.knots(1, 0)), {.rtol = 1e-10})
                            .run({.start = 0, .end = 4, .state = start});
  CHECK(done.outcome.succeeded());
  CHECK(done.final.state[0] == doctest::Approx(integral_of(input)).epsilon(1e-8));
}
