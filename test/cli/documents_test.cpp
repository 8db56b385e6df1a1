#include <set>
#include <sstream>

#include <doctest/doctest.h>

#include "test/cli/program.hpp"

using slideway::test::contains;
using slideway::test::Finished;
using slideway::test::Workplace;

namespace {

const char* const commands[] = {"run", "show", "models", "check", "sweep", "validate", "completion"};

// The options that the help of a command lists.
std::set<std::string> options_of(const Workplace& place, const std::string& command) {
  std::set<std::string> options;
  std::istringstream help(place.slideway({command, "--help"}).out);
  for (std::string line; std::getline(help, line);) {
    const auto begin = line.find_first_not_of(' ');
    if (begin == std::string::npos || begin == 0 || line[begin] != '-') continue;
    const auto name = line.find("--", begin);
    if (name == std::string::npos) continue;
    options.insert(line.substr(name, line.find_first_of(" ,", name) - name));
  }
  return options;
}

bool has(const char* program) {
  return std::system((std::string(program) + " --version > /dev/null 2>&1").c_str()) == 0;
}

// The completions that bash offers for the last of these words.
std::string completed(const Workplace& place, const std::string& words) {
  place.write("complete.sh", "source completion.bash\nCOMP_WORDS=(" + words +
                                 ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_slideway\n"
                                 "printf '%s\\n' \"${COMPREPLY[@]}\"\n");
  const std::string command = "cd '" + place.path().string() + "' && bash complete.sh > .out 2>&1";
  CHECK(std::system(command.c_str()) == 0);
  return place.read(".out");
}

}  // namespace

TEST_CASE("the manual page names every command and every option") {
  const Workplace place;
  const Finished page = place.slideway({"man"});
  CHECK(page.status == 0);
  CHECK(page.out.substr(0, 3) == ".TH");
  for (const std::string command : commands) {
    CHECK_MESSAGE(contains(page.out, "slideway " + command), command);
    for (const std::string& option : options_of(place, command)) {
      if (option == "--help") continue;
      std::string escaped;
      for (const char character : option) escaped += character == '-' ? "\\-" : std::string(1, character);
      CHECK_MESSAGE(contains(page.out, escaped), option);
    }
  }
  CHECK(options_of(place, "run").size() > 12);
  place.write("page.1", page.out);
  if (!has("groff")) return;
  const std::string command = "groff -man -Tutf8 -ww -z '" + (place.path() / "page.1").string() + "' > '" +
                              (place.path() / ".err").string() + "' 2>&1";
  CHECK(std::system(command.c_str()) == 0);
  CHECK(place.read(".err") == "");
}

TEST_CASE("bash completes commands and models and options and their values and model files") {
  const Workplace place;
  if (!has("bash")) return;
  const Finished script = place.slideway({"completion", "bash"});
  CHECK(script.status == 0);
  place.write("completion.bash", script.out);
  place.write("stick slip.toml", "");
  place.write("notes.txt", "");
  CHECK(completed(place, "slideway sw") == "sweep\n");
  CHECK(completed(place, "slideway run ev") == "evaporator\n");
  CHECK(completed(place, "slideway run gallery/chu") == "gallery/chua\n");
  CHECK(completed(place, "slideway run evaporator gallery/chu") == "gallery/chua\n");
  CHECK(completed(place, "slideway run st") == "stick slip.toml\n");
  CHECK(completed(place, "slideway run no") == "\n");
  CHECK(completed(place, "slideway run evaporator --method a") == "auto\nadams\n");
  CHECK(completed(place, "slideway run evaporator --method = b") == "bdf\n");
  CHECK(completed(place, "slideway run --csv no") == "notes.txt\n");
  CHECK(completed(place, "slideway run --t-end ''") == "\n");
  CHECK(completed(place, "slideway completion z") == "zsh\n");
  for (const std::string command : commands) {
    const std::string offered = completed(place, "slideway " + command + " --");
    for (const std::string& option : options_of(place, command))
      CHECK_MESSAGE(contains(offered, option + "\n"), option);
  }
}

TEST_CASE("the completion of zsh names every option and is a script of zsh") {
  const Workplace place;
  const Finished script = place.slideway({"completion", "zsh"});
  CHECK(script.status == 0);
  CHECK(script.out.substr(0, 17) == "#compdef slideway");
  for (const std::string command : commands) {
    for (const std::string& option : options_of(place, command))
      CHECK_MESSAGE(contains(script.out, option + "["), option);
  }
  CHECK(contains(script.out, "evaporator"));
  CHECK(contains(script.out, " gallery/chua "));
  CHECK(contains(script.out, "*.toml"));
  place.write("_slideway", script.out);
  if (has("zsh")) CHECK(std::system(("zsh -n '" + (place.path() / "_slideway").string() + "'").c_str()) == 0);
}

TEST_CASE("completion of an unknown shell is refused") {
  const Workplace place;
  CHECK(place.slideway({"completion", "tcsh"}).status == 2);
  CHECK(place.slideway({"completion"}).status == 2);
}
