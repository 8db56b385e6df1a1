// Analyses of an FMU beside its run: derivatives through its events, Lyapunov exponents and the audit. Analyses that the number of the stage,
// which is one of the states, would make wrong are refused.
#include <doctest/doctest.h>

#include <cmath>

#include "models/registry.hpp"
#include "slideway/audit/audit.hpp"
#include "slideway/audit/called_functions.hpp"
#include "slideway/basins/basins.hpp"
#include "slideway/diagram/diagram.hpp"
#include "slideway/fmi/export.hpp"
#include "slideway/fmi/import.hpp"
#include "slideway/io/model_file.hpp"
#include "slideway/orbit/lyapunov.hpp"
#include "slideway/orbit/periodic_orbit.hpp"
#include "slideway/simulate/sensitivity.hpp"
#include "slideway/simulate/simulator.hpp"
#include "test/fmi/fmu_file.hpp"
#include "test/temporary_folder.hpp"

using namespace slideway;
using test::FmuOptions;

namespace {

const FmuOptions first_bounce = {
    .model = "ball", .states = {"h", "v"}, .indicators = 1, .discrete = 1, .parameter = 0.7, .end = 0.8};
const FmuOptions chattering = {.model = "chatter", .states = {"x", "y"}, .indicators = 1, .discrete = 1};
const FmuOptions holder = {.model = "holder", .states = {"x"}, .discrete = 1};

Run run_of(const ModelInstance& instance) {
  return {.start = instance.start, .end = instance.end, .state = instance.state};
}

Solution differentiated(const Model& model, const std::vector<std::string>& names) {
  const ModelInstance instance = model.instantiate({});
  Options options{.rtol = 1e-10};
  options.sensitivities = sensitivities_by(model, {}, instance, names);
  return Simulator(instance.problem(), options).run(run_of(instance));
}

// The audit of a run that hears of its steps, as the command makes it.
AuditResult audited(const Model& model) {
  const ModelInstance instance = model.instantiate({});
  Options options{.rtol = 1e-8, .max_step = 0.1};
  Auditor auditor(called_functions(), instance, options, AuditLevel::full);
  Options listening = auditor.listening(options);
  tell_steps(instance, listening);
  const Solution solution = Simulator(instance.problem(), listening).run(run_of(instance));
  CHECK(solution.outcome.succeeded());
  return auditor.result();
}

}  // namespace

TEST_CASE("derivatives by initial values go through the bounces of an FMU") {
  const test::TemporaryFolder folder;
  for (const int version : {2, 3})
    for (const bool saves_state : {true, false}) {
      CAPTURE(version);
      CAPTURE(saves_state);
      FmuOptions fmu = first_bounce;
      fmu.version = version;
      fmu.saves_state = saves_state;
      const std::string file = folder / (std::to_string(version) + (saves_state ? "s.fmu" : ".fmu"));
      test::write_fmu(file, fmu);
      const Solution solution = differentiated(read_fmu(file), {"h", "v"});
      REQUIRE(solution.sensitivities);
      const Matrix s = solution.sensitivities->final();
      REQUIRE(s.allFinite());
      // From h = 1 the ball falls to the floor at T = √(2/g): h = e·g·T·(t − T) − g/2·(t − T)² after it, and dT/dh = 1/(g·T).
      constexpr double g = 9.81, e = 0.7, t = 0.8;
      const double fall = std::sqrt(2 / g), by_h = 1 / (g * fall);
      CHECK(s(0, 0) == doctest::Approx((e * g * (t - 2 * fall) + g * (t - fall)) * by_h).epsilon(1e-6));
      CHECK(s(1, 0) == doctest::Approx((1 + e) * g * by_h).epsilon(1e-6));
      // A velocity v at the start moves the impact by v/g, and the speed there, √(v² + 2g), by nothing.
      CHECK(s(0, 1) == doctest::Approx(-(1 / g) * (e * g * fall - g * (t - fall))).epsilon(1e-6));
      CHECK(s(1, 1) == doctest::Approx(1).epsilon(1e-6));
      // The number of the stage has no derivative.
      CHECK(s.row(2).isZero(0));
    }
}

TEST_CASE("there is no derivative past an event at which an FMU keeps what a state was") {
  const test::TemporaryFolder folder;
  test::write_fmu(folder / "holder.fmu", holder);
  const Model model = read_fmu(folder / "holder.fmu");
  const ModelInstance instance = model.instantiate({});
  Options options{.rtol = 1e-8};
  options.sensitivities = by_initial_values(instance.system, {"x"});
  const Solution solution = Simulator(instance.problem(), options).run(run_of(instance));
  CHECK(solution.outcome.succeeded());
  REQUIRE(solution.sensitivities);
  CHECK(!solution.sensitivities->final().allFinite());
  CHECK(solution.sensitivities->exists_until() == doctest::Approx(0.25));
  CHECK(solution.sensitivities->reason().find("keeps something of the state") != std::string::npos);
}

TEST_CASE("a derivative by a start value that an FMU remembers is refused") {
  const test::TemporaryFolder folder;
  test::write_fmu(folder / "holder.fmu", holder);
  CHECK_THROWS_WITH_AS(differentiated(read_fmu(folder / "holder.fmu"), {"x"}),
                       doctest::Contains("remembers what a state was at the start"), std::invalid_argument);
}

TEST_CASE("derivatives by parameters of an FMU are refused") {
  const test::TemporaryFolder folder;
  test::write_fmu(folder / "ball.fmu", first_bounce);
  CHECK_THROWS_WITH_AS(differentiated(read_fmu(folder / "ball.fmu"), {"p"}),
                       doctest::Contains("derivatives by its parameters"), std::invalid_argument);
}

TEST_CASE("orbits, basins and diagrams of an FMU are refused, since it counts its events") {
  const test::TemporaryFolder folder;
  test::write_fmu(folder / "ball.fmu", first_bounce);
  const Model model = read_fmu(folder / "ball.fmu");
  const ModelInstance instance = model.instantiate({});
  const auto refused = [](const auto& search, const char* what) {
    CHECK_THROWS_WITH_AS(search(), doctest::Contains(what), std::invalid_argument);
  };
  refused([&] { (void)find_periodic_orbit(instance.problem(), {.period = 0.5, .state = instance.state}); },
          "periodic orbits of an FMU");
  refused(
      [&] {
        (void)find_basins(model, {.across = {.name = "h", .low = 0.5, .high = 1},
                                  .up = {.name = "v", .low = 0, .high = 1}});
      },
      "basins of an FMU");
  refused(
      [&] {
        (void)find_diagram(model, {.across = {.name = "p", .low = 0.5, .high = 0.6},
                                   .up = {.name = "h", .low = 0.5, .high = 1}});
      },
      "diagrams of an FMU");
}

#ifdef SLIDEWAY_FMU_BINARY
TEST_CASE("derivatives by parameters of an FMU without events are those of the formula") {
  const test::TemporaryFolder folder;
  const std::string text =
      "[states]\nx = 1.0\n[parameters]\nk = 0.7\n[derivatives]\nx = \"-k*x\"\n[time]\nend = 2.0\n";
  write_fmu(folder / "decay.fmu", parse_model(text, "decay.toml"),
            {.model_text = text, .binary = SLIDEWAY_FMU_BINARY});
  const Solution solution = differentiated(read_fmu(folder / "decay.fmu"), {"k", "x"});
  const Matrix s = solution.sensitivities->final();
  CHECK(s(0, 0) == doctest::Approx(-2 * std::exp(-1.4)).epsilon(1e-6));
  CHECK(s(0, 1) == doctest::Approx(std::exp(-1.4)).epsilon(1e-6));
}

TEST_CASE("the Lyapunov exponents of an exported model are those of the model") {
  const test::TemporaryFolder folder;
  // The evaporator slides from its second event on: what leads across its surface must not outlast what shrinks along it.
  for (const std::string name : {"dry-friction", "impact-oscillator", "evaporator"}) {
    CAPTURE(name);
    const Model model = models::find_model(name);
    const std::string file = folder / (name + ".fmu");
    write_fmu(file, model, {.binary = SLIDEWAY_FMU_BINARY});
    const auto exponents = [](const Model& of) {
      const ModelInstance instance = of.instantiate({});
      return lyapunov_exponents(instance.problem(),
                                {.start = instance.start, .end = 600, .state = instance.state},
                                {.run = {.rtol = 1e-9}, .block = 1, .transient = 100});
    };
    const LyapunovExponents expected = exponents(model), found = exponents(read_fmu(file));
    CHECK_MESSAGE(found.complete, found.message);
    REQUIRE(found.values.size() == expected.values.size());
    // The fastest exponent along the surfaces. One across them is -inf, or that of the pull where no event comes after the transient.
    double rate = 0;
    for (const double value : expected.values)
      if (std::isfinite(value)) rate = std::max(rate, std::abs(value));
    for (Index i = 0; i < found.values.size(); ++i) {
      CAPTURE(i);
      if (std::isfinite(expected.values[i]))
        CHECK(found.values[i] == doctest::Approx(expected.values[i]).epsilon(1e-4));
      else
        CHECK(found.values[i] < -1.5 * rate);
    }
    // A Co-Simulation steps by itself.
    const LyapunovExponents stepped = exponents(read_fmu(file, {.communication_step = 0.5}));
    CHECK(!stepped.complete);
    CHECK(stepped.message.find("Co-Simulation") != std::string::npos);
  }
}

TEST_CASE(
    "an exported model leads states beside the surface that it slides along to where the motion would come "
    "onto it") {
  const test::TemporaryFolder folder;
  // From (x, d) the motion comes to (x + d/2, 0), whatever the sign of d.
  const std::string text =
      "[states]\nx = 1.0\ny = 0.0\n[surfaces]\ns = \"y\"\n[derivatives]\nx = \"0.5*sgn(s)\"\ny = "
      "\"-sgn(s)\"\n"
      "[time]\nend = 2.0\n";
  for (const FmiVersion version : {FmiVersion::two, FmiVersion::three}) {
    write_fmu(folder / "slides.fmu", parse_model(text, "slides.toml"),
              {.version = version, .model_text = text, .binary = SLIDEWAY_FMU_BINARY});
    const ModelInstance instance = read_fmu(folder / "slides.fmu").instantiate({});
    const auto field = [&](double y) {
      Vector x = instance.state, dx = Vector::Zero(x.size());
      x[1] = y;
      instance.system.field(0, x, Vector::Ones(instance.system.surfaces()), dx);
      return dx;
    };
    CHECK(field(0).isZero(0));
    for (const double y : {1e-3, -1e-6}) {
      const Vector dx = field(y);
      CHECK(dx[1] / y < -1 / instance.end);
      CHECK(dx[0] == doctest::Approx(-0.5 * dx[1]).epsilon(1e-9));
    }
  }
}

TEST_CASE("the method of Euler stays on a circle along which an exported model slides") {
  const test::TemporaryFolder folder;
  const std::string text =
      "[states]\nx = 1.0\ny = 0.0\n[surfaces]\ns = \"x^2 + y^2 - 1\"\n[derivatives]\nx = \"-y - x*sgn(s)\"\n"
      "y = \"x - y*sgn(s)\"\n[time]\nend = 20.0\n";
  write_fmu(folder / "circle.fmu", parse_model(text, "circle.toml"),
            {.model_text = text, .binary = SLIDEWAY_FMU_BINARY});
  const ModelInstance instance = read_fmu(folder / "circle.fmu").instantiate({});
  // Each step leaves the circle by h²/2. Without a way back the radius is exp(ht/2) at the end.
  for (const double h : {0.1, 0.01}) {
    CAPTURE(h);
    Vector x = instance.state, dx = Vector::Zero(x.size());
    for (int k = 0; k < std::lround(20 / h); ++k) {
      instance.system.field(k * h, x, Vector::Ones(instance.system.surfaces()), dx);
      x += h * dx;
    }
    CHECK(std::abs(x.head(2).norm() - 1) < 0.3 * h);
    CHECK(std::abs(x.head(2).norm() - 1) > 0.1 * h);
  }
}
#endif

TEST_CASE("the audit asks an FMU itself, and finds one whose derivatives change with the calls") {
  const test::TemporaryFolder folder;
  for (const FmuOptions& fmu : {first_bounce, chattering, holder}) {
    CAPTURE(fmu.model);
    test::write_fmu(folder / "model.fmu", fmu);
    const AuditResult found = audited(read_fmu(folder / "model.fmu"));
    CHECK(found.verdict == AuditVerdict::passed);
    CHECK(found.points > 0);
  }
  test::write_fmu(folder / "calls.fmu", {.model = "calls", .states = {"x"}, .discrete = 1});
  CHECK(audited(read_fmu(folder / "calls.fmu")).verdict == AuditVerdict::failed);
}

TEST_CASE("a reason says why an FMU is not audited") {
  const test::TemporaryFolder folder;
  const auto reason = [&](const FmuOptions& fmu, bool hears_of_steps, AuditTime time) {
    std::string xml = test::fmu_xml(fmu);
    const std::string name = "modelIdentifier=\"" + fmu.model + "\"";
    if (hears_of_steps)
      xml.replace(xml.find(name), name.size(), name + " needsCompletedIntegratorStep=\"true\"");
    test::write_archive(folder / "model.fmu",
                        {{"modelDescription.xml", xml},
                         {"binaries/x86_64-linux/" + fmu.model + ".so", test::fmu_binary(fmu.model)}});
    return reason_without_audit(read_fmu(folder / "model.fmu").instantiate({}), time);
  };
  FmuOptions stepper = {.model = "stepper", .states = {"x"}, .discrete = 2};
  CHECK(reason(stepper, false, AuditTime::after_run).empty());
  CHECK(reason(stepper, true, AuditTime::along_run).empty());
  CHECK(reason(stepper, true, AuditTime::after_run).find("when its run is over") != std::string::npos);
  stepper.saves_state = false;
  CHECK(reason(stepper, true, AuditTime::along_run).find("cannot save its state") != std::string::npos);
}
