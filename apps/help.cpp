#include "apps/help.hpp"

#include <algorithm>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>

namespace slideway::apps {

namespace {

constexpr std::size_t most_term_width = 24;

class HelpPrinter {
 public:
  HelpPrinter(const Screen& screen, std::ostream& out) : screen_(screen), out_(out) {}

  void paragraph(const std::string& text) {
    for (const std::string& line : wrapped(text, screen_.width)) fmt::print(out_, "{}\n", line);
  }

  void title(const std::string& text) {
    const char* begin = screen_.colours ? "\x1b[1m" : "";
    const char* end = screen_.colours ? "\x1b[0m" : "";
    fmt::print(out_, "\n");
    for (const std::string& line : wrapped(text, screen_.width))
      fmt::print(out_, "{}{}{}\n", begin, line, end);
  }

  // A term, with its explanation beside it, or below where the term is too long.
  void term(const std::string& text, const std::string& explanation) {
    const std::size_t width = std::min(most_term_width, screen_.width / 3);
    const std::string space(2 + width + 2, ' ');
    std::vector<std::string> left = wrapped(text, screen_.width - 2);
    const bool is_beside = left.size() == 1 && screen_width(text) <= width;
    if (!is_beside)
      for (const std::string& line : left) fmt::print(out_, "  {}\n", line);
    bool is_first = is_beside;
    for (const std::string& line : wrapped(explanation, screen_.width - space.size())) {
      fmt::print(out_, "{}{}\n", is_first ? "  " + padded(text, width + 2) : space, line);
      is_first = false;
    }
  }

  // A command to copy: a line too long for the screen is continued as the shell continues it.
  void example(const std::string& text) {
    const std::vector<std::string> lines = wrapped(text, screen_.width - 6);
    for (std::size_t i = 0; i < lines.size(); ++i)
      fmt::print(out_, "{}{}{}\n", i == 0 ? "  " : "    ", lines[i], i + 1 < lines.size() ? " \\" : "");
  }

 private:
  Screen screen_;
  std::ostream& out_;
};

std::string term_of(const OptionText& option) {
  if (option.positional) return option.type.empty() ? option.name : option.type;
  // Words of which one is chosen may be broken between them.
  std::string type = option.type;
  for (std::size_t at = type.find('|'); at != std::string::npos; at = type.find('|', at + 3))
    type.replace(at, 1, " | ");
  return type.empty() ? option.name : option.name + " " + type;
}

}  // namespace

void print_help(const CommandText& command, const Screen& screen, std::ostream& out) {
  HelpPrinter printer(screen, out);
  std::string usage = "Usage: slideway " + command.name;
  bool has_options = false;
  for (const OptionText& option : command.options) {
    if (option.positional) usage += " " + term_of(option);
    has_options = has_options || !option.positional;
  }
  printer.paragraph(command.description + ".");
  fmt::print(out, "\n");
  printer.paragraph(usage + (has_options ? " [options]" : ""));
  fmt::print(out, "\n");
  for (const OptionText& option : command.options)
    if (option.positional) printer.term(term_of(option), option.description);
  std::string group;
  for (const OptionText& option : command.options) {
    if (option.positional) continue;
    if (option.group != group) {
      group = option.group;
      printer.title(group == "OPTIONS" ? "Options" : group);
    }
    printer.term(term_of(option), option.description);
  }
  if (!command.examples.empty()) {
    printer.title(command.examples.size() == 1 ? "Example" : "Examples");
    for (const std::string& example : command.examples) printer.example(example);
  }
  if (command.footer.empty()) return;
  fmt::print(out, "\n");
  printer.paragraph(command.footer);
}

void print_program_help(const std::vector<CommandText>& commands, const Screen& screen, std::ostream& out) {
  HelpPrinter printer(screen, out);
  printer.paragraph(program_description);
  fmt::print(out, "\n");
  printer.paragraph("Usage: slideway COMMAND [options]");
  printer.title("Commands");
  for (const CommandText& command : commands) printer.term(command.name, command.description);
  printer.title("Options");
  printer.term("--help", "Print this help; after a command, that of the command");
  printer.term("--version", "Print the version");
  printer.title("Example");
  printer.example("slideway run evaporator --plot evaporator.svg");
}

}  // namespace slideway::apps
