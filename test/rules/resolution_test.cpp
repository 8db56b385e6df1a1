// What follows where surfaces are met, as tables: Zhao's classification of one surface by its normal components, and corners of several that
// slide. Nothing is integrated. Every answer is derived by hand from w = dh/dt.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "simulate/event_resolver.hpp"
#include "slideway/model/from_functor.hpp"

using namespace slideway;

namespace {

// h = x with w∓ = minus, plus at first, which change at these rates: the second state is the time.
struct OneSurface {
  double minus = 0, plus = 0, minus_rate = 0, plus_rate = 0;
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0]; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    const auto below = minus + minus_rate * x[1];
    const auto above = plus + plus_rate * x[1];
    dx[0] = 0.5 * ((1 - lambda[0]) * below + (1 + lambda[0]) * above);
    dx[1] = 1.0 + 0 * x[0];
  }
};

// hᵢ = xᵢ with x' = load + rate·t − A·λ; the last state is the time. Several slide with Aλ = load.
struct Relays {
  Matrix couplings;
  Vector load, rate;
  void guards(auto, const auto& x, auto&& h) const {
    for (Index i = 0; i < load.size(); ++i) h[i] = x[i];
  }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    for (Index i = 0; i < load.size(); ++i) {
      dx[i] = load[i] + rate[i] * x[load.size()];
      for (Index j = 0; j < load.size(); ++j) dx[i] += -couplings(i, j) * lambda[j];
    }
    dx[load.size()] = 1.0 + 0 * x[0];
  }
};

Resolution resolution_of(const System& system, const std::string& before, const Vector& lambda,
                         const Meeting& meeting, Ambiguity policy = Ambiguity::stop) {
  Evaluator evaluator(system);
  const RelayStructure structure(system);
  Options options;
  options.on_ambiguity = policy;
  EventResolver resolver(evaluator, structure, options);
  const Index n = system.states();
  return resolver.resolve(0, Vector::Zero(n), Mode(before), lambda, meeting, Vector::Constant(n, 1e6));
}

std::string word_of(const Resolution& resolution) { return resolution.mode.word(); }

Matrix coupled(Index size) {
  Matrix all(3, 3);
  all << 3, 1, 0.5, 0.5, 2, 0.3, 0.2, -0.4, 2;
  return all.topLeftCorner(size, size);
}

}  // namespace

TEST_CASE("one surface that is reached is classified by its normal components") {
  struct Row {
    const char* before;
    OneSurface fields;
    bool minus_vanishes, plus_vanishes;
    const char* after;
    EventKind kind;
  };
  const Row rows[] = {
      // Both fields lead the same way.
      {"-", {1, 2}, false, false, "+", EventKind::crossing},
      {"+", {-1, -2}, false, false, "-", EventKind::crossing},
      // Both lead to the surface.
      {"-", {1, -2}, false, false, "0", EventKind::sliding_entry},
      {"+", {1, -2}, false, false, "0", EventKind::sliding_entry},
      // Sliding ends where one of them comes to lead away.
      {"0", {1, 0, 0, 1}, false, true, "+", EventKind::sliding_exit},
      {"0", {0, -1, -1, 0}, true, false, "-", EventKind::sliding_exit},
      // A motion that turns back at the surface, to which the other field leads.
      {"-", {0, -1, -1, 0}, true, false, "-", EventKind::grazing},
      {"+", {1, 0, 0, 1}, false, true, "+", EventKind::grazing},
  };
  for (const Row& row : rows) {
    CAPTURE(row.before);
    CAPTURE(row.fields.minus);
    CAPTURE(row.fields.plus);
    const System system = from_functor(row.fields, {.states = 2, .surfaces = 1});
    const Meeting meeting{
        .met = {{.surface = 0, .minus_vanishes = row.minus_vanishes, .plus_vanishes = row.plus_vanishes}}};
    const double side = row.before[0] == '-' ? -1 : 1;
    const Resolution found = resolution_of(system, row.before, Vector::Constant(1, side), meeting);
    REQUIRE(found.decided);
    CHECK(word_of(found) == row.after);
    CHECK(found.event.kind == row.kind);
    CHECK(found.involved == std::vector<Index>{0});
    CHECK_FALSE(found.repelling);
  }
}

TEST_CASE("a surface slides at the relay that holds it") {
  // (1 − λ)·1 + (1 + λ)·(−2) = 0.
  const System system = from_functor(OneSurface{1, -2}, {.states = 2, .surfaces = 1});
  const Resolution found = resolution_of(system, "-", Vector::Constant(1, -1), {.met = {{.surface = 0}}});
  CHECK(found.lambda[0] == doctest::Approx(-1.0 / 3).epsilon(1e-14));
}

TEST_CASE("at a start nothing came before, and fields that both lead away leave a choice to the policy") {
  const auto started = [](double minus, double plus, Ambiguity policy) {
    return resolution_of(from_functor(OneSurface{minus, plus}, {.states = 2, .surfaces = 1}), "+",
                         Vector::Ones(1), {.met = {{.surface = 0}}, .at_start = true}, policy);
  };
  CHECK(word_of(started(1, 1, Ambiguity::stop)) == "+");
  CHECK(word_of(started(-1, -1, Ambiguity::stop)) == "-");
  const Resolution attracted = started(1, -1, Ambiguity::stop);
  CHECK(word_of(attracted) == "0");
  CHECK_FALSE(attracted.eventful);

  const Resolution open = started(-1, 1, Ambiguity::stop);
  CHECK_FALSE(open.decided);
  CHECK(open.event.kind == EventKind::repelling);
  CHECK(open.event.continuations.size() == 3);
  CHECK(word_of(started(-1, 1, Ambiguity::plus)) == "+");
  CHECK(word_of(started(-1, 1, Ambiguity::minus)) == "-");
  const Resolution slides = started(-1, 1, Ambiguity::slide);
  CHECK(word_of(slides) == "0");
  CHECK(slides.repelling);
}

TEST_CASE("sliding along several surfaces ends at the bound of one relay, and the others slide on") {
  // λ moves along `speed`, so that the first relay leaves its bound; the coupling is dominated by its diagonal, so that one mode follows.
  const Vector all_relays{{1, 0.3, -0.4}}, speeds{{1, 0.1, -0.2}};
  for (Index size = 1; size <= 3; ++size) {
    CAPTURE(size);
    for (const double side : {1.0, -1.0}) {
      const Vector lambda = side * all_relays.head(size);
      const Matrix couplings = coupled(size);
      const System system =
          from_functor(Relays{couplings, couplings * lambda, couplings * (side * speeds.head(size))},
                       {.states = size + 1, .surfaces = size});
      const Meeting meeting{.met = {{.surface = 0, .minus_vanishes = side<0, .plus_vanishes = side> 0}}};
      const Resolution found =
          resolution_of(system, std::string(static_cast<std::size_t>(size), '0'), lambda, meeting);
      REQUIRE(found.decided);
      CHECK(word_of(found) == (side > 0 ? "+" : "-") + std::string(static_cast<std::size_t>(size - 1), '0'));
      CHECK(found.event.kind == EventKind::sliding_exit);
      CHECK((found.lambda - lambda).norm() < 1e-12);
    }
  }
}

TEST_CASE("two relays that leave their bounds together are one event") {
  const Vector lambda{{1, -1, 0.2}}, speed{{1, -1, 0}};
  const Matrix couplings = coupled(3);
  const System system =
      from_functor(Relays{couplings, couplings * lambda, couplings * speed}, {.states = 4, .surfaces = 3});
  const Resolution found =
      resolution_of(system, "000", lambda,
                    {.met = {{.surface = 0, .plus_vanishes = true}, {.surface = 1, .minus_vanishes = true}}});
  REQUIRE(found.decided);
  CHECK(word_of(found) == "+-0");
  CHECK(found.event.kind == EventKind::corner);
}

TEST_CASE("a surface that is met while another one slides is classified together with it") {
  struct Row {
    double load;  // on the second surface; there is none on the first
    const char* after;
    EventKind kind;
    double first, second;  // λ
  };
  // x₁' = −2λ₁ − λ₂, x₂' = load − λ₁ − 2λ₂. Both slide at λ = (−load, 2·load)/3, which is within the bounds for small loads; otherwise the
  // second is on −, where x₂' = load + 1.5, and λ₁ = 1/2.
  const Row rows[] = {
      {0, "00", EventKind::sliding_entry, 0, 0},
      {-0.6, "00", EventKind::sliding_entry, 0.2, -0.4},
      {-4, "0-", EventKind::crossing, 0.5, -1},
  };
  Matrix couplings(2, 2);
  couplings << 2, 1, 1, 2;
  for (const Row& row : rows) {
    CAPTURE(row.load);
    const System system =
        from_functor(Relays{couplings, Vector{{0, row.load}}, Vector::Zero(2)}, {.states = 3, .surfaces = 2});
    const Resolution found = resolution_of(system, "0+", Vector{{-0.5, 1}}, {.met = {{.surface = 1}}});
    REQUIRE(found.decided);
    CHECK(word_of(found) == row.after);
    CHECK(found.event.kind == row.kind);
    CHECK(found.lambda[0] == doctest::Approx(row.first).epsilon(1e-12));
    CHECK(found.lambda[1] == doctest::Approx(row.second).epsilon(1e-12));
  }
}
