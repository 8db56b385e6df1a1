// Running gnuplot: script in, picture out, through files that have no name.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "slideway/io/plot.hpp"

extern char** environ;

namespace slideway {

namespace {

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

// Removed by the system when closed. Files rather than pipes: no reader and writer to keep from waiting for each
// other, and no SIGPIPE when gnuplot gives up early.
File nameless_file() {
  File file(std::tmpfile());
  if (!file) throw std::runtime_error(fmt::format("no temporary file for gnuplot: {}", std::strerror(errno)));
  return file;
}

std::string contents(std::FILE* file) {
  std::string text;
  std::rewind(file);
  char block[65536];
  for (std::size_t size = 0; (size = std::fread(block, 1, sizeof block, file)) > 0;) text.append(block, size);
  return text;
}

class SpawnActions {
 public:
  SpawnActions() { posix_spawn_file_actions_init(&actions_); }
  ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;

  void connect(std::FILE* file, int descriptor) {
    posix_spawn_file_actions_adddup2(&actions_, fileno(file), descriptor);
  }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

}  // namespace

std::string render(const std::string& script) {
  const File input = nameless_file();
  const File picture = nameless_file();
  const File complaints = nameless_file();
  if (std::fwrite(script.data(), 1, script.size(), input.get()) != script.size() ||
      std::fflush(input.get()) != 0) {
    throw std::runtime_error(
        fmt::format("the script for gnuplot cannot be stored: {}", std::strerror(errno)));
  }
  std::rewind(input.get());

  SpawnActions actions;
  actions.connect(input.get(), STDIN_FILENO);
  actions.connect(picture.get(), STDOUT_FILENO);
  actions.connect(complaints.get(), STDERR_FILENO);

  char program[] = "gnuplot";
  char default_settings[] = "-d";
  char* arguments[] = {program, default_settings, nullptr};
  pid_t process = 0;
  const int error = posix_spawnp(&process, program, actions.get(), nullptr, arguments, environ);
  if (error != 0) {
    throw GnuplotMissing(
        fmt::format("gnuplot cannot be run ({}); install it to get pictures, "
                    "on Debian with `apt-get install gnuplot-nox`",
                    std::strerror(error)));
  }
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  // Without a program to execute, some systems report success and let the child end with 127.
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
    throw GnuplotMissing(
        "gnuplot cannot be run; install it to get pictures, on Debian with `apt-get install gnuplot-nox`");
  }
  std::string result = contents(picture.get());
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || result.empty()) {
    throw std::runtime_error(fmt::format("gnuplot failed: {}", contents(complaints.get())));
  }
  return result;
}

}  // namespace slideway
