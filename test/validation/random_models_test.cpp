// Random models beside the oracle, and the oracle beside closed forms.
#include "validation/random/oracle_population.hpp"

#include <cmath>
#include <sstream>

#include <doctest/doctest.h>

#include "validation/closed_form_oscillator.hpp"
#include "validation/random/classes.hpp"
#include "validation/random/comparison.hpp"
#include "validation/random/minimiser.hpp"
#include "validation/random/oracle.hpp"
#include "validation/random/processor_time.hpp"

using namespace slideway::validation;
using namespace slideway::validation::random;

namespace {

// x'' = -x - mu sgn(x') + cos(w t)
RandomModel oscillator(double mu, double w, double end) {
  const Formula x = state_variable(0);
  const Formula v = state_variable(1);
  RandomModel model{.name = "oscillator", .end = end};
  model.states = {{.name = "x", .initial = 2}, {.name = "v"}};
  model.surfaces = {{.name = "s", .guard = v}};
  model.derivatives = {v, -x - mu * sgn(0) + cos(w * time_variable())};
  return model;
}

RandomModel ball(double table, double restitution) {
  RandomModel model{.name = "ball", .end = 5};
  model.states = {{.name = "x", .initial = table + 1}, {.name = "v"}};
  model.derivatives = {state_variable(1), -9.81};
  model.contacts = {{.name = "table",
                     .gap = state_variable(0) - table,
                     .rate = state_variable(1),
                     .acts_on = {{1, 1}},
                     .restitution = restitution}};
  return model;
}

void check_classes(const std::vector<std::string>& classes, int models) {
  CampaignOptions options{.models = models, .classes = classes, .printed = 0};
  options.plan.tolerances = {1e-6, 1e-10};
  std::ostringstream out;
  const int status = run_campaign(options, out);
  CHECK_MESSAGE(status == 0, out.str());
}

}  // namespace

TEST_CASE("the oracle has the events of the dry-friction oscillator that closed forms give") {
  const OscillatorMotion closed =
      ClosedFormOscillator({.mu = 0.4, .amplitude = 1, .frequency = 0.5, .position = 2, .end = 100}).solve();
  const Motion motion = solve(oscillator(0.4, 0.5, 100), {});
  REQUIRE(motion.end == MotionEnd::reached);
  REQUIRE(motion.happenings.size() == closed.events.size());
  for (std::size_t k = 0; k < closed.events.size(); ++k) {
    CHECK(std::abs(motion.happenings[k].t - closed.events[k].t) < 1e-14L * (1 + closed.events[k].t));
    CHECK(motion.happenings[k].word == std::string(1, closed.events[k].to));
  }
  CHECK(std::abs(motion.state[0] - closed.position) < 1e-14L);
}

TEST_CASE("the oracle ends the bounces of a ball where their geometric series ends") {
  for (const double table : {0.0, 100.0}) {
    const Motion motion = solve(ball(table, 0.7), {});
    REQUIRE(motion.end == MotionEnd::reached);
    REQUIRE(motion.accumulations.size() == 1);
    const long double fall = std::sqrt(2 / static_cast<long double>(9.81));
    const long double restitution = 0.7;
    const long double limit = fall * (1 + 2 * restitution / (1 - restitution));
    CHECK(std::abs(motion.accumulations[0].limit - limit) < 1e-10L);
    CHECK(motion.happenings.back().word == "0");
  }
}

TEST_CASE("a zero of a polynomial is found however close it is to one of the other direction") {
  // (s - 0.5) (s - 0.5000001) (s - 0.7)
  const Real a = 0.5L;
  const Real b = 0.5000001L;
  const Real c = 0.7L;
  const Real coefficients[] = {-a * b * c, a * b + a * c + b * c, -(a + b + c), 1};
  const FirstZero rising = first_zero(coefficients, 1, 1);
  REQUIRE(rising.found);
  CHECK(std::abs(rising.s - a) < 1e-11L);
  const FirstZero falling = first_zero(coefficients, 1, -1);
  REQUIRE(falling.found);
  CHECK(std::abs(falling.s - b) < 1e-11L);
  CHECK_FALSE(first_zero(coefficients, 0.4L, 1).found);
}

TEST_CASE("the same seed gives the same random models, another one others") {
  for (std::size_t k = 0; k < all_classes().size(); ++k) {
    Draw first(7, k, 3);
    Draw again(7, k, 3);
    Draw other(8, k, 3);
    const std::string text = file_text(all_classes()[k].make(first));
    CHECK(text == file_text(all_classes()[k].make(again)));
    CHECK(text != file_text(all_classes()[k].make(other)));
  }
}

TEST_CASE("a time that is off, an event that is missing and another word are differences") {
  const RandomModel model = oscillator(0.4, 0.5, 20);
  const Motion exact = solve(model, {});
  const Allowance allowance = allowance_of(exact, {}, 1e-6, 20, {.clock = 20}, {2, 2});
  REQUIRE(allowance.decided);
  CHECK(difference(exact, exact, allowance, {}).empty());
  Motion late = exact;
  late.happenings[1].t += 0.01L;
  CHECK_FALSE(difference(late, exact, allowance, {}).empty());
  Motion short_of_one = exact;
  short_of_one.happenings.pop_back();
  CHECK_FALSE(difference(short_of_one, exact, allowance, {}).empty());
  Motion other_word = exact;
  other_word.happenings[0].word = "?";
  CHECK_FALSE(difference(other_word, exact, allowance, {}).empty());
  CHECK(difference(other_word, exact, allowance, {.compares_words = false}).empty());
  Motion elsewhere = exact;
  elsewhere.state[0] += 0.01L;
  CHECK_FALSE(difference(elsewhere, exact, allowance, {}).empty());
}

TEST_CASE("a run that ends at a limit need not have the samples that the rule leaves free") {
  Motion exact{.end = MotionEnd::zeno, .t = 1, .initial_word = "+", .state = {0}, .samples = {{0}, {0}}};
  Motion earlier = exact;
  earlier.samples.pop_back();
  Allowance allowance = allowance_of(exact, {}, 1e-6, 2, {.clock = 2}, {1});
  REQUIRE(allowance.decided);
  CHECK_FALSE(difference(earlier, exact, allowance, {}).empty());
  allowance.free_samples = 1;
  CHECK(difference(earlier, exact, allowance, {}).empty());
  earlier.samples.pop_back();
  CHECK_FALSE(difference(earlier, exact, allowance, {}).empty());
}

TEST_CASE("the time at which a gap closes slowly may be off by what the errors of the position make of it") {
  Motion exact{.end = MotionEnd::reached, .t = 2, .initial_word = "+", .state = {0}};
  exact.happenings = {{.t = 1, .word = "0", .closing = 0.002L}};
  Motion later = exact;
  later.happenings[0].t += 3e-7L;
  const Rounding rounding{.clock = 2, .position = 1};
  CHECK(difference(later, exact, allowance_of(exact, {}, 1e-10, 2, rounding, {1}), {}).empty());
  exact.happenings[0].closing = 1;
  CHECK_FALSE(difference(later, exact, allowance_of(exact, {}, 1e-10, 2, rounding, {1}), {}).empty());
}

TEST_CASE("a limit that the clock hides may be off by more where the contact is released soon after it") {
  const auto motion_with = [](long double limit, long double release) {
    Motion motion{.end = MotionEnd::reached, .t = 20, .initial_word = "+", .state = {0}};
    motion.happenings = {{.t = limit, .word = "0"}, {.t = release, .word = "+"}};
    motion.accumulations = {{.limit = limit, .names = {"floor"}, .places = {0}}};
    return motion;
  };
  const double clock = 1e4;
  // The clock hides 250 √(ε·1e4·20) = 1.7e-3, whose square over the time to the release is 1.4e-4 or 2.8e-7.
  for (const long double release : {10.02L, 19.9L}) {
    const Motion exact = motion_with(10, release);
    const Allowance allowance = allowance_of(exact, {}, 1e-12, 20, {.clock = clock}, {1});
    REQUIRE(allowance.decided);
    CHECK(difference(motion_with(10 + 1e-6L, release), exact, allowance, {}).empty());
    CHECK(difference(motion_with(10 + 1e-4L, release), exact, allowance, {}).empty() == (release < 11));
    CHECK_FALSE(difference(motion_with(10 + 1e-3L, release), exact, allowance, {}).empty());
  }
}

TEST_CASE("a random model is made small while it still fails") {
  Draw draw(1, 0, 2);
  const RandomModel model = linear_relays(draw);
  const auto has_relay = [](const RandomModel& candidate) {
    return file_text(candidate).find("sgn(") != std::string::npos;
  };
  REQUIRE(has_relay(model));
  const RandomModel small = minimised(model, has_relay, {.questions = 2000});
  CHECK(has_relay(small));
  CHECK(small.states.size() == 1);
  CHECK(small.surfaces.size() == 1);
  CHECK(size_of(small) < 10);
}

TEST_CASE("a random model is made small no longer than its time lasts, and stays as long as it is readable") {
  Draw draw(1, 0, 2);
  const RandomModel model = linear_relays(draw);
  int questions = 0;
  const auto is_slow = [&](const RandomModel&) {
    ++questions;
    const double until = thread_seconds() + 0.02;
    while (thread_seconds() < until) {
    }
    return false;
  };
  const double begin = thread_seconds();
  minimised(model, is_slow, {.questions = 1'000'000, .seconds = 0.1});
  CHECK(questions >= 1);
  CHECK(thread_seconds() - begin < 0.2);

  const RandomModel small = minimised(model, [](const RandomModel&) { return true; }, {.questions = 2000});
  CHECK(small.end - small.start >= 0.01 * (model.end - model.start));
}

TEST_CASE("a gap keeps its own rate where a random model with a contact is made small") {
  const auto has_contact = [](const RandomModel& candidate) { return candidate.contacts.size() == 1; };
  RandomModel model;
  for (int number = 0; model.contacts.size() != 1; ++number) {
    Draw draw(1, 4, static_cast<std::uint64_t>(number));
    model = moving_floors(draw);
  }
  for (const int most : {1, 5, 2000}) {
    const RandomModel small = minimised(model, has_contact, {.questions = most});
    const std::optional<Formula> rate = rate_of(small.contacts[0].gap, small.derivatives);
    REQUIRE(rate);
    const Names names{.states = {"a", "b", "c", "d", "e", "f", "g", "h"}};
    if (most > 1) CHECK(text(small.contacts[0].rate, names) == text(*rate, names));
  }
}

TEST_CASE("a campaign has the same outcome with any number of jobs") {
  const auto outcome = [](int jobs) {
    CampaignOptions options{.models = 6, .classes = {"linear", "nests"}, .jobs = jobs, .json = true};
    options.plan.tolerances = {1e-6};
    std::ostringstream out;
    run_campaign(options, out);
    return out.str();
  };
  const std::string one = outcome(1);
  CHECK(one.find("linear") != std::string::npos);
  CHECK(outcome(3) == one);
}

TEST_CASE("a class of random models that there is not is refused with those that there are") {
  std::ostringstream out;
  CHECK_THROWS_WITH_AS(run_campaign({.classes = {"nonsense"}}, out), doctest::Contains("linear, exits"),
                       std::invalid_argument);
}

TEST_CASE("random linear models with relays agree with the oracle") {
  // Each draws its models from the same seed.
  check_classes({"linear"}, 12);
}

TEST_CASE("random products of relays and nests of branches agree with the oracle") {
  check_classes({"nests"}, 12);
}

TEST_CASE("random automata agree with the oracle") {
  // Each draws its models from the same seed.
  check_classes({"automata"}, 12);
}

TEST_CASE("random blocks with friction agree with the oracle") {
  // Each draws its models from the same seed.
  check_classes({"friction"}, 8);
}

TEST_CASE("random exits of sliding on several surfaces agree with the oracle") {
  check_classes({"exits"}, 8);
}

TEST_CASE("random contacts with moving floors agree with the oracle") {
  // Each draws its models from the same seed.
  check_classes({"contacts"}, 8);
}

TEST_CASE("random networks of pulses agree with the oracle") {
  // Each draws its models from the same seed.
  check_classes({"pulses"}, 8);
}

TEST_CASE("random accumulations agree with the oracle") {
  // Each draws its models from the same seed.
  check_classes({"zeno"}, 8);
}

TEST_CASE("random stiff models agree with the oracle") {
  // Each draws its models from the same seed.
  check_classes({"stiff"}, 4);
}
