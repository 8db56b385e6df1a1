#include "apps/command_line.hpp"

#include <charconv>
#include <cmath>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "apps/exit_status.hpp"
#include "slideway/core/version.hpp"

namespace slideway::apps {

namespace {

using Texts = std::vector<std::string>;

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// The whole text as a number; CLI11's own conversion also takes hexadecimal and rounds through long double.
template <class Number>
std::optional<Number> to_number(const std::string& text) {
  Number value{};
  const char* begin = text.data();
  const char* end = begin + text.size();
  if (begin != end && *begin == '+') ++begin;
  const auto [stopped, error] = std::from_chars(begin, end, value);
  if (error != std::errc{} || stopped != end) return std::nullopt;
  return value;
}

[[noreturn]] void refuse_option(const std::string& option, const std::string& expected,
                                const std::string& got) {
  throw CLI::ValidationError(option, fmt::format("expected {}, got '{}'", expected, got));
}

using NumberTest = bool (*)(double);

CLI::Option* add_number(CLI::App& app, const std::string& name, const std::string& description,
                        const std::string& expected, NumberTest accepted, std::optional<double>& target) {
  return app
      .add_option_function<std::string>(
          name,
          [=, &target](const std::string& text) {
            const auto value = to_number<double>(text);
            if (!value || !std::isfinite(*value) || !accepted(*value)) refuse_option(name, expected, text);
            target = value;
          },
          description)
      ->type_name("NUMBER");
}

CLI::Option* add_count(CLI::App& app, const std::string& name, const std::string& description, Index least,
                       std::optional<Index>& target) {
  return app
      .add_option_function<std::string>(
          name,
          [=, &target](const std::string& text) {
            const auto value = to_number<Index>(text);
            if (!value || *value < least)
              refuse_option(name, fmt::format("a whole number from {}", least), text);
            target = value;
          },
          description)
      ->type_name("N");
}

CLI::Option* add_word(CLI::App& app, const std::string& name, const std::string& description,
                      const Texts& words, const Texts& not_built, std::string& target) {
  return app
      .add_option_function<std::string>(
          name,
          [=, &target](const std::string& text) {
            if (std::find(not_built.begin(), not_built.end(), text) != not_built.end()) {
              throw CLI::ValidationError(
                  name, fmt::format("{} is not built yet; choose one of {}", text, fmt::join(words, ", ")));
            }
            if (std::find(words.begin(), words.end(), text) == words.end()) {
              const std::string near = nearest_name(text, words);
              refuse_option(name, fmt::format("one of {}", fmt::join(words, ", ")),
                            near.empty() ? text : fmt::format("{}' (did you mean '{}'?)", text, near));
            }
            target = text;
          },
          description)
      ->type_name("WORD");
}

void add_settings(CLI::App& app, Settings& settings) {
  app.add_option_function<Texts>(
         "--set",
         [&settings](const Texts& texts) {
           for (const std::string& text : texts) {
             const auto equals = text.find('=');
             const std::string name = trimmed(text.substr(0, equals));
             if (equals == std::string::npos || name.empty()) {
               refuse_option("--set", "name=value", text);
             }
             const auto value = to_number<double>(trimmed(text.substr(equals + 1)));
             if (!value) refuse_option("--set", fmt::format("a number after '{}='", name), text);
             settings.emplace_back(name, *value);
           }
         },
         "set a parameter or the initial value of a state; may be repeated, the last one wins")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->take_all();
}

void add_run(CLI::App& program, RunArguments& arguments, std::string& unused) {
  CLI::App& app = *program.add_subcommand("run", "Follow a model through its discontinuities");
  app.add_option("model", arguments.model, "a name of the catalogue (see `slideway models`) or a .toml file")
      ->required()
      ->type_name("MODEL");

  const std::string model = "The model";
  add_settings(app, arguments.settings);
  app.get_option("--set")->group(model);
  add_number(
      app, "--t-end", "end time, in the model's unit of time (default: the model's)", "a finite number",
      [](double) { return true; }, arguments.end)
      ->group(model);

  const std::string accuracy = "Accuracy";
  add_number(
      app, "--rtol", "relative tolerance (default 1e-6)", "a number above 0 and below 1",
      [](double value) { return value > 0 && value < 1; }, arguments.rtol)
      ->group(accuracy);
  add_number(
      app, "--atol", "absolute tolerance of every state, in its unit (default rtol/100)", "a number above 0",
      [](double value) { return value > 0; }, arguments.atol)
      ->group(accuracy);
  add_word(
      app, "--method",
      "integrator of the smooth pieces: bdf (stiff), adams (not stiff), dopri5 (not stiff, many events), "
      "auto (dopri5 until it is stiff, then bdf) (default bdf)",
      {"auto", "bdf", "adams", "dopri5"}, {}, arguments.method)
      ->group(accuracy);
  add_number(
      app, "--max-step", "longest step, in the model's unit of time (default: no limit)", "a number above 0",
      [](double value) { return value > 0; }, arguments.max_step)
      ->group(accuracy);

  const std::string continuation = "Where it goes on";
  add_word(
      app, "--on-ambiguity",
      "where the continuation is not unique: stop, minus, plus, slide (default stop, which reports them all)",
      {"stop", "minus", "plus", "slide"}, {"branches"}, arguments.on_ambiguity)
      ->group(continuation);
  add_count(app, "--max-events", "stop after this many events (default 1000000)", 1, arguments.max_events)
      ->group(continuation);

  const std::string results = "Results (a FILE named - is standard output)";
  app.add_option("--csv", arguments.csv, "write the trajectory")->type_name("FILE")->group(results);
  app.add_option("--json", arguments.json, "write outcome, events and statistics")
      ->type_name("FILE")
      ->group(results);
  app.add_option("--plot", arguments.plot, "draw a picture, with gnuplot")
      ->type_name("FILE.svg|png|pdf")
      ->group(results);
  add_count(app, "--points",
            "rows of the CSV, equally spaced in time, besides the events (default: every step)", 2,
            arguments.points)
      ->group(results);
  app.add_flag("--full-events", arguments.full_events, "list every event, with states and modes of any size")
      ->group(results);
  app.add_flag("--quiet", arguments.quiet, "print nothing but errors")->group(results);

  // One choice each so far; any other is refused rather than ignored.
  const std::string hidden;
  add_word(app, "--linear-solver", "", {"dense"}, {"band", "klu", "gmres"}, unused)->group(hidden);
  add_word(app, "--sliding-rule", "", {"filippov"}, {"moments", "equivalent-control"}, unused)->group(hidden);
  add_word(app, "--selection", "", {"consistent"}, {"korobitsyn-frolova"}, unused)->group(hidden);

  app.footer(
      "Exit status: 0 the end or a stop event was reached, 1 a result could not be written,\n"
      "2 the command line or the model is wrong, 3 the run stopped early (what there is was written).");
}

void add_validate(CLI::App& program, ValidateArguments& arguments, std::optional<double>& rtol) {
  CLI::App& app = *program.add_subcommand("validate", "Run the validation suite: expected beside got");
  app.add_option("name", arguments.names, "cases, or beginnings of their names (default: all)")
      ->type_name("NAME");
  add_number(
      app, "--rtol", "relative tolerance (default 1e-6)", "a number above 0 and below 1",
      [](double value) { return value > 0 && value < 1; }, rtol);
  add_word(app, "--method", "bdf, adams or dopri5 (default: all)", {"bdf", "adams", "dopri5"}, {}, arguments.method);
  app.footer("Exit status: 0 all cases pass, 1 a case fails, 2 the command line is wrong.");
}

// A misspelt sub-command is answered with the nearest one, which CLI11 does not do.
std::optional<std::string> unknown_subcommand(const CLI::App& program, int argc, const char* const* argv) {
  if (argc < 2 || argv[1][0] == '-') return std::nullopt;
  Texts names;
  for (const CLI::App* app : program.get_subcommands({})) names.push_back(app->get_name());
  if (std::find(names.begin(), names.end(), argv[1]) != names.end()) return std::nullopt;
  const std::string near = nearest_name(argv[1], names);
  return fmt::format("there is no command '{}'; expected one of {}{}", argv[1], fmt::join(names, ", "),
                     near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
}

Answered refused(std::ostream& err, const std::string& message) {
  err << "slideway: " << message << "\nRun with --help for more information.\n";
  return {exit_misuse};
}

}  // namespace

Command parse_command_line(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
  CLI::App program(
      "Integrates ordinary differential equations whose right-hand side jumps, and goes on where\n"
      "ordinary solvers chatter: along sliding modes, with every event located and explained.",
      "slideway");
  program.set_version_flag("--version", fmt::format("slideway {}", version()));
  program.require_subcommand(1);
  program.get_formatter()->column_width(34);

  RunArguments run_arguments;
  ShowArguments show_arguments;
  ValidateArguments validate_arguments;
  std::optional<double> validation_rtol;
  std::string unused;
  program.add_subcommand("models", "List the catalogue, a line each");
  CLI::App& show_app =
      *program.add_subcommand("show", "Show a model: equations, surfaces, parameters, defaults");
  show_app.add_option("model", show_arguments.model, "a name of the catalogue or a .toml file")
      ->required()
      ->type_name("MODEL");
  add_run(program, run_arguments, unused);
  add_validate(program, validate_arguments, validation_rtol);

  if (argc < 2) {
    err << program.help();
    return Answered{exit_misuse};
  }
  if (const auto message = unknown_subcommand(program, argc, argv)) return refused(err, *message);
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& request) {
    program.exit(request, out, err);
    return Answered{exit_success};
  } catch (const CLI::ParseError& error) {
    return refused(err, error.what());
  }
  const std::string command = program.get_subcommands().front()->get_name();
  if (command == "models") return ModelsArguments{};
  if (command == "show") return show_arguments;
  if (command == "run") return run_arguments;
  validate_arguments.rtol = validation_rtol.value_or(validate_arguments.rtol);
  return validate_arguments;
}

}  // namespace slideway::apps
