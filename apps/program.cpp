#include "apps/program.hpp"

#include <exception>
#include <iostream>
#include <streambuf>
#include <string>

#include "apps/advice.hpp"
#include "apps/command_line.hpp"
#include "apps/exit_status.hpp"
#include "apps/layout.hpp"
#include "apps/other_program.hpp"
#include "slideway/detail/core/platform/terminal.hpp"
#include "slideway/io/files.hpp"
#include "slideway/io/model_file.hpp"

namespace slideway::apps {

namespace {

// Text for a person goes to `screen` and `messages`, whose lines fit; text for a shell or a program goes to `plain` as it is.
struct Dispatch {
  std::ostream& screen;
  std::ostream& messages;
  std::ostream& plain;
  const Abilities& abilities;
  char* const* argv;

  int operator()(const Answered& answered) const { return answered.exit_status; }
  int operator()(const RunArguments& arguments) const { return run(arguments, screen, messages); }
  int operator()(const CheckArguments& arguments) const { return check(arguments, screen); }
  int operator()(const CompareArguments& arguments) const { return compare(arguments, screen, messages); }
  int operator()(const OrbitArguments& arguments) const { return orbit(arguments, screen, messages); }
  int operator()(const LyapunovArguments& arguments) const { return lyapunov(arguments, screen, messages); }
  int operator()(const EquilibriaArguments& arguments) const {
    return equilibria(arguments, screen, messages);
  }
  int operator()(const BasinsArguments& arguments) const {
    return basins(arguments, abilities.workers, screen, messages);
  }
  int operator()(const DiagramArguments& arguments) const {
    return diagram(arguments, abilities.workers, screen, messages);
  }
  int operator()(const ManifoldArguments& arguments) const { return manifolds(arguments, screen, messages); }
  int operator()(const FitArguments& arguments) const { return fit(arguments, screen, messages); }
  int operator()(const SweepArguments& arguments) const {
    return sweep(arguments, abilities.workers, messages);
  }
  int operator()(const CompletionArguments& arguments) const { return completion(arguments, plain); }
  int operator()(const ManPageArguments&) const { return man_page(plain); }
  int operator()(const ModelsArguments&) const { return list_models(screen); }
  int operator()(const ShowArguments& arguments) const { return show(arguments, screen); }
  int operator()(const ExportArguments& arguments) const { return export_fmu(arguments, screen); }
  int operator()(const ValidateArguments& arguments) const {
    if (abilities.validate != nullptr)
      return abilities.validate(arguments, arguments.json.empty() ? screen : plain);
    become_program("slideway-validate", argv);
    messages
        << "slideway: the validation suite is the program slideway-validate, which is neither beside this "
           "program nor in the PATH; build its target, slideway_validate_program\n";
    return exit_misuse;
  }
};

// Swallows all.
class Silence : public std::streambuf {
 protected:
  int_type overflow(int_type character) override { return traits_type::not_eof(character); }
};

// helper() is a process that does the same as the others: one speaks, and the others tell it what is wrong with
// them.
int helper(int argc, char** argv, const Abilities& abilities) {
  Silence silence;
  std::ostream nowhere(&silence);
  try {
    return std::visit(Dispatch{nowhere, nowhere, nowhere, abilities, argv},
                      parse_command_line(argc, argv, nowhere, nowhere));
  } catch (const std::exception& error) {
    abilities.workers->stay_away(told_to_user(error.what()));
    return exit_misuse;
  }
}

}  // namespace

int program(int argc, char** argv, const Abilities& abilities) {
  if (abilities.workers != nullptr && !abilities.workers->is_writer()) return helper(argc, argv, abilities);
  FittedStream messages(std::cerr, message_width(platform::standard_error));
  try {
    FittedStream screen(std::cout, screen_behind(platform::standard_output).width);
    const int status = std::visit(Dispatch{screen, messages, std::cout, abilities, argv},
                                  parse_command_line(argc, argv, std::cout, messages));
    screen.flush();
    if (!std::cout) {
      messages << "slideway: standard output was closed or is full\n";
      return exit_failure;
    }
    return status;
  } catch (const FileError& error) {
    messages << "slideway: " << error.what() << '\n';
    return exit_failure;
  } catch (const ModelFileError& error) {
    // Its lines begin with file:line:column, where an editor looks for them, and carets stand below what they mean.
    const std::string report = error.what();
    std::cerr << report << (report.ends_with('\n') ? "" : "\n");
    return exit_misuse;
  } catch (const std::exception& error) {
    messages << "slideway: " << told_to_user(error.what()) << '\n';
    return exit_misuse;
  }
}

}  // namespace slideway::apps
