// Models that leave as FMUs and come back: the events are those of the model.
#ifdef SLIDEWAY_FMU_BINARY
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <optional>

#include "models/registry.hpp"
#include "slideway/fmi/export.hpp"
#include "slideway/fmi/import.hpp"
#include "slideway/io/model_file.hpp"
#include "slideway/model/check.hpp"
#include "slideway/simulate/simulator.hpp"
#include "test/fmi/fmu_file.hpp"
#include "test/temporary_folder.hpp"

using namespace slideway;

namespace {

const std::string gallery = SLIDEWAY_SOURCE_DIR "/models/gallery/";

// The instants of events; several records of one instant are one.
std::vector<double> instants(const Solution& solution) {
  std::vector<double> times;
  for (const EventRecord& event : solution.events)
    if (event.t > 0 && (times.empty() || event.t > times.back() + 1e-9 * (1 + event.t)))
      times.push_back(event.t);
  return times;
}

Solution run_model(const Model& model) {
  const ModelInstance instance = model.instantiate({});
  return Simulator(instance.problem(), {.rtol = 1e-9})
      .run({.start = instance.start, .end = instance.end, .state = instance.state});
}

FmuExport what_of(const std::string& file, FmiVersion version, double rtol = 1e-9) {
  FmuExport what{.version = version, .model_file = file, .binary = SLIDEWAY_FMU_BINARY};
  what.options.rtol = rtol;
  return what;
}

// What comes back does not depend on the tolerance of Co-Simulation that an FMU is exported with.
void check_round_trip(const Model& model, const std::string& file, double exported_rtol = 1e-9) {
  const Solution expected = run_model(model);
  for (const FmiVersion version : {FmiVersion::two, FmiVersion::three}) {
    CAPTURE(model.name);
    const test::TemporaryFolder folder;
    write_fmu(folder / "model.fmu", model, what_of(file, version, exported_rtol));
    const Solution found = run_model(read_fmu(folder / "model.fmu"));
    CHECK(found.outcome.t == doctest::Approx(expected.outcome.t).epsilon(1e-7));
    const std::vector<double> times = instants(expected), times_found = instants(found);
    REQUIRE(times_found.size() == times.size());
    for (std::size_t k = 0; k < times.size(); ++k) CHECK(std::abs(times_found[k] - times[k]) < 1e-6);
    // Discrete states stay inside the FMU.
    const System system = model.instantiate({}).system;
    for (Index i = 0; i < system.states() - system.discrete(); ++i)
      CHECK(std::abs(found.final.state[i] - expected.final.state[i]) < 1e-6);
  }
}

}  // namespace

TEST_CASE("the evaporator of the catalogue has the same events as an FMU") {
  check_round_trip(models::find_model("evaporator"), "");
}

TEST_CASE(
    "models of the gallery have the same events as FMUs: sliding, impacts, locations, samples, a stop") {
  for (const std::string name : {"dry_friction", "leine_belt", "thermostat", "impact_oscillator", "utkin",
                                 "welander", "hysteresis_relay", "sampled_sliding", "abs_brake"})
    check_round_trip(read_model_file(gallery + name + ".toml"), gallery + name + ".toml");
}

TEST_CASE("a loose tolerance of an exported FMU makes no event of Model Exchange another one") {
  for (const double rtol : {1e-4, 1e-6})
    check_round_trip(read_model_file(gallery + "dry_friction.toml"), gallery + "dry_friction.toml", rtol);
}

TEST_CASE("inputs and tunable parameters of an FMU are driven from a table, with their jumps") {
  const std::string text =
      "name = \"block\"\n[parameters]\nmu = 0.4\nu = 1.0\n[states]\nx = 2.0\nv = 0.0\n[time]\nend = 20.0\n"
      "[derivatives]\nx = \"v\"\nv = \"u*cos(t/2) - x - mu*sgn(v)\"\n";
  const Model model = parse_model(text, "block.toml");
  const auto run_piece = [&](const Settings& settings, double start, double end, const Vector& state) {
    return Simulator(model.instantiate(settings).problem(), {.rtol = 1e-10})
        .run({.start = start, .end = end, .state = state})
        .final.state;
  };
  const Vector first = run_piece({}, 0, 7, Vector{{2, 0}});
  const Vector expected = run_piece({{"u", 0.5}, {"mu", 0.2}}, 7, 20, first);
  const test::TemporaryFolder folder;
  std::ofstream(folder / "u.csv") << "time,u,mu\n0,1,0.4\n7,1,0.4\n7,0.5,0.2\n20,0.5,0.2\n";
  for (const FmiVersion version : {FmiVersion::two, FmiVersion::three})
    for (const bool is_stepped : {false, true}) {
      CAPTURE(is_stepped);
      FmuExport what{.version = version,
                     .model_text = text,
                     .inputs = {"u"},
                     .tunable = {"mu"},
                     .binary = SLIDEWAY_FMU_BINARY};
      what.options.rtol = 1e-10;
      write_fmu(folder / "block.fmu", model, what);
      const Model driven = read_fmu(folder / "block.fmu",
                                    {.prefers_co_simulation = is_stepped,
                                     .communication_step = is_stepped ? std::optional(0.5) : std::nullopt,
                                     .inputs = folder / "u.csv"});
      const Vector found = run_model(driven).final.state;
      CHECK((found.head(2) - expected).lpNorm<Eigen::Infinity>() < 1e-7);
    }
  FmuExport wrong{.model_text = text, .inputs = {"m"}, .binary = SLIDEWAY_FMU_BINARY};
  CHECK_THROWS_WITH_AS(write_fmu(folder / "wrong.fmu", model, wrong),
                       doctest::Contains("is a parameter of the model"), std::invalid_argument);
}

TEST_CASE(
    "directional derivatives of an exported FMU are those of its field, along surfaces and with contacts, "
    "too") {
  for (const std::string name : {"dry_friction", "leine_belt", "utkin", "thermostat", "impact_oscillator"}) {
    CAPTURE(name);
    const Model model = read_model_file(gallery + name + ".toml");
    const test::TemporaryFolder folder;
    write_fmu(folder / "model.fmu", model, what_of(gallery + name + ".toml", FmiVersion::three));
    const ModelInstance instance = read_fmu(folder / "model.fmu").instantiate({});
    const auto is_right = [&](double t, const Vector& x) {
      return check_derivatives(instance.system, t, x, Vector::Ones(instance.system.surfaces())).passed;
    };
    CHECK(is_right(instance.start, instance.state));
    const Solution solution =
        Simulator(instance.problem(), {.rtol = 1e-9})
            .run({.start = instance.start, .end = instance.end, .state = instance.state});
    std::size_t checked = 0;
    for (std::size_t k = 0; k + 1 < solution.events.size() && checked < 6; ++k) {
      // Between two events, in whatever mode holds there.
      const double t = 0.5 * (solution.events[k].t + solution.events[k + 1].t);
      if (!(t > solution.events[k].t + 1e-3) || solution.events[k].after.size() == 0) continue;
      Vector x = solution.trajectory(t);
      CHECK(is_right(t, x));
      ++checked;
    }
  }
}

TEST_CASE("a parameter that decides how many events an exported FMU has keeps its value") {
  const std::string text =
      "[parameters]\nm = 2\nk = 1.0\n[states]\nv = { size = \"3\", value = \"0\" }\n[derivatives]\nv = "
      "\"k\"\n"
      "[[resets]]\nname = \"level\"\nsize = \"m\"\nwhen = \"v[i] >= 0.3*i\"\nset = { v = \"v[i] + 0.01\" }\n"
      "[time]\nend = 2.0\n";
  const Model model = parse_model(text, "levels.toml");
  const test::TemporaryFolder folder;
  for (const FmiVersion version : {FmiVersion::two, FmiVersion::three})
    for (const bool is_stepped : {false, true}) {
      write_fmu(folder / "levels.fmu", model,
                {.version = version, .model_text = text, .binary = SLIDEWAY_FMU_BINARY});
      const Model exported = read_fmu(folder / "levels.fmu", {.prefers_co_simulation = is_stepped});
      CHECK(exported.instantiate({{"k", 2}, {"m", 2}}).start == 0);
      CHECK_THROWS_WITH_AS(exported.instantiate({{"m", 3}}),
                           doctest::Contains("a parameter decides the surfaces, contacts or events"),
                           std::runtime_error);
    }
}

TEST_CASE("an FMU of Co-Simulation comes to the state of the run, step by step") {
  const std::string file = gallery + "dry_friction.toml";
  const Model model = read_model_file(file);
  const test::TemporaryFolder folder;
  write_fmu(folder / "model.fmu", model, what_of(file, FmiVersion::three));
  for (const std::string name : {"slideway.json", "model.toml"})
    std::ofstream(folder / name) << test::archive_entry(folder / "model.fmu", "resources/" + name);
  void* const binary = dlopen(SLIDEWAY_FMU_BINARY, RTLD_NOW | RTLD_LOCAL);
  REQUIRE(binary != nullptr);
  const auto symbol = [&](const char* name) { return dlsym(binary, name); };
  using Instantiate = void*(const char*, const char*, const char*, bool, bool, bool, bool, const unsigned*,
                            std::size_t, void*, void*, void*);
  using Enter = int(void*, bool, double, double, bool, double);
  using Call = int(void*);
  using Step = int(void*, double, double, bool, bool*, bool*, bool*, double*);
  using Get = int(void*, const unsigned*, std::size_t, double*, std::size_t);
  void* const instance = reinterpret_cast<Instantiate*>(symbol("fmi3InstantiateCoSimulation"))(
      "one", "", folder.path().c_str(), false, false, true, true, nullptr, 0, nullptr, nullptr, nullptr);
  REQUIRE(instance != nullptr);
  CHECK(reinterpret_cast<Enter*>(symbol("fmi3EnterInitializationMode"))(instance, false, 0, 0, false, 0) ==
        0);
  CHECK(reinterpret_cast<Call*>(symbol("fmi3ExitInitializationMode"))(instance) == 0);
  const Solution expected = run_model(model);
  std::vector<double> stops;
  double t = 0;
  while (t < expected.outcome.t) {
    bool event = false, ends = false, early = false;
    const double step = std::min(0.75, expected.outcome.t - t);
    REQUIRE(reinterpret_cast<Step*>(symbol("fmi3DoStep"))(instance, t, step, false, &event, &ends, &early,
                                                          &t) == 0);
    if (early) stops.push_back(t);
  }
  const std::vector<double> times = instants(expected);
  REQUIRE(stops.size() == times.size());
  for (std::size_t k = 0; k < times.size(); ++k) CHECK(std::abs(stops[k] - times[k]) < 1e-6);
  for (unsigned i = 0; i < expected.final.state.size(); ++i) {
    const unsigned reference = 1 + i;
    double value = 0;
    CHECK(reinterpret_cast<Get*>(symbol("fmi3GetFloat64"))(instance, &reference, 1, &value, 1) == 0);
    CHECK(std::abs(value - expected.final.state[i]) < 1e-6);
  }
  reinterpret_cast<void (*)(void*)>(symbol("fmi3FreeInstance"))(instance);
}
#endif
