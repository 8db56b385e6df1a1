// The kinds of options the sub-commands share, each refusing a wrong value with what was expected and what was got.
//
// The type name of an option says what it takes, for the help and for the completion of shells: "a|b|c" are the words
// there are, MODEL a model, FILE a file, anything else something to type.
// It must not know the sub-commands.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "slideway/model/model.hpp"

namespace slideway::apps {

[[noreturn]] void refuse_option(const std::string& option, const std::string& expected, const std::string& got);

using NumberTest = bool (*)(double);

// A finite number that passes the test.
CLI::Option* add_number(CLI::App& app, const std::string& name, const std::string& description,
                        const std::string& expected, NumberTest accepted, std::optional<double>& target);

// A whole number, at least `least`.
CLI::Option* add_count(CLI::App& app, const std::string& name, const std::string& description, Index least,
                       std::optional<Index>& target);

// One of some words. Those in `not_built` are known, and refused with that reason.
CLI::Option* add_word(CLI::App& app, const std::string& name, const std::string& description,
                      const std::vector<std::string>& words, const std::vector<std::string>& not_built,
                      std::string& target);

// "--set name=value", repeatable.
CLI::Option* add_settings(CLI::App& app, Settings& settings);

// A file, repeatable.
CLI::Option* add_files(CLI::App& app, const std::string& name, const std::string& description,
                       const std::string& type, std::vector<std::string>& target);

// Names separated by commas.
CLI::Option* add_names(CLI::App& app, const std::string& name, const std::string& description,
                       std::vector<std::string>& target);

CLI::Option* add_model(CLI::App& app, std::string& target);

}  // namespace slideway::apps
