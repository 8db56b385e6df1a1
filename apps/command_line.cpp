#include "apps/command_line.hpp"

#include <algorithm>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "apps/exit_status.hpp"
#include "apps/program_options.hpp"

namespace slideway::apps {

namespace {

// A misspelt sub-command is answered with the nearest one, which CLI11 does not do.
std::optional<std::string> unknown_subcommand(const CLI::App& program, int argc, const char* const* argv) {
  if (argc < 2 || argv[1][0] == '-') return std::nullopt;
  std::vector<std::string> names;
  for (const CLI::App* app : program.get_subcommands({})) {
    if (app->get_name() == argv[1]) return std::nullopt;
    if (!app->get_group().empty()) names.push_back(app->get_name());
  }
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
  AllArguments arguments;
  const std::unique_ptr<CLI::App> program = make_program(arguments);
  if (argc < 2) {
    err << program->help();
    return Answered{exit_misuse};
  }
  if (const auto message = unknown_subcommand(*program, argc, argv)) return refused(err, *message);
  try {
    program->parse(argc, argv);
  } catch (const CLI::Success& request) {
    program->exit(request, out, err);
    return Answered{exit_success};
  } catch (const CLI::ParseError& error) {
    return refused(err, error.what());
  }
  const std::string command = program->get_subcommands().front()->get_name();
  if (command == "models") return ModelsArguments{};
  if (command == "show") return arguments.show;
  if (command == "run") return arguments.run;
  if (command == "check") return arguments.check;
  if (command == "completion") return arguments.completion;
  if (command == "man") return ManPageArguments{};
  if (command == "sweep") return arguments.sweep;
  arguments.validate.rtol = arguments.validation_rtol.value_or(arguments.validate.rtol);
  return arguments.validate;
}

}  // namespace slideway::apps
