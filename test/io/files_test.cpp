#include "slideway/io/files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <ostream>
#include <sstream>

#include <doctest/doctest.h>

#include "test/temporary_folder.hpp"

using namespace slideway;
using slideway::test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void put(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

}  // namespace

TEST_CASE("a document is written whole and nothing else is left") {
  const TemporaryFolder directory;
  write_whole(directory / "result.json", [](std::ostream& out) { out << "new\n"; });
  CHECK(contents(directory / "result.json") == "new\n");
  CHECK(directory.entries() == 1);
}

TEST_CASE("a writer that fails leaves the old document as it was") {
  const TemporaryFolder directory;
  put(directory / "result.json", "old\n");
  CHECK_THROWS_AS(write_whole(directory / "result.json",
                              [](std::ostream& out) {
                                out << "half of the new";
                                out.flush();
                                throw std::runtime_error("interrupted");
                              }),
                  std::runtime_error);
  CHECK(contents(directory / "result.json") == "old\n");
  CHECK(directory.entries() == 1);
}

TEST_CASE("the old document stays readable until the new one is complete") {
  const TemporaryFolder directory;
  put(directory / "result.json", "old\n");
  write_whole(directory / "result.json", [&](std::ostream& out) {
    out << "new\n";
    out.flush();
    CHECK(contents(directory / "result.json") == "old\n");
  });
  CHECK(contents(directory / "result.json") == "new\n");
}

TEST_CASE("a stream that goes bad is an error and not a short document") {
  const TemporaryFolder directory;
  CHECK_THROWS_AS(write_whole(directory / "a", [](std::ostream& out) { out.setstate(std::ios::badbit); }),
                  FileError);
  CHECK(directory.entries() == 0);
}

TEST_CASE("a directory that does not exist is named before the run") {
  const TemporaryFolder directory;
  const std::string path = directory / "absent/result.json";
  CHECK_THROWS_WITH_AS(check_writable(path), doctest::Contains("absent"), FileError);
  CHECK_THROWS_WITH_AS(check_writable(path), doctest::Contains("create the directory first"), FileError);
  CHECK_THROWS_AS(write_whole(path, [](std::ostream&) {}), FileError);
}

TEST_CASE("a directory that may not be written to is refused before the run") {
  // Not even the administrator can create a file here.
  CHECK_THROWS_WITH_AS(check_writable("/proc/result.json"),
                       doctest::Contains("choose a directory you may write to"), FileError);
}

TEST_CASE("a directory in the place of the file is refused") {
  const TemporaryFolder directory;
  CHECK_THROWS_WITH_AS(check_writable(directory.path().string()), doctest::Contains("directory"), FileError);
  CHECK_THROWS_AS(check_writable(""), FileError);
}

TEST_CASE("checking leaves nothing behind and changes nothing") {
  const TemporaryFolder directory;
  check_writable(directory / "new.json");
  CHECK(directory.entries() == 0);
  put(directory / "old.json", "old\n");
  check_writable(directory / "old.json");
  CHECK(directory.entries() == 1);
  CHECK(contents(directory / "old.json") == "old\n");
}

TEST_CASE("a symbolic link stays a link to the new document") {
  const TemporaryFolder directory;
  put(directory / "target.json", "old\n");
  fs::create_symlink("target.json", directory / "link.json");
  write_whole(directory / "link.json", [](std::ostream& out) { out << "new\n"; });
  CHECK(fs::is_symlink(directory / "link.json"));
  CHECK(contents(directory / "target.json") == "new\n");
}

TEST_CASE("a symbolic link that leads to no file is refused and stays as it is") {
  const TemporaryFolder directory;
  fs::create_symlink("absent.json", directory / "dangling.json");
  fs::create_symlink("absent/result.json", directory / "far.json");
  fs::create_symlink("second.json", directory / "first.json");
  fs::create_symlink("first.json", directory / "second.json");
  const auto refused = [&](const std::string& name, const std::string& why) {
    const std::string path = directory / name;
    CHECK_THROWS_WITH_AS(check_writable(path), doctest::Contains(why.c_str()), FileError);
    CHECK_THROWS_AS(write_whole(path, [](std::ostream& out) { out << "new\n"; }), FileError);
    CHECK(fs::is_symlink(path));
  };
  refused("dangling.json", "it is a symbolic link to 'absent.json', and that is not there");
  refused("far.json", "it is a symbolic link to 'absent/result.json', and that is not there");
  refused("first.json", "it is a symbolic link to 'second.json', which leads to no file");
  CHECK(directory.entries() == 4);
}

TEST_CASE("a device is written to and not replaced") {
  check_writable("/dev/null");
  write_whole("/dev/null", [](std::ostream& out) { out << "anything"; });
  CHECK(fs::is_character_file("/dev/null"));
  CHECK_THROWS_AS(write_whole("/dev/full", [](std::ostream& out) { out << "anything"; }), FileError);
}

TEST_CASE("a new document has the permissions of any new file and an old one keeps its own") {
  const TemporaryFolder directory;
  const mode_t mask = umask(022);
  write_whole(directory / "new", [](std::ostream& out) { out << "x"; });
  umask(mask);
  put(directory / "old", "x");
  fs::permissions(directory / "old", fs::perms::owner_read | fs::perms::owner_write);
  write_whole(directory / "old", [](std::ostream& out) { out << "y"; });
  CHECK(fs::status(directory / "new").permissions() ==
        (fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read | fs::perms::others_read));
  CHECK(fs::status(directory / "old").permissions() == (fs::perms::owner_read | fs::perms::owner_write));
}
