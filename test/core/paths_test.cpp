#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "slideway/detail/core/paths.hpp"
#include "test/temporary_folder.hpp"

using slideway::to_name;
using slideway::to_path;

TEST_CASE("names of files are UTF-8 there and back") {
  const slideway::test::TemporaryFolder folder;
  for (const char* const name : {"plain.toml", "größe.toml", "Модель", "τροχιά 1.csv", "模型", "😀"}) {
    CAPTURE(name);
    CHECK(to_name(to_path(name)) == name);
    std::ofstream(folder.path() / to_path(name)) << name;
    CHECK(std::filesystem::exists(folder.path() / to_path(name)));
  }
  std::size_t found = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    std::string text;
    std::getline(std::ifstream(entry.path()), text);
    CHECK(to_name(entry.path().filename()) == text);
    ++found;
  }
  CHECK(found == 6);
  CHECK(to_name(to_path("a/größe.toml").stem()) == "größe");
  CHECK(to_path("").empty());
}
