// The documents a command is asked for: which option, which file.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace slideway::apps {

enum class TargetKind { text, picture, page };

struct Target {
  std::string option = {};
  std::string path = {};
  TargetKind kind = TargetKind::text;
};

// The files that one option names.
void add_targets(const std::string& option, const std::vector<std::string>& paths, TargetKind kind,
                 std::vector<Target>& wanted);

// check_targets() finds everything that can go wrong with a result before there is one: two documents in one
// place, or one in that of the model file, whatever its names; a directory that is not there; a picture of an
// unknown kind. `models` are those of the command line. It throws std::invalid_argument that names the option.
void check_targets(const std::vector<Target>& wanted, const std::vector<std::string>& models);

// `check`, with what it throws told under the name of the option it is about.
void check_option(const std::string& option, const std::function<void()>& check);

// any_on_standard_output() tells whether one of them is standard output, which then holds that document only.
bool any_on_standard_output(const std::vector<Target>& wanted);

// The files of a command. One that cannot be written does not keep the others, nor the summary, from the user.
struct Written {
  std::vector<std::string> files = {};
  std::vector<std::string> failures = {};  // a sentence each

  // `write` returns the files that there are now; a FileError that it throws is kept, and so is GnuplotMissing.
  void add(const std::string& path, const std::function<std::vector<std::string>()>& write);
  // Draws a whole picture by `draw`; one for LaTeX has its drawing beside it.
  void add_picture(const std::string& path, const std::function<void()>& draw);
  // Writes a whole file by `write`.
  void add_document(const std::string& path, const std::function<void(std::ostream&)>& write);
  // Prints the failures after what is on `out`; the exit status is `status` where there are none.
  int report_failures(std::ostream& out, std::ostream& err, int status) const;
};

}  // namespace slideway::apps
