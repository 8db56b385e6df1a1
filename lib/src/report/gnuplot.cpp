// Running gnuplot: script in, picture out.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "slideway/detail/core/paths.hpp"
#include "slideway/detail/core/platform/disk.hpp"
#include "slideway/detail/core/platform/programs.hpp"
#include "slideway/io/files.hpp"
#include "slideway/io/plot.hpp"

namespace slideway {

namespace {

// Returns what gnuplot wrote to its standard output. It works in `directory`, or where this program does if that is empty.
std::string output_of_gnuplot(const std::string& script, const std::string& directory) {
  platform::ProgramResult result;
  try {
    result = platform::run_program("gnuplot", "-d", script, directory);
  } catch (const std::system_error& failed) {
    throw FileError(fmt::format("the script for gnuplot cannot be stored: {}", failed.code().message()));
  }
  if (!result.was_there) {
    throw GnuplotMissing(
        fmt::format("gnuplot cannot be run{}; install it to get pictures, on Debian with "
                    "`apt-get install gnuplot-nox`",
                    result.reason.empty() ? "" : " (" + result.reason + ")"));
  }
  if (result.status != 0) throw FileError(fmt::format("gnuplot failed: {}", result.complaints));
  if (result.output.empty() && directory.empty())
    throw FileError(fmt::format("gnuplot drew nothing: {}", result.complaints));
  return result.output;
}

// A directory of its own, gone afterwards.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    try {
      path_ = platform::make_temporary_directory();
    } catch (const std::system_error& failed) {
      throw FileError(fmt::format("no temporary directory for gnuplot: {}", failed.code().message()));
    }
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
      to_name(directory.path()));
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
