// How text fits the width of a terminal: wrapped lines, tables, and a stream that lets no line be wider.
//
// It must not know what the text is about.
#pragma once

#include <optional>
#include <ostream>
#include <streambuf>
#include <string>
#include <utility>
#include <vector>

namespace slideway::apps {

// The properties of the screen that text goes to.
struct Screen {
  std::size_t width = 80;  // of a line, in columns
  bool colours = false;
};

// The screen behind a descriptor. Its width is the variable COLUMNS, or what the terminal says, or 80. Colours are for
// terminals that can show them, unless NO_COLOR is set.
Screen screen_behind(int descriptor);

// message_width() is the width of a message to a descriptor: that of the screen where there is one, which COLUMNS
// may say. A message in a file or a pipe is one line, however long, for programs to read.
std::size_t message_width(int descriptor);

// Columns on the screen: UTF-8's continuation bytes and the codes of colours take none.
std::size_t screen_width(const std::string& text);

std::string padded(const std::string& text, std::size_t width);

// The text in lines of at most `width` columns, broken at blanks, and inside a word only where the word alone is wider.
std::vector<std::string> wrapped(const std::string& text, std::size_t width);

// One line as lines that fit. The further ones begin below the last column of the line, such as the text beside a title.
std::vector<std::string> fitted(const std::string& line, std::size_t width);

// "1 event", "2 events".
std::string counted(long long number, const std::string& noun);

enum class Align { left, right };

// Rows under a heading. Columns without an entry are left out, and the widest ones wrap where the screen is narrow.
class Table {
 public:
  struct Column {
    std::string title = {};
    Align align = Align::left;
    bool whole = false;  // a number that is not to be broken
  };

  explicit Table(std::vector<Column> columns, std::string note_title = {})
      : columns_(std::move(columns)), note_title_(std::move(note_title)) {}

  void add(std::vector<std::string> cells, std::string note = {}) {
    rows_.push_back({std::move(cells), std::move(note)});
  }
  // The lines without colours; the first `heading_lines` are the heading. Notes stand in a last column where it is wide
  // enough, otherwise below their rows.
  std::vector<std::string> lines(std::size_t width) const;
  std::size_t heading_lines(std::size_t width) const;
  void print(std::ostream& out, std::size_t width, bool colours) const;

 private:
  struct Row {
    std::vector<std::string> cells = {};
    std::string note = {};
  };
  struct Plan {
    std::vector<std::size_t> shown = {};   // the columns with an entry
    std::vector<std::size_t> widths = {};  // of these
    std::size_t note_column = 0;           // where notes begin
    std::size_t note_width = 0;
    bool notes_below = false;
  };

  Plan plan(std::size_t width) const;
  std::vector<std::string> row_lines(const Row& row, const Plan& plan) const;
  Row heading() const;

  std::vector<Column> columns_;
  std::string note_title_;
  std::vector<Row> rows_ = {};
};

// Passes text on line by line, in lines that fit; a file between two lines of ``` passes as it is.
class FittedStream : public std::ostream {
 public:
  FittedStream(std::ostream& target, std::size_t width) : std::ostream(nullptr), buffer_(target, width) {
    rdbuf(&buffer_);
  }
  ~FittedStream() override { flush(); }
  FittedStream(const FittedStream&) = delete;
  FittedStream& operator=(const FittedStream&) = delete;

 private:
  class Buffer : public std::streambuf {
   public:
    Buffer(std::ostream& target, std::size_t width) : target_(target), width_(width) {}
    ~Buffer() override;
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

   protected:
    int_type overflow(int_type character) override;
    int sync() override;

   private:
    void pass_line();

    bool in_file_ = false;  // between two lines of ```, where every line passes as it is
    std::ostream& target_;
    std::size_t width_;
    std::string line_ = {};
  };

  Buffer buffer_;
};

}  // namespace slideway::apps
