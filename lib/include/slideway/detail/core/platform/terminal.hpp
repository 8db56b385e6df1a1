// These functions tell whether a standard stream of the program is a terminal and how many columns the terminal has, and write to it.
//
// It must not know what is written.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace slideway::platform {

inline constexpr int standard_output = 1;
inline constexpr int standard_error = 2;

bool is_terminal(int stream);
// shows_colours() tells whether the terminal, where there is one, follows the escape sequences for colours.
bool shows_colours();
// terminal_columns() returns the columns that the terminal has now. It returns nothing where the stream is no terminal.
std::optional<std::size_t> terminal_columns(int stream);
// write_to_terminal() ignores errors: the program goes on where the terminal has been closed.
void write_to_terminal(int stream, const std::string& text);

}  // namespace slideway::platform
