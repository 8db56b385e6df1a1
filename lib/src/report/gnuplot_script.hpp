// The text of a gnuplot script while it is written: what the scripts of all pictures do alike.
//
// It must not know what is drawn.
#pragma once

#include <iterator>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace slideway {

class GnuplotScript {
 public:
  std::string text() && { return std::move(text_); }

 protected:
  // A rectangle of the page, in fractions of it.
  struct Frame {
    double left, right, bottom, top;
  };

  template <class... Arguments>
  void append(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
  }
  // The next plot fills this frame.
  void place(const Frame& frame) {
    append("set lmargin at screen {:.4f}\nset rmargin at screen {:.4f}\n", frame.left, frame.right);
    append("set bmargin at screen {:.4f}\nset tmargin at screen {:.4f}\n", frame.bottom, frame.top);
  }

  std::string text_ = {};
};

}  // namespace slideway
