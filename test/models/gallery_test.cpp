// The models of the gallery, as files: each is read, run to where it should end, and beside what is known of it: a closed
// form, a period, a balance. What is expected is computed here from the formulas, not taken from a run.
#include <algorithm>
#include <cmath>
#include <complex>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>

#include <doctest/doctest.h>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "models/registry.hpp"
#include "slideway/io/model_file.hpp"
#include "slideway/simulate/simulator.hpp"

using namespace slideway;

namespace {

namespace fs = std::filesystem;

const fs::path folder = fs::path(SLIDEWAY_SOURCE_DIR) / "models" / "gallery";
constexpr double pi = 3.14159265358979323846;

std::vector<std::string> file_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

Model read(const std::string& name) { return read_model_file((folder / (name + ".toml")).string()); }

// A run of a file with its values at hand by their names.
struct GalleryRun {
  ModelInstance instance;
  Solution solution;

  double parameter(const std::string& name) const {
    for (const auto& [known, value] : instance.parameters)
      if (known == name) return value;
    FAIL("no parameter " << name);
    return 0;
  }
  Index index(const std::string& state) const {
    const auto& names = instance.system.state_names();
    const auto found = std::find(names.begin(), names.end(), state);
    REQUIRE(found != names.end());
    return static_cast<Index>(found - names.begin());
  }
  double final(const std::string& state) const { return solution.final.state[index(state)]; }
  double before(const EventRecord& event, const std::string& state) const {
    return event.before[index(state)];
  }
  double after(const EventRecord& event, const std::string& state) const { return event.after[index(state)]; }
  // The events of a kind and, if one is given, a name or surface.
  EventLog events(EventKind kind, const std::string& name = "") const {
    EventLog chosen;
    for (const EventRecord& event : solution.events) {
      const auto& surfaces = event.surface_names;
      const bool is_named = name.empty() || event.name == name ||
                            std::find(surfaces.begin(), surfaces.end(), name) != surfaces.end();
      if (event.kind == kind && is_named) chosen.push_back(event);
    }
    return chosen;
  }
};

struct Asked {
  Settings settings = {};
  double rtol = 1e-9;
  Method method = Method::bdf;
  Recording recording = Recording::nothing;
};

GalleryRun follow(const std::string& name, const Asked& asked = {}) {
  ModelInstance instance = read(name).instantiate(asked.settings);
  Options options;
  options.rtol = asked.rtol;
  options.method = asked.method;
  options.recording = asked.recording;
  Solution solution = Simulator(instance.problem(), options)
                          .run({.start = instance.start, .end = instance.end, .state = instance.state});
  CAPTURE(name);
  CHECK_MESSAGE(solution.outcome.succeeded(), solution.outcome.message);
  return {std::move(instance), std::move(solution)};
}

// Relative to the value, which is not 0.
doctest::Approx near(double value, double tolerance = 1e-7) {
  return doctest::Approx(value).epsilon(tolerance).scale(0);
}

// The root of f in [low, high], where f changes sign.
double root(double low, double high, const std::function<double(double)>& f) {
  const bool rising = f(low) < 0;
  REQUIRE((f(high) < 0) != rising);
  for (int halving = 0; halving < 200; ++halving) {
    const double middle = (low + high) / 2;
    ((f(middle) < 0) == rising ? low : high) = middle;
  }
  return (low + high) / 2;
}

// exp(A t) of a matrix with different eigenvalues.
Matrix exponential(const Matrix& a, double t) {
  const Eigen::EigenSolver<Matrix> modes(a);
  const Eigen::VectorXcd growth = (modes.eigenvalues() * t).array().exp();
  return (modes.eigenvectors() * growth.asDiagonal() * modes.eigenvectors().inverse()).real();
}

std::vector<double> times(const EventLog& events) {
  std::vector<double> result;
  for (const EventRecord& event : events) result.push_back(event.t);
  return result;
}

// The words that tell one sequence of events from another, up to the first of an accumulation.
std::vector<std::string> sequence(const EventLog& events) {
  std::vector<std::string> words;
  for (const EventRecord& event : events) {
    std::string word = to_string(event.kind);
    for (const std::string& surface : event.surface_names) word += " " + surface;
    word += " " + event.name.value_or("") + " " + (event.to ? event.to->word() : "") + " " +
            event.to_location.value_or("");
    words.push_back(word);
  }
  return words;
}

// All events of two runs agree; before an accumulation point, where the tolerances say how many there are, the first ten.
void check_same_events(const Solution& got, const Solution& expected) {
  auto got_words = sequence(got.events);
  auto expected_words = sequence(expected.events);
  const auto accumulates = [](const EventRecord& event) { return event.kind == EventKind::zeno; };
  const bool shortened = std::any_of(expected.events.begin(), expected.events.end(), accumulates);
  if (shortened) {
    CHECK(std::any_of(got.events.begin(), got.events.end(), accumulates));
    REQUIRE(got_words.size() >= 10);
    got_words.resize(10);
    expected_words.resize(10);
  }
  CHECK(got_words == expected_words);
}

void check_same_times(const Solution& got, const Solution& expected, double tolerance) {
  CHECK(sequence(got.events) == sequence(expected.events));
  REQUIRE(got.events.size() == expected.events.size());
  for (std::size_t i = 0; i < got.events.size(); ++i) {
    CAPTURE(i);
    CHECK(std::abs(got.events[i].t - expected.events[i].t) < tolerance);
  }
}

// The catalogue's model of the same name, over the same time.
Solution follow_catalogue(const std::string& name, double end) {
  const ModelInstance instance = models::find_model(name).instantiate({});
  Options options;
  options.rtol = 1e-11;
  options.recording = Recording::nothing;
  options.method = Method::bdf;
  return Simulator(instance.problem(), options).run({.start = 0, .end = end, .state = instance.state});
}

}  // namespace

// ---- all files -----------------------------------------------------------------------------------------------

TEST_CASE("every file of the gallery describes itself and tells its source") {
  const auto names = file_names();
  CHECK(names.size() >= 22);
  std::set<std::string> titles;
  for (const std::string& name : names) {
    CAPTURE(name);
    const Model model = read(name);
    CHECK(titles.insert(model.name).second);
    std::string as_file = model.name;
    std::replace(as_file.begin(), as_file.end(), '-', '_');
    CHECK(as_file == name);
    CHECK_FALSE(model.summary.empty());
    CHECK_FALSE(model.source.empty());
    std::ifstream file(folder / (name + ".toml"));
    CHECK(file.get() == '#');
  }
}

TEST_CASE("the index of the gallery lists every file and no other") {
  std::ifstream file(folder / "README.md");
  std::stringstream text;
  text << file.rdbuf();
  std::set<std::string> listed;
  const std::string page = text.str();
  for (std::size_t at = page.find("[`"); at != std::string::npos; at = page.find("[`", at + 1))
    listed.insert(page.substr(at + 2, page.find(".toml`]", at) - at - 2));
  const auto names = file_names();
  CHECK(listed == std::set<std::string>(names.begin(), names.end()));
}

TEST_CASE("every file runs to its end, or to its stop, and meets an event") {
  const std::set<std::string> with_a_stop = {"abs_brake"};
  for (const std::string& name : file_names()) {
    CAPTURE(name);
    const GalleryRun run = follow(name, {.rtol = 1e-6});
    const bool stops = with_a_stop.count(name) == 1;
    CHECK(run.solution.outcome.status == (stops ? Status::stopped_by_event : Status::reached_end));
    CHECK(run.solution.final.state.allFinite());
    CHECK_FALSE(run.solution.events.empty());
    CHECK(run.solution.statistics.steps < 20000);
  }
}

TEST_CASE("the events of every file are the same with every method and tolerance") {
  for (const std::string& name : file_names()) {
    CAPTURE(name);
    // It says why.
    const bool is_stiff = name == "lugre_block";
    const GalleryRun reference = follow(name, {.rtol = 1e-9});
    for (const Method method : {Method::bdf, Method::adams, Method::dopri5}) {
      if (method != Method::bdf && is_stiff) continue;
      for (const double rtol : {1e-5, 1e-7}) {
        CAPTURE(to_string(method));
        CAPTURE(rtol);
        const GalleryRun run = follow(name, {.rtol = rtol, .method = method});
        // How many crossings are seen before their limit is up to the tolerances.
        if (name != "super_twisting") check_same_events(run.solution, reference.solution);
        const Vector difference = run.solution.final.state - reference.solution.final.state;
        CHECK(difference.norm() <= 3e4 * rtol * (1 + reference.solution.final.state.norm()));
      }
    }
  }
}

// ---- control and electronics -----------------------------------------------------------------------------------

TEST_CASE("a skyhook damper switches from rest on as a separate program has it") {
  // SciPy's DOP853 at 1e-13, with both factors of the guard as events.
  const GalleryRun run = follow("skyhook", {.rtol = 1e-9});
  CHECK(run.solution.events.size() == 45);
  const Vector expected{{-0.0036584575642959, -0.0302411410786614, -0.246405691721099, -0.108471325746227}};
  CHECK((run.solution.final.state - expected).lpNorm<Eigen::Infinity>() < 1e-8);
}

TEST_CASE("the relay loop ends in the limit cycle of the closed form") {
  const GalleryRun run = follow("relay_feedback");
  Matrix shift = Matrix::Zero(3, 3);
  shift(1, 0) = shift(2, 1) = 1;
  const Matrix one = Matrix::Identity(3, 3);
  const Vector input = Vector::Unit(3, 0);
  // The output at a switch of a symmetric cycle with half period h.
  const double half_period = root(1.5, 2.2, [&](double h) -> double {
    const Matrix flow = std::exp(-h) * (one + h * shift + h * h / 2 * shift * shift);
    const Vector state = (one + flow).inverse() * (shift - one).inverse() * (flow - one) * input;
    return state[2];
  });
  const auto crossings = times(run.events(EventKind::crossing, "output"));
  REQUIRE(crossings.size() > 10);
  CHECK(crossings.back() - crossings[crossings.size() - 2] == near(half_period, 1e-6));
  CHECK(half_period == doctest::Approx(pi / std::sqrt(3)).epsilon(0.02));
}

TEST_CASE("a servo under a relay with hysteresis has the half period of the closed form") {
  const GalleryRun run = follow("hysteresis_relay");
  const double band = run.parameter("band");
  const double half_period = root(0.1, 5, [&](double h) { return h - 2 * std::tanh(h / 2) - 2 * band; });
  const auto switches = times(run.events(EventKind::transition));
  REQUIRE(switches.size() > 10);
  CHECK(switches.back() - switches[switches.size() - 2] == near(half_period, 1e-6));
}

TEST_CASE("the buck converter switches once in a period where its exact cycle does") {
  const GalleryRun run = follow("buck_converter", {.settings = {{"v", 11.97}, {"i", 0.5916}}});
  const double R = run.parameter("R");
  const double L = run.parameter("L");
  const double C = run.parameter("C");
  const double T = run.parameter("T");
  Matrix off(2, 2);
  off << -1 / (R * C), 1 / C, -1 / L, 0;
  const Vector rest = Eigen::Vector2d(run.parameter("V_in"), run.parameter("V_in") / R);
  // Off for the time s, then on until the ramp falls back: the state at the switch, if that repeats itself.
  const auto switched = [&](double s) -> Vector {
    const Matrix rise = exponential(off, T - s);
    const Matrix fall = exponential(off, s);
    const Matrix one = Matrix::Identity(2, 2);
    return (one - fall * rise).partialPivLu().solve(fall * (one - rise) * rest);
  };
  const double expected = root(0.1 * T, 0.8 * T, [&](double s) {
    const double control = run.parameter("gain") * (switched(s)[0] - run.parameter("V_ref"));
    return control - run.parameter("V_low") - (run.parameter("V_up") - run.parameter("V_low")) * s / T;
  });
  const EventRecord last = run.events(EventKind::crossing, "comparator").back();
  CHECK(run.after(last, "phase") == near(expected, 1e-5));
  CHECK(run.after(last, "v") == near(switched(expected)[0], 1e-6));
  CHECK(run.after(last, "i") == near(switched(expected)[1], 1e-6));
}

TEST_CASE("the circuit of Chua leaves its inner region when the linear flow does") {
  const GalleryRun run = follow("chua");
  const double alpha = run.parameter("alpha");
  Matrix inner(3, 3);
  inner << -alpha * (1 + run.parameter("m0")), alpha, 0, 1, -1, 1, 0, -run.parameter("beta"), 0;
  const auto x = [&](double t) { return (exponential(inner, t) * run.instance.state)[0]; };
  const EventRecord& first = run.solution.events.front();
  CHECK(first.kind == EventKind::crossing);
  CHECK(std::abs(std::abs(x(first.t)) - 1) < 1e-7);
  for (int i = 1; i < 1000; ++i) CHECK(std::abs(x(first.t * i / 1000)) < 1);
}

TEST_CASE("the circuit of Chua does not tell left from right") {
  const GalleryRun run = follow("chua");
  const GalleryRun mirrored = follow("chua", {.settings = {{"x", -0.1}}});
  CHECK((run.solution.final.state + mirrored.solution.final.state).norm() < 1e-6);
  const auto expected = times(run.solution.events);
  const auto got = times(mirrored.solution.events);
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == near(expected[i]));
}

TEST_CASE("the buck converter repeats itself with its ramp and gives its duty ratio of the supply") {
  const GalleryRun run = follow("buck_converter", {.recording = Recording::dense});
  const EventLog clock = run.events(EventKind::reset, "clock");
  REQUIRE(clock.size() > 40);
  const EventRecord& last = clock.back();
  const EventRecord& previous = clock[clock.size() - 2];
  CHECK((last.after - previous.after).norm() < 1e-4);
  const double switched_on = run.events(EventKind::crossing, "comparator").back().t;
  REQUIRE(switched_on > previous.t);
  const double duty = (last.t - switched_on) / (last.t - previous.t);
  // Simpson's rule on the two smooth pieces of the period.
  double area = 0;
  for (const auto& [from, to] : {std::pair(previous.t, switched_on), std::pair(switched_on, last.t)}) {
    constexpr int pieces = 100;
    const double h = (to - from) / pieces;
    for (int i = 0; i <= pieces; ++i) {
      const double weight = i == 0 || i == pieces ? 1 : (i % 2 == 1 ? 4 : 2);
      area += weight * h / 3 * run.solution.trajectory(std::min(from + i * h, to))[run.index("v")];
    }
  }
  CHECK(area / (last.t - previous.t) == near(duty * run.parameter("V_in"), 1e-5));
}

TEST_CASE("the voltage of the boost converter follows the closed form while its current slides") {
  const GalleryRun run = follow("boost_sliding");
  const double rc = run.parameter("R") * run.parameter("C");
  const double entry = run.parameter("L") * run.parameter("i_ref") / run.parameter("E");
  REQUIRE(run.solution.events.size() == 1);
  CHECK(run.solution.events[0].kind == EventKind::sliding_entry);
  CHECK(run.solution.events[0].t == near(entry));
  const double start = 15 * std::exp(-entry / rc);
  const double square = 24 * 24 + (start * start - 24 * 24) * std::exp(-2 * (0.02 - entry) / rc);
  CHECK(run.final("v") == near(std::sqrt(square)));
  CHECK(run.final("i") == near(run.parameter("i_ref"), 1e-12));
}

TEST_CASE("the structure of Utkin slides to rest at the rate of its surface") {
  const GalleryRun run = follow("utkin");
  // Until then x'' - x' + 4 x = 0 from (1, 0).
  const double w = std::sqrt(4 - 0.25);
  const auto x = [&](double t) { return std::exp(t / 2) * (std::cos(w * t) - std::sin(w * t) / (2 * w)); };
  const auto v = [&](double t) { return std::exp(t / 2) * -4 / w * std::sin(w * t); };
  const double entry = root(0, 0.6, [&](double t) { return x(t) + v(t); });
  REQUIRE(run.solution.events.size() == 1);
  CHECK(run.solution.events[0].kind == EventKind::sliding_entry);
  CHECK(run.solution.events[0].t == near(entry));
  CHECK(run.final("x") == near(x(entry) * std::exp(-(8 - entry)), 1e-6));
  CHECK(run.final("v") == near(-run.final("x"), 1e-10));
}

TEST_CASE("the sigma-delta modulator puts out five ones in every eight bits") {
  const GalleryRun run = follow("sigma_delta");
  const EventLog ticks = run.events(EventKind::reset, "tick");
  REQUIRE(ticks.size() == 40);
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    CAPTURE(i);
    CHECK(ticks[i].t == near(static_cast<double>(i + 1)));
    if (i >= 8) CHECK(run.after(ticks[i], "ones") - run.after(ticks[i - 8], "ones") == 5);
  }
}

TEST_CASE("a mass slides along the parabola and nears the origin as the closed form does") {
  const GalleryRun run = follow("double_integrator");
  const double c = run.parameter("c");
  const double first = 1 / std::sqrt((1 + 1 / c) / 2);
  REQUIRE(run.solution.events.size() == 1);
  CHECK(run.solution.events[0].kind == EventKind::sliding_entry);
  CHECK(run.solution.events[0].t == near(first));
  const double v = -first + c * (2 - first);
  CHECK(run.final("v") == near(v));
  CHECK(run.final("x") == near(v * v / (2 * c)));
}

TEST_CASE("between two switches of the problem of Fuller the speed falls by the optimal ratio") {
  const GalleryRun run = follow("fuller");
  const double c = std::sqrt((std::sqrt(33.0) - 1) / 24);
  const double ratio = std::sqrt((1 - 2 * c) / (1 + 2 * c));
  std::vector<double> speeds;
  for (const EventRecord& event : run.events(EventKind::crossing))
    if (event.surface_names.front() != "rising") speeds.push_back(std::abs(run.after(event, "v")));
  std::vector<double> switches;
  for (const double speed : speeds)
    if (switches.empty() || speed < 0.9 * switches.back()) switches.push_back(speed);
  REQUIRE(switches.size() >= 4);
  CHECK(switches[0] == near(1 / std::sqrt(0.5 + c)));
  for (std::size_t i = 1; i < 4; ++i) CHECK(switches[i] / switches[i - 1] == near(ratio, 1e-6));
}

TEST_CASE("the twisting algorithm loses the same share of its speed in every half turn") {
  const GalleryRun run = follow("twisting");
  const double share = std::sqrt((2.0 - 1.0) / (2.0 + 1.0));
  const EventLog crossings = run.events(EventKind::crossing, "position");
  REQUIRE(crossings.size() >= 4);
  double speed = 1;
  double t = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    t += speed / 3 + speed * share;
    speed *= share;
    CAPTURE(i);
    CHECK(crossings[i].t == near(t));
    CHECK(std::abs(run.after(crossings[i], "v")) == near(speed));
  }
}

TEST_CASE("the super-twisting algorithm cancels its disturbance once it has come to the surface") {
  const GalleryRun run = follow("super_twisting");
  CHECK(run.solution.final.mode.word() == "0");
  CHECK(run.final("s") == 0);
  CHECK(std::abs(run.final("z") + std::sin(12.0)) <= 1e-14);
  CHECK(run.solution.events.back().kind == EventKind::zeno);
  CHECK(run.solution.events.back().t < 2);
}

TEST_CASE("the DC motor starts when its torque exceeds the friction") {
  const GalleryRun run = follow("dc_motor");
  const double R = run.parameter("R");
  const double L = run.parameter("L");
  const double w = run.parameter("w");
  const auto current = [&](double t) {
    return run.parameter("V") / (R * R + w * w * L * L) *
           (R * std::sin(w * t) - w * L * std::cos(w * t) + w * L * std::exp(-R / L * t));
  };
  const EventRecord& start = run.solution.events.front();
  CHECK(run.solution.initial.mode.word() == "0");
  CHECK(start.kind == EventKind::sliding_exit);
  CHECK(start.t ==
        near(root(0, 0.1, [&](double t) { return run.parameter("k") * current(t) - run.parameter("F"); })));
}

// ---- dry friction ------------------------------------------------------------------------------------------------

TEST_CASE("a block without a spring starts and stops at the times of the closed form") {
  const GalleryRun run = follow("filippov_dry_friction");
  const double F = run.parameter("F");
  const double start = std::asin(F);
  const double stop =
      root(start + 0.5, 2 * pi, [&](double t) { return std::cos(start) - std::cos(t) - F * (t - start); });
  const EventLog& events = run.solution.events;
  REQUIRE(events.size() > 8);
  CHECK(run.solution.initial.mode.word() == "0");
  // Each half period of the drive moves it once, to the right and to the left in turn.
  for (std::size_t k = 0; k < 4; ++k) {
    CAPTURE(k);
    const double later = static_cast<double>(k) * pi;
    CHECK(events[2 * k].kind == EventKind::sliding_exit);
    CHECK(events[2 * k].t == near(start + later));
    CHECK(events[2 * k].to->word() == (k % 2 == 0 ? "+" : "-"));
    CHECK(events[2 * k + 1].kind == EventKind::sliding_entry);
    CHECK(events[2 * k + 1].t == near(stop + later));
  }
}

TEST_CASE("friction takes from the oscillator of Duffing its force times the path") {
  const GalleryRun run = follow("duffing_friction");
  const double mu = run.parameter("mu");
  const auto potential = [](double x) { return x * x * x * x / 4 - x * x / 2; };
  double from = 2;
  std::size_t turns = 0;
  for (const EventRecord& event : run.solution.events) {
    if (event.surface_names.front() != "stick") continue;
    const double to = run.after(event, "x");
    CHECK(potential(from) - potential(to) == near(mu * std::abs(to - from), 1e-6));
    from = to;
    ++turns;
  }
  CHECK(turns >= 6);
}

TEST_CASE("the block on a belt is torn off by its full friction, in a cycle") {
  const GalleryRun run = follow("leine_belt");
  const EventLog exits = run.events(EventKind::sliding_exit, "slip");
  const EventLog entries = run.events(EventKind::sliding_entry, "slip");
  REQUIRE(exits.size() >= 3);
  for (std::size_t i = 0; i < exits.size(); ++i) CHECK(run.after(exits[i], "x") == near(1));
  for (std::size_t i = 2; i < exits.size(); ++i)
    CHECK(exits[i].t - exits[i - 1].t == near(exits[1].t - exits[0].t));
  // While it sticks the belt carries it.
  for (std::size_t i = 1; i < exits.size(); ++i) {
    const EventRecord& entry =
        *std::find_if(entries.rbegin(), entries.rend(), [&](const auto& e) { return e.t < exits[i].t; });
    CHECK(exits[i].t - entry.t == near((1 - run.after(entry, "x")) / 0.2));
  }
}

TEST_CASE("the driven block on a belt lets go when spring and drive together match the friction") {
  const GalleryRun run = follow("popp_stelter");
  const EventLog exits = run.events(EventKind::sliding_exit, "slip");
  REQUIRE(exits.size() >= 2);
  for (const EventRecord& exit : exits)
    CHECK(std::abs(run.after(exit, "x") - 0.2 * std::cos(1.3 * exit.t)) == near(1));
}

TEST_CASE("the weaker block of the fault slips first, when it has been pulled with its friction") {
  const GalleryRun run = follow("burridge_knopoff");
  const EventRecord& first = run.solution.events.front();
  CHECK(run.solution.initial.mode.word() == "00");
  CHECK(first.kind == EventKind::sliding_exit);
  CHECK(first.to->word() == "+0");
  CHECK(first.t == near(10));
  // The other block holds as long as the springs pull it with less than its friction.
  const EventLog seconds = run.events(EventKind::sliding_exit, "slip2");
  REQUIRE_FALSE(seconds.empty());
  const EventRecord& second = seconds.front();
  const double pull =
      0.1 * second.t - run.after(second, "x2") + 0.6 * (run.after(second, "x1") - run.after(second, "x2"));
  CHECK(pull == near(1.3));
}

TEST_CASE("the brake holds the slip, and the car stops when the friction there says") {
  const GalleryRun run = follow("abs_brake");
  REQUIRE(run.solution.events.size() == 2);
  const EventRecord& entry = run.solution.events[0];
  CHECK(entry.kind == EventKind::sliding_entry);
  const double slip = run.parameter("s_ref");
  const double grip =
      run.parameter("c1") * (1 - std::exp(-run.parameter("c2") * slip)) - run.parameter("c3") * slip;
  const double time = (run.after(entry, "v") - 1) / (run.parameter("g") * grip);
  CHECK(run.solution.outcome.t == near(entry.t + time));
  CHECK(run.final("w") == near((1 - slip) * 1 / run.parameter("r")));
}

TEST_CASE("files and compiled models of the same system agree") {
  for (const char* const name : {"dry_friction", "evaporator", "friction_chain"}) {
    CAPTURE(name);
    const GalleryRun run = follow(name, {.rtol = 1e-11});
    std::string as_name = name;
    std::replace(as_name.begin(), as_name.end(), '_', '-');
    const Solution compiled = follow_catalogue(as_name, run.instance.end);
    check_same_times(run.solution, compiled, 1e-9);
    CHECK((run.solution.final.state - compiled.final.state).norm() < 1e-9);
  }
}

TEST_CASE("the evaporator settles where the overflow carries what the drain does not") {
  const GalleryRun run = follow("evaporator");
  CHECK(run.final("L") == near(0.1, 1e-12));
  CHECK(run.final("p") == near(std::sqrt(0.1 * (0.25 - 0.1) / 2)));
}

// ---- impacts and contacts ----------------------------------------------------------------------------------------

TEST_CASE("the ball comes to rest at the accumulation point of its bounces") {
  const GalleryRun run = follow("bouncing_ball");
  const double fall = std::sqrt(2 / 9.81);
  const EventLog zeno = run.events(EventKind::zeno);
  REQUIRE(zeno.size() == 1);
  CHECK(zeno[0].t == near(fall * (1 + 0.7) / (1 - 0.7)));
  CHECK(run.events(EventKind::impact).front().t == near(fall));
  CHECK(run.solution.final.state.norm() < 1e-12);
  CHECK(run.solution.final.mode.word() == "0");
}

TEST_CASE("between impacts the driven oscillator is linear, at impacts it keeps its share of the speed") {
  const GalleryRun run = follow("impact_oscillator");
  const double alpha = run.parameter("alpha");
  const double w = run.parameter("w");
  // The steady part is the real part of e^{iwt} times this, and the rest decays with the frequency w1.
  const std::complex<double> steady = 1.0 / std::complex<double>(1 - w * w, 2 * alpha * w);
  const double w1 = std::sqrt(1 - alpha * alpha);
  const auto forced = [&](double t) { return std::real(steady * std::polar(1.0, w * t)); };
  const auto forced_rate = [&](double t) {
    return std::real(std::complex<double>(0, w) * steady * std::polar(1.0, w * t));
  };
  const EventLog impacts = run.events(EventKind::impact, "stop");
  REQUIRE(impacts.size() > 10);
  for (std::size_t k = 0; k + 1 < impacts.size(); ++k) {
    const double t = impacts[k].t;
    CHECK(run.after(impacts[k], "v") == near(-0.8 * run.before(impacts[k], "v"), 1e-12));
    const double x = run.after(impacts[k], "x") - forced(t);
    const double v = run.after(impacts[k], "v") - forced_rate(t);
    const double s = impacts[k + 1].t - t;
    const double free =
        std::exp(-alpha * s) * (x * std::cos(w1 * s) + (v + alpha * x) / w1 * std::sin(w1 * s));
    CHECK(std::abs(free + forced(t + s) - run.parameter("d")) < 1e-7);
  }
}

TEST_CASE("the mass in a shaken box settles to the speed of the closed form") {
  const GalleryRun run = follow("impact_pair");
  const double quotient = (1 + 0.5) / (1 - 0.5);
  const double phase =
      root(pi / 2, pi, [&](double p) { return -quotient * std::cos(p) * pi - 4 - 2 * std::sin(p); });
  CHECK(std::abs(run.final("v")) == near(-quotient * std::cos(phase), 1e-6));
  const EventLog impacts = run.events(EventKind::impact);
  CHECK(impacts.back().t - impacts[impacts.size() - 2].t == near(pi, 1e-6));
}

TEST_CASE("the cradle hands its speed on and keeps its energy") {
  const GalleryRun run = follow("newtons_cradle");
  const double w2 = 9.81 / 0.25;
  const auto energy = [&](const Vector& x) {
    return x.tail(5).squaredNorm() / 2 + w2 * x.head(5).squaredNorm() / 2;
  };
  const EventLog impacts = run.events(EventKind::impact);
  REQUIRE(impacts.size() >= 4);
  for (std::size_t k = 0; k < 4; ++k) {
    CHECK(impacts[k].surface_names.front() == "pair" + std::to_string(k + 1));
    CHECK(energy(impacts[k].after) == near(energy(run.instance.state)));
  }
  CHECK(energy(run.solution.final.state) == near(energy(run.instance.state)));
  const double speed = run.after(impacts[3], "v5");
  CHECK(speed * speed / 2 > 0.998 * energy(run.instance.state));
}

TEST_CASE("the clock keeps time with the amplitude at which friction takes what the kick gives") {
  const GalleryRun run = follow("clock");
  const double f = run.parameter("f");
  const double h = run.parameter("h");
  const EventLog kicks = run.events(EventKind::reset, "kick");
  const EventLog turns = run.events(EventKind::crossing, "friction");
  REQUIRE(kicks.size() > 15);
  // A turn from a kick to the next: to the amplitude a on the right, back to a - 2 f on the left.
  double speed = std::sqrt(1 - 2 * f + 2 * h);
  CHECK(run.after(kicks[0], "v") == near(speed));
  for (std::size_t k = 1; k < kicks.size(); ++k) {
    CAPTURE(k);
    const double a = std::sqrt(f * f + speed * speed) - f;
    const double takes = std::atan(speed / f) + 2 * pi - std::acos(f / (a - 3 * f));
    CHECK(kicks[k].t - kicks[k - 1].t == near(takes));
    speed = std::sqrt((a - 2 * f) * (a - 4 * f) + 2 * h);
    CHECK(run.after(kicks[k], "v") == near(speed));
  }
  CHECK(run.before(turns[turns.size() - 1], "x") * run.before(turns[turns.size() - 2], "x") < 0);
  const double right = std::max(run.before(turns.back(), "x"), run.before(turns[turns.size() - 2], "x"));
  CHECK(right == near(f + h / (4 * f), 1e-3));
}

TEST_CASE("the valve hammers at a small flow and stands open at a large one") {
  const GalleryRun run = follow("relief_valve");
  const EventLog impacts = run.events(EventKind::impact, "seat");
  REQUIRE(impacts.size() >= 3);
  for (const EventRecord& impact : impacts)
    CHECK(run.after(impact, "v") == near(-0.8 * run.before(impact, "v"), 1e-10));
  const GalleryRun open = follow("relief_valve", {.settings = {{"q", 14}, {"x", 3}, {"p", 13}}});
  const double lift = root(0, 10, [](double x) { return x * std::sqrt(x + 10) - 14; });
  CHECK(open.final("x") == doctest::Approx(lift).epsilon(1e-3));
}

// ---- locations -----------------------------------------------------------------------------------------------------

TEST_CASE("the diodes of a bridge that blocks wait for a line voltage above that of the capacitor") {
  const GalleryRun run = follow("diode_rectifier", {.rtol = 1e-10, .method = Method::dopri5});
  const double w = 2 * pi * 50;
  const auto highest = [&](double t) {
    const double peak = std::sqrt(3.0) * 325;
    return peak * std::max({std::abs(std::sin(w * t + pi / 6)), std::abs(std::sin(w * t - pi / 2)),
                            std::abs(std::sin(w * t + 5 * pi / 6))});
  };
  std::vector<const EventRecord*> starts;
  for (const EventRecord& event : run.solution.events)
    if (event.from && event.from->word() == "000") starts.push_back(&event);
  // Blocked, the capacitor is alone with its load.
  const auto lack = [&](double t) { return 600 * std::exp(-t / (1e-3 * 400)) - highest(t); };
  double first = 0;
  while (lack(first) > 0) first += 1e-6;
  REQUIRE(starts.size() > 20);
  CHECK(starts.front()->t == near(root(first - 1e-6, first, lack), 1e-9));
  for (const EventRecord* start : starts) {
    CHECK(run.before(*start, "u") == near(highest(start->t), 1e-7));
    CHECK(start->surfaces.size() == 2);
    CHECK(std::abs(run.before(*start, "ia")) < 1e-12);
  }
  // Between the pulses, six in a period, all blocks.
  CHECK(starts.back()->t - starts[starts.size() - 7]->t == near(1 / 50.0, 1e-4));
  CHECK(run.solution.events.size() == 2 * starts.size() - 1);
}

TEST_CASE("the cycle of the thermostat has the period of the closed form") {
  const GalleryRun run = follow("thermostat");
  const double tau = 60;
  const double heated = 5 + tau * 0.5;
  const double period =
      tau * std::log((heated - 19) / (heated - 21)) + tau * std::log((21 - 5.0) / (19 - 5.0));
  const auto switches = times(run.events(EventKind::transition));
  REQUIRE(switches.size() > 10);
  CHECK(switches[0] == near(tau * std::log((heated - 15) / (heated - 21))));
  for (std::size_t i = 2; i < switches.size(); ++i) CHECK(switches[i] - switches[i - 2] == near(period));
}

TEST_CASE("each of a hundred thermostats has the cycle of its closed form") {
  const GalleryRun run = follow("thermostats");
  std::size_t switches = 0;
  for (int house = 1; house <= 100; ++house) {
    const double tau = 2 * 10 * (0.8 + 0.4 * house / 100.0);
    const double cooled = 32 - 2.0 * 14;
    const double on = tau * std::log((20.25 - cooled) / (19.75 - cooled));
    const double off = tau * std::log((32 - 19.75) / (32 - 20.25));
    const auto switched_off = times(run.events(EventKind::reset, "off" + std::to_string(house)));
    const auto switched_on = times(run.events(EventKind::reset, "on" + std::to_string(house)));
    const double first = tau * std::log((20 - cooled) / (19.75 - cooled));
    REQUIRE(switched_off.size() == static_cast<std::size_t>((6 - first) / (on + off)) + 1);
    for (std::size_t k = 0; k < switched_off.size(); ++k)
      CHECK(switched_off[k] == near(first + static_cast<double>(k) * (on + off), 1e-6));
    REQUIRE(switched_on.size() == static_cast<std::size_t>((6 - first + on) / (on + off)));
    for (std::size_t k = 0; k < switched_on.size(); ++k)
      CHECK(switched_on[k] == near(first + off + static_cast<double>(k) * (on + off), 1e-6));
    switches += switched_off.size() + switched_on.size();
  }
  CHECK(run.solution.events.size() == switches);
}

TEST_CASE("the neuron fires at its rate") {
  const GalleryRun run = follow("integrate_and_fire");
  EventLog spikes;
  for (const EventRecord& event : run.events(EventKind::transition, "spike")) spikes.push_back(event);
  const double charging = 10 * std::log(20.0 / (20.0 - 15.0));
  REQUIRE(spikes.size() == 6);
  CHECK(spikes[0].t == near(charging, 1e-6));
  for (std::size_t i = 1; i < spikes.size(); ++i)
    CHECK(spikes[i].t - spikes[i - 1].t == near(charging + 2, 1e-6));
}

TEST_CASE("the follower takes off when the cam would have to pull") {
  const GalleryRun run = follow("cam_follower");
  const auto push = [&](double t) {
    const double w = run.parameter("w");
    const double r = run.parameter("r");
    return run.parameter("m") * r * w * w * std::cos(w * t) + run.parameter("c") * r * w * std::sin(w * t) +
           run.parameter("k") * (r * (1 - std::cos(w * t)) + run.parameter("z_0")) +
           run.parameter("m") * 9.81;
  };
  EventLog starts;
  EventLog landings;
  for (const EventRecord& event : run.solution.events)
    (event.name == "landing" ? landings : starts).push_back(event);
  REQUIRE(starts.size() >= 3);
  const double first = root(0, pi / 60, push);
  for (std::size_t k = 0; k < starts.size(); ++k) {
    CAPTURE(k);
    CHECK(starts[k].t == near(first + 2 * pi / 60 * static_cast<double>(k)));
  }
  // Flight is a damped oscillation about the spring's rest position.
  for (std::size_t k = 0; k < landings.size(); ++k) {
    const double m = run.parameter("m");
    const double rest = -run.parameter("z_0") - m * 9.81 / run.parameter("k");
    const double decay = run.parameter("c") / (2 * m);
    const double frequency = std::sqrt(run.parameter("k") / m - decay * decay);
    const double z = run.after(starts[k], "z") - rest;
    const double s = landings[k].t - starts[k].t;
    const double fly =
        rest + std::exp(-decay * s) * (z * std::cos(frequency * s) + (run.after(starts[k], "v") + decay * z) /
                                                                         frequency * std::sin(frequency * s));
    CHECK(fly == near(run.parameter("r") * (1 - std::cos(60 * landings[k].t)), 1e-6));
  }
}

TEST_CASE("the rocking block stands when the impacts of the closed form have accumulated") {
  const GalleryRun run = follow("rocking_block");
  const double p = 2;
  const double a = 0.25;
  const double first = std::acosh(1 / (1 - 0.2 / a)) / p;
  double speed = p * std::sqrt(a * a - (a - 0.2) * (a - 0.2));
  double stands = first;
  for (int impact = 0; impact < 2000; ++impact) {
    speed *= 0.9;
    stands += 2 / p * std::atanh(speed / (p * a));
  }
  CHECK(run.events(EventKind::transition).front().t == near(first));
  const EventLog zeno = run.events(EventKind::zeno);
  REQUIRE(zeno.size() == 1);
  CHECK(zeno[0].t == near(stands, 1e-6));
  CHECK(run.solution.final.location == "standing");
  CHECK(run.solution.final.state.norm() < 1e-7);
}

// ---- flow, heat and life ---------------------------------------------------------------------------------------------

TEST_CASE("the spiral of Filippov ends in the origin at half the distance") {
  const GalleryRun run = follow("filippov_spiral");
  const EventLog zeno = run.events(EventKind::zeno);
  REQUIRE(zeno.size() == 1);
  CHECK(zeno[0].t == near((1 + 0.5) / 2));
  CHECK(run.solution.final.state.norm() < 1e-12);
  CHECK(run.solution.final.mode.word() == "00");
  for (const EventRecord& event : run.events(EventKind::crossing))
    CHECK(std::abs(event.after.lpNorm<1>() - (1.5 - 2 * event.t)) < 1e-7);
}

TEST_CASE("agents who follow signs merge one by one at the times that plateaus take, and agree on the mean") {
  const GalleryRun run = follow("total_variation");
  struct Plateau {
    double height;
    double agents;
  };
  std::vector<Plateau> plateaus;
  for (const double height : run.instance.state) plateaus.push_back({height, 1});
  const double mean = run.instance.state.mean();
  const auto sign = [](double value) { return value > 0 ? 1.0 : -1.0; };
  const EventLog& events = run.solution.events;
  REQUIRE(events.size() == plateaus.size() - 1);
  double t = 0;
  for (const EventRecord& event : events) {
    const std::size_t count = plateaus.size();
    std::vector<double> speed(count, 0);
    for (std::size_t k = 0; k + 1 < count; ++k) {
      const double pull = sign(plateaus[k + 1].height - plateaus[k].height);
      speed[k] += pull / plateaus[k].agents;
      speed[k + 1] -= pull / plateaus[k + 1].agents;
    }
    double wait = 1e300;
    std::size_t first = 0;
    for (std::size_t k = 0; k + 1 < count; ++k) {
      const double closing = (speed[k] - speed[k + 1]) / (plateaus[k + 1].height - plateaus[k].height);
      if (closing > 0 && 1 / closing < wait) {
        wait = 1 / closing;
        first = k;
      }
    }
    t += wait;
    for (std::size_t k = 0; k < count; ++k) plateaus[k].height += wait * speed[k];
    plateaus[first].agents += plateaus[first + 1].agents;
    plateaus.erase(plateaus.begin() + static_cast<std::ptrdiff_t>(first) + 1);
    CHECK(event.kind == EventKind::sliding_entry);
    CHECK(event.t == near(t, 1e-9));
  }
  CHECK((run.solution.final.state.array() - mean).abs().maxCoeff() < 1e-9);
  // They take evaluations by the tens, however many surfaces are coupled.
  CHECK(static_cast<std::size_t>(run.solution.statistics.field_evaluations) < 60 * events.size());
}

TEST_CASE("the heat in the rod is what came in minus what the relay took") {
  const GalleryRun run = follow("heat_rod");
  const EventLog exits = run.events(EventKind::sliding_exit, "relay");
  REQUIRE(exits.size() == 1);
  CHECK(run.after(exits[0], "u20") == near(0.2, 1e-10));
  const auto mean = [](const Vector& x) { return x.head(20).mean(); };
  CHECK(mean(exits[0].after) == near(0.25 * exits[0].t * exits[0].t - run.after(exits[0], "removed"), 1e-6));
  CHECK(mean(run.solution.final.state) == near(0.25 * 16 - run.final("removed"), 1e-6));
  // Much later than the rod needs to conduct, the flux arrives late by a constant: N^2 (u19 - u20) = 1 when the relay is exhausted.
  CHECK(20 * (run.after(exits[0], "u19") - run.after(exits[0], "u20")) == near(1, 1e-6));
}

TEST_CASE("the first tank stays at its edge until the pump stops, then drains by the law of Torricelli") {
  const GalleryRun run = follow("three_tanks");
  const EventLog& events = run.solution.events;
  REQUIRE(events.size() == 2);
  CHECK(events[0].kind == EventKind::sliding_entry);
  CHECK(run.before(events[1], "h1") == near(0.6, 1e-10));
  CHECK(events[1].t == near(450));
  CHECK(events[1].kind == EventKind::corner);
  const double rate = run.parameter("hole") * std::sqrt(2 * 9.81) / (2 * run.parameter("area"));
  CHECK(run.final("h1") == near(std::pow(std::sqrt(0.6) - 150 * rate, 2)));
}

TEST_CASE("the harvested populations settle at the pseudo-equilibrium") {
  const GalleryRun run = follow("harvesting");
  const double prey = root(0.5, 1, [](double x) { return (1 - x) * (0.33 + x) - 0.36 * 0.5; });
  CHECK(run.final("x") == near(prey));
  CHECK(run.final("y") == near(0.5, 1e-12));
  CHECK(run.solution.final.mode.word() == "0");
}

TEST_CASE("the ocean box relaxes exponentially between the switches of its convection, in a cycle") {
  const GalleryRun run = follow("welander");
  const EventLog& events = run.solution.events;
  REQUIRE(events.size() > 10);
  for (std::size_t i = 0; i + 1 < events.size(); ++i) {
    const double mixing = events[i].to->word() == "+" ? 5 : 0;
    const double s = events[i + 1].t - events[i].t;
    const auto relaxed = [&](const std::string& state, double rate, double rest) {
      return rest + (run.after(events[i], state) - rest) * std::exp(-rate * s);
    };
    CHECK(run.after(events[i + 1], "T") == near(relaxed("T", 1 + mixing, 1 / (1 + mixing))));
    CHECK(run.after(events[i + 1], "S") == near(relaxed("S", 0.5 + mixing, 0.5 / (0.5 + mixing))));
  }
  const std::size_t last = events.size() - 1;
  CHECK(events[last].t - events[last - 2].t == near(events[last - 2].t - events[last - 4].t, 1e-6));
}

TEST_CASE("the resonator keeps modulating itself, with the mode relaxing between the switches") {
  const GalleryRun run = follow("superconducting_resonator");
  const EventLog& events = run.solution.events;
  REQUIRE(events.size() > 8);
  for (std::size_t i = 0; i + 1 < events.size(); ++i) {
    CHECK(events[i].kind == EventKind::crossing);
    const double rate = 1 + (events[i].to->word() == "+" ? 4 : 0.5);
    const double relaxed = -1 / rate + (run.after(events[i], "y") + 1 / rate) *
                                           std::exp(-rate * (events[i + 1].t - events[i].t));
    CHECK(run.after(events[i + 1], "y") == near(relaxed));
  }
  const std::size_t last = events.size() - 1;
  CHECK(events[last].t - events[last - 2].t == near(events[last - 2].t - events[last - 4].t, 1e-5));
}

TEST_CASE("without drive and damping the gears keep their energy") {
  const GalleryRun run = follow("gear_rattle", {.settings = {{"zeta", 0}, {"F1", 0}, {"x", 2.5}}});
  REQUIRE(run.events(EventKind::crossing).size() > 10);
  const auto energy = [&](const Vector& x) {
    const double mesh = std::max(x[0] - 1, 0.0) + std::min(x[0] + 1, 0.0);
    return x[1] * x[1] / 2 + mesh * mesh / 2 - run.parameter("F0") * x[0];
  };
  CHECK(energy(run.solution.final.state) == near(energy(run.instance.state), 1e-5));
}

// ---- static, bristle and vector friction --------------------------------------------------------------------------

TEST_CASE("a block under a ramp starts at the static friction and stops when the push has been worn away") {
  for (const Method method : {Method::bdf, Method::adams, Method::dopri5}) {
    const GalleryRun run = follow("ramp_block", {.method = method});
    const double r = run.parameter("r"), kinetic = run.parameter("F_c"), off = run.parameter("t_off");
    const double start = run.parameter("F_s") / r;
    const auto speed = [&](double t) { return r * (t * t - start * start) / 2 - kinetic * (t - start); };
    REQUIRE(run.solution.events.size() == 3);
    CHECK(run.solution.events[0].t == near(start));
    CHECK(run.solution.events[1].t == near(off));
    CHECK(run.solution.events[2].t == near(off + speed(off) / kinetic));
    CHECK(run.final("v") == 0);
  }
}

TEST_CASE("a block under a sine starts at the static friction and stops where the impulses balance") {
  const GalleryRun run = follow("sine_block");
  const double kinetic = run.parameter("F_c"), start = std::asin(run.parameter("F_s"));
  const double stop = root(start + 0.5, start + 3,
                           [&](double t) { return std::cos(start) - std::cos(t) - kinetic * (t - start); });
  const EventLog& events = run.solution.events;
  REQUIRE(events.size() == 31);
  for (std::size_t k = 0; k < events.size(); ++k) {
    const double half_turns = pi * static_cast<double>(k / 2);
    CHECK(events[k].t == near((k % 2 == 0 ? start : stop) + half_turns));
  }
}

TEST_CASE("the pin is torn off its disk by the static friction of the normal force it has then") {
  const GalleryRun run = follow("pin_on_disk");
  const EventLog torn = run.events(EventKind::sliding_exit);
  CHECK(torn.size() > 10);
  for (const EventRecord& event : torn) {
    const double x = run.before(event, "x"), y = run.before(event, "y"), v = run.before(event, "v");
    const double normal = run.parameter("N0") + run.parameter("k_n") * y;
    const double pull = run.parameter("k_x") * x + run.parameter("k_xy") * y + run.parameter("c") * v;
    CHECK(pull == near(run.parameter("mu_s") * normal));
    CHECK(v == near(run.parameter("v_d"), 1e-9));
  }
}

TEST_CASE("the loop of Dahl has the height of the closed form") {
  const GalleryRun run = follow("dahl_loop");
  const double height =
      run.parameter("F_c") * std::tanh(run.parameter("sigma") * run.parameter("A") / run.parameter("F_c"));
  const EventLog turns = run.events(EventKind::crossing);
  REQUIRE(turns.size() == 6);
  CHECK(run.before(turns[0], "F") == near(1 - std::exp(-3.0)));
  CHECK(run.before(turns[5], "F") == near(-height, 1e-6));
}

TEST_CASE("the bristles of LuGre let the block slip twice, with four reversals at each stop") {
  const GalleryRun run = follow("lugre_block", {.rtol = 1e-7});
  // By a Taylor series of order 28 in quadruple precision.
  const double reversals[] = {10.2660909412840536, 10.2764203978013766, 10.2926632434271863,
                              10.3009597155445431, 16.6288107623498700, 16.6391402188671929,
                              16.6553830644929926, 16.6636795366103594};
  const EventLog turns = run.events(EventKind::crossing);
  REQUIRE(turns.size() == 8);
  for (std::size_t k = 0; k < turns.size(); ++k) CHECK(turns[k].t == near(reversals[k], 1e-5));
  CHECK(run.final("x") == near(1.27259641232360507, 1e-5));
}

TEST_CASE("a disk pushed along a line moves like a block, and turns with its push") {
  const GalleryRun along = follow("friction_disk", {.settings = {{"B", 0.0}}, .method = Method::dopri5});
  const GalleryRun block =
      follow("sine_block", {.settings = {{"A", 0.8}, {"F_c", 0.5}, {"F_s", 0.6}}, .method = Method::dopri5});
  const EventLog& expected = block.solution.events;
  const EventLog& got = along.solution.events;
  REQUIRE(got.size() > 5);
  for (std::size_t k = 0; k < got.size(); ++k) CHECK(got[k].t == near(expected[k].t));

  const GalleryRun straight = follow("friction_disk", {.method = Method::dopri5});
  const GalleryRun turned = follow("friction_disk", {.settings = {{"alpha", 0.7}}, .method = Method::dopri5});
  REQUIRE(turned.solution.events.size() == straight.solution.events.size());
  for (std::size_t k = 0; k < got.size() && k < straight.solution.events.size(); ++k)
    CHECK(turned.solution.events[k].t == near(straight.solution.events[k].t));
  const double x = straight.final("x"), y = straight.final("y");
  CHECK(turned.final("x") == near(std::cos(0.7) * x - std::sin(0.7) * y));
  CHECK(turned.final("y") == near(std::sin(0.7) * x + std::cos(0.7) * y));

  // It starts at the circle, not at the square round it.
  const EventRecord start = straight.events(EventKind::transition, "break-away").front();
  const double p1 = 0.8 * std::sin(start.t), p2 = 0.3 * std::sin(2 * start.t);
  CHECK(std::hypot(p1, p2) == near(0.6));
  CHECK(std::max(p1, p2) < 0.55);
}
