#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

#include "slideway/detail/core/platform/terminal.hpp"

namespace slideway::platform {

bool is_terminal(int stream) { return isatty(stream) == 1; }

bool shows_colours() {
  const char* const terminal = std::getenv("TERM");
  return terminal != nullptr && std::string(terminal) != "dumb";
}

std::optional<std::size_t> terminal_columns(int stream) {
  winsize size{};
  if (!is_terminal(stream) || ioctl(stream, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return size.ws_col;
}

void write_to_terminal(int stream, const std::string& text) {
  [[maybe_unused]] const auto written = write(stream, text.data(), text.size());
}

}  // namespace slideway::platform
