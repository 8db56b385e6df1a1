// What is behind the standard streams of a program: whether that is a terminal, and how wide it is.
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
// Its columns now; nothing where there is no terminal.
std::optional<std::size_t> terminal_columns(int stream);
// A terminal that is gone is no reason to stop: nothing is told.
void write_to_terminal(int stream, const std::string& text);

}  // namespace slideway::platform
