// The whole command line: all sub-commands with their options, parsing, and what is told of them to the help, the man page
// and the completions of shells. One file, because CLI11 takes seconds to compile.
#include "apps/program_options.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <memory>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "apps/axis_text.hpp"
#include "apps/command_line.hpp"
#include "apps/command_texts.hpp"
#include "apps/exit_status.hpp"
#include "apps/help.hpp"
#include "apps/picture_words.hpp"
#include "apps/run_checkpoints.hpp"
#include "apps/text.hpp"
#include "slideway/audit/audit.hpp"
#include "slideway/core/version.hpp"
#include "slideway/detail/core/platform/terminal.hpp"
#include "slideway/io/model_file.hpp"
#include "slideway/simulate/options.hpp"

namespace slideway::apps {

namespace {

// ---- kinds of options --------------------------------------------------------------------------------------------
//
// Each refuses a wrong value with what was expected and what was got. The type name of an option says what it takes, for
// the help and for the completion of shells: "a|b|c" are the words there are, MODEL a model, FILE a file, anything else
// something to type.

[[noreturn]] void refuse_option(const std::string& option, const std::string& expected,
                                const std::string& got, const std::string& near = {}) {
  throw CLI::ValidationError(option,
                             fmt::format("expected {}, got '{}'{}", expected, got,
                                         near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
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

CLI::Option* add_positive(CLI::App& app, const std::string& name, const std::string& description,
                          std::optional<double>& target) {
  return add_number(
      app, name, description, "a number above 0", [](double value) { return value > 0; }, target);
}

// Two values with a character between them.
template <class Value, class Test>
CLI::Option* add_pair(CLI::App& app, const std::string& name, char between, const std::string& expected,
                      Test accepted, const std::string& description,
                      std::optional<std::pair<Value, Value>>& target) {
  return app.add_option_function<std::string>(
      name,
      [=, &target](const std::string& text) {
        const std::size_t middle = text.find(between);
        const auto first = to_number<Value>(text.substr(0, middle));
        const auto second = to_number<Value>(middle == std::string::npos ? "" : text.substr(middle + 1));
        if (!first || !second || !std::isfinite(static_cast<double>(*first)) ||
            !std::isfinite(static_cast<double>(*second)) || !accepted(*first, *second)) {
          refuse_option(name, expected, text);
        }
        target = {*first, *second};
      },
      description);
}

// The values that the integrators take.
constexpr const char* rtol_expected = "a number from 1e-14 on and below 1";
bool is_rtol(double value) { return value >= 1e-14 && value < 1; }

// "1000" for "1e3"; nothing for what is no whole number in any notation.
std::string written_out(const std::string& text, Index least) {
  constexpr double most = 1e15;
  const auto value = to_number<double>(text);
  const bool is_whole =
      value && *value >= static_cast<double>(least) && *value <= most && *value == std::floor(*value);
  return is_whole ? fmt::format("{:.0f}", *value) : std::string();
}

CLI::Option* add_count(CLI::App& app, const std::string& name, const std::string& description, Index least,
                       std::optional<Index>& target) {
  return app
      .add_option_function<std::string>(
          name,
          [=, &target](const std::string& text) {
            const auto value = to_number<Index>(text);
            if (!value || *value < least)
              refuse_option(name, fmt::format("a whole number from {}", least), text,
                            written_out(text, least));
            target = value;
          },
          description)
      ->type_name("N");
}

// Words are lower case; "BDF" means one of them.
std::string nearest_word(std::string text, const std::vector<std::string>& words) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char character) { return static_cast<char>(std::tolower(character)); });
  return nearest_name(text, words);
}

CLI::Option* add_word(CLI::App& app, const std::string& name, const std::string& description,
                      const std::vector<std::string>& words, std::string& target) {
  return app
      .add_option_function<std::string>(
          name,
          [=, &target](const std::string& text) {
            if (std::find(words.begin(), words.end(), text) == words.end()) {
              refuse_option(name, fmt::format("one of {}", fmt::join(words, ", ")), text,
                            nearest_word(text, words));
            }
            target = text;
          },
          description)
      ->type_name(fmt::format("{}", fmt::join(words, "|")));
}

// "0.5", or what a model file may write as well: "1/3".
double number_or_expression(const std::string& name, const std::string& word, const std::string& text) {
  if (const auto value = to_number<double>(word)) return *value;
  const std::string expected =
      fmt::format("a number after '{}=', or an expression of numbers such as 1/3", name);
  if (word.empty()) refuse_option("--set", expected, text);
  try {
    return constant_value(word);
  } catch (const std::invalid_argument& error) {
    throw CLI::ValidationError("--set",
                               fmt::format("expected {}, got '{}' ({})", expected, text, error.what()));
  }
}

CLI::Option* add_settings(CLI::App& app, Settings& settings) {
  return app
      .add_option_function<std::vector<std::string>>(
          "--set",
          [&settings](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) {
              const auto equals = text.find('=');
              const std::string name = trimmed(text.substr(0, equals));
              if (equals == std::string::npos || name.empty()) {
                refuse_option("--set", "name=value", text);
              }
              settings.emplace_back(name, number_or_expression(name, trimmed(text.substr(equals + 1)), text));
            }
          },
          "set a parameter or the initial value of a state; may be repeated, the last one wins")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->take_all();
}

CLI::Option* add_files(CLI::App& app, const std::string& name, const std::string& description,
                       const std::string& type, std::vector<std::string>& target) {
  return app.add_option(name, target, description)->type_name(type)->allow_extra_args(false)->take_all();
}

CLI::Option* add_names(CLI::App& app, const std::string& name, const std::string& description,
                       std::vector<std::string>& target) {
  return app
      .add_option_function<std::string>(
          name,
          [=, &target](const std::string& text) {
            target = split(text, ',');
            if (std::find(target.begin(), target.end(), "") != target.end())
              refuse_option(name, "names separated by commas", text);
          },
          description)
      ->type_name("NAME,NAME");
}

CLI::Option* add_axes(CLI::App& app, std::vector<SweepAxis>& axes, const std::string& description,
                      bool may_draw = true) {
  return app
      .add_option_function<std::vector<std::string>>(
          "--vary",
          [&axes, may_draw](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) {
              try {
                axes.push_back(parse_axis(text, may_draw));
              } catch (const std::invalid_argument& error) {
                throw CLI::ValidationError(error.what());
              }
            }
          },
          description)
      ->type_name("P=A:B:N")
      ->allow_extra_args(false)
      ->take_all();
}

CLI::Option* add_box(CLI::App& app, std::vector<std::pair<std::string, std::pair<double, double>>>& box) {
  return app
      .add_option_function<std::vector<std::string>>(
          "--box",
          [&box](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) {
              const std::size_t equals = text.find('='), colon = text.find(':', equals);
              const auto low = to_number<double>(
                  equals == std::string::npos ? "" : text.substr(equals + 1, colon - equals - 1));
              const auto high = to_number<double>(colon == std::string::npos ? "" : text.substr(colon + 1));
              if (!low || !high || !std::isfinite(*low) || !std::isfinite(*high) || *low > *high)
                refuse_option("--box", "NAME=LOW:HIGH with a state and two numbers, as v=-1:1", text);
              box.emplace_back(trimmed(text.substr(0, equals)), std::pair{*low, *high});
            }
          },
          "where to look for a state; may be repeated (default: as far again on both sides as the run goes)")
      ->type_name("NAME=LOW:HIGH")
      ->allow_extra_args(false)
      ->take_all();
}

CLI::Option* add_model(CLI::App& app, std::string& target) {
  return app.add_option("model", target, "a name of the catalogue (see `slideway models`) or a .toml file")
      ->required()
      ->type_name("MODEL");
}

// ---- sub-commands ------------------------------------------------------------------------------------------------

// The options that all commands with a run have in common. All but `run` follow one solution.
void add_simulation(CLI::App& app, SimulationArguments& arguments, bool follows_branches = false,
                    const std::string& usual_rtol = "1e-6") {
  const std::string model = "The model";
  add_settings(app, arguments.settings)->group(model);
  add_number(
      app, "--t-end", "end time, in the model's unit of time (default: the model's)", "a finite number",
      [](double) { return true; }, arguments.end)
      ->group(model);

  const std::string accuracy = "Accuracy";
  add_number(app, "--rtol", "relative tolerance (default " + usual_rtol + ")", rtol_expected, is_rtol,
             arguments.rtol)
      ->group(accuracy);
  add_positive(app, "--atol", "absolute tolerance of every state, in its unit (default rtol/100)",
               arguments.atol)
      ->group(accuracy);
  add_word(
      app, "--method",
      "integrator of the smooth pieces: bdf (stiff), adams (not stiff), dopri5 (not stiff, many events), "
      "dop853 (the same, rtol below 1e-7), rodas (stiff, many events), auto (dopri5 or dop853 until it is "
      "stiff, then bdf) (default auto)",
      method_words(), arguments.method)
      ->group(accuracy);
  add_word(app, "--linear-solver",
           "equations of an implicit step (bdf, rodas): dense, band, klu (sparse), gmres (no matrix), auto "
           "(by the size and the pattern of the Jacobian) (default auto)",
           linear_solver_words(), arguments.linear_solver)
      ->group(accuracy);
  add_positive(app, "--max-step", "longest step, in the model's unit of time (default: no limit)",
               arguments.max_step)
      ->group(accuracy);

  const std::string continuation = "Where it goes on";
  std::vector<std::string> ambiguities = ambiguity_words();
  if (!follows_branches) std::erase(ambiguities, "branches");
  add_word(app, "--on-ambiguity",
           std::string("where the continuation is not unique (default stop, which reports them all") +
               (follows_branches ? "; branches follows them all)" : ")"),
           ambiguities, arguments.on_ambiguity)
      ->group(continuation);
  add_word(app, "--sliding-rule", "the motion along surfaces; moments: along two (default filippov)",
           sliding_rule_words(), arguments.sliding_rule)
      ->group(continuation);
  add_word(app, "--selection", "what follows where two surfaces are met (default consistent)",
           selection_words(), arguments.selection)
      ->group(continuation);
  add_word(app, "--local-events",
           "follow an event with the states around it alone, at a cost that the size of the model does not "
           "raise; auto: off (default auto)",
           local_events_words(), arguments.local_events)
      ->group(continuation);
  add_count(app, "--max-events", "stop after this many events (default 1000000)", 1, arguments.max_events)
      ->group(continuation);
  add_count(app, "--max-steps", "stop after this many steps (default 100000000)", 1, arguments.max_steps)
      ->group(continuation);
}

// How an FMU is run, for all commands that follow one.
void add_fmu_import(CLI::App& app, FmuImport& how) {
  const std::string group = "An FMU";
  app.add_option(
         "--inputs", how.inputs,
         "its inputs over time, and its tunable parameters: a column `time`, and one per name; a time "
         "that is there twice is a jump")
      ->type_name("FILE.csv")
      ->group(group);
  app.add_flag("--co-simulation", how.prefers_co_simulation,
               "let it integrate itself, where it has both kinds (default: slideway integrates)")
      ->group(group);
  add_positive(
      app, "--communication-step",
      "of Co-Simulation, which it asks for: the time between two communication points (default: that of "
      "the FMU, or a thousandth of the run)",
      how.communication_step)
      ->group(group);
  app.add_flag("--isolate", how.isolated,
               "run its binary in a process of its own: a crash or a hang becomes a message")
      ->group(group);
  add_names(app, "--fmu-log", "show its messages of these categories; all: every one", how.log)->group(group);
}

CLI::Option* add_audit(CLI::App& app, SimulationArguments& arguments) {
  return add_word(app, "--audit",
                  "compare the result with the model file as it is written: at some points, or in every step "
                  "(default quick)",
                  audit_level_words(), arguments.audit);
}

void add_run(CLI::App& program, RunArguments& arguments) {
  CLI::App& app = *program.add_subcommand("run", "Follow a model through its discontinuities");
  CLI::Option& model = *app.add_option(
      "model", arguments.models,
      "a name of the catalogue (see `slideway models`) or a .toml file; several are drawn over each other");
  model.required()->type_name("MODEL")->take_all();
  add_axes(app, arguments.axes,
           "run for each of these values, P=VALUE,VALUE,... or P=FIRST:LAST:COUNT, and draw the runs over "
           "each other",
           false)
      ->group("The model");
  add_simulation(app, arguments, true);
  add_fmu_import(app, arguments.fmu_import);

  const std::string pieces = "In several pieces";
  app.add_option("--checkpoint", arguments.checkpoint,
                 "write checkpoints, from which the run goes on bit for bit; FILE.log beside it holds the "
                 "events and steps so far")
      ->type_name("FILE")
      ->group(pieces);
  app.add_option_function<std::string>(
         "--every",
         [&arguments](const std::string& text) {
           arguments.every = interval_in(text);
           if (!arguments.every)
             refuse_option("--every", "seconds, as 60s, or steps, as 100000steps or 1e6steps", text);
         },
         "the time or the steps between two checkpoints, 60s or 1e6steps (default 60s)")
      ->type_name("TIME|STEPS")
      ->group(pieces);
  app.add_option_function<std::string>(
         "--from",
         [&arguments, &model](const std::string& path) {
           arguments.from = path;
           model.required(false);
         },
         "go on from this checkpoint, and write further ones to it; it names the model and the options, "
         "but not the results")
      ->type_name("FILE")
      ->group(pieces);

  const std::string results = "Results (a FILE named - is standard output)";
  add_audit(app, arguments)->group(results);
  add_files(app, "--csv", "write the trajectory; may be repeated", "FILE", arguments.csv)->group(results);
  add_files(app, "--json", "write outcome, events and statistics; may be repeated", "FILE", arguments.json)
      ->group(results);
  add_files(app, "--plot",
            "draw a picture, with gnuplot, for LaTeX (.tex, with FILE-inc.pdf beside it), or write its "
            "script and data "
            "(.gp); may be repeated",
            "FILE.svg|png|pdf|tex|gp", arguments.plot)
      ->group(results);
  add_files(app, "--report",
            "write a page to look at: equations, an interactive picture, every event; may be repeated",
            "FILE.html", arguments.report)
      ->group(results);
  add_names(app, "--states",
            "the states drawn over time (default: the first six, or those of the phase portrait)",
            arguments.states)
      ->group(results);
  add_names(app, "--phase",
            "the two or three states or observed quantities of the phase portrait in the picture, as v,F for "
            "a loop of friction (default: both states of two); without --states the states among them are "
            "also the only ones drawn over time",
            arguments.phase)
      ->group(results);
  add_word(app, "--markers",
           "the events marked in the picture: none, sliding (its begin and end), all (default all)",
           {"none", "sliding", "all"}, arguments.markers)
      ->group(results);
  app.add_option_function<std::string>(
         "--size",
         [&arguments](const std::string& text) {
           arguments.picture_size = size_in(text);
           if (!arguments.picture_size)
             refuse_option("--size",
                           "two whole numbers from 100 to 10000, as 1200x800, or centimetres, as 16x9cm",
                           text);
         },
         "width and height of the picture, in pixels of an svg, or as 16x9cm (default: by the number of "
         "panels)")
      ->type_name("WxH")
      ->group(results);
  app.add_option_function<std::vector<std::string>>(
         "--labels",
         [&arguments](const std::vector<std::string>& texts) {
           for (const std::string& text : texts) {
             const auto labels = labels_in(text);
             if (!labels) refuse_option("--labels", "NAME=TEXT, or several with commas between them", text);
             arguments.labels.insert(arguments.labels.end(), labels->begin(), labels->end());
           }
         },
         "what stands at the axes of states, of what is observed and of t, with x_{rel}, s^2 and \\mu as in "
         "TeX: "
         "\"x=position x_1 [m],t=time [s]\"; may be repeated")
      ->type_name("NAME=TEXT")
      ->allow_extra_args(false)
      ->take_all()
      ->group(results);
  add_names(app, "--log", "logarithmic axes, of states, of what is observed, or of t", arguments.log)
      ->group(results);
  app.add_flag("--raster", arguments.raster,
               "draw a row for each surface, contact and named event in place of curves: bars while it "
               "slides, dots at "
               "its events")
      ->group(results);
  add_pair<double>(
      app, "--t-range", ':', "two times, the first below the second, as 2.5:4",
      [](double first, double second) { return first < second; },
      "the part of the run that is drawn (default: the whole run)", arguments.picture_times)
      ->type_name("T1:T2")
      ->group(results);
  app.add_option("--title", arguments.title, "the title of the picture (default: the name of the model)")
      ->type_name("TEXT")
      ->group(results);
  app.add_option(
         "--observe", arguments.observe,
         "what to write and draw beside the states: the name of a definition, a force of friction, a surface "
         "(its guard), a contact (its force) or the friction of a contact, or an expression with a name, "
         "\"E = 0.5*v^2\"; may be "
         "repeated")
      ->type_name("NAME|NAME=EXPRESSION")
      ->allow_extra_args(false)
      ->group(results);
  app.add_option(
         "--sensitivity", arguments.sensitivities,
         "the derivatives of the solution, its events and what is observed by a parameter, or by the initial "
         "value of a state, through every event; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false)
      ->group(results);
  app.add_option(
         "--adjoint", arguments.adjoints,
         "the gradient of a state, or of what --observe takes, at the end of the run by all parameters and "
         "initial values, found backwards at the cost of a few runs; may be repeated")
      ->type_name("NAME|NAME=EXPRESSION")
      ->allow_extra_args(false)
      ->group(results);
  app.add_option("--section", arguments.section,
                 "list where the solution arrives at this surface, or at the events of this name: in the "
                 "JSON, or by --section-file and --section-plot")
      ->type_name("NAME")
      ->group(results);
  add_word(app, "--direction", "arrivals that count: from below, from above, or both (default rising)",
           {"rising", "falling", "any"}, arguments.direction)
      ->group(results);
  add_files(app, "--section-file", "write the arrivals as a table, a row per point; may be repeated", "FILE",
            arguments.section_file)
      ->group(results);
  add_files(
      app, "--section-plot",
      "draw the arrivals in the plane of two states (--phase), and the map from each to the next; may be "
      "repeated",
      "FILE.svg|png|pdf|tex|gp", arguments.section_plot)
      ->group(results);
  add_count(app, "--points",
            "rows of the CSV, equally spaced in time, besides the events (default: every step)", 2,
            arguments.points)
      ->group(results);
  app.add_flag("--all-events", arguments.all_events,
               "list every event; otherwise repeated events of a long list are one row")
      ->group(results);
  app.add_flag("--full-events", arguments.full_events, "list every event, with states and modes of any size")
      ->group(results);
  app.add_flag("--passivity", arguments.passivity,
               "the work of friction in the statistics, and whether it gave more energy than it held")
      ->group(results);
  app.add_flag("--quiet", arguments.quiet, "print nothing but errors")->group(results);

  app.footer(
      "Exit status: 0 the end or a stop event was reached, 1 a result could not be written, "
      "2 the command line or the model is wrong, 3 the run stopped early (what there is was written), 4 "
      "SIGTERM "
      "ended a run with --checkpoint, which has written one, 5 the result contradicts the model file "
      "(--audit).");
}

void add_check(CLI::App& program, CheckArguments& arguments) {
  CLI::App& app = *program.add_subcommand(
      "check", "Check a model: derivatives, multi-affinity, the start, scales, which method suits it");
  add_model(app, arguments.model);
  add_simulation(app, arguments);
  add_fmu_import(app, arguments.fmu_import);
  add_files(app, "--json", "write what was found; - is standard output; may be repeated", "FILE",
            arguments.json)
      ->group("Results");
  app.footer(
      "Exit status: 0 no problem was found (there may be warnings), 2 the command line or the model is "
      "wrong, "
      "3 a problem was found: a wrong derivative, a field that is not affine in a relay, a start without a "
      "unique continuation.");
}

void add_compare(CLI::App& program, CompareArguments& arguments) {
  CLI::App& app = *program.add_subcommand(
      "compare",
      "Filippov's solution beside hysteresis, smoothing, naive integration, Euler and Algorithm 1");
  add_model(app, arguments.model);
  add_simulation(app, arguments);
  add_fmu_import(app, arguments.fmu_import);

  const std::string compared = "What is compared";
  add_positive(app, "--epsilon",
               "width of the hysteresis band and of the smoothing tanh(h/epsilon), in the unit of the "
               "surfaces' functions "
               "(default: a thousandth of their size)",
               arguments.epsilon)
      ->group(compared);
  add_positive(app, "--step", "fixed step of Euler and Algorithm 1 (default: 1/2400 of the time)",
               arguments.step)
      ->group(compared);
  add_count(app, "--bisections", "steps of Algorithm 1's binary search (default 20)", 1, arguments.bisections)
      ->group(compared);
  add_count(app, "--checkpoints", "times at which errors are taken, equally spaced (default 100)", 1,
            arguments.checkpoints)
      ->group(compared);
  add_count(app, "--levels",
            "rows of the convergence tables, each a quarter of the one before; 0 for none (default 4)", 0,
            arguments.levels)
      ->group(compared);
  add_positive(app, "--error", "also find what each method takes to have this error at the end",
               arguments.error)
      ->group(compared);
  add_count(app, "--repeats", "runs of which the wall time is the median (default 5)", 1, arguments.repeats)
      ->group(compared);
  add_count(app, "--max-evaluations", "about as many field evaluations of one run at most (default 2000000)",
            1000, arguments.evaluations)
      ->group(compared);

  const std::string results = "Results (a FILE named - is standard output)";
  add_files(app, "--csv", "write the states at the checkpoints; may be repeated", "FILE", arguments.csv)
      ->group(results);
  add_files(app, "--json", "write everything that was measured; may be repeated", "FILE", arguments.json)
      ->group(results);
  add_files(app, "--plot", "draw the solutions near the surface, with gnuplot; may be repeated",
            "FILE.svg|png|pdf|tex|gp", arguments.plot)
      ->group(results);
  app.add_flag("--quiet", arguments.quiet, "print nothing but errors")->group(results);
  app.footer(
      "Errors are relative to the largest size of each state along Filippov's solution, followed with "
      "tolerances a thousand "
      "times tighter. A Jacobian counts as the field evaluations it takes.\n"
      "Exit status: 0 done, 1 a result could not be written, 2 the command line or the model is wrong, 3 "
      "Filippov's "
      "solution stopped early (the comparison goes as far).");
}

void add_sweep(CLI::App& program, SweepArguments& arguments) {
  CLI::App& app =
      *program.add_subcommand("sweep", "Run a model for many values of its parameters, in parallel");
  add_model(app, arguments.model);

  const std::string runs = "The runs";
  add_axes(
      app, arguments.axes,
      "vary a parameter or an initial state: P=FIRST:LAST:COUNT, P=FIRST:LAST:COUNT:log for equal ratios, "
      "or P=VALUE,VALUE,...; repeated, every combination is run; with --random or --latin P=FIRST:LAST or "
      "P=FIRST:LAST:log")
      ->required()
      ->group(runs);
  add_count(app, "--random", "instead of every combination so many random samples of the ranges", 1,
            arguments.random)
      ->group(runs);
  add_count(
      app, "--latin",
      "instead of every combination so many samples of a Latin hypercube: each of N equal parts of every "
      "range is met once",
      1, arguments.latin)
      ->group(runs);
  add_count(app, "--seed", "the same seed gives the same samples, on every computer (default 1)", 0,
            arguments.seed)
      ->group(runs);
  add_word(
      app, "--follow",
      "along the first --vary each run begins where its neighbour ended: with rising values, with falling "
      "values, or up and then down again, for hysteresis; the others have a chain for each combination",
      {"up", "down", "both"}, arguments.follow)
      ->group(runs);
  add_count(
      app, "--jobs",
      "runs, or chains of --follow, at the same time (default: one per processor; by MPI one per process)", 1,
      arguments.jobs)
      ->group(runs);
  add_pair<Index>(
      app, "--shard", '/', "K/N with K from 1 to N, as 2/8",
      [](Index number, Index of) { return number >= 1 && number <= of; },
      "only the K-th of N parts of the runs, to be made apart and merged (--merge)", arguments.shard)
      ->type_name("K/N")
      ->group(runs);
  add_positive(app, "--run-time-limit",
               "end a run that takes longer than so many seconds on the clock, with the status time_limit "
               "(default: no limit)",
               arguments.run_time_limit)
      ->group(runs);
  add_simulation(app, arguments);
  add_fmu_import(app, arguments.fmu_import);

  const std::string looked_at = "What is looked at";
  add_number(
      app, "--transient",
      "leave this much time after the start out of minima, maxima and the section (default 0)",
      "a number, 0 or above", [](double value) { return value >= 0; }, arguments.transient)
      ->group(looked_at);
  app.add_option(
         "--section", arguments.section,
         "record the states where the solution arrives at this surface, or at the events of this name")
      ->type_name("NAME")
      ->group(looked_at);
  add_word(app, "--direction", "arrivals that count: from below, from above, or both (default rising)",
           {"rising", "falling", "any"}, arguments.direction)
      ->group(looked_at);
  add_count(app, "--section-points", "most arrivals recorded of a run, its last ones (default 200)", 1,
            arguments.section_points)
      ->group(looked_at);
  app.add_option(
         "--observe", arguments.observe,
         "what has columns beside the states: the name of a definition, a force of friction, a surface (its "
         "guard), a contact (its force) or the friction of a contact, or an expression with a name, \"E = "
         "0.5*v^2\"; may be repeated")
      ->type_name("NAME|NAME=EXPRESSION")
      ->allow_extra_args(false)
      ->group(looked_at);

  const std::string results = "Results (a FILE named - is standard output)";
  add_audit(app, arguments)->group(results);
  app.add_option("--csv", arguments.csv, "write the table, a row per run (default -)")
      ->type_name("FILE")
      ->group(results);
  add_names(
      app, "--columns",
      "the columns of the table, in this order: names, or the groups parameters, outcome, final, counts, "
      "min, max, section, all, or a state for all of its columns (default: those that are not zero or "
      "empty in all rows)",
      arguments.columns)
      ->group(results);
  app.add_option("--section-file", arguments.section_file,
                 "write the points of the section as a table of their own, a row per point")
      ->type_name("FILE")
      ->group(results);
  app.add_option("--merge", arguments.merge,
                 "make no runs, but put together the tables that the same command wrote with --shard; takes "
                 "several files")
      ->type_name("FILE...")
      ->group(results);
  app.add_flag("--resume", arguments.resume, "complete the table of an interrupted sweep")->group(results);
  app.add_flag(
         "--summary", arguments.summary,
         "print how many runs ended how, and least value, quartiles, mean and greatest value of the columns")
      ->group(results);
  add_files(app, "--json", "write the same statistics as a JSON document; may be repeated", "FILE",
            arguments.json)
      ->group(results);
  add_files(app, "--plot", "draw the bifurcation picture (one parameter) or a map (two); may be repeated",
            "FILE.svg|png|pdf|tex|gp", arguments.plot)
      ->group(results);
  add_names(app, "--states", "the states of the picture (default: the first four)", arguments.states)
      ->group(results);
  app.add_flag("--quiet", arguments.quiet, "print nothing but errors")->group(results);

  app.footer(
      "A run that stops early is a row with its status and message. Ctrl-C leaves a valid table of what was "
      "done.\n"
      "Exit status: 0 all runs were made, 1 a result could not be written, 2 the command line or the model "
      "is "
      "wrong, 3 interrupted, or merged tables lack runs (what was done is in the table).");
}

void add_orbit(CLI::App& program, OrbitArguments& arguments) {
  CLI::App& app =
      *program.add_subcommand("orbit", "Find a periodic orbit, stable or not, and its multipliers");
  add_model(app, arguments.model);

  const std::string sought = "The orbit";
  add_axes(app, arguments.axes,
           "follow the orbit in a parameter, P=FIRST:LAST:COUNT, round folds and through bifurcations, with "
           "steps of at most one of COUNT - 1 parts; --csv is then a table of the orbits; for two parameters "
           "follow the curve of a bifurcation in their plane, from the first on the branch in the first one",
           false)
      ->group(sought);
  add_word(app, "--bifurcation", "the curves of all bifurcations of this name on the branch",
           {"SN", "PD", "NS", "GR", "GS", "CS", "SS", "AS"}, arguments.bifurcation)
      ->group(sought);
  app.add_option("--section", arguments.section,
                 "the surface, or the name of the events, that the orbit comes back to; its period is found")
      ->type_name("NAME")
      ->group(sought);
  add_word(app, "--direction", "arrivals at it that count: from below, from above, or both (default rising)",
           {"rising", "falling", "any"}, arguments.direction)
      ->group(sought);
  add_count(app, "--returns",
            "arrivals at the section in one period (default: the fewest after which the transient repeats "
            "itself)",
            1, arguments.returns)
      ->group(sought);
  app.add_option("--period", arguments.period,
                 "the period of the drive or a multiple of it, where the equations depend on time; else the "
                 "first approximation of the period: a number, or an expression of parameters such as 2*pi/w "
                 "(default without a section: that of the time events)")
      ->type_name("PERIOD")
      ->group(sought);
  add_number(
      app, "--transient",
      "follow the model for this time before (default: to its end); 0 begins with its initial state, as "
      "unstable orbits need it",
      "a number, 0 or above", [](double value) { return value >= 0; }, arguments.transient)
      ->group(sought);
  add_count(app, "--shots",
            "pieces of the orbit that are followed apart (default: 1, and where that fails 4, 8 and 16)", 1,
            arguments.shots)
      ->group(sought);
  add_count(app, "--max-iterations", "most iterations of Newton's method (default 50)", 1,
            arguments.iterations)
      ->group(sought);
  add_simulation(app, arguments, false, "1e-10");
  add_fmu_import(app, arguments.fmu_import);

  const std::string results = "Results (a FILE named - is standard output)";
  add_files(app, "--csv", "write one period of the orbit; may be repeated", "FILE", arguments.csv)
      ->group(results);
  add_files(app, "--json", "write the orbit, its events and multipliers; may be repeated", "FILE",
            arguments.json)
      ->group(results);
  add_files(app, "--plot",
            "draw one period of the orbit, or with --vary the branch, with gnuplot; may be repeated",
            "FILE.svg|png|pdf|tex|gp", arguments.plot)
      ->group(results);
  app.add_flag("--quiet", arguments.quiet, "print nothing but errors")->group(results);
  app.footer(
      "Exit status: 0 an orbit was found, 1 a result could not be written, 2 the command line or the model "
      "is wrong, 3 no orbit was found.");
}

void add_lyapunov(CLI::App& program, LyapunovArguments& arguments) {
  CLI::App& app = *program.add_subcommand(
      "lyapunov", "Find all Lyapunov exponents of a solution, through its events, with errors");
  add_model(app, arguments.model);
  const std::string sought = "The exponents";
  add_number(
      app, "--transient",
      "follow the model for this time before, from its start (default: a tenth of the time to its end)",
      "a number, 0 or above", [](double value) { return value >= 0; }, arguments.transient)
      ->group(sought);
  app.add_option("--block", arguments.block,
                 "the time between two running estimates, of which there are whole ones: a number, or an "
                 "expression of parameters such as 2*pi/w, the period of a drive (default: a thousandth of "
                 "the time after the transient)")
      ->type_name("TIME")
      ->group(sought);
  add_simulation(app, arguments, false, "1e-8");
  add_fmu_import(app, arguments.fmu_import);

  const std::string results = "Results (a FILE named - is standard output)";
  add_files(app, "--csv", "write the running estimates, a row per block; may be repeated", "FILE",
            arguments.csv)
      ->group(results);
  add_files(app, "--json", "write the exponents, their errors and running estimates; may be repeated", "FILE",
            arguments.json)
      ->group(results);
  add_files(app, "--plot", "draw the running estimates, with gnuplot; may be repeated",
            "FILE.svg|png|pdf|tex|gp", arguments.plot)
      ->group(results);
  app.add_flag("--quiet", arguments.quiet, "print nothing but errors")->group(results);
  app.footer(
      "Exit status: 0 the exponents are those of the whole run, 1 a result could not be written, 2 the "
      "command line or the model is wrong, 3 the run stopped early, or its derivatives do not exist beyond "
      "an event (what there is was written).");
}

// "x=-2:2,v=-3:3"
std::vector<SweepAxis> plane_in(const std::string& option, const std::string& text) {
  std::vector<SweepAxis> plane;
  for (const std::string& side : split(text, ',')) {
    const std::size_t equals = side.find('='), colon = side.find(':');
    const auto low = to_number<double>(equals == std::string::npos || colon == std::string::npos
                                           ? ""
                                           : side.substr(equals + 1, colon - equals - 1));
    const auto high = to_number<double>(colon == std::string::npos ? "" : side.substr(colon + 1));
    const std::string name = trimmed(side.substr(0, equals));
    if (!low || !high || !std::isfinite(*low) || !std::isfinite(*high) || !(*low < *high) || name.empty())
      refuse_option(option, "two names with an interval each, as x=-2:2,v=-3:3", text);
    plane.push_back({.name = name, .first = *low, .last = *high, .is_range = true});
  }
  if (plane.size() != 2 || plane[0].name == plane[1].name)
    refuse_option(option, "two names with an interval each, as x=-2:2,v=-3:3", text);
  return plane;
}

// "512" or "512x256"
CLI::Option* add_cells(CLI::App& app, const std::string& description,
                       std::optional<std::pair<Index, Index>>& target) {
  return app
      .add_option_function<std::string>(
          "--size",
          [&target](const std::string& text) {
            const std::size_t between = text.find('x');
            const auto across = to_number<Index>(text.substr(0, between));
            const auto up =
                between == std::string::npos ? across : to_number<Index>(text.substr(between + 1));
            if (!across || !up || *across < 1 || *up < 1)
              refuse_option("--size", "a whole number from 1, or two as 512x256", text);
            target = {*across, *up};
          },
          description)
      ->type_name("N|NxM");
}

// A plane of two names, and its cells.
void add_plane(CLI::App& app, const std::string& description, const std::string& type,
               const std::string& cells, PlaneArguments& arguments) {
  const std::string group = "The plane";
  app.add_option_function<std::string>(
         "--plane", [&arguments](const std::string& text) { arguments.plane = plane_in("--plane", text); },
         description)
      ->type_name(type)
      ->required()
      ->group(group);
  add_cells(app, cells, arguments.size)->group(group);
}

// The results of a plane, with the meaning of its files.
void add_plane_results(CLI::App& app, const std::string& group, const std::string& csv,
                       const std::string& resume, const std::string& json, PlaneArguments& arguments) {
  app.add_option("--csv", arguments.csv, csv)->type_name("FILE")->group(group);
  app.add_flag("--resume", arguments.resume, resume)->group(group);
  add_files(app, "--json", json, "FILE", arguments.json)->group(group);
  add_files(app, "--plot", "draw the plane, with gnuplot; may be repeated", "FILE.svg|png|pdf|tex|gp",
            arguments.plot)
      ->group(group);
  app.add_flag("--quiet", arguments.quiet, "print nothing but errors")->group(group);
}

// How solutions are followed to attractors.
void add_attractor_search(CLI::App& app, PlaneArguments& arguments, const std::string& group) {
  app.add_option("--period", arguments.period,
                 "the period of the drive or a multiple of it, where the equations depend on time: a number, "
                 "or an expression of parameters such as 2*pi/w (default: that of the time events)")
      ->type_name("PERIOD")
      ->group(group);
  app.add_option("--step", arguments.step,
                 "the time between two looks at a solution, where the equations do not depend on time "
                 "(default: most solutions move by about eight cells)")
      ->type_name("TIME")
      ->group(group);
  app.add_option_function<std::vector<std::string>>(
         "--wrap",
         [&arguments](const std::vector<std::string>& texts) {
           for (const std::string& text : texts) {
             const std::size_t equals = text.find('=');
             const std::string name = trimmed(text.substr(0, equals));
             if (equals == std::string::npos || name.empty())
               refuse_option("--wrap", "NAME=PERIOD with a state, as theta=2*pi", text);
             arguments.wrap.emplace_back(name, trimmed(text.substr(equals + 1)));
           }
         },
         "a state that is an angle, and its period, after which the equations are the same; may be repeated")
      ->type_name("NAME=PERIOD")
      ->allow_extra_args(false)
      ->take_all()
      ->group(group);
  add_count(app, "--max-rounds", "periods or steps that a solution is followed for (default 5000)", 1,
            arguments.most_steps)
      ->group(group);
}

void add_basins(CLI::App& program, BasinsArguments& arguments) {
  CLI::App& app = *program.add_subcommand(
      "basins", "Colour a plane of initial values by the attractors that solutions come to");
  add_model(app, arguments.model);

  add_plane(app,
            "the initial values of two states, the first across; the other states begin as the model says",
            "X=A:B,Y=C:D", "the cells of the plane, across and up (default 256)", arguments);

  const std::string sought = "What solutions come to";
  add_attractor_search(app, arguments, sought);
  add_positive(app, "--reach",
               "a solution has left where it stays outside of the plane widened by so many widths on each "
               "side (default 10)",
               arguments.reach)
      ->group(sought);
  app.add_flag("--thorough", arguments.thorough,
               "follow every start to an attractor; else one ends where all starts around it end alike")
      ->group(sought);
  add_count(app, "--samples",
            "random starts, which are always followed to an attractor: they tell the parts of the plane with "
            "their errors (default 4000)",
            0, arguments.samples)
      ->group(sought);
  add_count(app, "--seed", "the same seed gives the same samples, on every computer (default 1)", 0,
            arguments.seed)
      ->group(sought);
  add_count(app, "--jobs", "starts at the same time (default: one per processor; by MPI one per process)", 1,
            arguments.jobs)
      ->group(sought);
  add_simulation(app, arguments);
  add_fmu_import(app, arguments.fmu_import);

  const std::string results = "Results (a FILE named - is standard output)";
  add_plane_results(app, results, "write a row for each cell and sample",
                    "complete the table of interrupted basins",
                    "write attractors, parts, dimension and cells; may be repeated", arguments);
  app.footer(
      "A start that comes to no attractor has an end of its own: left, unsettled, refused, or the word for "
      "what "
      "stopped it. Ctrl-C leaves a valid table of what was done.\n"
      "Exit status: 0 all starts were followed, 1 a result could not be written, 2 the command line or the "
      "model "
      "is wrong, 3 interrupted (what was done is in the results).");
}

void add_diagram(CLI::App& program, DiagramArguments& arguments) {
  CLI::App& app = *program.add_subcommand(
      "diagram", "Colour a plane of two parameters by attractors, with the curves of bifurcations between");
  add_model(app, arguments.model);

  add_plane(app, "two parameters, the first across", "A=LOW:HIGH,B=LOW:HIGH",
            "the cells of the plane, across and up (default 64)", arguments);

  const std::string sought = "What solutions come to";
  add_attractor_search(app, arguments, sought);
  add_count(app, "--parts",
            "parts of the range of each state, by which a solution is seen to come back (default 100)", 2,
            arguments.parts)
      ->group(sought);
  add_positive(app, "--reach",
               "a solution has left where it stays outside of the ranges widened by so many of them on each "
               "side (default 100)",
               arguments.reach)
      ->group(sought);
  add_count(app, "--jobs", "rows at the same time (default: one per processor; by MPI one per process)", 1,
            arguments.jobs)
      ->group(sought);

  const std::string curves = "Curves of bifurcations";
  app.add_flag("--no-curves", arguments.no_curves, "colour the plane alone")->group(curves);
  add_count(app, "--curve-rounds", "periods of orbits whose curves are followed, at most (default 8)", 1,
            arguments.most_rounds)
      ->group(curves);
  add_count(app, "--max-curves", "bifurcations that are looked for between cells, at most (default 120)", 0,
            arguments.most_followed)
      ->group(curves);
  add_simulation(app, arguments);
  add_fmu_import(app, arguments.fmu_import);

  const std::string results = "Results (a FILE named - is standard output)";
  add_plane_results(app, results, "write two rows for each cell, one per direction",
                    "complete the table of an interrupted diagram",
                    "write kinds of attractors, cells and curves; may be repeated", arguments);
  add_files(app, "--curves", "write the points of curves as CSV; may be repeated", "FILE", arguments.curves)
      ->group(results);
  app.footer(
      "Rows are followed forwards and backwards, each cell from the attractor of the one before. Ctrl-C "
      "leaves "
      "a valid table of the rows that were done.\n"
      "Exit status: 0 all cells were followed, 1 a result could not be written, 2 the command line or the "
      "model is wrong, 3 interrupted (what was done is in the results).");
}

void add_equilibria(CLI::App& program, EquilibriaArguments& arguments) {
  CLI::App& app = *program.add_subcommand(
      "equilibria", "Find equilibria and pseudo-equilibria, stable or not, and their eigenvalues");
  add_model(app, arguments.model);
  const std::string sought = "The search";
  add_axes(
      app, arguments.axes,
      "follow the equilibria in a parameter, P=FIRST:LAST:COUNT, round folds, with steps of at most one of "
      "COUNT - 1 parts; --csv is then a table of the branches; for two parameters follow the curves of "
      "bifurcations in their plane, from those on the branches in the first one",
      false)
      ->group(sought);
  add_word(app, "--bifurcation",
           "the curves of these bifurcations alone: folds, Hopf, or boundary equilibria", {"SN", "HB", "BE"},
           arguments.bifurcation)
      ->group(sought);
  add_box(app, arguments.box)->group(sought);
  add_count(app, "--starts",
            "begins of Newton's method without a new equilibrium, after which a mode is left (default 100, "
            "and 5 with more than 50 states)",
            1, arguments.starts)
      ->group(sought);
  add_simulation(app, arguments);
  add_fmu_import(app, arguments.fmu_import);

  const std::string results = "Results (a FILE named - is standard output)";
  add_files(app, "--csv", "write a row for each equilibrium; may be repeated", "FILE", arguments.csv)
      ->group(results);
  add_files(app, "--json", "write the equilibria; may be repeated", "FILE", arguments.json)->group(results);
  add_files(app, "--plot", "with --vary, draw the branches, with gnuplot; may be repeated",
            "FILE.svg|png|pdf|tex|gp", arguments.plot)
      ->group(results);
  app.add_flag("--quiet", arguments.quiet, "print nothing but errors")->group(results);
  app.footer(
      "Exit status: 0 done, 1 a result could not be written, 2 the command line or the model is wrong.");
}

void add_manifolds(CLI::App& program, ManifoldArguments& arguments) {
  CLI::App& app = *program.add_subcommand(
      "manifolds", "Follow stable and unstable manifolds of saddles and of orbits, and find connections");
  add_model(app, arguments.model);
  const std::string followed = "The manifolds";
  add_word(app, "--only", "the stable or the unstable ones alone (default: both)", {"stable", "unstable"},
           arguments.only)
      ->group(followed);
  add_positive(app, "--length",
               "the arclength of a piece, in the units of the states (default: ten times the sizes of the "
               "states)",
               arguments.length)
      ->group(followed);
  add_positive(app, "--time",
               "the longest time of a piece (default: 1000 over the least rate of the eigenvalues)",
               arguments.time)
      ->group(followed);
  add_count(app, "--fan", "solutions to each side where a manifold is a fan (default 8)", 0, arguments.fan)
      ->group(followed);
  const std::string sought = "Whose manifolds: of equilibria without --section and --period";
  add_box(app, arguments.box)->group(sought);
  add_count(app, "--starts",
            "begins of Newton's method without a new equilibrium, after which a mode is left (default 100, "
            "and 5 with more than 50 states)",
            1, arguments.starts)
      ->group(sought);
  app.add_option("--section", arguments.section,
                 "of the orbit that comes back to this surface, or to the events of this name; its curves "
                 "are those in the plane across the orbit")
      ->type_name("NAME")
      ->group(sought);
  add_word(app, "--direction", "arrivals at it that count: from below, from above, or both (default rising)",
           {"rising", "falling", "any"}, arguments.direction)
      ->group(sought);
  add_count(app, "--returns",
            "arrivals at the section in one period (default: the fewest after which the transient repeats "
            "itself)",
            1, arguments.returns)
      ->group(sought);
  app.add_option("--period", arguments.period,
                 "of the orbit of this period, that of the drive or a multiple of it where the equations "
                 "depend on time: a number, or an expression of parameters such as 2*pi/w")
      ->type_name("PERIOD")
      ->group(sought);
  add_number(
      app, "--transient",
      "follow the model for this time before (default with --period 0, as unstable orbits need it, and with "
      "--section to its end)",
      "a number, 0 or above", [](double value) { return value >= 0; }, arguments.transient)
      ->group(sought);
  add_count(app, "--max-runs", "most runs of a curve of an orbit, one period each (default 20000)", 1,
            arguments.max_runs)
      ->group(sought);
  const std::string connected = "Connections of saddles in the plane";
  app.add_option_function<std::string>(
         "--connect",
         [&arguments](const std::string& text) {
           const std::size_t equals = text.find('=');
           const auto value = to_number<double>(equals == std::string::npos ? "" : text.substr(equals + 1));
           if (!value || !std::isfinite(*value))
             refuse_option("--connect", "STATE=VALUE with a state and a number, as x=0.5", text);
           arguments.connect = {trimmed(text.substr(0, equals)), *value};
         },
         "find homoclinic and heteroclinic connections, where the gap of unstable and stable manifolds on "
         "this line vanishes")
      ->type_name("STATE=VALUE")
      ->group(connected);
  add_axes(app, arguments.axes, "the parameter at whose values the gaps are measured, P=FIRST:LAST:COUNT",
           false)
      ->group(connected);
  add_simulation(app, arguments, false, "1e-10");
  add_fmu_import(app, arguments.fmu_import);

  const std::string results = "Results (a FILE named - is standard output)";
  add_files(app, "--csv", "write a row for each point, or for each gap; may be repeated", "FILE",
            arguments.csv)
      ->group(results);
  add_files(app, "--json", "write the manifolds or the connections; may be repeated", "FILE", arguments.json)
      ->group(results);
  add_files(app, "--plot", "draw them in the plane of two states, with gnuplot; may be repeated",
            "FILE.svg|png|pdf|tex|gp", arguments.plot)
      ->group(results);
  add_names(app, "--phase", "the two states of the picture (default: the first two)", arguments.phase)
      ->group(results);
  app.add_flag("--quiet", arguments.quiet, "print nothing but errors")->group(results);
  app.footer(
      "Exit status: 0 done, 1 a result could not be written, 2 the command line or the model is wrong, 3 "
      "there is no saddle, no orbit or no connection.");
}

void add_fit(CLI::App& program, FitArguments& arguments) {
  CLI::App& app = *program.add_subcommand(
      "fit", "Find parameters and initial values from measurements, by least squares with exact derivatives");
  add_model(app, arguments.model);
  const std::string measured = "What was measured";
  app.add_option(
         "--data", arguments.data,
         "the measurements: a line of names, then rows, with the time first and a column for each state "
         "or what is observed; cells may be empty")
      ->required()
      ->type_name("FILE")
      ->group(measured);
  app.add_option("--parameter", arguments.parameters,
                 "a parameter, or the initial value of a state, to be found; it begins as it is set; may be "
                 "repeated")
      ->required()
      ->type_name("NAME")
      ->allow_extra_args(false)
      ->take_all()
      ->group(measured);
  app.add_option("--observe", arguments.observe,
                 "an expression for the column of this name, \"E = 0.5*v^2\"; may be repeated")
      ->type_name("NAME=EXPRESSION")
      ->allow_extra_args(false)
      ->take_all()
      ->group(measured);
  app.add_option_function<std::vector<std::string>>(
         "--deviation",
         [&arguments](const std::vector<std::string>& texts) {
           for (const std::string& text : texts) {
             const std::size_t equals = text.find('=');
             const auto value = to_number<double>(equals == std::string::npos ? "" : text.substr(equals + 1));
             if (!value || !(*value > 0) || !std::isfinite(*value))
               refuse_option("--deviation", "NAME=NUMBER with a column and a number above 0", text);
             arguments.deviations.emplace_back(trimmed(text.substr(0, equals)), *value);
           }
         },
         "the standard deviation of the noise of a column, of all or none (default: unknown, the same for "
         "all); "
         "may be repeated")
      ->type_name("NAME=NUMBER")
      ->allow_extra_args(false)
      ->take_all()
      ->group(measured);
  add_count(app, "--max-runs", "most runs, each with its derivatives (default 200)", 1, arguments.max_runs)
      ->group(measured);
  add_simulation(app, arguments, false, "1e-8");
  add_fmu_import(app, arguments.fmu_import);

  const std::string results = "Results (a FILE named - is standard output)";
  add_files(app, "--csv", "write measurements, model and differences; may be repeated", "FILE", arguments.csv)
      ->group(results);
  add_files(app, "--json", "write the parameters, their errors and covariance; may be repeated", "FILE",
            arguments.json)
      ->group(results);
  app.add_flag("--quiet", arguments.quiet, "print nothing but errors")->group(results);
  app.footer(
      "Exit status: 0 a minimum was found, 1 a result could not be written, 2 the command line, the model or "
      "the measurements are wrong, 3 no minimum was found.");
}

void add_export(CLI::App& program, ExportArguments& arguments) {
  CLI::App& app = *program.add_subcommand(
      "export", "Write a model as an FMU, which other tools run, with its events and its sliding");
  add_model(app, arguments.model);
  const std::string wanted = "The FMU";
  add_word(app, "--fmu", "the version of the standard FMI (default 3.0)", {"2.0", "3.0"}, arguments.fmu)
      ->group(wanted);
  app.add_flag("--me", arguments.model_exchange,
               "Model Exchange alone: the tool integrates (default: both kinds)")
      ->group(wanted);
  app.add_flag("--cs", arguments.co_simulation,
               "Co-Simulation alone: slideway integrates (default: both kinds)")
      ->group(wanted);
  app.add_option("--observe", arguments.observe,
                 "an output beside the states: the name of a definition, a force of friction, a surface (its "
                 "guard), a contact (its force) or the friction of a contact, or an expression with a name, "
                 "\"E = 0.5*v^2\"; may be repeated")
      ->type_name("NAME|NAME=EXPRESSION")
      ->allow_extra_args(false)
      ->take_all()
      ->group(wanted);
  const auto add_names = [&](const char* name, std::vector<std::string>& names, const char* what) {
    app.add_option(name, names, what)->type_name("NAME")->allow_extra_args(false)->take_all()->group(wanted);
  };
  add_names("--input", arguments.inputs, "a parameter that becomes an input of the FMU; may be repeated");
  add_names("--tunable", arguments.tunable,
            "a parameter that may be changed between steps and at events; may be repeated");
  app.add_option("--out", arguments.out, "the file (default: the name of the model, with .fmu)")
      ->type_name("FILE.fmu")
      ->group(wanted);
  app.add_flag("--quiet", arguments.quiet, "print nothing but errors")->group(wanted);
  add_simulation(app, arguments);
  app.footer(
      "Exit status: 0 the FMU is written, 1 it could not be written, 2 the command line or the model is "
      "wrong, or an "
      "FMU cannot hold the model.");
}

void add_random(CLI::App& app, ValidateArguments& arguments, CLI::Option& names) {
  CLI::Option& random =
      *add_count(app, "--random", "instead so many random models, beside an oracle", 1, arguments.random)
           ->excludes(&names);
  add_count(app, "--seed", "the same seed gives the same models (default 1)", 0, arguments.seed)
      ->needs(&random);
  add_count(app, "--jobs", "random models at the same time (default 1)", 1, arguments.jobs)->needs(&random);
  add_count(app, "--model", "only the random model with this number; a wrong one is printed as it was drawn",
            0, arguments.only)
      ->needs(&random);
  app.add_flag("--language", arguments.language,
               "random models of the whole language of model files, beside themselves in other words and "
               "their audit")
      ->trigger_on_parse()
      ->needs(&random);
  app.add_option(
         "--class", arguments.classes,
         "a class of random models (default: all), such as friction or, behind --language, tanks; may "
         "be repeated; a class that does not exist lists those that do")
      ->type_name("NAME")
      ->trigger_on_parse()
      ->needs(&random);
  add_word(app, "--json", "- writes the results of random models as a document", {"-"}, arguments.json)
      ->needs(&random);
  app.add_flag(
         "--derivatives", arguments.derivatives,
         "of random models compare forward and adjoint derivatives with differences of runs at rtol 1e-12")
      ->needs(&random)
      ->excludes("--language");
}

void add_validate(CLI::App& program, ValidateArguments& arguments, std::optional<double>& rtol) {
  CLI::App& app = *program.add_subcommand("validate", "Run the validation suite: expected beside got");
  CLI::Option& names =
      *app.add_option("name", arguments.names, "cases, or beginnings of their names (default: all)")
           ->type_name("NAME");
  add_random(app, arguments, names);
  add_number(app, "--rtol",
             "relative tolerance (default 1e-6; of random models five of them, of their derivatives 1e-10)",
             rtol_expected, is_rtol, rtol);
  add_word(app, "--method", "integrator (default: all)",
           {"auto", "bdf", "adams", "dopri5", "dop853", "rodas"}, arguments.method);
  app.footer("Exit status: 0 all cases pass, 1 a case fails, 2 the command line is wrong.");
}

std::unique_ptr<CLI::App> make_program(AllArguments& arguments) {
  auto program = std::make_unique<CLI::App>(program_description, "slideway");
  program->set_version_flag("--version", fmt::format("slideway {}", version()));
  program->require_subcommand(1);

  program->add_subcommand("models", "List the catalogue, a line each, and the gallery by field");
  CLI::App& show =
      *program->add_subcommand("show", "Show a model: equations, surfaces, parameters, defaults");
  add_model(show, arguments.show.model);
  add_settings(show, arguments.show.settings);
  add_run(*program, arguments.run);
  add_check(*program, arguments.check);
  add_compare(*program, arguments.compare);
  add_sweep(*program, arguments.sweep);
  add_orbit(*program, arguments.orbit);
  add_equilibria(*program, arguments.equilibria);
  add_manifolds(*program, arguments.manifolds);
  add_lyapunov(*program, arguments.lyapunov);
  add_basins(*program, arguments.basins);
  add_diagram(*program, arguments.diagram);
  add_fit(*program, arguments.fit);
  add_export(*program, arguments.fmu_export);
  add_validate(*program, arguments.validate, arguments.validation_rtol);
  CLI::App& completion =
      *program->add_subcommand("completion", "Print the completion script of a shell, to be sourced by it");
  add_word(completion, "shell", "the shell", {"bash", "zsh"}, arguments.completion.shell)->required();
  // The build installs this page.
  program->add_subcommand("man", "Print the manual page")->group("");
  return program;
}

// ---- what is told of them ----------------------------------------------------------------------------------------

OptionText describe(const CLI::Option& option) {
  OptionText text;
  text.positional = option.get_positional();
  text.name = text.positional ? option.get_name(true) : "--" + option.get_lnames().front();
  text.description = option.get_description();
  text.group = option.get_group();
  const bool is_flag = option.get_items_expected_max() == 0;
  if (is_flag) return text;
  text.type = option.get_type_name();
  text.repeatable = option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
  if (text.type == "MODEL") {
    text.takes = Takes::model;
  } else if (text.type.rfind("FILE", 0) == 0) {
    text.takes = Takes::file;
  } else if (text.type.find('|') != std::string::npos) {
    text.takes = Takes::word;
    text.words = split(text.type, '|');
  } else {
    text.takes = Takes::text;
  }
  return text;
}

// A misspelt sub-command is answered with the nearest one, which CLI11 does not do.
std::optional<std::string> unknown_subcommand(const CLI::App& program, int argc, const char* const* argv) {
  if (argc < 2 || argv[1][0] == '-') return std::nullopt;
  std::vector<std::string> names;
  for (const CLI::App* app : program.get_subcommands({})) {
    if (app->get_name() == argv[1]) return std::nullopt;
    if (!app->get_group().empty()) names.push_back(app->get_name());
  }
  if (std::string_view(argv[1]).ends_with(".toml"))
    return fmt::format("a command stands before the model file: slideway run {}", argv[1]);
  const std::string near = nearest_name(argv[1], names);
  return fmt::format("there is no command '{}'; expected one of {}{}", argv[1], fmt::join(names, ", "),
                     near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
}

// CLI11 lists what it did not expect, values first, without a word on what was meant.
std::optional<std::string> unexpected_argument(const CLI::App& program, int argc, const char* const* argv) {
  const std::vector<CLI::App*> chosen = program.get_subcommands();
  const CLI::App& app = chosen.empty() ? program : *chosen.front();
  const std::string command = chosen.empty() ? "slideway" : "slideway " + app.get_name();
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (int i = chosen.empty() ? 1 : 2; i < argc; ++i) {
    const std::string argument = argv[i];
    const bool is_option = argument.size() > 1 && argument[0] == '-' && !to_number<double>(argument);
    const std::string name = argument.substr(0, argument.find('='));
    if (!is_option || name == "-h" || std::find(names.begin(), names.end(), name) != names.end()) continue;
    std::string near = nearest_name(name, names);
    // --end for --t-end.
    for (const std::string& known : names)
      if (near.empty() && name.size() > 3 && known.ends_with(name.substr(1))) near = known;
    return fmt::format("`{}` has no option '{}'; {}", command, name,
                       near.empty() ? fmt::format("`{} --help` lists those it has", command)
                                    : fmt::format("did you mean '{}'?", near));
  }
  const std::vector<std::string> left = app.remaining();
  if (left.empty()) return std::nullopt;
  return fmt::format("`{}` has no use for '{}'; `{} --help` says what it takes", command, left.front(),
                     command);
}

// The argument that a command needs and was not given, with its purpose.
std::optional<std::string> missing_option(const CLI::App& program) {
  for (const CLI::App* app : program.get_subcommands()) {
    for (const CLI::Option* option : app->get_options()) {
      if (!option->get_required() || option->count() > 0) continue;
      return fmt::format("`slideway {}` lacks {}{}: {}", app->get_name(),
                         option->get_positional() ? "" : "--" + option->get_lnames().front() + " ",
                         option->get_type_name(), option->get_description());
    }
  }
  return std::nullopt;
}

// CLI11 counts what it required and received.
std::optional<std::string> miscounted(const CLI::App& program, const std::string& told) {
  for (const CLI::App* app : program.get_subcommands()) {
    for (const CLI::Option* option : app->get_options()) {
      if (told.rfind(option->get_name() + ": ", 0) != 0 || option->get_lnames().empty()) continue;
      if (told.find("At Most 1 ") != std::string::npos)
        return fmt::format("{} is given {}; give it once", option->get_name(),
                           option->count() == 2 ? "twice" : fmt::format("{} times", option->count()));
      if (told.ends_with(" missing"))
        return fmt::format("{} lacks its {}: {}", option->get_name(), option->get_type_name(),
                           option->get_description());
    }
  }
  return std::nullopt;
}

Answered refused(std::ostream& err, const std::string& message) {
  err << "slideway: " << message << "\nRun with --help for more information.\n";
  return {exit_misuse};
}

std::vector<std::string> examples_of(const std::string& command) {
  if (command == "models") return {"slideway models"};
  if (command == "show") return {"slideway show evaporator"};
  if (command == "run")
    return {"slideway run evaporator --plot evaporator.svg",
            "slideway run dry-friction --set mu=0.3 --rtol 1e-9 --csv block.csv"};
  if (command == "check") return {"slideway check dry-friction"};
  if (command == "compare") return {"slideway compare evaporator --error 1e-6"};
  if (command == "sweep")
    return {"slideway sweep dry-friction --vary mu=0.1:0.5:41 --csv friction.csv --plot friction.svg",
            "slideway sweep dry-friction --vary w=0.5:1.5:41 --follow both --columns w,direction,max_x",
            "slideway sweep dry-friction --vary mu=0.1:0.5 --vary w=0.2:2:log --latin 100 --csv samples.csv"};
  if (command == "orbit")
    return {"slideway orbit gallery/leine_belt --section slip",
            "slideway orbit dry-friction --period 4*pi --json orbit.json --plot orbit.svg",
            "slideway orbit gallery/buck_converter --section clock --vary V_in=20:26:13",
            "slideway orbit gallery/sampled_pwm"};
  if (command == "equilibria")
    return {"slideway equilibria gallery/chua", "slideway equilibria gallery/harvesting --box x=0:2 --json -",
            "slideway equilibria gallery/chua --vary alpha=5:12:15 --csv branches.csv",
            "slideway equilibria gallery/chua --vary alpha=5:12:15 --vary beta=8:16:9 --csv curves.csv"};
  if (command == "manifolds")
    return {"slideway manifolds gallery/chua --only unstable --length 5 --plot manifolds.svg",
            "slideway manifolds gallery/impact_oscillator --set alpha=0 --set w=2.8 --set x=-0.48 --period "
            "2*pi/w --plot curves.svg"};
  if (command == "fit") return {"slideway fit dry-friction --data measured.csv --parameter mu --parameter x"};
  if (command == "basins")
    return {
        "slideway basins gallery/impact_oscillator --period 2*pi/w --plane x=-3:0,v=-3:3 --size 256 --plot "
        "basins.png",
        "slideway basins gallery/harvesting --plane x=0:2,y=0:2 --json basins.json"};
  if (command == "diagram")
    return {
        "slideway diagram gallery/impact_oscillator --period 2*pi/w --plane w=2.4:3.4,d=0:0.3 --plot "
        "diagram.svg",
        "slideway diagram gallery/chua --plane alpha=6:12,beta=10:18 --csv cells.csv --curves curves.csv"};
  if (command == "lyapunov")
    return {"slideway lyapunov gallery/chua --t-end 2000 --transient 100",
            "slideway lyapunov dry-friction --block 4*pi --csv running.csv"};
  if (command == "validate") return {"slideway validate A01 --method bdf"};
  if (command == "export")
    return {"slideway export evaporator",
            "slideway export gallery/dry_friction --fmu 2.0 --cs --out friction.fmu",
            "slideway export evaporator --input R_b --out driven.fmu"};
  if (command == "completion") return {"slideway completion bash > ~/.slideway && . ~/.slideway"};
  return {};
}

}  // namespace

std::vector<CommandText> command_texts() {
  AllArguments arguments;
  const std::unique_ptr<CLI::App> program = make_program(arguments);
  std::vector<CommandText> commands;
  for (const CLI::App* app : program->get_subcommands([](const CLI::App*) { return true; })) {
    if (app->get_group().empty()) continue;
    CommandText command{
        app->get_name(), app->get_description(), app->get_footer(), examples_of(app->get_name()), {}};
    for (const CLI::Option* option : app->get_options()) {
      if (!option->get_group().empty()) command.options.push_back(describe(*option));
    }
    commands.push_back(std::move(command));
  }
  return commands;
}

namespace {

void print_help_of(const CLI::App& program, const Screen& screen, std::ostream& out) {
  const std::vector<CLI::App*> chosen = program.get_subcommands();
  for (const CommandText& command : command_texts())
    if (!chosen.empty() && chosen.front()->get_name() == command.name)
      return print_help(command, screen, out);
  print_program_help(command_texts(), screen, out);
}

}  // namespace

Command parse_command_line(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
  AllArguments arguments;
  const std::unique_ptr<CLI::App> program = make_program(arguments);
  if (argc < 2) {
    print_program_help(command_texts(), screen_behind(platform::standard_error), err);
    return Answered{exit_misuse};
  }
  if (const auto message = unknown_subcommand(*program, argc, argv)) return refused(err, *message);
  try {
    program->parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    print_help_of(*program, screen_behind(platform::standard_output), out);
    return Answered{exit_success};
  } catch (const CLI::Success& request) {
    program->exit(request, out, err);
    return Answered{exit_success};
  } catch (const CLI::ExtrasError& error) {
    return refused(err, unexpected_argument(*program, argc, argv).value_or(error.what()));
  } catch (const CLI::RequiredError& error) {
    const auto unexpected = unexpected_argument(*program, argc, argv);
    return refused(err, unexpected ? *unexpected : missing_option(*program).value_or(error.what()));
  } catch (const CLI::ArgumentMismatch& error) {
    return refused(err, miscounted(*program, error.what()).value_or(error.what()));
  } catch (const CLI::ParseError& error) {
    return refused(err, error.what());
  }
  const std::string command = program->get_subcommands().front()->get_name();
  if (command == "models") return ModelsArguments{};
  if (command == "show") return arguments.show;
  if (command == "run") {
    if (!arguments.run.models.empty()) arguments.run.model = arguments.run.models.front();
    return arguments.run;
  }
  if (command == "check") return arguments.check;
  if (command == "compare") return arguments.compare;
  if (command == "completion") return arguments.completion;
  if (command == "man") return ManPageArguments{};
  if (command == "sweep") return arguments.sweep;
  if (command == "orbit") return arguments.orbit;
  if (command == "equilibria") return arguments.equilibria;
  if (command == "lyapunov") return arguments.lyapunov;
  if (command == "basins") return arguments.basins;
  if (command == "diagram") return arguments.diagram;
  if (command == "manifolds") return arguments.manifolds;
  if (command == "fit") return arguments.fit;
  if (command == "export") return arguments.fmu_export;
  arguments.validate.has_rtol = arguments.validation_rtol.has_value();
  arguments.validate.rtol = arguments.validation_rtol.value_or(arguments.validate.rtol);
  return arguments.validate;
}

}  // namespace slideway::apps
