// The audit of runs: right runs pass, and each kind of wrong result is told.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>

#include "slideway/audit/audit.hpp"
#include "slideway/audit/called_functions.hpp"
#include "slideway/io/model_file.hpp"
#include "slideway/model/from_functor.hpp"
#include "slideway/simulate/branches.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway {
namespace {

struct Audited {
  Solution solution;
  AuditResult found;
};

// The run of `text`, compared with the text `written`.
Audited audited(const std::string& text, const std::string& written, double rtol = 1e-6) {
  const ModelInstance instance = parse_model(text, "model.toml").instantiate({});
  const Options options{.rtol = rtol};
  Audited result;
  result.solution = Simulator(instance.problem(), options)
                        .run({.start = instance.start, .end = instance.end, .state = instance.state});
  result.found = audit(parse_written_model(written, "model.toml", {}), instance, result.solution, options,
                       AuditLevel::full);
  return result;
}

Audited audited(const std::string& text, double rtol = 1e-6) { return audited(text, text, rtol); }

const std::string oscillator = R"toml(
[states]
x = 1.0
v = 0.0
[time]
end = 20.0
[derivatives]
x = "v"
v = "-x - 0.2*sgn(v) + 0.3*cos(2*t)"
)toml";

std::string with(std::string text, const std::string& part, const std::string& other) {
  return text.replace(text.find(part), part.size(), other);
}

}  // namespace

TEST_CASE("a run with sliding passes its audit") {
  for (const double rtol : {1e-4, 1e-6, 1e-9}) {
    const Audited run = audited(oscillator, rtol);
    CHECK(run.solution.outcome.reached_end());
    CHECK(run.found.verdict == AuditVerdict::passed);
    CHECK(run.found.points > 50);
    CHECK(run.found.undecided == 0);
  }
}

TEST_CASE("a derivative that is not the written one is told, with the state and both values") {
  const Audited run = audited(oscillator, with(oscillator, "-x - 0.2", "-1.01*x - 0.2"));
  REQUIRE(run.found.verdict == AuditVerdict::failed);
  CHECK(run.found.failures.front().state == "v");
  CHECK(run.found.failures.front().text.find("the model's derivative of v") != std::string::npos);
}

TEST_CASE("a sign of the other side is told") {
  CHECK(audited(oscillator, with(oscillator, "- 0.2*sgn(v)", "+ 0.2*sgn(v)")).found.verdict ==
        AuditVerdict::failed);
}

TEST_CASE(
    "an event that is recorded where its guard is past zero is told, and so is a condition that has been "
    "true") {
  for (const auto& [when, direction, told] :
       {std::tuple("x - 0.3", "direction = \"falling\"\n", "is past zero there already"),
        std::tuple("x <= 0.3", "", "has been true there")}) {
    CAPTURE(when);
    const std::string model =
        oscillator + "[[records]]\nname = \"low\"\nwhen = \"" + when + "\"\n" + direction;
    const ModelInstance instance = parse_model(model, "model.toml").instantiate({});
    const Options options{.rtol = 1e-6};
    Solution solution = Simulator(instance.problem(), options)
                            .run({.start = instance.start, .end = instance.end, .state = instance.state});
    const auto verdict = [&] {
      return audit(parse_written_model(model, "model.toml", {}), instance, solution, options,
                   AuditLevel::full);
    };
    CHECK(verdict().verdict == AuditVerdict::passed);
    EventLog& events = solution.events;
    const auto low =
        std::find_if(events.begin(), events.end(), [](const EventRecord& one) { return one.name == "low"; });
    REQUIRE(low != events.end());
    // The same event once more, where the guard has gone on.
    EventRecord again = *low;
    again.t += 0.3;
    again.before = again.after = solution.trajectory(again.t);
    events.insert(low + 1, again);
    const AuditResult found = verdict();
    REQUIRE(found.verdict == AuditVerdict::failed);
    CHECK(found.failures.front().text.find(told) != std::string::npos);
  }
}

TEST_CASE(
    "two resets at one instant are judged by the state that the motion leads to, whatever the first one "
    "sets") {
  const std::string model = R"toml(
[states]
k = 0.0
[discrete]
hits = 0
[time]
end = 8.0
[derivatives]
k = "1 + 0.4*sin(3*t)"
[[resets]]
name = "wrap"
when = "k > 0.749"
set = { k = "k - 0.749" }
[[resets]]
name = "hit"
when = "k >= 0.749"
set = { hits = "hits + 1" }
)toml";
  for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-12}) {
    const Audited run = audited(model, rtol);
    CHECK(run.solution.events.size() >= 20);
    CHECK(run.found.verdict == AuditVerdict::passed);
  }
}

TEST_CASE("an event with two records at one time is told, unless a jump comes between") {
  const std::string model = oscillator + R"toml(
[[records]]
name = "low"
when = "x <= 0.3"
[[resets]]
name = "kick"
when = "x <= 0.3"
set = { x = "x + 0.2" }
)toml";
  const ModelInstance instance = parse_model(model, "model.toml").instantiate({});
  const Options options{.rtol = 1e-6};
  Solution solution = Simulator(instance.problem(), options)
                          .run({.start = instance.start, .end = instance.end, .state = instance.state});
  const auto verdict = [&] {
    return audit(parse_written_model(model, "model.toml", {}), instance, solution, options, AuditLevel::full);
  };
  CHECK(verdict().verdict == AuditVerdict::passed);
  EventLog& events = solution.events;
  const auto low =
      std::find_if(events.begin(), events.end(), [](const EventRecord& one) { return one.name == "low"; });
  REQUIRE(low != events.end());
  const EventRecord again = *low;
  SUBCASE("at once") {
    events.insert(low + 1, again);
    const AuditResult found = verdict();
    REQUIRE(found.verdict == AuditVerdict::failed);
    CHECK(found.failures.front().text.find("'low' has two records") == 0);
  }
  SUBCASE("after the reset") {
    const auto kick =
        std::find_if(low, events.end(), [](const EventRecord& one) { return one.name == "kick"; });
    REQUIRE(kick != events.end());
    events.insert(kick + 1, again);
    for (const AuditFailure& failure : verdict().failures)
      CHECK(failure.text.find("two records") == std::string::npos);
  }
}

TEST_CASE("a body at rest passes its audit") {
  const std::string rests = R"toml(
[states]
v = 0.0
[time]
end = 2.0
[derivatives]
v = "0.5 - sgn(v)"
)toml";
  CHECK(audited(rests).found.verdict == AuditVerdict::passed);
}

TEST_CASE("an event without a record is told, and an impossible one") {
  const std::string plain = with(oscillator, "[derivatives]", "[derivatives]\n");
  const std::string record =
      plain + "[[records]]\nname = \"half\"\nwhen = \"x - 0.5\"\ndirection = \"falling\"\n";
  CHECK(audited(record).found.verdict == AuditVerdict::passed);
  const Audited missed = audited(plain, record);
  REQUIRE(missed.found.verdict == AuditVerdict::failed);
  CHECK(missed.found.failures.front().state == "half");
  const std::string condition = plain + "[[records]]\nname = \"half\"\nwhen = \"x < 0.5\"\n";
  CHECK(audited(condition).found.verdict == AuditVerdict::passed);
  CHECK(audited(condition, with(condition, "x < 0.5", "x < 0.5 and x > 0.5")).found.verdict ==
        AuditVerdict::failed);
}

TEST_CASE("a gap that becomes negative is told") {
  const std::string ball = R"toml(
[states]
x = 1.0
v = 0.0
[time]
end = 3.0
[derivatives]
x = "v"
v = "-9.81"
[[contacts]]
name = "floor"
gap = "x"
acts_on = { v = "1" }
restitution = 0.5
)toml";
  CHECK(audited(ball).found.verdict == AuditVerdict::passed);
  const Audited lower = audited(ball, with(ball, "gap = \"x\"", "gap = \"x - 0.1\""));
  REQUIRE(lower.found.verdict == AuditVerdict::failed);
  bool is_told = false;
  for (const AuditFailure& failure : lower.found.failures) is_told = is_told || failure.state == "floor";
  CHECK(is_told);
}

TEST_CASE("a discrete state that moves without an event is told") {
  const std::string sampled = R"toml(
[states]
x = 1.0
[discrete]
u = 0.0
[time]
end = 3.0
[derivatives]
x = "u - x"
[[every]]
name = "control"
period = 0.5
set = { u = "1 - x" }
)toml";
  const ModelInstance instance = parse_model(sampled, "model.toml").instantiate({});
  const Options options;
  const auto written = parse_written_model(sampled, "model.toml", {});
  Auditor auditor(written, instance, options, AuditLevel::full);
  Options listening = auditor.listening(options);
  const Run run{.start = instance.start, .end = instance.end, .state = instance.state};
  Simulator(instance.problem(), listening).run(run);
  CHECK(auditor.result().verdict == AuditVerdict::passed);

  // The same run, told to the auditor with u moved by one bit.
  Auditor other(written, instance, options, AuditLevel::full);
  const Options told = other.listening(options);
  Options spoilt = options;
  spoilt.on_event = told.on_event;
  spoilt.on_step = [&](const StepView& step) {
    told.on_step({step.start, step.end, step.mode, step.location, [&](double t, VectorRef x) {
                    step.evaluate(t, x);
                    x[1] += 1e-200;
                    x[1] = x[1] == 0 ? 1e-200 : std::nextafter(x[1], 2.0);
                  }});
  };
  Simulator(instance.problem(), spoilt).run(run);
  REQUIRE(other.result().verdict == AuditVerdict::failed);
  CHECK(other.result().failures.front().state == "u");
}

TEST_CASE("an impact that does not obey its restitution is told, at any tolerance and any clock") {
  const auto ball = [](const std::string& start, const std::string& end) {
    return "[states]\nx = 1.0\nv = 0.0\n[time]\nstart = " + start + "\nend = " + end +
           "\n[derivatives]\nx = \"v\"\nv = \"-9.81\"\n[[contacts]]\nname = \"floor\"\n" +
           "gap = \"x - 0.1*sin(t - " + start + ")\"\nacts_on = { v = \"1\" }\nrestitution = 0.5\n";
  };
  for (const double rtol : {1e-4, 1e-7, 1e-10}) {
    for (const std::string& text : {ball("0.0", "4.0"), ball("10000.0", "10004.0")}) {
      CAPTURE(rtol);
      CHECK(audited(text, rtol).found.verdict == AuditVerdict::passed);
      const Audited other = audited(text, with(text, "restitution = 0.5", "restitution = 0.6"), rtol);
      REQUIRE(other.found.verdict == AuditVerdict::failed);
      CHECK(other.found.failures.front().state == "floor");
      CHECK(other.found.failures.front().text.find("restitution") != std::string::npos);
    }
  }
}

TEST_CASE(
    "an event that becomes false is judged where its condition is false, as of clamped values at their "
    "limits") {
  const std::string clamped = R"toml(
[states]
x = 0.0
[time]
end = 10.0
[derivatives]
x = "cos(t)"
[[records]]
name = "leaves"
when = "not min(x, 0.5) >= 0.5"
direction = "falling"
)toml";
  CHECK(audited(clamped).solution.events.size() == 2);
  CHECK(audited(clamped).found.verdict == AuditVerdict::passed);
  const std::string high = with(clamped, "not min(x, 0.5) >= 0.5", "not min(x, 0.9) >= 0.9");
  CHECK(audited(clamped, high).found.verdict == AuditVerdict::failed);
}

TEST_CASE("what an event or a known time sets, and when it acts, is told where the file says otherwise") {
  const std::string text = R"toml(
[states]
x = 0.2
[discrete]
n = 0
m = 0
[time]
end = 3.0
[derivatives]
x = "1"
[[resets]]
name = "wrap"
when = "x > 1"
set = { x = "x - 1", n = "n + 1" }
[[every]]
name = "tick"
period = 0.4
set = { m = "m + 2" }
)toml";
  CHECK(audited(text).found.verdict == AuditVerdict::passed);
  for (const auto& [part, other] :
       {std::pair("n + 1", "n + 2"), std::pair("x - 1", "x - 0.9"), std::pair("m + 2", "m - 2"),
        std::pair("period = 0.4", "period = 0.5"), std::pair("period = 0.4", "period = 0.2")}) {
    CAPTURE(other);
    CHECK(audited(text, with(text, part, other)).found.verdict == AuditVerdict::failed);
  }
}

TEST_CASE("an edge that is not taken is told") {
  const std::string text = R"toml(
initial = "up"
[states]
x = 0.0
[time]
end = 3.0
[derivatives]
x = "-1"
[[locations]]
name = "up"
[locations.derivatives]
x = "1"
[[locations]]
name = "down"
[[edges]]
name = "high"
from = "up"
to = "down"
when = "x > 1"
)toml";
  CHECK(audited(text).found.verdict == AuditVerdict::passed);
  CHECK(audited(text, with(text, "x > 1", "x > 0.8")).found.verdict == AuditVerdict::failed);
}

TEST_CASE("an event leaves algebraic variables to their equations") {
  const std::string text = R"toml(
[states]
x = 0.1
[discrete]
n = 0
[time]
end = 2.0
[algebraic]
y = { value = "y - (y + 0.5*sin(y) - x)", guess = 0.0 }
[derivatives]
x = "1 - 0.1*y"
[[resets]]
name = "count"
when = "x > 0.7"
set = { n = "n + 1" }
[[resets]]
name = "jump"
when = "x > 1.2"
set = { x = "0.3" }
)toml";
  for (const double rtol : {1e-6, 1e-12}) CHECK(audited(text, rtol).found.verdict == AuditVerdict::passed);
}

TEST_CASE("signs of two surfaces that slide may multiply each other") {
  // On both surfaces sgn(y + 0.4) is 0.5 by y' = 0, so x' = 0.19 - 0.2*p with the part p = 0.95 of x > 0.3. Neither sign alone changes x'
  // from p = 0 and a sign of 0. With 0.71 for 0.49 no p within [0, 1] holds x.
  const std::string product = R"toml(
[states]
x = 0.0
y = 0.0
[time]
end = 1.5
[derivatives]
x = "-x - 0.4*sgn(y + 0.4)*if(x > 0.3, 1, 0) + 0.49"
y = "-y - 0.8*sgn(y + 0.4)"
)toml";
  for (const double rtol : {1e-4, 1e-6, 1e-10}) {
    const Audited run = audited(product, rtol);
    CHECK(run.solution.final.state[0] == doctest::Approx(0.3).epsilon(1e-12));
    CHECK(run.found.verdict == AuditVerdict::passed);
    CHECK(run.found.undecided == 0);
  }
  CHECK(audited(product, with(product, "0.49", "0.71")).found.verdict == AuditVerdict::failed);
}

TEST_CASE("a comparison holds by equality where it says so") {
  // The run has the flag at 1, as `>=` says; with `>` the flag would be 0.
  const std::string flag = R"toml(
[states]
T = 15.0
[discrete]
m = 1
[time]
end = 1.0
[derivatives]
T = "if(m >= 1, 3, 0) - 0.1*(T - 10)"
)toml";
  CHECK(audited(flag).found.verdict == AuditVerdict::passed);
  CHECK(audited(flag, with(flag, "m >= 1", "m > 1")).found.verdict == AuditVerdict::failed);
}

namespace {

struct DryFriction {
  double friction = 0.2;
  double stiffness = 1;
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[1]; }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::cos;
    dx[0] = x[1];
    dx[1] = -stiffness * x[0] - friction * lambda[0] + 0.3 * cos(2.0 * t);
  }
};

ModelInstance instance_of(const DryFriction& functor) {
  return {.system = from_functor(functor, {.states = 2, .surfaces = 1, .state_names = {"x", "v"}}),
          .start = 0,
          .end = 20,
          .state = Vector{{1.0, 0.0}}};
}

AuditResult audited(const DryFriction& functor, const DryFriction& called) {
  const ModelInstance instance = instance_of(functor);
  const Options options{.rtol = 1e-7};
  const Solution solution = Simulator(instance.problem(), options)
                                .run({.start = instance.start, .end = instance.end, .state = instance.state});
  return audit(called_functions(), instance_of(called), solution, options);
}

}  // namespace

TEST_CASE("a run is compared with the functions of its system, which are called") {
  const AuditResult right = audited(DryFriction{}, DryFriction{});
  CHECK(right.verdict == AuditVerdict::passed);
  CHECK(right.points > 50);
  CHECK(right.undecided == 0);
  const AuditResult stiffer = audited(DryFriction{}, DryFriction{.stiffness = 1.001});
  REQUIRE(stiffer.verdict == AuditVerdict::failed);
  CHECK(stiffer.failures.front().state == "v");
  CHECK(audited(DryFriction{}, DryFriction{.friction = 0.201}).verdict == AuditVerdict::failed);
  // A little more friction holds a body that rests as well; less than what acts on it does not.
  CHECK(audited(DryFriction{.friction = 2}, DryFriction{.friction = 2.1}).verdict == AuditVerdict::passed);
  CHECK(audited(DryFriction{.friction = 2}, DryFriction{.friction = 0.6}).verdict == AuditVerdict::failed);
}

TEST_CASE("a condition on what is clamped slides with the clamp's own condition") {
  // u slides at 0.5: above, i rests, and below it grows.
  const std::string held = R"toml(
[states]
y = -0.3
i = 0.0
[time]
end = 2.0
[definitions]
e = "0.4 - y"
u = "e + i"
c = "if(u > 0.5, 0.5, if(u < -0.5, -0.5, u))"
[derivatives]
y = "-y + 1.5*c"
i = "if(c >= 0.5 and e > 0, 0, 1.76*e) - 0.05*i"
)toml";
  for (const double rtol : {1e-6, 1e-9, 1e-12}) {
    CAPTURE(rtol);
    const Audited run = audited(held, rtol);
    CHECK(run.solution.outcome.reached_end());
    CHECK(run.found.verdict == AuditVerdict::passed);
  }
}

TEST_CASE("elements of a vector have sites of their own") {
  // Neighbours who have met stay together: two signs of one difference, each in a row of its own, are open.
  const std::string agents = R"toml(
[parameters]
N = 20
[states]
x = { size = "N", value = "sin(3*i) + 0.1*i", ends = "clamped" }
[time]
end = 1.0
[derivatives]
x = "sgn(x[i+1] - x[i]) - sgn(x[i] - x[i-1])"
)toml";
  for (const double rtol : {1e-6, 1e-9, 1e-11}) {
    CAPTURE(rtol);
    CHECK(audited(agents, rtol).found.verdict == AuditVerdict::passed);
  }
}

TEST_CASE("the rounding of the clock and of formulas contradicts nothing, and what is larger is told") {
  const std::string late = R"toml(
[states]
clock = 0.0
x = 1.0
v = 0.0
[time]
start = 1e4
end = 10020.0
[derivatives]
clock = "1"
x = "v"
v = "-x - 0.2*sgn(v) + 0.3*cos(40*t)"
[[records]]
name = "late"
when = "clock - 0.001*t > 0"
)toml";
  // cos(l) is -1 within its rounding where floor(cos(l)) would be -2.
  const std::string touches = R"toml(
[states]
l = -0.497
[time]
end = 1.944
[derivatives]
l = "l + floor(cos(l))"
)toml";
  for (const double rtol : {1e-6, 1e-9, 1e-12}) {
    CAPTURE(rtol);
    CHECK(audited(late, rtol).found.verdict == AuditVerdict::passed);
    CHECK(audited(late, with(late, "clock = \"1\"", "clock = \"1.01\""), rtol).found.verdict ==
          AuditVerdict::failed);
    CHECK(audited(touches, rtol).found.verdict == AuditVerdict::passed);
    CHECK(audited(touches, with(touches, "l + floor(cos(l))", "l + 0.9*floor(cos(l))"), rtol).found.verdict ==
          AuditVerdict::failed);
  }
}

TEST_CASE("an event late on the clock is where the clock has a number") {
  // From the second bounce on the steps of the clock at 10000 move x by more than its tolerance.
  const std::string ball = R"toml(
[states]
x = 1.0
v = -0.01
[time]
start = 10000
end = 10000.7
[derivatives]
x = "v"
v = "-5.9"
[[resets]]
name = "bounce"
when = "x"
direction = "falling"
set = { v = "-0.1*v" }
)toml";
  for (const double rtol : {1e-6, 1e-9, 1e-12}) {
    CAPTURE(rtol);
    CHECK(audited(ball, rtol).found.verdict == AuditVerdict::passed);
    CHECK(audited(ball, with(ball, "when = \"x\"", "when = \"x + 0.00001\""), rtol).found.verdict ==
          AuditVerdict::failed);
  }
}

TEST_CASE("a condition whose guard rests at zero is judged by its text") {
  const std::string text =
      "[states]\nh = 0\n[time]\nend = 3\n[derivatives]\nh = \"if(t < 2, -sgn(h - 1), -1)\"\n"
      "[[records]]\nname = \"reached\"\nwhen = \"h > 1\"\n";
  const std::string closed = with(text, "h > 1\"\n", "h >= 1\"\n");
  CHECK(audited(text).found.verdict == AuditVerdict::passed);
  CHECK(audited(closed).found.verdict == AuditVerdict::passed);
  CHECK(audited(closed).solution.events.size() == audited(text).solution.events.size() + 1);
  // The run has no event where h >= 1 becomes true.
  CHECK(audited(text, closed).found.verdict == AuditVerdict::failed);
  // m > 1 is false while m is 1, so that nothing ceases to hold.
  const std::string never =
      "[states]\nk = 0\n[discrete]\nm = 0\n[time]\nend = 1.5\n[derivatives]\nk = 1\n"
      "[[resets]]\nname = \"begin\"\nwhen = \"k\"\nset = { k = \"0\", m = \"1\" }\n"
      "[[records]]\nname = \"never\"\nwhen = \"not k - 0.5 >= -0.432 and m > 1\"\ndirection = \"falling\"\n";
  for (const double rtol : {1e-6, 1e-12}) CHECK(audited(never, rtol).found.verdict == AuditVerdict::passed);
}

TEST_CASE("the words of levels are read, and others refused") {
  CHECK(audit_level_from("quick") == AuditLevel::quick);
  CHECK(audit_level_from("full") == AuditLevel::full);
  CHECK(audit_level_from("off") == AuditLevel::off);
  CHECK_THROWS_AS(audit_level_from("some"), std::invalid_argument);
}

TEST_CASE(
    "a branch that begins in the instant of an event passes its audit, and the event is not asked of it") {
  const std::string fork = R"toml(
[states]
x = 1.0
y = 0.0
[time]
end = 2.0
[derivatives]
x = "1"
y = "if(t < 1, -1, 1)*sgn(y)"
[[records]]
name = "comes to two"
when = "x - 2"
)toml";
  const auto written = parse_written_model(fork, "model.toml", {});
  ModelInstance instance = parse_model(fork, "model.toml").instantiate({});
  Options options;
  options.on_ambiguity = Ambiguity::branches;
  const BranchTree tree =
      follow_branches(Simulator(instance.problem(), options),
                      {.start = instance.start, .end = instance.end, .state = instance.state});
  CHECK(tree.root.solution.events.size() == 2);
  REQUIRE(tree.root.branches.size() == 3);
  for (const Branch& branch : tree.root.branches) {
    ModelInstance there = instance;
    CHECK(branch.solution.initial.t == 1);
    there.start = 1;
    there.state = Vector();
    const AuditResult found = audit(written, there, branch.solution, options);
    CHECK(found.verdict == AuditVerdict::passed);
    CHECK(found.points > 0);
  }
}

}  // namespace slideway
