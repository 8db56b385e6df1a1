// The scripts of validation/figures, and the gallery that shows what they draw.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "test/cli/program.hpp"
#include "test/gnuplot_here.hpp"

using slideway::test::contains;
using slideway::test::Workplace;

namespace {

const std::filesystem::path kFigures = std::filesystem::path(SLIDEWAY_SOURCE_DIR) / "validation" / "figures";

std::vector<std::string> scripts() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFigures)) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() == ".sh" && name != "make" && name != "common") names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("every figure of the gallery is drawn by its script") {
  if (!slideway::test::gnuplot_is_here()) return;
  const Workplace place;
  const std::filesystem::path build = std::filesystem::path(SLIDEWAY_PROGRAM).parent_path().parent_path();
  const std::string command = "SLIDEWAY_FIGURES='" + place.path().string() + "' sh '" +
                              (kFigures / "make.sh").string() + "' '" + build.string() + "' > '" +
                              (place.path() / "told").string() + "' 2>&1";
  const int status = std::system(command.c_str());
  INFO(place.read("told"));
  CHECK(status == 0);
  for (const std::string& name : scripts()) {
    const std::string picture = place.read(name + ".svg");
    CAPTURE(name);
    CHECK(contains(picture, "</svg>"));
    // Not frames alone.
    CHECK(contains(picture, "gnuplot_plot_1"));
    CHECK(picture.size() < 64'000);
  }
}

TEST_CASE("the gallery shows every figure, and no other") {
  const std::string gallery = text_of(kFigures.parent_path() / "README.md");
  const std::vector<std::string> names = scripts();
  REQUIRE(names.size() >= 22);
  for (const std::string& name : names) {
    CAPTURE(name);
    CHECK(contains(gallery, "figures/" + name + ".svg"));
    CHECK(std::filesystem::exists(kFigures / (name + ".svg")));
  }
  std::size_t shown = 0;
  for (std::size_t at = gallery.find("<img src="); at != std::string::npos;
       at = gallery.find("<img src=", at + 1))
    ++shown;
  CHECK(shown == names.size());
}
