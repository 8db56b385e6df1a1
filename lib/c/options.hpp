// Options by name as text, "rtol=1e-8 method=bdf t_end=20", and what they come to beside the defaults of a model.
//
// It must not know runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "slideway/audit/audit.hpp"
#include "slideway/model/model.hpp"
#include "slideway/simulate/options.hpp"

namespace slideway::door {

// Name and value, in the order of the text. Values between ' and ' may hold blanks.
using OptionText = std::vector<std::pair<std::string, std::string>>;
// Throws std::invalid_argument for text that is no row of name=value.
OptionText options_in(const std::string& text);
// Later values take the place of earlier ones, and empty ones take an option away.
void merge(OptionText& options, const OptionText& more);

// RunOptions is all that the options of a model say.
struct RunOptions {
  Options run = {};
  std::optional<double> start = {};
  std::optional<double> end = {};
  std::string location = {};      // to begin in; "" for the initial one
  std::optional<Mode> mode = {};  // likewise
  AuditLevel audit = AuditLevel::quick;
  std::vector<std::string> sensitivities = {};
  std::string checkpoint = {};  // a file; "" for none
  double checkpoint_seconds = 60;
  std::int64_t checkpoint_steps = 0;  // 0: by time
};

// Throws std::invalid_argument, with the nearest name, for one that is unknown, and for a value that makes no sense. rtol is `usual_rtol` where
// nobody gives one.
RunOptions run_options(const OptionText& given, const ModelDefaults& defaults, double usual_rtol = 1e-6);
std::vector<std::string> option_names();

// The value of an option, which is then taken out; nothing where it is not there.
std::optional<std::string> taken(OptionText& options, const std::string& name);
// A number or an expression of numbers. Throws std::invalid_argument that names the option.
double number_of(const std::string& name, const std::string& value);
// A whole number that is at least `least`.
std::int64_t whole_number_of(const std::string& name, const std::string& value, std::int64_t least);
// truth_of() reads the words "true" and "false", and refuses any other value with the name of its option.
bool truth_of(const std::string& name, const std::string& value);
// The parts of a text between commas or blanks, without empty ones.
std::vector<std::string> parts_of(const std::string& text);

}  // namespace slideway::door
