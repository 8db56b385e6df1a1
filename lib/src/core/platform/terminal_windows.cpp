#include <cstdlib>

#include "core/platform/system_error_windows.hpp"
#include "slideway/detail/core/platform/terminal.hpp"

namespace slideway::platform {
namespace {

HANDLE console_of(int stream) {
  return GetStdHandle(stream == standard_output ? STD_OUTPUT_HANDLE : STD_ERROR_HANDLE);
}

}  // namespace

// A device such as NUL counts as a terminal for _isatty(), but has no console.
bool is_terminal(int stream) {
  DWORD mode = 0;
  return GetConsoleMode(console_of(stream), &mode) != 0;
}

// The terminals of Windows follow escape sequences after ProgramStart has asked for it; few programs there set TERM.
bool shows_colours() {
  const char* const terminal = std::getenv("TERM");
  return terminal == nullptr || std::string(terminal) != "dumb";
}

std::optional<std::size_t> terminal_columns(int stream) {
  CONSOLE_SCREEN_BUFFER_INFO information{};
  if (GetConsoleScreenBufferInfo(console_of(stream), &information) == 0) return std::nullopt;
  const int columns = information.srWindow.Right - information.srWindow.Left + 1;
  return columns > 0 ? std::optional(static_cast<std::size_t>(columns)) : std::nullopt;
}

void write_to_terminal(int stream, const std::string& text) {
  DWORD written = 0;
  WriteFile(console_of(stream), text.data(), static_cast<DWORD>(text.size()), &written, nullptr);
}

}  // namespace slideway::platform
