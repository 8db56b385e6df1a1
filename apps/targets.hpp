// The documents a command is asked for: which option, which file.
#pragma once

#include <string>
#include <vector>

namespace slideway::apps {

struct Target {
  std::string option = {};
  std::string path = {};
  bool is_picture = false;
  bool is_page = false;
};

// Everything that can go wrong with a result before there is one: two documents in one place, or in that of the model
// file, whatever its names, a directory that is not there, a picture of an unknown kind. `model` is MODEL of the command
// line. Throws std::invalid_argument that names the option.
void check_targets(const std::vector<Target>& wanted, const std::string& model);

// Whether one of them is standard output, which then holds that document only.
bool any_on_standard_output(const std::vector<Target>& wanted);

}  // namespace slideway::apps
