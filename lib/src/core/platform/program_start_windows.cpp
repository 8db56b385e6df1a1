#include <fcntl.h>
#include <io.h>

#include <cstdio>

#include "core/platform/system_error_windows.hpp"
#include "slideway/detail/core/platform/program_start.hpp"

namespace slideway::platform {

struct ProgramStart::Terminals {
  struct Mode {
    HANDLE console = nullptr;
    DWORD mode = 0;
  };
  UINT code_page = GetConsoleOutputCP();
  std::vector<Mode> modes = {};
};

ProgramStart::ProgramStart(int argc, char** argv) : terminals_(std::make_unique<Terminals>()) {
  int words = 0;
  // The arguments of main() are in the code page of the machine, which does not have all letters.
  if (wchar_t** const wide_words = CommandLineToArgvW(GetCommandLineW(), &words)) {
    for (int k = 0; k < words; ++k) words_.push_back(to_name(wide_words[k]));
    LocalFree(wide_words);
  } else {
    words_.assign(argv, argv + argc);
  }
  for (std::string& word : words_) pointers_.push_back(word.data());
  pointers_.push_back(nullptr);

  // A result has the same bytes as on other systems.
  for (std::FILE* const stream : {stdin, stdout, stderr}) _setmode(_fileno(stream), _O_BINARY);
  SetConsoleOutputCP(CP_UTF8);
  for (const DWORD stream : {STD_OUTPUT_HANDLE, STD_ERROR_HANDLE}) {
    const HANDLE console = GetStdHandle(stream);
    DWORD mode = 0;
    if (GetConsoleMode(console, &mode) == 0) continue;
    terminals_->modes.push_back({console, mode});
    SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
  }
}

ProgramStart::~ProgramStart() {
  std::fflush(nullptr);
  for (const Terminals::Mode& one : terminals_->modes) SetConsoleMode(one.console, one.mode);
  if (terminals_->code_page != 0) SetConsoleOutputCP(terminals_->code_page);
}

}  // namespace slideway::platform
