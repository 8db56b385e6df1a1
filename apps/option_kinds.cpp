#include "apps/option_kinds.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "apps/numbers.hpp"

namespace slideway::apps {

[[noreturn]] void refuse_option(const std::string& option, const std::string& expected,
                                const std::string& got) {
  throw CLI::ValidationError(option, fmt::format("expected {}, got '{}'", expected, got));
}

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
                      const std::vector<std::string>& words, const std::vector<std::string>& not_built, std::string& target) {
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
      ->type_name(fmt::format("{}", fmt::join(words, "|")));
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
            target.clear();
            for (std::size_t begin = 0; begin <= text.size();) {
              const std::size_t end = std::min(text.find(',', begin), text.size());
              target.push_back(trimmed(text.substr(begin, end - begin)));
              if (target.back().empty()) refuse_option(name, "names separated by commas", text);
              begin = end + 1;
            }
          },
          description)
      ->type_name("NAME,NAME");
}

CLI::Option* add_model(CLI::App& app, std::string& target) {
  return app.add_option("model", target, "a name of the catalogue (see `slideway models`) or a .toml file")
      ->required()
      ->type_name("MODEL");
}

}  // namespace slideway::apps
