// The work of friction along a run.
#include "slideway/simulate/passivity.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "models/friction.hpp"
#include "models/friction_belt.hpp"
#include "slideway/io/model_file.hpp"
#include "slideway/model/from_functor.hpp"
#include "slideway/simulate/simulator.hpp"

using namespace slideway;

namespace {

struct Watched {
  Solution solution;
  std::vector<FrictionWork> works;
};

Watched watch(const ModelInstance& instance, Options options) {
  PassivityWatch watch(instance.problem(), instance.friction);
  options.on_step = [&](const StepView& step) { watch.add(step); };
  Watched result;
  result.solution = Simulator(instance.problem(), options)
                        .run({.start = instance.start, .end = instance.end, .state = instance.state});
  REQUIRE(result.solution.outcome.succeeded());
  result.works = watch.results(options.rtol);
  return result;
}

ModelInstance file(const std::string& text) { return parse_model(text, "test.toml").instantiate({}); }

// LuGre's contact is moved slowly until its bristles bend to Fs, then fast for a moment, and so on. States: z and the work.
struct MovedContact {
  models::friction::LuGre law;
  void guards(auto t, const auto& x, auto&& h) const {
    for (int k = 0; k < 3; ++k) h[k] = t - (k == 0 ? 20.0 : k == 1 ? 20.01 : 40.01) + 0.0 * x[0];
  }
  auto velocity(const auto& lambda) const { return 0.02 + 9.99 * (1.0 + lambda[0] - lambda[1] + lambda[2]); }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    const auto v = velocity(lambda);
    dx[0] = law.rate(v, 1.0, x[0]);
    dx[1] = v * law.force(v, 1.0, x[0]);
  }
};

ModelInstance moved_contact(double sigma1) {
  MovedContact functor;
  functor.law.sigma0 = 10;
  functor.law.sigma1 = sigma1;
  functor.law.sigma2 = 0.5;
  FrictionElement element;
  element.name = "F";
  element.force = [functor](double, ConstVectorRef x, ConstVectorRef lambda) {
    return functor.law.force(functor.velocity(lambda), 1.0, x[0]);
  };
  // The velocity jumps, so it is told by the time.
  element.velocity = [](double t, ConstVectorRef) {
    return (t > 20 && t < 20.01) || t > 40.01 ? 20.0 : 0.02;
  };
  element.stored = [functor](double, ConstVectorRef x) { return functor.law.stored(x[0]); };
  ModelInstance instance{.system = from_functor(functor, {.states = 2, .surfaces = 3}),
                         .parameters = {},
                         .start = 0,
                         .end = 40.02,
                         .state = Vector::Zero(2)};
  instance.friction = {element};
  return instance;
}

}  // namespace

TEST_CASE("the work of friction is the energy that a motion loses") {
  // A block slides to rest: all of its kinetic energy, v²/2, is gone.
  for (const char* law :
       {"law = 'coulomb', Fc = 1", "law = 'stribeck', Fc = 1, Fs = 1.5, vs = 0.1, B = 0.4",
        "law = 'static', Fc = 1, Fs = 2", "law = 'stribeck-linear', Fc = 1, Fs = 1.5, vs = 0.1"}) {
    CAPTURE(law);
    const ModelInstance instance =
        file(std::string("[states]\nx = 0\nv = 1.0\n[time]\nend = 3\n[friction]\nF = { ") + law +
             ", velocity = 'v' }\n[derivatives]\nx = 'v'\nv = '-F'\n");
    for (const Method method : {Method::bdf, Method::adams, Method::dopri5, Method::dop853, Method::rodas}) {
      const Watched run = watch(instance, {.rtol = 1e-9, .method = method});
      REQUIRE(run.works.size() == 1);
      CHECK(run.works[0].work == doctest::Approx(0.5).epsilon(1e-6));
      CHECK(run.works[0].least_work == 0);
      CHECK(run.works[0].passive);
    }
  }
}

TEST_CASE("the loop of Dahl takes the energy of the closed form in every turn") {
  // 4 A Fc − 4 Fc²/σ tanh(σA/Fc), once the loop has closed.
  const auto work = [](double end) {
    const ModelInstance instance = file("[states]\nx = 0\n[time]\nend = " + std::to_string(end) +
                                        "\n[friction]\nF = { law = 'dahl', velocity = 'cos(t)', sigma = 3, "
                                        "Fc = 1 }\n[derivatives]\nx = 'cos(t)'\n");
    return watch(instance, {.rtol = 1e-10}).works[0].work;
  };
  const double turn = 2 * std::numbers::pi;
  CHECK(work(8 * turn) - work(7 * turn) == doctest::Approx(2.673260328417692731557493).epsilon(1e-6));
}

TEST_CASE("what is stored at the start may be had back, and no more") {
  // Bent bristles push the contact along: the work is negative, but not below what they held.
  const ModelInstance instance = file(
      "[states]\nx = 0\nv = 0\n[time]\nend = 2\n[friction]\n"
      "F = { law = 'dahl', velocity = 'v', sigma = 100, Fc = 1, initial = 0.9 }\n[derivatives]\nx = 'v'\nv = "
      "'-F'\n");
  const FrictionWork work = watch(instance, {.rtol = 1e-9}).works[0];
  CHECK(work.stored_at_start == doctest::Approx(0.81 / 200));
  CHECK(work.least_work < -0.1 * work.stored_at_start);
  CHECK(work.margin > 0);
  CHECK(work.passive);
}

TEST_CASE("every passive law is passive on a belt") {
  for (std::size_t number = 1; number <= models::friction::laws().size(); ++number) {
    const models::friction::Law& law = models::friction::laws()[number - 1];
    const ModelInstance instance = models::friction_belt().instantiate(
        {{"law", static_cast<double>(number)}, {"sigma1", 0.1}, {"sigma2", 0.5}, {"z", 0.0}});
    const Watched run = watch(instance, {.rtol = 1e-8});
    CAPTURE(models::friction::name(law));
    CHECK(run.works[0].passive);
    CHECK(run.works[0].work > 0);
  }
}

TEST_CASE(
    "the bristles of LuGre give energy for ever when their damping is beyond the limit and not below it") {
  // The limit is sigma2 Fc/(Fs - Fc) = 1.
  models::friction::LuGre law;
  law.sigma2 = 0.5;
  CHECK(law.passive_limit() == 1);
  for (const Method method : {Method::bdf, Method::dopri5}) {
    const Watched below = watch(moved_contact(0.9), {.rtol = 1e-9, .method = method});
    CHECK(below.works[0].passive);
    CHECK(below.works[0].least_work >= 0);
    const Watched beyond = watch(moved_contact(8), {.rtol = 1e-9, .method = method});
    CHECK(!beyond.works[0].passive);
    CHECK(beyond.works[0].margin < -1);
    for (const Watched* run : {&below, &beyond}) {
      CHECK(run->works[0].work == doctest::Approx(run->solution.final.state[1]).epsilon(1e-6));
    }
  }
}

TEST_CASE("the literal exponential model pushes where Fs is beyond 2 Fc") {
  const auto work = [](double at_rest) {
    return watch(
               file(
                   "[states]\nx = 0\np = 0\n[time]\nend = 10\n[friction]\nF = { law = 'exponential-literal', "
                   "velocity = "
                   "'-0.01', Fc = 1, Fs = " +
                   std::to_string(at_rest) + ", vs = 0.1 }\n[derivatives]\nx = '-0.01'\np = '-F'\n"),
               {})
        .works[0];
  };
  CHECK(work(1.9).passive);
  CHECK(!work(2.5).passive);
  CHECK(work(2.5).work == doctest::Approx(-0.1 * (1.5 * std::exp(-0.01) - 1)).epsilon(1e-9));
}
