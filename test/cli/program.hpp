// Running the built command as a user does, with its output and exit status.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "test/temporary_folder.hpp"

#ifndef SLIDEWAY_PROGRAM
#error "SLIDEWAY_PROGRAM must name the built command"
#endif

namespace slideway::test {

// The built command, or the program that the variable SLIDEWAY_PROGRAM names, such as the command for Windows by wine.
inline std::string program_under_test() {
  const char* const other = std::getenv("SLIDEWAY_PROGRAM");
  return other != nullptr ? other : SLIDEWAY_PROGRAM;
}

struct Finished {
  int status = -1;
  std::string out = {};
  std::string err = {};
};

// A directory of its own for every test, gone afterwards; commands run inside it.
class Workplace {
 public:
  // Arguments are taken literally; `environment` is put before the command, "NAME=value". Lines are not wrapped, unless
  // the environment says how wide they may be.
  Finished slideway(const std::vector<std::string>& arguments, const std::string& environment = "") const {
    std::string command = "cd " + in_quotes(place_.path().string()) + " && COLUMNS=1000 " + environment +
                          " " + in_quotes(program_under_test());
    for (const std::string& argument : arguments) command += " " + in_quotes(argument);
    command += " > .out 2> .err < /dev/null";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(".out"), read(".err")};
  }

  std::string read(const std::string& name) const {
    std::ifstream in(place_.path() / name, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(place_.path() / name) << text;
  }
  const std::filesystem::path& path() const { return place_.path(); }
  bool has(const std::string& name) const { return std::filesystem::exists(place_.path() / name); }
  // The files that commands left, besides the captured output.
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(place_.path())) {
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

  slideway::test::TemporaryFolder place_;
};

// A command that runs beside the test, to be signalled.
class Started {
 public:
  Started(const Workplace& place, const std::vector<std::string>& arguments,
          const std::string& program = program_under_test())
      : place_(place) {
    std::vector<std::string> words = {program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    process_ = fork();
    if (process_ != 0) return;
    if (chdir(place.path().c_str()) != 0) _exit(126);
    const auto connect = [](const char* name, int flags, int descriptor) {
      dup2(open(name, flags, 0600), descriptor);
    };
    connect("/dev/null", O_RDONLY, STDIN_FILENO);
    connect(".out", O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
    connect(".err", O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
    execv(pointers[0], pointers.data());
    _exit(127);
  }
  ~Started() {
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  Started(const Started&) = delete;
  Started& operator=(const Started&) = delete;

  bool wait_until(const std::function<bool()>& condition, int seconds) const {
    for (int k = 0; k < 50 * seconds; ++k) {
      if (condition()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return false;
  }
  void signal(int number) const { kill(process_, number); }
  // The processes that it started.
  std::vector<pid_t> children() const {
    const std::string number = std::to_string(process_);
    std::ifstream in("/proc/" + number + "/task/" + number + "/children");
    std::vector<pid_t> found;
    for (pid_t child = 0; in >> child;) found.push_back(child);
    return found;
  }
  Finished wait() {
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = 0;
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, place_.read(".out"), place_.read(".err")};
  }

 private:
  const Workplace& place_;
  pid_t process_ = 0;
};

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// With one blank for the blanks between columns.
inline std::string in_words(const std::string& text) {
  std::string words;
  for (const char character : text)
    if (character != ' ' || (!words.empty() && words.back() != ' ')) words += character;
  return words;
}

}  // namespace slideway::test
