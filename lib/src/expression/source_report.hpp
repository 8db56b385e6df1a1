// Places in a model file, and messages about mistakes there:
//
//     stick.toml:20:17: unknown name in the derivative of 'v', expected a parameter, …, got 'stik'
//        20 | v = "-x - mu*sgn(stik) + drive"
//           |                  ^^^^
//           did you mean 'stick'?
//
// It must not know what a model file contains.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace slideway::reader {

// Line and column count from 1; columns count characters, not bytes. Line 0 is the file as a whole.
struct Position {
  int line = 0;
  int column = 0;

  friend bool operator==(const Position&, const Position&) = default;
  friend auto operator<=>(const Position&, const Position&) = default;
};

struct Mistake {
  Position where = {};
  std::size_t length = 1;  // characters to underline
  std::string what = {};
  std::string expected = {};  // left out when empty, like got and hint
  std::string got = {};
  std::string hint = {};
};

using Mistakes = std::vector<Mistake>;

// The text of a file, by lines.
class SourceText {
 public:
  SourceText() = default;
  SourceText(std::string file_name, std::string text);

  const std::string& file_name() const { return file_name_; }
  const std::string& text() const { return text_; }
  std::size_t lines() const { return starts_.size(); }
  // line() returns a line without its end; `number` counts from 1.
  std::string_view line(int number) const;
  // The byte at a position (at most the end of its line), and back.
  std::size_t offset(Position position) const;
  Position position(std::size_t offset) const;

 private:
  std::string file_name_;
  std::string text_;
  std::vector<std::size_t> starts_;
};

// The position of the byte `offset` of the string whose TOML literal begins at `literal`: escapes, multi-line
// strings and their trimmed first line end are followed.
Position position_in_string(const SourceText& source, Position literal, std::size_t offset);

// All mistakes in the order of the file, at most `most` of them in full.
std::string report(const SourceText& source, Mistakes mistakes, std::size_t most = 50);
// The first line of one mistake: `file:line:column: what, expected …, got …`.
std::string one_line(const SourceText& source, const Mistake& mistake);

// "'a', 'b' and 'c'".
std::string listed(const std::vector<std::string>& words, const std::string& conjunction = "and");
// "'a', 'b' or 'c'".
std::string one_of(const std::vector<std::string>& words);
// "did you mean 'word'?", or "" when no word is near.
std::string suggestion(const std::string& name, const std::vector<std::string>& known);
// The bytes of the UTF-8 character at `offset`; 0 if there is none.
std::size_t character_length(std::string_view text, std::size_t offset);
// A text taken from a file without control characters, and its end left out when it is long.
std::string shortened(std::string_view text);
// The same in single quotes.
std::string in_quotes(std::string_view text);

}  // namespace slideway::reader
