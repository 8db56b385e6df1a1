#include "lib/c/analysis.hpp"

#include <sstream>

#include <fmt/format.h>

#include "apps/fit_documents.hpp"
#include "apps/orbit_documents.hpp"
#include "apps/orbit_guess.hpp"
#include "apps/simulation.hpp"
#include "lib/c/run.hpp"
#include "slideway/core/errors.hpp"

using namespace slideway;
using namespace slideway::door;

namespace {

Vector flat(const Matrix& matrix) { return matrix.reshaped(); }

[[noreturn]] void refuse_document(std::string_view format, const char* of) {
  refuse({.what = fmt::format("{} has no document '{}'", of, format), .where = "format", .expected = "json"});
}

// The words of a search, apart from the options of its runs.
struct OrbitWords {
  std::string section;
  std::string direction;
  std::string period;
  Index returns = 0;
  std::optional<double> transient;
};

OrbitWords take_words(OptionText& options, OrbitOptions& search) {
  OrbitWords words;
  words.section = taken(options, "section").value_or("");
  words.direction = taken(options, "direction").value_or("");
  words.period = taken(options, "period").value_or("");
  if (const auto value = taken(options, "returns")) words.returns = whole_number_of("returns", *value, 1);
  if (const auto value = taken(options, "transient")) words.transient = number_of("transient", *value);
  if (const auto value = taken(options, "shots")) search.shots = whole_number_of("shots", *value, 1);
  if (const auto value = taken(options, "iterations"))
    search.max_iterations = static_cast<int>(whole_number_of("iterations", *value, 1));
  const std::string& direction = words.direction;
  if (!direction.empty() && direction != "rising" && direction != "falling" && direction != "any")
    refuse({.what = "there is no such direction",
            .where = "direction",
            .expected = "rising, falling or any",
            .got = direction});
  if (words.section.empty() && (!direction.empty() || words.returns > 0))
    refuse({.what = "there is no section that arrivals could be counted at",
            .where = direction.empty() ? "returns" : "direction",
            .expected = "section=NAME beside it",
            .got = "none"});
  return words;
}

OrbitGuess guess_of(const OrbitWords& words, const std::optional<PoincareSection>& section, double transient,
                    std::optional<double> period, const ModelInstance& instance, const Options& options) {
  apps::OrbitQuestion question{.section = section, .returns = words.returns, .transient = transient};
  question.period = period;
  if (!period && !words.period.empty())
    question.period = apps::length_of_time("period", "period", words.period, instance);
  if (std::optional<OrbitGuess> guess = apps::orbit_guess(question, instance, options)) return *guess;
  refuse({.what = "nothing says when the orbit comes back",
          .where = "options",
          .expected = "section=NAME, or period=PERIOD where the equations depend on time",
          .got = "neither"});
}

}  // namespace

OrbitSearch slideway::door::orbit_search(const sw_model& model, OptionText words) {
  constexpr double usual_rtol = 1e-10;
  OrbitSearch made;
  const OrbitWords asked = take_words(words, made.options);
  made.input = model.input(words, usual_rtol);
  made.options.run = made.input->options.run;
  made.period = asked.period;
  const ModelInstance& instance = made.input->instance;
  made.section = apps::section_named(asked.section, asked.direction);
  if (made.section) check_section(*made.section, instance.problem(), "section");
  made.is_stop_asked = stop_question(made.input->stops);
  made.guess_at = [asked, section = made.section,
                   transient = asked.transient.value_or(instance.end - instance.start),
                   run = made.options.run](const ModelInstance& at, std::optional<double> period) {
    return guess_of(asked, section, transient, period, at, run);
  };
  return made;
}

std::optional<std::vector<std::string>> sw_orbit::names(std::string_view list) const {
  if (!input) throw Refused(SW_ABSENT, "there is no orbit: the search could not begin");
  if (list == "states") return input->instance.system.state_names();
  if (list != "multipliers") return std::nullopt;
  std::vector<std::string> kinds;
  for (const FloquetMultiplier& multiplier : orbit.multipliers)
    kinds.emplace_back(to_string(multiplier.kind));
  return kinds;
}

std::optional<Vector> sw_orbit::values(std::string_view list) const {
  if (list == "initial") return orbit.state;
  if (list == "period") return Vector::Constant(1, orbit.period);
  if (list == "residual") return Vector::Constant(1, orbit.residual);
  if (list == "monodromy") return flat(orbit.monodromy);
  if (list != "multipliers") return std::nullopt;
  Vector found(2 * static_cast<Index>(orbit.multipliers.size()));
  for (std::size_t k = 0; k < orbit.multipliers.size(); ++k) {
    found[2 * static_cast<Index>(k)] = orbit.multipliers[k].value.real();
    found[2 * static_cast<Index>(k) + 1] = orbit.multipliers[k].value.imag();
  }
  return found;
}

std::string sw_orbit::document(std::string_view format) {
  if (format != "json") refuse_document(format, "an orbit");
  if (!input) throw Refused(SW_ABSENT, "there is no orbit: the search could not begin");
  std::ostringstream text;
  apps::write_orbit_json({.model = input->model->name,
                          .instance = input->instance,
                          .orbit = orbit,
                          .section = section,
                          .rtol = input->options.run.rtol},
                         text);
  return text.str();
}

std::optional<std::vector<std::string>> sw_fit::names(std::string_view list) const {
  if (list == "parameters") return fit.names;
  if (list == "quantities") return measurements.names;
  return std::nullopt;
}

std::optional<Vector> sw_fit::values(std::string_view list) const {
  if (list == "parameters") return fit.values;
  if (list == "errors") return fit.errors;
  if (list == "covariance") return flat(fit.covariance);
  if (list == "residuals") return flat(fit.residuals);
  if (list == "sum_of_squares") return Vector::Constant(1, fit.sum_of_squares);
  if (list == "deviation") return Vector::Constant(1, fit.deviation);
  return std::nullopt;
}

std::string sw_fit::document(std::string_view format) {
  if (format != "json") refuse_document(format, "a fit");
  std::ostringstream text;
  apps::write_fit_json(
      {.model = model, .measurements = measurements, .columns = measurements.names, .fit = fit}, text);
  return text.str();
}

int sw_find_orbit(const sw_model* model, const char* options, sw_orbit** orbit) {
  return make(orbit, [&](sw_orbit& made) {
    OrbitSearch search = orbit_search(*given(model, "model"), options_in(options == nullptr ? "" : options));
    made.input = std::move(search.input);
    made.section = std::move(search.section);
    const ModelInstance stoppable = apps::stoppable(made.input->instance, search.is_stop_asked);
    made.orbit = find_periodic_orbit(stoppable.problem(), search.guess_at(stoppable, {}), search.options);
    made.orbit.solution.sensitivities.reset();
    made.tell(made.orbit.message);
    return made.orbit.converged ? SW_OK : SW_STOPPED;
  });
}

int sw_orbit_run(const sw_orbit* orbit, sw_run** run) {
  return make(run, [&](sw_run& made) {
    const sw_orbit& of = *given(orbit, "orbit");
    if (!of.input || !of.orbit.converged)
      throw Refused(SW_ABSENT, "there is no orbit that a run could be of");
    RunInput input = *of.input;
    input.instance.start = of.orbit.start;
    input.instance.end = of.orbit.start + of.orbit.period;
    input.instance.state = of.orbit.state;
    input.options.location = of.orbit.location;
    made.prepare(std::move(input));
    return made.finish(of.orbit.solution);
  });
}

int sw_find_parameters(const sw_model* model, const char* parameters, const char* const* quantities,
                       int64_t count, const double* t, int64_t times, const double* values,
                       const double* deviations, const char* options, sw_fit** fit) {
  return make(fit, [&](sw_fit& made) {
    constexpr double usual_rtol = 1e-8;
    given(quantities, "quantities");
    given(t, "t");
    given(values, "values");
    if (count < 1 || times < 1)
      refuse({.what = "there are no measurements",
              .where = "count and times",
              .expected = "1 or more",
              .got = fmt::format("{} and {}", count, times)});
    OptionText words = options_in(options == nullptr ? "" : options);
    FitOptions search;
    if (const auto value = taken(words, "max_runs"))
      search.max_runs = static_cast<int>(whole_number_of("max_runs", *value, 1));
    if (const auto value = taken(words, "tolerance")) search.tolerance = number_of("tolerance", *value);
    const RunInput input = given(model, "model")->input(words, usual_rtol);
    search.run = input.options.run;
    made.model = input.model->name;
    for (int64_t k = 0; k < count; ++k)
      made.measurements.names.emplace_back(given(quantities[k], "quantities"));
    made.measurements.times.assign(t, t + times);
    made.measurements.values = Eigen::Map<const Matrix>(values, count, times);
    if (deviations != nullptr) made.measurements.deviations = Eigen::Map<const Vector>(deviations, count);
    const Model stoppable = apps::stoppable(*input.model, stop_question(input.stops));
    made.fit = slideway::fit(stoppable, input.settings, parts_of(given(parameters, "parameters")),
                             made.measurements, search);
    made.tell(made.fit.message);
    return made.fit.converged ? SW_OK : SW_STOPPED;
  });
}
