// Running gnuplot: script in, picture out, through files that have no name.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include <fmt/format.h>

#include "slideway/io/files.hpp"
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
  if (!file) throw FileError(fmt::format("no temporary file for gnuplot: {}", std::strerror(errno)));
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
  void work_in(const std::string& directory) {
    posix_spawn_file_actions_addchdir_np(&actions_, directory.c_str());
  }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

// Returns what gnuplot wrote to its standard output. It works in `directory`, or where this program does if that is empty.
std::string output_of_gnuplot(const std::string& script, const std::string& directory) {
  const File input = nameless_file();
  const File picture = nameless_file();
  const File complaints = nameless_file();
  if (std::fwrite(script.data(), 1, script.size(), input.get()) != script.size() ||
      std::fflush(input.get()) != 0) {
    throw FileError(fmt::format("the script for gnuplot cannot be stored: {}", std::strerror(errno)));
  }
  std::rewind(input.get());

  SpawnActions actions;
  if (!directory.empty()) actions.work_in(directory);
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
  // Some systems report success without a program to execute, and let the child end with 127.
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
    throw GnuplotMissing(
        "gnuplot cannot be run; install it to get pictures, on Debian with `apt-get install gnuplot-nox`");
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw FileError(fmt::format("gnuplot failed: {}", contents(complaints.get())));
  std::string result = contents(picture.get());
  if (result.empty() && directory.empty())
    throw FileError(fmt::format("gnuplot drew nothing: {}", contents(complaints.get())));
  return result;
}

// A directory of its own, gone afterwards.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "slideway-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr)
      throw FileError(fmt::format("no temporary directory for gnuplot: {}", std::strerror(errno)));
    path_ = pattern;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::string file_contents(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

std::string render(const std::string& script) { return output_of_gnuplot(script, ""); }

TexPicture render_tex(const std::string& script, const std::string& drawing) {
  const TemporaryDirectory directory;
  // The terminal is chosen in the first line, and the file comes after it.
  const std::size_t first_line = script.find('\n') + 1;
  output_of_gnuplot(
      fmt::format("{}set output 'picture.tex'\n{}", script.substr(0, first_line), script.substr(first_line)),
      directory.path().string());
  TexPicture picture{file_contents(directory.path() / "picture.tex"),
                     file_contents(directory.path() / "picture.pdf")};
  const std::string includes = "]{picture}";
  const std::size_t at = picture.text.find(includes);
  if (at == std::string::npos || picture.drawing.empty())
    throw FileError("gnuplot made no picture for LaTeX: does it have the terminal cairolatex?");
  picture.text.replace(at, includes.size(), fmt::format("]{{{}}}", drawing));
  picture.text.insert(
      0, fmt::format(
             "% Made by slideway. \\usepackage{{graphicx,xcolor}}, then \\input this file. Its lines are in "
             "{}, which must lie where LaTeX finds it.\n",
             drawing));
  return picture;
}

}  // namespace slideway
