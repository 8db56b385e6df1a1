// Every input that the fuzzer has kept is run once more, without the fuzzer.
#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

TEST_CASE("the inputs of the fuzzer are read without a finding") {
  int inputs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(SLIDEWAY_SOURCE_DIR "/test/fuzz/corpus")) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string input((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    CAPTURE(entry.path());
    CHECK(LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size()) == 0);
    ++inputs;
  }
  CHECK(inputs >= 20);
}
