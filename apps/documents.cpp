#include "apps/documents.hpp"

#include <algorithm>

namespace slideway::apps {

namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

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

}  // namespace

std::vector<CommandText> command_texts(const CLI::App& program) {
  std::vector<CommandText> commands;
  for (const CLI::App* app : program.get_subcommands([](const CLI::App*) { return true; })) {
    if (app->get_group().empty()) continue;
    CommandText command{app->get_name(), app->get_description(), app->get_footer(), {}};
    for (const CLI::Option* option : app->get_options()) {
      if (!option->get_group().empty()) command.options.push_back(describe(*option));
    }
    commands.push_back(std::move(command));
  }
  return commands;
}

}  // namespace slideway::apps
