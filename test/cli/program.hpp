// Running the built command as a user does, with its output and exit status.
#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#ifndef SLIDEWAY_PROGRAM
#error "SLIDEWAY_PROGRAM must name the built command"
#endif

namespace slideway::test {

struct Finished {
  int status = -1;
  std::string out = {};
  std::string err = {};
};

// A directory of its own for every test, gone afterwards; commands run inside it.
class Workplace {
 public:
  Workplace() {
    std::string pattern = (std::filesystem::temp_directory_path() / "slideway-cli-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Workplace() { std::filesystem::remove_all(path_); }
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  // Arguments are taken literally; `environment` is put before the command, "NAME=value".
  Finished slideway(const std::vector<std::string>& arguments, const std::string& environment = "") const {
    std::string command =
        "cd " + in_quotes(path_.string()) + " && " + environment + " " + in_quotes(SLIDEWAY_PROGRAM);
    for (const std::string& argument : arguments) command += " " + in_quotes(argument);
    command += " > .out 2> .err < /dev/null";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(".out"), read(".err")};
  }

  std::string read(const std::string& name) const {
    std::ifstream in(path_ / name, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path_ / name) << text; }
  bool has(const std::string& name) const { return std::filesystem::exists(path_ / name); }
  // The files that commands left, besides the captured output.
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      const std::string name = entry.path().filename().string();
      if (name != ".out" && name != ".err") names.push_back(name);
    }
    return names;
  }

 private:
  static std::string in_quotes(const std::string& text) {
    std::string result = "'";
    for (const char character : text) {
      if (character == '\'') {
        result += "'\\''";
      } else {
        result += character;
      }
    }
    result += '\'';
    return result;
  }

  std::filesystem::path path_;
};

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace slideway::test
