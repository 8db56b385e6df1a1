// Completion of the command line in bash and zsh.
#include <ostream>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "apps/command_texts.hpp"
#include "apps/commands.hpp"
#include "apps/exit_status.hpp"
#include "apps/gallery.hpp"
#include "models/registry.hpp"

namespace slideway::apps {

namespace {

std::vector<std::string> option_names(const CommandText& command) {
  std::vector<std::string> names;
  for (const OptionText& option : command.options) {
    if (!option.positional) names.push_back(option.name);
  }
  return names;
}

// zsh_text() prepares a single-quoted word of zsh's _arguments, where : [ ] have a meaning.
std::string zsh_text(const std::string& text) {
  std::string result;
  for (const char character : text) {
    if (character == '\'') {
      result += "'\\''";
    } else if (character == ':' || character == '[' || character == ']' || character == '\\') {
      result += '\\';
      result += character;
    } else {
      result += character == '\n' ? ' ' : character;
    }
  }
  return result;
}

std::string zsh_action(const OptionText& option) {
  switch (option.takes) {
    case Takes::model: return "_slideway_model";
    case Takes::file: return "_files";
    case Takes::word: return fmt::format("({})", fmt::join(option.words, " "));
    default: return " ";
  }
}

std::string zsh_option(const OptionText& option) {
  if (option.positional)
    return fmt::format("'{}{}:{}'",
                       option.repeatable || option.takes == Takes::text ? "*:" : "1:", zsh_text(option.name),
                       zsh_action(option));
  const std::string text = fmt::format("{}[{}]", option.name, zsh_text(option.description));
  if (option.takes == Takes::nothing) return fmt::format("'{}'", text);
  return fmt::format("'{}{}:{}:{}'", option.repeatable ? "*" : "", text, zsh_text(option.type),
                     zsh_action(option));
}

void write_bash(const std::vector<CommandText>& commands, const std::vector<std::string>& models,
                std::ostream& out) {
  std::vector<std::string> names;
  for (const CommandText& command : commands) names.push_back(command.name);
  fmt::print(out,
             "# bash completion for slideway; made by `slideway completion bash`\n"
             "_slideway() {{\n"
             "  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}\n"
             "  COMPREPLY=()\n"
             "  if [[ $current == = ]]; then\n"
             "    current=\n"
             "  elif [[ $previous == = ]]; then\n"
             "    previous=${{COMP_WORDS[COMP_CWORD-2]}}\n"
             "  fi\n"
             "  if ((COMP_CWORD == 1)); then\n"
             "    mapfile -t COMPREPLY < <(compgen -W '{} --help --version' -- \"$current\")\n"
             "    return\n"
             "  fi\n"
             "  case \"${{COMP_WORDS[1]}} $previous\" in\n",
             fmt::join(names, " "));
  for (const CommandText& command : commands) {
    for (const OptionText& option : command.options) {
      if (option.positional || option.takes == Takes::nothing) continue;
      fmt::print(out, "    '{} {}')\n", command.name, option.name);
      if (option.takes == Takes::word) {
        fmt::print(out, "      mapfile -t COMPREPLY < <(compgen -W '{}' -- \"$current\")\n",
                   fmt::join(option.words, " "));
      } else if (option.takes == Takes::file) {
        fmt::print(out,
                   "      compopt -o filenames 2> /dev/null\n"
                   "      mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n");
      }
      fmt::print(out, "      return ;;\n");
    }
  }
  fmt::print(out, "  esac\n  case ${{COMP_WORDS[1]}} in\n");
  for (const CommandText& command : commands) {
    fmt::print(out,
               "    {})\n"
               "      if [[ $current == -* ]]; then\n"
               "        mapfile -t COMPREPLY < <(compgen -W '{}' -- \"$current\")\n",
               command.name, fmt::join(option_names(command), " "));
    for (const OptionText& option : command.options) {
      if (!option.positional) continue;
      if (option.takes == Takes::model) {
        fmt::print(out,
                   "      else\n"
                   "        compopt -o filenames 2> /dev/null\n"
                   "        mapfile -t COMPREPLY < <(compgen -W '{}' -- \"$current\"\n"
                   "          compgen -f -X '!*.toml' -- \"$current\"\n"
                   "          compgen -d -- \"$current\")\n",
                   fmt::join(models, " "));
      } else if (option.takes == Takes::word) {
        fmt::print(out, "      else\n        mapfile -t COMPREPLY < <(compgen -W '{}' -- \"$current\")\n",
                   fmt::join(option.words, " "));
      }
    }
    fmt::print(out, "      fi ;;\n");
  }
  fmt::print(out, "  esac\n}}\ncomplete -F _slideway slideway\n");
}

void write_zsh(const std::vector<CommandText>& commands, const std::vector<std::string>& models,
               std::ostream& out) {
  fmt::print(
      out,
      "#compdef slideway\n"
      "# zsh completion for slideway; made by `slideway completion zsh`\n"
      "_slideway_model() {{\n"
      "  _alternative 'models:model of the catalogue:({})' 'files:model file:_files -g \"*.toml(-.)\"'\n"
      "}}\n"
      "_slideway() {{\n"
      "  if ((CURRENT == 2)); then\n"
      "    local -a commands\n"
      "    commands=(\n",
      fmt::join(models, " "));
  for (const CommandText& command : commands)
    fmt::print(out, "      '{}:{}'\n", command.name, zsh_text(command.description));
  fmt::print(out,
             "    )\n"
             "    _describe command commands\n"
             "    return\n"
             "  fi\n"
             "  shift words\n"
             "  ((CURRENT--))\n"
             "  case $words[1] in\n");
  for (const CommandText& command : commands) {
    fmt::print(out, "    {})\n      _arguments", command.name);
    for (const OptionText& option : command.options) fmt::print(out, " \\\n        {}", zsh_option(option));
    fmt::print(out, " ;;\n");
  }
  fmt::print(out,
             "  esac\n}}\nif [[ $funcstack[1] == _slideway ]]; then\n  _slideway \"$@\"\nelse\n"
             "  compdef _slideway slideway\nfi\n");
}

}  // namespace

int completion(const CompletionArguments& arguments, std::ostream& out) {
  std::vector<std::string> names;
  for (const Model& model : models::catalogue()) names.push_back(model.name);
  for (const GalleryModel& model : gallery_models()) names.push_back(model.name);
  if (arguments.shell == "bash")
    write_bash(command_texts(), names, out);
  else
    write_zsh(command_texts(), names, out);
  return exit_success;
}

}  // namespace slideway::apps
