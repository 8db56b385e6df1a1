// The manual page, in the macros of man(7).
#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "apps/command_texts.hpp"
#include "apps/commands.hpp"
#include "apps/exit_status.hpp"
#include "slideway/core/version.hpp"

namespace slideway::apps {

namespace {

// Text of troff: hyphens of options are to be copied as such, and no line is taken for a request.
std::string troff(const std::string& text) {
  std::string result;
  bool line_begins = true;
  for (const char character : text) {
    if (line_begins && (character == '.' || character == '\'')) result += "\\&";
    line_begins = character == '\n';
    if (character == '\\') {
      result += "\\e";
    } else if (character == '-') {
      result += "\\-";
    } else {
      result += character;
    }
  }
  return result;
}

std::string capitals(std::string text) {
  for (char& character : text) {
    if (character >= 'a' && character <= 'z') character = static_cast<char>(character - 'a' + 'A');
  }
  return text;
}

void write_command(const CommandText& command, std::ostream& out) {
  fmt::print(out, ".SH {}\n", capitals(command.name));
  fmt::print(out, ".B slideway {}\n", command.name);
  for (const OptionText& option : command.options) {
    if (option.positional) fmt::print(out, ".I {}\n", option.type.empty() ? option.name : option.type);
  }
  bool has_options = false;
  for (const OptionText& option : command.options) has_options = has_options || !option.positional;
  if (has_options) fmt::print(out, ".RI [ options ]\n");
  fmt::print(out, ".PP\n{}.\n", troff(command.description));
  std::string group;
  for (const OptionText& option : command.options) {
    // The option --help, which every command has, is told once.
    if (option.name == "--help") continue;
    if (!option.positional && option.group != group && option.group != "Options" &&
        option.group != "OPTIONS") {
      group = option.group;
      fmt::print(out, ".SS {}\n", troff(group));
    }
    if (option.positional)
      fmt::print(out, ".TP\n.I {}\n", option.type);
    else if (option.type.empty())
      fmt::print(out, ".TP\n.B {}\n", troff(option.name));
    else
      fmt::print(out, ".TP\n.BI {} \" {}\"\n", troff(option.name), troff(option.type));
    fmt::print(out, "{}\n", troff(option.description));
  }
  if (!command.examples.empty()) fmt::print(out, ".SS Examples\n.nf\n");
  for (const std::string& example : command.examples) fmt::print(out, "{}\n", troff(example));
  if (!command.examples.empty()) fmt::print(out, ".fi\n");
  if (!command.footer.empty()) fmt::print(out, ".PP\n{}\n", troff(command.footer));
}

}  // namespace

int man_page(std::ostream& out) {
  fmt::print(out, ".TH SLIDEWAY 1 \"\" \"slideway {}\" \"User Commands\"\n", version());
  fmt::print(
      out,
      ".SH NAME\nslideway \\- piecewise\\-smooth differential equations, with sliding modes and events\n");
  fmt::print(out,
             ".SH SYNOPSIS\n.B slideway\n.I COMMAND\n.RI [ options ]\n.br\n.B slideway \\-\\-help\n|\n.B "
             "\\-\\-version\n");
  fmt::print(out, ".SH DESCRIPTION\n{}\n", troff(program_description));
  fmt::print(out, ".PP\nEvery command explains itself with\n.BR \\-\\-help .\n");
  for (const CommandText& command : command_texts()) write_command(command, out);
  fmt::print(out,
             ".SH EXAMPLES\n.nf\n"
             "slideway run evaporator \\-\\-plot evaporator.svg\n"
             "slideway run model.toml \\-\\-set mu=0.3 \\-\\-rtol 1e\\-9 \\-\\-json \\-\n"
             "slideway sweep dry\\-friction \\-\\-vary w=0.2:2:200 \\-\\-section stick \\-\\-csv w.csv "
             "\\-\\-plot w.svg\n"
             ".fi\n");
  return exit_success;
}

}  // namespace slideway::apps
