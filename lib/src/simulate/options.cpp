#include "slideway/simulate/options.hpp"

#include <cmath>

#include "core/number_text.hpp"
#include "core/words.hpp"
#include "integrate/stepper_options.hpp"

namespace slideway {

namespace {

constexpr Method methods[] = {Method::automatic, Method::bdf,    Method::adams,
                              Method::dopri5,    Method::dop853, Method::rodas};
constexpr Ambiguity policies[] = {Ambiguity::stop, Ambiguity::minus, Ambiguity::plus, Ambiguity::slide,
                                  Ambiguity::branches};
constexpr SlidingRule rules[] = {SlidingRule::filippov, SlidingRule::moments,
                                 SlidingRule::equivalent_control};
constexpr LocalEvents local_events_values[] = {LocalEvents::automatic, LocalEvents::on, LocalEvents::off};
constexpr Selection selections[] = {Selection::consistent, Selection::korobitsyn_frolova};

}  // namespace

const char* to_string(Method method) {
  switch (method) {
    case Method::automatic: return "auto";
    case Method::bdf: return "bdf";
    case Method::adams: return "adams";
    case Method::dopri5: return "dopri5";
    case Method::dop853: return "dop853";
    case Method::rodas: return "rodas";
  }
  return "unknown";
}

Method method_from(const std::string& word) {
  return from_word(methods, word, "unknown integration method", "method");
}
std::vector<std::string> method_words() { return words_of(methods); }

const char* to_string(Ambiguity policy) {
  switch (policy) {
    case Ambiguity::stop: return "stop";
    case Ambiguity::minus: return "minus";
    case Ambiguity::plus: return "plus";
    case Ambiguity::slide: return "slide";
    case Ambiguity::branches: return "branches";
  }
  return "unknown";
}

Ambiguity ambiguity_from(const std::string& word) {
  return from_word(policies, word, "unknown policy for ambiguous continuations", "on_ambiguity");
}
std::vector<std::string> ambiguity_words() { return words_of(policies); }

const char* to_string(SlidingRule rule) {
  switch (rule) {
    case SlidingRule::filippov: return "filippov";
    case SlidingRule::moments: return "moments";
    case SlidingRule::equivalent_control: return "equivalent-control";
  }
  return "unknown";
}

SlidingRule sliding_rule_from(const std::string& word) {
  return from_word(rules, word, "unknown sliding rule", "sliding_rule");
}
std::vector<std::string> sliding_rule_words() { return words_of(rules); }

const char* to_string(Selection selection) {
  switch (selection) {
    case Selection::consistent: return "consistent";
    case Selection::korobitsyn_frolova: return "korobitsyn-frolova";
  }
  return "unknown";
}

Selection selection_from(const std::string& word) {
  return from_word(selections, word, "unknown selection", "selection");
}
std::vector<std::string> selection_words() { return words_of(selections); }

const char* to_string(LocalEvents local) {
  switch (local) {
    case LocalEvents::automatic: return "auto";
    case LocalEvents::on: return "on";
    case LocalEvents::off: return "off";
  }
  return "unknown";
}

LocalEvents local_events_from(const std::string& word) {
  return from_word(local_events_values, word, "unknown choice for local events", "local_events");
}
std::vector<std::string> local_events_words() { return words_of(local_events_values); }

Vector Tolerance::expand(Index states, double rtol) const {
  if (is_default()) return Vector::Constant(states, rtol / 100);
  if (values_.size() == 1) return Vector::Constant(states, values_[0]);
  return values_;
}

void Options::validate(Index states) const {
  if (!(rtol >= smallest_rtol) || !(rtol < 1)) {
    refuse({.what = "the relative tolerance makes no sense",
            .where = "Options::rtol",
            .expected = "a number in [1e-14, 1), such as 1e-6",
            .got = number_text(rtol),
            .advice = rtol > 0 && rtol < 1 ? "1e-13 is about the least that doubles support" : ""});
  }
  const Vector& absolute = atol.values();
  if (absolute.size() > 1 && absolute.size() != states) {
    refuse({.what = "the number of absolute tolerances does not fit the system",
            .where = "Options::atol",
            .expected = "one number, or one for each of the " + std::to_string(states) + " states",
            .got = std::to_string(absolute.size()) + " numbers"});
  }
  for (Index i = 0; i < absolute.size(); ++i) {
    if (!(absolute[i] > 0) || !std::isfinite(absolute[i])) {
      refuse({.what = "an absolute tolerance makes no sense",
              .where = "Options::atol[" + std::to_string(i) + "]",
              .expected = "a finite number above 0, in the unit of the state",
              .got = number_text(absolute[i])});
    }
  }
  if (preconditioner && linear_solver != LinearSolver::gmres) {
    refuse({.what = "a preconditioner is given to a linear solver that has no use for it",
            .where = "Options::preconditioner",
            .expected = "linear_solver gmres",
            .got = to_string(linear_solver)});
  }
  if (!(max_step > 0)) {
    refuse({.what = "the largest step makes no sense",
            .where = "Options::max_step",
            .expected = "a number above 0, or infinity for no limit",
            .got = number_text(max_step)});
  }
  if (max_events < 1 || max_steps < 1) {
    refuse({.what = "a limit of the run makes no sense",
            .where = max_events < 1 ? "Options::max_events" : "Options::max_steps",
            .expected = "at least 1",
            .got = std::to_string(max_events < 1 ? max_events : max_steps)});
  }
  for (std::size_t i = 0; i < output_times.size(); ++i) {
    if (!std::isfinite(output_times[i]) || (i > 0 && !(output_times[i] > output_times[i - 1]))) {
      refuse({.what = "the output times are not in order",
              .where = "Options::output_times[" + std::to_string(i) + "]",
              .expected = "finite, each later than the one before",
              .got = number_text(output_times[i])});
    }
  }
}

}  // namespace slideway
